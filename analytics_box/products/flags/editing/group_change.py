"""Target groups: their messages; each change writes its rows and audit entries in the caller's transaction.

Callers use flags.saving, so that memory follows.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from analytics_box.base import audit, ids
from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.flags import rows
from analytics_box.products.flags.access import FlagReach
from analytics_box.products.flags.editing import change as flags
from analytics_box.products.flags.editing.messages import OwnedInput
from analytics_box.products.flags.evaluation.checking import environment_faults, group_faults
from analytics_box.products.flags.flag import (
    LARGEST_SCOPE,
    MOST_GROUPS,
    Flag,
    FlagScope,
    Id,
    TargetGroup,
    TargetingCondition,
    TargetingRule,
)
from analytics_box.products.flags.rows import GROUPS
from analytics_box.resource.fields import Values, difference, input_of, values_of
from analytics_box.resource.reach import check, in_reach
from analytics_box.tenants.tenancy.messages import date, millis

Instant = Annotated[datetime, Meta(tz=True)]


@input_of(TargetGroup, needed=("name",))
class CreateTargetGroup(OwnedInput, frozen=True, kw_only=True):
    """Input of targetGroups.create. `color` is like #2563eb."""


@input_of(TargetGroup)
class UpdateTargetGroup(OwnedInput, frozen=True, kw_only=True):
    """Input of targetGroups.update. Omitted fields do not change; null clears a field.

    With `updatedAt` the group changes only if it has not been changed since then.
    """

    id: Id
    updatedAt: Instant | None = None


class TargetGroupId(OwnedInput, frozen=True, kw_only=True):
    """Input that names a target group."""

    id: Id


def create(db: Connection, own: FlagReach, given: CreateTargetGroup) -> TargetGroup:
    """A new target group. Raises Forbidden, BadRequest or Conflict."""
    check(db, own, "member")
    made = draft_group(own, values_of(given, TargetGroup), flags.stored_scope(db, own))
    store_group(db, own, None, made)
    return made


def update(db: Connection, own: FlagReach, given: UpdateTargetGroup) -> TargetGroup:
    """Update a target group; omitted fields do not change.

    Raises Forbidden, NotFound, BadRequest or Conflict.
    """
    check(db, own, "member")
    before = _existing_version(db, own, given)
    after = redraft_group(own, before, values_of(given, TargetGroup), flags.stored_scope(db, own))
    if after != before:
        store_group(db, own, before, after)
    return after


def draft_group(own: FlagReach, values: Values, scope: FlagScope) -> TargetGroup:
    """A new target group of a scope; nothing is stored. Raises BadRequest or Conflict."""
    if len(scope.groups) >= MOST_GROUPS:
        raise Conflict.full(
            "targetGroups",
            MOST_GROUPS,
            _("There may be {most} target groups; delete one first").format(most=MOST_GROUPS),
        )
    made = TargetGroup(
        id=ids.new_id(),
        organization_id=own.organization_id,
        website_id=own.website_id,
        **values,
        created_by=own.by.actor,
        created_at=own.by.now,
        updated_at=own.by.now,
    )
    _check_rules(made, scope)
    return made


def redraft_group(own: FlagReach, before: TargetGroup, values: Values, scope: FlagScope) -> TargetGroup:
    """A target group after a change; equal to `before` if nothing changes. Nothing is stored. Raises BadRequest."""
    after = replace(before, **values)
    if after == before:
        return before
    after = replace(after, updated_at=max(own.by.now, before.updated_at + 1))
    _check_rules(after, scope)
    return after


def store_group(db: Connection, own: FlagReach, before: TargetGroup | None, after: TargetGroup) -> None:
    """Store a drafted target group, a new one for a `before` of None. Raises Conflict."""
    if before is None:
        GROUPS.insert(db, after)
    else:
        GROUPS.update(db, after)
    _check_size(db, own)
    action: audit.Action = "created" if before is None else "updated"
    detail = {"rules": len(after.rules)} if before is None else difference(before, after)
    GROUPS.record(db, own.by, after.organization_id, action, after, detail)


def delete(db: Connection, own: FlagReach, group_id: str) -> list[Flag]:
    """Delete a target group and remove it from its flags; return those flags.

    Raises Forbidden, NotFound, or Conflict if conditions of rules name it.
    """
    check(db, own, "member")
    gone, scope = in_reach(own, GROUPS.find(db, group_id), "targetGroup", group_id), flags.stored_scope(db, own)
    naming = [flag.key for flag in scope.flags if names(flag.definition.rules, group_id)]
    if naming:
        raise Conflict(
            _("Conditions of {naming} use this target group. Change them first").format(naming=", ".join(naming[:5]))
        )
    changed = [
        flags.record(db, own.by, flag, _without(flag, group_id), act="updated") for flag in uses(scope, group_id)
    ]
    GROUPS.remove(db, own.by, gone.organization_id, gone, {"flags": [flag.key for flag in changed]})
    return changed


def uses(scope: FlagScope, group_id: str) -> list[Flag]:
    """The flags that have a target group."""
    return [flag for flag in scope.flags if group_id in flag.definition.targetGroupIds]


def names(rules: Iterable[TargetingRule], group_id: str) -> bool:
    """Whether a condition of these rules names a target group."""
    return any(rule.conditions is not None and _names(rule.conditions, group_id) for rule in rules)


def _existing_version(db: Connection, own: FlagReach, given: UpdateTargetGroup) -> TargetGroup:
    """The group, if it has not changed since the caller read it. Raises NotFound or Conflict."""
    found = in_reach(own, GROUPS.find(db, given.id), "targetGroup", given.id)
    if given.updatedAt is not None and millis(given.updatedAt) != found.updated_at:
        changed = date(found.updated_at).isoformat(timespec="milliseconds")
        raise Conflict.about("updatedAt", _("This target group has been changed: at {changed}").format(changed=changed))
    return found


def _check_rules(group: TargetGroup, scope: FlagScope) -> None:
    others = [other for other in scope.groups if other.id != group.id]
    found = group_faults(group) or list(environment_faults(scope.flags, [*others, group], scope.groups))
    if found:
        raise BadRequest(found[0].message, details=tuple(found))


def _check_size(db: Connection, own: FlagReach) -> None:
    if rows.bytes_of(db, own.scope)[1] > LARGEST_SCOPE:
        raise Conflict(
            _("All target groups together can have up to {largest:,} bytes. Reduce or delete one first").format(
                largest=LARGEST_SCOPE
            )
        )


def _without(flag: Flag, group_id: str) -> Flag:
    kept = tuple(found for found in flag.definition.targetGroupIds if found != group_id)
    return replace(flag, definition=replace(flag.definition, targetGroupIds=kept))


def _names(node: TargetingCondition, group_id: str) -> bool:
    if node.group == group_id:
        return True
    return any(_names(part, group_id) for part in (*(node.all or ()), *(node.any or ()), *(node.none or ())))
