"""The demo's feature flags: a rollout that is to grow, an experiment, and one that could go from the code."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import msgspec

from analytics_box.base.acting import By
from analytics_box.base.clock import DAY, HOUR, MINUTE, utc_day
from analytics_box.base.store.db import Connection
from analytics_box.products.flags import rows
from analytics_box.products.flags.access import FlagReach
from analytics_box.products.flags.editing import change
from analytics_box.products.flags.editing import group_change as groups
from analytics_box.products.flags.editing.group_change import CreateTargetGroup
from analytics_box.products.flags.editing.messages import CreateFlag, UpdateFlag
from analytics_box.products.flags.figures.pages import store_metric
from analytics_box.products.flags.flag import FlagScope
from analytics_box.products.flags.saving import touch_scope
from analytics_box.products.flags.schedules import planning
from analytics_box.products.flags.schedules.messages import CreateFlagSchedule, Ramp
from analytics_box.products.sample_data.arrivals import DAYS
from analytics_box.products.sample_data.site import DOMAIN
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
        startsAt=datetime.fromtimestamp(start / 1000, UTC),
        endsAt=datetime.fromtimestamp((start + _GROWS * DAY) / 1000, UTC),
        everyMinutes=DAY // MINUTE,
    )


def _at(first_day: int, age: int) -> int:
    return (first_day + age) * DAY + _HOURS
