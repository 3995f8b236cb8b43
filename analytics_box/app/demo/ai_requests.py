"""Requests of AI agents on the demo's website, as its server would report them: the same ones each time, day by day.

Crawlers read everything now and then, assistants a few pages for a person. Some pages have been gone for long, and
agents still ask for them.
"""

from collections.abc import Iterator
from itertools import accumulate
from random import Random
from typing import Final, NamedTuple

from analytics_box.base.clock import DAY, utc_day
from analytics_box.base.facts.event import FactSpan
from analytics_box.ingest.ai_requests import AiRequest, format_of, request_fact
from analytics_box.products.sample_data.arrivals import DAYS
from analytics_box.products.sample_data.site import MISSING, PAGES
from analytics_box.web.recognition.ai_agents import agents

_PAGES: Final = tuple(page.path for section in PAGES.values() for page in section)
# Readers thin out, crawlers less than people.
_PAGE_SHARES: Final = tuple(accumulate(1 / (rank + 4) for rank in range(len(_PAGES))))
_TEXTS: Final = ("/llms.txt", "/llms-full.txt")
# Pages that no link leads to, which only crawlers know from the sitemap.
_UNLINKED: Final = ("/docs/archive/inkwell-1", "/legal/subprocessors", "/press")
_GONE_SHARE, _FAILING_SHARE, _UNLINKED_SHARE = 0.05, 0.006, 0.04


class DemoAgent(NamedTuple):
    """An agent: its requests a day at the end of the history, its growth since the first day, the shares of Markdown
    and of llms.txt that it fetches, and whether its address is in the operator's published ranges (1), in none of them
    (0) or unknown."""

    requests: float
    growth: float
    markdown: float = 0.0
    texts: float = 0.0
    verified: int | None = None


_AGENTS: Final = {
    "gptbot": DemoAgent(34, 1.5, 0.02, 0.05, 1),
    "oai-searchbot": DemoAgent(16, 2.2, 0.03, 0.03, 1),
    "chatgpt-user": DemoAgent(24, 3.0, 0.12, 0.02, 1),
    "claudebot": DemoAgent(26, 1.3, 0.04, 0.06),
    "claude-searchbot": DemoAgent(6, 1.8, 0.05, 0.05),
    "claude-user": DemoAgent(11, 3.5, 0.45, 0.12),
    "claude-code": DemoAgent(7, 4.0, 0.8, 0.15),
    "perplexitybot": DemoAgent(12, 1.4, 0.0, 0.02, 1),
    "perplexity-user": DemoAgent(8, 2.0, 0.0, 0.0, 1),
    "meta-externalagent": DemoAgent(18, 1.1),
    "bytespider": DemoAgent(9, 0.6, 0.0, 0.0, 0),
    "ccbot": DemoAgent(5, 1.0),
    "amazonbot": DemoAgent(7, 1.0),
    "applebot": DemoAgent(6, 1.2),
    "duckassistbot": DemoAgent(3, 1.6),
    "mistralai-user": DemoAgent(3, 2.4, 0.1, 0.05),
}


def requests_between(site: int, seed: str, *, first_day: int, start: int, end: int) -> Iterator[FactSpan]:
    """The requests in [start, end), UTC ms, of a demo with this first day."""
    for day in range(max(utc_day(start), first_day), utc_day(end) + 1):
        age = min(1.0, (day - first_day) / DAYS)
        for name, agent in _AGENTS.items():
            random = Random(f"{seed}:ai:{name}:{day}")  # noqa: S311  believable, not secret
            expected = agent.requests * (age + (1 - age) / agent.growth) * random.lognormvariate(0, 0.25)
            for _ in range(round(expected)):
                at = day * DAY + random.randrange(DAY)
                request = _request(random, name, agent, at)
                if start <= at < end:
                    yield request_fact(request, site, agent.verified)


def _request(random: Random, name: str, agent: DemoAgent, at: int) -> AiRequest:
    known, path, status = agents()[name], "", 200
    if random.random() < agent.texts:
        path = random.choice(_TEXTS)
    elif random.random() < _GONE_SHARE:
        path, status = random.choice(MISSING), 404
    elif known.purpose != "on_demand" and random.random() < _UNLINKED_SHARE:
        path = random.choice(_UNLINKED)
    else:
        path = random.choices(_PAGES, cum_weights=_PAGE_SHARES)[0]
        if path != "/" and random.random() < agent.markdown:
            path += ".md"
    if random.random() < _FAILING_SHARE:
        status = 503
    user_agent = f"Mozilla/5.0 (compatible; {known.token}/1.0)"
    return AiRequest(known, path, at, "server", user_agent, format_of(None, path, None), status)
