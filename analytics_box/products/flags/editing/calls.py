"""Flags over RPC (wire 6.4). Keys need manage:flags."""

from collections.abc import Callable
from datetime import datetime

from msgspec import UNSET, Struct

from analytics_box.base import errors
from analytics_box.base.store.db import Connection
from analytics_box.products.flags import access
from analytics_box.products.flags.access import Reach, known, reach, seen_scope
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.editing import change
from analytics_box.products.flags.editing.change import Changed
from analytics_box.products.flags.editing.draft import clean_environment, clean_folder
from analytics_box.products.flags.editing.messages import ByKey, ChangedFlag, Copy, Listed, NewFlag, Step
from analytics_box.products.flags.editing.shown import ChangedShown, UsedShown, changed_shown, used_shown
from analytics_box.products.flags.flag import Flag, Status
from analytics_box.products.flags.messages import OfScope, OneFlag
from analytics_box.products.flags.saving import save
from analytics_box.products.flags.scope import Scope
from analytics_box.products.flags.usage.reading import used
from analytics_box.tenants.tenancy.messages import date
from analytics_box.web.call import Call


class EnvironmentShown(Struct, frozen=True):
    """An environment that flags have; null is that of requests that name none."""

    environment: str | None
    flags: int
    active: int
    updatedAt: datetime


class Deleted(Struct, frozen=True):
    """The keys of active flags that need the one that is gone: they give nothing from now on."""

    dependents: tuple[str, ...]
    success: bool = True


async def list_flags(call: Call, given: Listed) -> list[UsedShown]:
    """flags.list: the newest first. Raises Forbidden or NotFound."""
    scope = await seen_scope(call, given.websiteId, given.organizationId)
    found = [flag for flag in scope.flags if given.status in {None, flag.definition.status}]
    if given.folder is not UNSET:
        folder = clean_folder(given.folder or "")
        found = [flag for flag in found if flag.definition.folder == folder]
    if given.environment is not UNSET:
        environment = clean_environment(given.environment)
        found = [flag for flag in found if flag.environment == environment]
    uses = await used(call.parts, scope, found)
    return [used_shown(flag, scope, uses[flag.id]) for flag in sorted(found, key=lambda flag: -flag.created_at)]


async def get_by_id(call: Call, given: OneFlag) -> UsedShown:
    """flags.getById. Raises NotFound or Forbidden."""
    own, found = _known(call, given)
    await call.read(lambda db: access.check(db, own, "viewer"))
    return await _used(call, found, _scope(call, own))


async def get_by_key(call: Call, given: ByKey) -> UsedShown:
    """flags.getByKey: the flag of this key in an environment, active or not. Raises NotFound or Forbidden."""
    scope = await seen_scope(call, given.websiteId, given.organizationId)
    wanted = (given.key, clean_environment(given.environment), given.userId)
    for flag in scope.flags:
        if (flag.key, flag.environment, flag.user_id) == wanted:
            return await _used(call, flag, scope)
    raise errors.NotFound.of("flag", given.key, "There is no flag with this key")


async def environments(call: Call, given: OfScope) -> list[EnvironmentShown]:
    """flags.environments: those that flags have, with how many they have. Raises Forbidden or NotFound."""
    scope = await seen_scope(call, given.websiteId, given.organizationId)
    by_name: dict[str | None, list[Flag]] = {}
    for flag in scope.flags:
        by_name.setdefault(flag.environment, []).append(flag)
    return [
        EnvironmentShown(
            name,
            len(flags),
            sum(flag.definition.status == "active" for flag in flags),
            date(max(flag.updated_at for flag in flags)),
        )
        for name, flags in sorted(by_name.items(), key=lambda item: item[0] or "")
    ]


async def create(call: Call, given: NewFlag) -> ChangedShown:
    """flags.create. Raises Forbidden, NotFound, BadRequest or Conflict."""
    own = reach(call, given.websiteId, given.organizationId)
    return await _saved(call, own, lambda db: change.create(db, own, given), adds=True)


async def update(call: Call, given: ChangedFlag) -> ChangedShown:
    """flags.update: what is not given stays. Raises Forbidden, NotFound, BadRequest or Conflict."""
    own, _ = _known(call, given)
    return await _saved(call, own, lambda db: change.update(db, own, given), adds=True)


async def copy(call: Call, given: Copy) -> ChangedShown:
    """flags.copy: to another environment, inactive there. Raises Forbidden, NotFound, BadRequest or Conflict."""
    own, _ = _known(call, given)
    return await _saved(call, own, lambda db: change.copy(db, own, given), adds=True)


async def activate(call: Call, given: Step) -> ChangedShown:
    """flags.activate: it is evaluated from now on. Raises Forbidden, NotFound or Conflict."""
    return await _step(call, given, "active")


async def deactivate(call: Call, given: Step) -> ChangedShown:
    """flags.deactivate: it is as if it were not there. Raises Forbidden, NotFound or Conflict."""
    return await _step(call, given, "inactive")


async def archive(call: Call, given: Step) -> ChangedShown:
    """flags.archive: it is not evaluated any more, and lists can leave it out. Raises Forbidden, NotFound or
    Conflict."""
    return await _step(call, given, "archived")


async def delete(call: Call, given: Step) -> Deleted:
    """flags.delete: it is gone. Raises Forbidden, NotFound or Conflict."""
    own, _ = _known(call, given)
    done = await save(
        call.parts,
        own.scope,
        lambda db: change.delete(db, own, given.id, note=given.note, version=given.version),
    )
    return Deleted(done.dependents)


async def _step(call: Call, given: Step, status: Status) -> ChangedShown:
    own, _ = _known(call, given)
    return await _saved(
        call,
        own,
        lambda db: change.set_status(db, own, given.id, status, note=given.note, version=given.version),
        adds=status == "active",  # what is switched off on a full disk goes off
    )


async def _saved(call: Call, own: Reach, work: Callable[[Connection], Changed], *, adds: bool = False) -> ChangedShown:
    done = await save(call.parts, own.scope, work, adds=adds)
    return changed_shown(done, _scope(call, own))


def _known(call: Call, given: OneFlag | ChangedFlag) -> tuple[Reach, Flag]:
    """The flag that is named. Raises NotFound, also where it is not of the website or organization that is named."""
    own, found = known(call, given.id)
    if given.websiteId not in {None, own.website_id} or given.organizationId not in {None, own.organization_id}:
        raise errors.NotFound.of("flag", given.id)
    return own, found


async def _used(call: Call, flag: Flag, scope: Scope) -> UsedShown:
    return used_shown(flag, scope, (await used(call.parts, scope, (flag,)))[flag.id])


def _scope(call: Call, own: Reach) -> Scope:
    return call.parts[Flags].scope(own.scope) or Scope(own.scope, own.organization_id, own.website_id)
