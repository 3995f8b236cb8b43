"""Bots that fetch the demo's pages and run its script: a few each day, quarantined and counted nowhere."""

from collections.abc import Iterator
from random import Random

from analytics_box.base.clock import DAY
from analytics_box.ingest.enrich import EventSender
from analytics_box.ingest.payload import Incoming
from analytics_box.products.sample_data.site import DOMAIN, PAGES
from analytics_box.products.sample_data.visits import SampleEvent
from analytics_box.web.recognition import agent
from analytics_box.web.recognition.bots import KNOWN

MOST = 6  # views of a day
# What they call themselves, with their user agents.
_BOTS = (
    ("Googlebot", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"),
    ("bingbot", "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"),
    (
        "GPTBot",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.2; +https://openai.com/gptbot",
    ),
    ("HeadlessChrome", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/142.0.0.0 Safari/537.36"),
)


def visits(random: Random, day: int) -> Iterator[SampleEvent]:
    """The views of bots on this UTC day."""
    pages = [page for listed in PAGES.values() for page in listed]
    for _ in range(random.randint(1, MOST)):
        name, user_agent = random.choice(_BOTS)
        sender = EventSender(
            network=f"192.0.2.{random.randint(1, 254)}",
            user_agent=user_agent,
            agent=agent.parse(user_agent),
            language="",
            bot=KNOWN,
            by_key=False,
            bot_name=name,
        )
        page = random.choice(pages)
        incoming = Incoming(name="screen_view", path=f"https://{DOMAIN}{page.path}", title=page.title)
        yield SampleEvent(day * DAY + random.randrange(DAY), incoming, sender)
