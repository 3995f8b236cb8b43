"""Flag evaluations of the demo's visitors, the exposures that their browsers report, and the outcomes.

All of it is derived from the page views and from the flags as they are now, so it is the same each time.
"""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from analytics_box.app.demo.flags import BUTTON, CONVERSION, DONE, EXPERIMENT, ROLLOUT, DemoFlags
from analytics_box.base.clock import DAY, SECOND, utc_day
from analytics_box.base.facts.event import CUSTOM, PAGE_VIEW, Event, Fact, describe_attributes
from analytics_box.base.facts.tables import ATTRIBUTES
from analytics_box.base.store.db import Connection
from analytics_box.ingest import exposures
from analytics_box.ingest.enrich import BROWSER
from analytics_box.products.flags.evaluation.compiling import compile_ruleset
from analytics_box.products.flags.evaluation.outcome import EvaluationContext, Outcome
from analytics_box.products.flags.usage import rows as count_rows
from analytics_box.products.flags.usage.rows import UsageCount, UsageKey
from analytics_box.products.sample_data.visits import VERSION

_TAKES: Final = 0.13  # of those on a desktop who see the button
_SOON: Final = 15  # seconds within which someone does so whose leaving was not told
_DEVICE, _SYSTEM = ATTRIBUTES.index("device"), ATTRIBUTES.index("system")
_PLATFORMS: Final = {"Windows": "windows", "macOS": "mac", "Linux": "linux"}


# The flag that pages ask for, by the first part of their paths. The search asks on the server, which tells nobody.
_ASKED: Final = {"": EXPERIMENT, "pricing": ROLLOUT, "signup": ROLLOUT, "docs": DONE}
_TOLD: Final = frozenset((EXPERIMENT, ROLLOUT))


class DemoEvaluations(NamedTuple):
    """Events of visitors next to those that they send anyway, and how often flags gave what."""

    events: list[Event]
    counts: dict[UsageKey, UsageCount]


class _View(NamedTuple):
    """A page view on which a flag was evaluated; `until` is when its visitor did something else, or may have."""

    event: Event
    until: int
    outcome: Outcome


def evaluations_between(
    made: DemoFlags, happened: Sequence[Fact], seed: str, *, start: int, end: int
) -> DemoEvaluations:
    """Evaluations within [start, end) of the events, which have whole UTC days before that: a visitor lasts a day."""
    told: set[tuple[int, str]] = set()
    events: list[Event] = []
    counts: dict[UsageKey, UsageCount] = {}
    for view in _views(made, happened):
        at, outcome = view.event.time, view.outcome
        if start <= at < end:
            _count(counts, outcome, at)
        if outcome.key in _TOLD and (view.event.visitor, outcome.key) not in told:
            told.add((view.event.visitor, outcome.key))
            events += (_exposure(view), *_conversion(view, seed))
    return DemoEvaluations([event for event in events if start <= event.time < end], counts)


def append(db: Connection, done: DemoEvaluations) -> None:
    """Write how often flags gave what, and when last."""
    count_rows.add(db, done.counts)


def _views(made: DemoFlags, happened: Sequence[Fact]) -> Iterator[_View]:
    ruleset = compile_ruleset([flag for flag in made.scope.flags if flag.environment is None], made.scope.groups)
    for event, until in _of_people(happened):
        key = _ASKED.get(event.path.split("/")[1])
        if event.kind != PAGE_VIEW or key is None or event.time < made.since[key]:
            continue
        outcome = ruleset.one(key, EvaluationContext(user_id=f"{event.visitor:012x}"))
        if outcome is not None:
            yield _View(event, until, outcome)


def _of_people(happened: Sequence[Fact]) -> Iterator[tuple[Event, int]]:
    """The events of people in the order of time, each with when the same visitor sent the next one."""
    events = [fact for fact in happened if isinstance(fact, Event) and not fact.bot]
    following: dict[int, int] = {}
    found: list[tuple[Event, int]] = []
    for event in reversed(events):
        last = min(event.time + _SOON * SECOND, (utc_day(event.time) + 1) * DAY - 1)
        found.append((event, following.get(event.visitor, last)))
        following[event.visitor] = event.time
    return reversed(found)


def _count(counts: dict[UsageKey, UsageCount], outcome: Outcome, at: int) -> None:
    counted = counts.setdefault(UsageKey(outcome.flag_id, utc_day(at), outcome.gave), UsageCount(0, at))
    counted.count, counted.last_at = counted.count + 1, max(counted.last_at, at)


def _exposure(view: _View) -> Event:
    outcome = view.outcome
    properties: dict[str, object] = {"flag": outcome.key, "value": outcome.value, "enabled": outcome.enabled}
    if outcome.variant:
        properties["variant"] = outcome.variant
    return replace(_custom_event(view.event, exposures.NAME, properties), exposure=exposures.of(properties))


def _conversion(view: _View, seed: str) -> Iterator[Event]:
    """Conversions of some of those who are shown the button."""
    event = view.event
    random = Random(f"{seed}:{event.visitor}:{EXPERIMENT}")  # noqa: S311  believable, not secret
    attributes = describe_attributes(event)
    is_desktop = attributes[_DEVICE] == "desktop"
    if view.outcome.variant == BUTTON and is_desktop and random.random() < _TAKES:
        named = {"platform": _PLATFORMS.get(attributes[_SYSTEM], "linux"), "version": VERSION}
        moment = event.time + max(1, int((view.until - event.time) * random.uniform(0.3, 0.9)))
        yield replace(_custom_event(event, CONVERSION, named), time=moment)


def _custom_event(view: Event, name: str, properties: Mapping[str, object]) -> Event:
    """A custom event of a visitor of this page."""
    return replace(
        view,
        kind=CUSTOM,
        name=name,
        title="",
        origin=BROWSER,
        timings=(),
        properties=msgspec.json.encode(properties).decode(),
    )
