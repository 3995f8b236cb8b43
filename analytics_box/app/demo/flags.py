"""The demo's feature flags, their evaluations by its visitors, the exposures that browsers report, and the outcomes.

All of it is derived from the page views and from the flags as they are now, so it is the same each time.
"""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from analytics_box.base.acting import By
from analytics_box.base.clock import DAY, HOUR, MINUTE, SECOND, utc_day
from analytics_box.base.facts.event import CUSTOM, PAGE_VIEW, Event, Fact, describe_attributes
from analytics_box.base.facts.tables import ATTRIBUTES
from analytics_box.base.store.db import Connection
from analytics_box.ingest import exposures
from analytics_box.ingest.enrich import BROWSER
from analytics_box.products.flags import rows
from analytics_box.products.flags.access import FlagReach
from analytics_box.products.flags.editing import change
from analytics_box.products.flags.editing import group_change as groups
from analytics_box.products.flags.editing.group_change import CreateTargetGroup
from analytics_box.products.flags.editing.messages import CreateFlag, UpdateFlag
from analytics_box.products.flags.evaluation.compiling import compile_ruleset
from analytics_box.products.flags.evaluation.outcome import EvaluationContext, Outcome
from analytics_box.products.flags.figures.pages import store_metric
from analytics_box.products.flags.flag import FlagScope
from analytics_box.products.flags.saving import touch_scope
from analytics_box.products.flags.schedules import planning
from analytics_box.products.flags.schedules.messages import CreateFlagSchedule, Ramp
from analytics_box.products.flags.usage import rows as count_rows
from analytics_box.products.flags.usage.rows import UsageCount, UsageKey
from analytics_box.products.sample_data.arrivals import DAYS
from analytics_box.products.sample_data.site import DOMAIN
from analytics_box.products.sample_data.visits import VERSION
from analytics_box.resource.fields import date
from analytics_box.tenants.websites.rules import Website

ROLLOUT, EXPERIMENT, DONE = "new-checkout", "home-download-button", "faster-search"
CONTROL, BUTTON = "control", "with-button"
# The success metric of the experiment. Visitors also send this event without the button.
CONVERSION: Final = "download"
_BY: Final = "demo"
_AHEAD: Final = 2  # days until the rollout grows
_GROWS: Final = 6  # days that it takes
_HOURS: Final = 9 * HOUR  # of the day, UTC, when people work on flags


class DemoFlagPlan(NamedTuple):
    """A flag of the demo: the day of its creation, counted from the first day, its fields, and later changes by day."""

    age: int
    given: Mapping[str, Any]
    changes: tuple[tuple[int, Mapping[str, Any]], ...] = ()
    for_testers: bool = False

    @property
    def settled(self) -> int:
        """The number of days after the first day until it has its final state."""
        return max((age for age, _ in self.changes), default=self.age)


_TESTERS: Final = {
    "name": "Beta testers",
    "description": "Early access to new features.",
    "color": "#2563eb",
    "rules": [
        {"type": "email", "operator": "ends_with", "value": f"@{DOMAIN}", "name": "Our team"},
        {"type": "property", "field": "beta", "operator": "equals", "value": True, "name": "Beta opt-in"},
    ],
}
PLANNED: Final = (
    DemoFlagPlan(
        -160,
        {
            "key": DONE,
            "name": "Faster search",
            "description": "New search index for the documentation.",
            "type": "rollout",
            "rolloutPercentage": 10,
            "folder": "Documentation",
        },
        (
            (-146, {"rolloutPercentage": 50, "note": "No complaints in two weeks"}),
            (-130, {"rolloutPercentage": 100, "note": "Full release"}),
        ),
    ),
    DemoFlagPlan(
        DAYS - 45,
        {
            "key": EXPERIMENT,
            "name": "Download button on the home page",
            "description": "Does a download button on the home page increase downloads?",
            "type": "multivariant",
            "variants": [
                {"key": CONTROL, "value": "none", "description": "Current home page", "weight": 50},
                {
                    "key": BUTTON,
                    "value": "Download for free",
                    "description": "A button below the first heading",
                    "weight": 50,
                },
            ],
            "folder": "Website",
        },
    ),
    DemoFlagPlan(
        DAYS - 20,
        {
            "key": ROLLOUT,
            "name": "New checkout",
            "description": "One-page checkout, from pricing to account.",
            "type": "rollout",
            "rolloutPercentage": 5,
            "folder": "Shop",
        },
        ((DAYS - 14, {"rolloutPercentage": 25, "note": "Payments work, support is quiet"}),),
        for_testers=True,
    ),
)


class DemoFlags(NamedTuple):
    """The flags of the demo's website as they are, and since when its visitors ask for each, by key (UTC ms)."""

    scope: FlagScope
    since: dict[str, int]


def make(db: Connection, website: Website, first_day: int, now: int) -> DemoFlags:
    """The flags as they are; at the first start they are made as if people had worked on them since long ago."""
    found = rows.scope(db, website.id)
    if found is None:
        rows.touch(db, website.id, now)
        _first(db, website, first_day, now)
        found = touch_scope(db, website.id, now)
    return DemoFlags(found, {planned.given["key"]: _at(first_day, planned.settled) for planned in PLANNED})


def _first(db: Connection, website: Website, first_day: int, now: int) -> None:
    def own(at: int) -> FlagReach:
        return FlagReach(website.organization_id, By(_BY, at), website_id=website.id)

    group = groups.create(db, own(_at(first_day, PLANNED[0].age)), msgspec.convert(_TESTERS, CreateTargetGroup))
    for planned in PLANNED:
        given = msgspec.convert(planned.given, CreateFlag)
        flag = change.create(db, own(_at(first_day, planned.age)), given).flag
        if planned.for_testers:
            testers = {"id": flag.id, "targetGroupIds": [group.id], "note": "Beta testers first"}
            change.update(db, own(_at(first_day, planned.age) + HOUR), msgspec.convert(testers, UpdateFlag))
        for age, changed in planned.changes:
            change.update(db, own(_at(first_day, age)), msgspec.convert({**changed, "id": flag.id}, UpdateFlag))
        if flag.key == EXPERIMENT:
            store_metric(db, own(_at(first_day, planned.age)), flag, CONVERSION)
        if flag.key == ROLLOUT:
            planning.create(db, own(now), CreateFlagSchedule(flagId=flag.id, type="update_rollout", ramp=_ramp(now)))


def _ramp(now: int) -> Ramp:
    """To all visitors, in a step a day."""
    start = (utc_day(now) + _AHEAD) * DAY + _HOURS
    return Ramp(
        start=40,
        to=100,
        startsAt=date(start),
        endsAt=date(start + _GROWS * DAY),
        everyMinutes=DAY // MINUTE,
    )


def _at(first_day: int, age: int) -> int:
    return (first_day + age) * DAY + _HOURS


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
