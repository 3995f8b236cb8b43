"""Everything that happens on the demo's website between two instants. The same seed gives the same events.

Each UTC day has chance of its own, so that days can be added later without changing those before.
"""

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import Any

from analytics_box.base.clock import DAY, HOUR, MINUTE, SECOND, utc_day
from analytics_box.base.facts.event import Fact
from analytics_box.ingest.enrich import EventSender, EventTarget, measure_span, understand
from analytics_box.ingest.payload import Incoming
from analytics_box.ingest.visitors import Salts
from analytics_box.products.sample_data.arrivals import Arrival, Member, arrivals, comes, members
from analytics_box.products.sample_data.audience import DIRECT, PLACES, SOURCES
from analytics_box.products.sample_data.site import DOMAIN, PAGES
from analytics_box.products.sample_data.visits import Going, SampleEvent, new_reader, read_pages, visit
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


JUST_NOW = 9  # visits that began in the last minutes, so that somebody is online when the demo is opened


def events(seed: str, target: EventTarget, *, first_day: int, start: int, end: int) -> list[Fact]:
    """The events of [start, end), oldest first. `first_day` is the day on which the demo's history begins."""
    days = range(max(first_day, utc_day(start) - 1), utc_day(end) + 1)
    sent = [item for day in days for item in _of_day(seed, day, first_day) if start <= item.time < end]
    return _facts(seed, target, sent)


def just_now(seed: str, target: EventTarget, now: int) -> list[Fact]:
    """Visits that began within the last four minutes, up to now."""
    random = _chance(f"{seed}:{now}")
    begun = [
        Arrival(now - random.randint(10 * SECOND, 4 * MINUTE), random.choice(SOURCES[:6]), random.choice(PLACES))
        for _ in range(JUST_NOW)
    ]
    return _facts(seed, target, [item for arrival in begun for item in visit(random, arrival) if item.time < now])


def one_visit(seed: str, target: EventTarget, random: Random, at: int) -> list[Fact]:
    """A visit that begins then, with what comes of it later."""
    return _facts(seed, target, [*visit(random, Arrival(at, random.choice(SOURCES[:6]), random.choice(PLACES)))])


def _of_day(seed: str, day: int, first_day: int) -> Iterator[Going]:
    random = _chance(f"{seed}:{day}")
    for arrival in arrivals(random, day, first_day):
        yield from visit(random, arrival)
    for member in members(seed, day, first_day):
        chance = _chance(f"{seed}:{day}:{member.number}")
        if comes(chance, member, day):
            yield from _visit_of(seed, member, chance, day)
    yield from visits(_chance(f"{seed}:{day}:programs"), day)


def _visit_of(seed: str, member: Member, random: Random, day: int) -> Iterator[Going]:
    """A visit of a member, under a lasting id, and for most members under the id of the account."""
    identity: dict[str, Any] = {"anonymousId": f"device-{member.number}", "anonymizeVisitorIds": False}
    if member.is_known:
        identity["profileId"] = f"user-{member.number}"
    reader = new_reader(_chance(f"{seed}:{member.number}"), member.place, identity)
    time = day * DAY + round(random.gauss(member.place.busiest, 4) % 24 * HOUR)
    yield from read_pages(reader._replace(random=random), time, member.source if day == member.joined else DIRECT)


def _facts(seed: str, target: EventTarget, sent: list[Going]) -> list[Fact]:
    """The events as the box would understand them on the day of their arrival."""
    return [_fact(seed, target, item) for item in sorted(sent, key=lambda item: item.time)]


def _fact(seed: str, target: EventTarget, item: Going) -> Fact:
    salts = _salts(seed, utc_day(item.time))
    if isinstance(item, SampleEvent):
        return understand(item.incoming, target, item.sender, salts, item.time)
    return measure_span(item.said, item.table, item.own, target=target, sender=item.sender, salts=salts, now=item.time)


@lru_cache(maxsize=2)  # events come in the order of their days
def _salts(seed: str, day: int) -> Salts:
    def of(name: object) -> bytes:
        return hashlib.sha256(f"{seed}:{name}".encode()).digest()

    return Salts(day, today=of(day), yesterday=of(day - 1), history=of)


def _chance(seed: str) -> Random:
    return Random(seed)  # noqa: S311  believable, not secret
