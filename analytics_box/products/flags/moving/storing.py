"""Storage of a planned import, in the caller's transaction."""

from typing import Final

from analytics_box.base.store.db import Connection
from analytics_box.products.flags import rows
from analytics_box.products.flags.access import FlagReach, check
from analytics_box.products.flags.editing import change
from analytics_box.products.flags.flag import LONGEST_DESCRIPTION
from analytics_box.products.flags.groups import change as groups
from analytics_box.products.flags.moving.planning import FlagImportPlan
from analytics_box.products.flags.moving.wanted import Source

_PRODUCTS: Final[dict[Source, str]] = {
    "analytics-box": "a file",
    "unleash": "Unleash",
    "growthbook": "GrowthBook",
    "launchdarkly": "LaunchDarkly",
    "flagd": "flagd",
    "flagd-v3": "flagd",
}


class OutdatedPlan(Exception):
    """Raised when flags of the scope have changed since the plan was made."""


def store(db: Connection, own: FlagReach, plan: FlagImportPlan, source: Source) -> None:
    """Store all of it. Raises Forbidden, Conflict where flags would be too large together, or OutdatedPlan."""
    check(db, own, "member")
    if rows.revision(db, own.scope) != plan.revision:
        raise OutdatedPlan
    for one in plan.groups:
        if one.group is not None and one.status in {"created", "updated"}:
            groups.store_group(db, own, one.before, one.group)
    for each in plan.flags:
        if each.flag is not None and each.status in {"created", "updated"}:
            note = "; ".join((f"From {_PRODUCTS[source]}", *each.wanted.notes))[:LONGEST_DESCRIPTION]
            change.record(db, own.by, each.before, each.flag, act="imported", note=note)
    change.check_size(db, own)
