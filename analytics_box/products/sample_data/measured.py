"""Measurements of the demo's pages besides views: vitals, errors, outgoing links, and engagement."""

import math
from collections.abc import Iterator
from datetime import UTC, datetime
from random import Random
from typing import NamedTuple

from analytics_box.base.facts.event import METRICS
from analytics_box.ingest.fingerprints import fingerprint
from analytics_box.products.sample_data.audience import SampleMachine
from analytics_box.products.sample_data.site import SamplePage

Own = tuple[int | float | str | None, ...]

MEASURED = 0.12  # of page views say their vitals
OBSERVED = 0.12  # of page views say how the page was used
LINK_CLICKED = 0.06
PHONE_SLOWER = 1.6
_LATEST = 2_000  # ms after the view when vitals are known


class SampleVital(NamedTuple):
    """The median of a metric on a desktop, and how far values scatter (log-normal)."""

    median: float
    scatter: float


_VITALS = {
    "FCP": SampleVital(980, 0.45),
    "LCP": SampleVital(1_550, 0.5),
    "CLS": SampleVital(0.035, 1.1),
    "INP": SampleVital(96, 0.75),
    "TTFB": SampleVital(310, 0.6),
}
_LINKS = (
    ("https://github.com/inkwell/inkwell", "Source on GitHub"),
    ("https://discord.gg/inkwell", "Join the chat"),
    ("https://mastodon.social/@inkwell", "Follow us"),
    ("https://apps.apple.com/app/inkwell/id1234567890", "App Store"),
    ("https://github.com/inkwell/inkwell/releases", "All releases"),
    ("https://commonmark.org/help/", "Markdown in ten minutes"),
    ("https://www.sqlite.org/whentouse.html", "When to use SQLite"),
)


class Fault(NamedTuple):
    """An error in a script: its share, where it happens, and on which section only."""

    chance: float
    type: str
    message: str
    filename: str
    line: int
    section: str = ""
    function: str = ""


_FAULTS = (
    Fault(
        0.004, "TypeError", "Cannot read properties of null (reading 'focus')", "search.js", 41, "docs", "focusFirst"
    ),
    Fault(0.003, "Error", "ResizeObserver loop completed with undelivered notifications.", "", 0),
    Fault(0.012, "TypeError", "Failed to fetch", "checkout.js", 118, "pricing", "loadPlans"),
    Fault(0.02, "ReferenceError", "plausiblePlan is not defined", "signup.js", 23, "signup", "choosePlan"),
    Fault(0.001, "SecurityError", "The operation is insecure.", "storage.js", 7, "", "readTheme"),
)


def of_page(
    random: Random, machine: SampleMachine, page: SamplePage, time: int, seconds: int
) -> Iterator[tuple[int, str, Own]]:
    """Measurements during a view at this time (UTC ms), of this many seconds: ms after its start, the table, and its
    own columns."""
    release = _release_at(time)
    if random.random() < MEASURED:
        slower = 1 if machine.downloads else PHONE_SLOWER
        values = {name: vital.median * random.lognormvariate(0, vital.scatter) for name, vital in _VITALS.items()}
        # A page begins to arrive before it paints anything, and paints something before it paints most.
        steps = ("TTFB", "FCP", "LCP")
        values |= dict(zip(steps, sorted(values[name] for name in steps), strict=True))
        for name, value in values.items():
            yield min(_LATEST, seconds * 1_000), "vitals", (METRICS[name], _round_value(name, value, slower), release)
    for fault in _FAULTS:
        if (not fault.section or fault.section == page.section) and random.random() < fault.chance:
            yield random.randint(200, seconds * 1_000), "errors", _error(fault, release)
    if random.random() < LINK_CLICKED:
        (href, text), *_ = random.choices(_LINKS, weights=[1 / rank for rank in range(1, len(_LINKS) + 1)])
        host = href.split("/")[2].removeprefix("www.")
        yield random.randint(1_000, max(1_001, seconds * 1_000)), "outgoing_links", (href, text, host)
    if random.random() < OBSERVED:
        yield seconds * 1_000, "engagement", _used(random, page, seconds)


def _release_at(time: int) -> str:
    """The release of the website, one every two weeks."""
    year, week, _day = datetime.fromtimestamp(time / 1000, UTC).isocalendar()
    return f"{year}.{week - week % 2:02}"


def _round_value(name: str, value: float, slower: float) -> float:
    return round(value, 3) if name == "CLS" else round(value * slower, 1)


def _error(fault: Fault, release: str) -> Own:
    script = f"https://inkwell.example/assets/{fault.filename}" if fault.filename else ""
    frames = (f"{fault.function} ({script}:{fault.line}:9)", f"onEvent ({script}:12:5)")
    stack = "\n    at ".join((f"{fault.type}: {fault.message}", *frames)) if script else ""
    group = fingerprint(fault.type, fault.message, script, stack)
    return fault.type, fault.message, script, fault.line, 9 if script else 0, stack, release, group


def _used(random: Random, page: SamplePage, seconds: int) -> Own:
    """The columns of facts.SPANS["engagement"], in their order. Forms are those of the sign-up."""
    active = round(seconds * 1_000 * random.uniform(0.4, 0.95))
    clicks, keys = round(random.expovariate(0.5)), round(random.expovariate(0.2))
    rage, dead = int(random.random() < 0.012), int(random.random() < 0.04)
    fields = random.randint(1, 3) if page.section == "signup" else 0
    return (
        0,
        random.choice(("navigation", "hidden", "unload")),
        seconds * 1_000,
        active,
        min(active, round(random.lognormvariate(math.log(2_400), 0.7))),
        round(100 * random.betavariate(3, 1.6)),
        round(random.expovariate(0.08)),
        clicks,
        keys,
        clicks + keys,
        int(random.random() < 0.03),
        rage,
        dead,
        "button.choose" if rage else "",
        "img.screenshot" if dead else "",
        fields,
        int(fields == 3),
        ("", "email", "name", "password")[fields],
        0,
    )
