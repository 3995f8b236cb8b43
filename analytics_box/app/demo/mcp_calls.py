"""Calls of the demo's MCP server, which searches its documentation: the same ones each time, day by day.

Its second version is slower at searching. Exports are large, and sometimes fail.
"""

from collections.abc import Iterator
from random import Random
from typing import Final, NamedTuple

from analytics_box.base.clock import DAY, utc_day
from analytics_box.base.facts.event import FactSpan
from analytics_box.ingest.mcp_calls import McpCall, call_fact
from analytics_box.products.sample_data.arrivals import DAYS

# Days after the first one: the server's first calls, and its second version.
_BEGUN, _UPDATED = DAYS - 60, DAYS - 12
_SERVER, _VERSIONS = "inkwell-docs", ("1.4.0", "1.5.0")
_FEWEST_A_DAY, _MOST_A_DAY = 35, 90
_SLOWER = 2.6


class DemoTool(NamedTuple):
    """A tool: its share of the calls, median duration (ms) and output, and how often it fails with which message."""

    share: int
    median: float
    output: int
    failing: float = 0
    error: str = ""


_TOOLS: Final = {
    "search_docs": DemoTool(46, 140, 3_900),
    "get_page": DemoTool(30, 60, 11_500, 0.04, "Page {number} was not found"),
    "list_releases": DemoTool(9, 45, 1_800),
    "create_note": DemoTool(9, 210, 240, 0.03, "The title must not be empty"),
    "export_notes": DemoTool(6, 2_900, 74_000, 0.16, "Export {number} timed out after 30 seconds"),
}
# Clients with their versions and their share of the calls.
_CLIENTS: Final = (
    ("claude-code", ("2.0.41", "2.1.0"), 44),
    ("cursor", ("1.9.2", "2.0.0"), 26),
    ("claude-ai", ("0.1.0",), 16),
    ("chatgpt", ("1.0.0",), 9),
    ("", ("",), 5),
)


def calls_between(site: int, seed: str, *, first_day: int, start: int, end: int) -> Iterator[FactSpan]:
    """The calls in [start, end), UTC ms, of a demo with this first day."""
    first = max(utc_day(start), first_day + _BEGUN)
    for day in range(first, utc_day(end) + 1):
        random = Random(f"{seed}:mcp:{day}")  # noqa: S311  believable, not secret
        for number in range(random.randint(_FEWEST_A_DAY, _MOST_A_DAY)):
            call, at = _call(random, day - first_day, number), day * DAY + random.randrange(DAY)
            if start <= at < end:
                yield call_fact(call, site, at)


def _call(random: Random, age: int, number: int) -> McpCall:
    name, tool = random.choices(list(_TOOLS.items()), [one.share for one in _TOOLS.values()])[0]
    client, versions, _share = random.choices(_CLIENTS, [share for *_rest, share in _CLIENTS])[0]
    updated = age >= _UPDATED
    fails = random.random() < tool.failing
    slower = _SLOWER if updated and name == "search_docs" else 1
    return McpCall(
        tool=name,
        durationMs=tool.median * slower * random.lognormvariate(0, 0.5),
        error=tool.error.format(number=random.randint(100, 9_999)) if fails else None,
        outputChars=60 if fails else tool.output * random.lognormvariate(0, 0.4),
        clientName=client,
        clientVersion=versions[-1] if updated else versions[0],
        serverName=_SERVER,
        serverVersion=_VERSIONS[updated],
        sessionId=f"{client or 'unknown'}-{age}-{number % 14}",
        userAgent=f"{client}/{versions[-1]}" if client else "",
        environment="production" if random.random() < 0.93 else "staging",
    )
