"""Target groups over RPC (wire 6.4). Keys need manage:flags."""

from msgspec import Struct

from analytics_box.products.flags.access import find_target_group, reach, visible_scope
from analytics_box.products.flags.editing import group_change
from analytics_box.products.flags.editing.group_change import CreateTargetGroup, TargetGroupId, UpdateTargetGroup
from analytics_box.products.flags.editing.messages import OwnedInput
from analytics_box.products.flags.editing.shown import TargetGroupAnswer, target_group_answer
from analytics_box.products.flags.saving import save
from analytics_box.resource.reach import check
from analytics_box.web.call import Call


class TargetGroupDeleteAnswer(Struct, frozen=True):
    """The keys of the flags that had the target group."""

    flags: tuple[str, ...]
    success: bool = True


async def list_groups(call: Call, given: OwnedInput) -> list[TargetGroupAnswer]:
    """targetGroups.list: list target groups by name. Raises Forbidden or NotFound."""
    scope = await visible_scope(call, given.websiteId, given.organizationId)
    return [target_group_answer(group) for group in scope.groups]


async def get_by_id(call: Call, given: TargetGroupId) -> TargetGroupAnswer:
    """targetGroups.getById: get a target group. Raises NotFound or Forbidden."""
    own, found = find_target_group(call, given.id, given)
    await call.read(lambda db: check(db, own, "viewer"))
    return target_group_answer(found)


async def create(call: Call, given: CreateTargetGroup) -> TargetGroupAnswer:
    """targetGroups.create: create a target group. Raises Forbidden, NotFound, BadRequest or Conflict."""
    own = reach(call, given.websiteId, given.organizationId)
    return target_group_answer(
        await save(call.parts, own.scope, lambda db: group_change.create(db, own, given), adds=True)
    )


async def update(call: Call, given: UpdateTargetGroup) -> TargetGroupAnswer:
    """targetGroups.update: update a target group and all flags that use it. Raises Forbidden, NotFound, BadRequest or
    Conflict.

    Omitted fields keep their values.
    """
    own, _ = find_target_group(call, given.id, given)
    return target_group_answer(
        await save(call.parts, own.scope, lambda db: group_change.update(db, own, given), adds=True)
    )


async def delete(call: Call, given: TargetGroupId) -> TargetGroupDeleteAnswer:
    """targetGroups.delete: delete a target group that no condition uses. Raises Forbidden, NotFound, or Conflict where
    conditions of rules name it."""
    own, _ = find_target_group(call, given.id, given)
    changed = await save(call.parts, own.scope, lambda db: group_change.delete(db, own, given.id))
    return TargetGroupDeleteAnswer(tuple(dict.fromkeys(flag.key for flag in changed)))
