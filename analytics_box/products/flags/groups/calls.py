"""Target groups over RPC (wire 6.4). Keys need manage:flags."""

from msgspec import Struct

from analytics_box.base import errors
from analytics_box.products.flags import access
from analytics_box.products.flags.access import Reach, known_group, reach, seen_scope
from analytics_box.products.flags.editing.shown import GroupShown, group_shown
from analytics_box.products.flags.flag import TargetGroup
from analytics_box.products.flags.groups import change
from analytics_box.products.flags.groups.messages import ChangedGroup, NewGroup, OneGroup
from analytics_box.products.flags.messages import OfScope
from analytics_box.products.flags.saving import save
from analytics_box.web.call import Call


class Deleted(Struct, frozen=True):
    """The keys of the flags that had the target group."""

    flags: tuple[str, ...]
    success: bool = True


async def list_groups(call: Call, given: OfScope) -> list[GroupShown]:
    """targetGroups.list: by name. Raises Forbidden or NotFound."""
    scope = await seen_scope(call, given.websiteId, given.organizationId)
    return [group_shown(group) for group in scope.groups]


async def get_by_id(call: Call, given: OneGroup) -> GroupShown:
    """targetGroups.getById. Raises NotFound or Forbidden."""
    own, found = _known(call, given)
    await call.read(lambda db: access.check(db, own, "viewer"))
    return group_shown(found)


async def create(call: Call, given: NewGroup) -> GroupShown:
    """targetGroups.create. Raises Forbidden, NotFound, BadRequest or Conflict."""
    own = reach(call, given.websiteId, given.organizationId)
    return group_shown(await save(call.parts, own.scope, lambda db: change.create(db, own, given), adds=True))


async def update(call: Call, given: ChangedGroup) -> GroupShown:
    """targetGroups.update: what is not given stays; all its flags follow at once.

    Raises Forbidden, NotFound, BadRequest or Conflict.
    """
    own, _ = _known(call, given)
    return group_shown(await save(call.parts, own.scope, lambda db: change.update(db, own, given), adds=True))


async def delete(call: Call, given: OneGroup) -> Deleted:
    """targetGroups.delete: its flags do without it.

    Raises Forbidden, NotFound, or Conflict where conditions of rules name it.
    """
    own, _ = _known(call, given)
    changed = await save(call.parts, own.scope, lambda db: change.delete(db, own, given.id))
    return Deleted(tuple(dict.fromkeys(flag.key for flag in changed)))


def _known(call: Call, given: OneGroup | ChangedGroup) -> tuple[Reach, TargetGroup]:
    """The group that is named. Raises NotFound, also where it is not of the website or organization that is named."""
    own, found = known_group(call, given.id)
    if given.websiteId not in {None, own.website_id} or given.organizationId not in {None, own.organization_id}:
        raise errors.NotFound.of("targetGroup", given.id)
    return own, found
