"""What was planned of a file, stored at once in the caller's transaction."""

from typing import Final

from analytics_box.base.store.db import Connection
from analytics_box.products.flags import rows
from analytics_box.products.flags.access import Reach, check
from analytics_box.products.flags.editing import change
from analytics_box.products.flags.flag import LONGEST_DESCRIPTION
from analytics_box.products.flags.groups import change as groups
from analytics_box.products.flags.moving.planning import Plan
from analytics_box.products.flags.moving.wanted import Source

_PRODUCTS: Final[dict[Source, str]] = {
    "analytics-box": "a file",
    "unleash": "Unleash",
    "growthbook": "GrowthBook",
    "launchdarkly": "LaunchDarkly",
    "flagd": "flagd",
    "flagd-v3": "flagd",
}


class Outdated(Exception):
    """Somebody changed flags of the scope since it was planned."""


def store(db: Connection, own: Reach, plan: Plan, source: Source) -> None:
    """Store all of it. Raises Forbidden, Conflict where flags would be too large together, or Outdated."""
    check(db, own, "member")
    if rows.revision(db, own.scope) != plan.revision:
        raise Outdated
    for one in plan.groups:
        if one.group is not None and one.status in {"created", "updated"}:
            groups.put(db, own, one.before, one.group)
    for each in plan.flags:
        if each.flag is not None and each.status in {"created", "updated"}:
            note = "; ".join((f"From {_PRODUCTS[source]}", *each.wanted.notes))[:LONGEST_DESCRIPTION]
            change.record(db, own.by, each.before, each.flag, act="imported", note=note)
    change.check_size(db, own)
