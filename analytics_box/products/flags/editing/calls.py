"""Flags over RPC (wire 6.4). Keys need manage:flags."""

from collections.abc import Callable
from datetime import datetime

from msgspec import UNSET, Struct

from analytics_box.base import errors
from analytics_box.base.clock import DAY
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.flags import rows
from analytics_box.products.flags.access import FlagReach, find_flag, reach, visible_scope
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.editing import change, folders
from analytics_box.products.flags.editing.change import FlagChange
from analytics_box.products.flags.editing.messages import (
    ByKey,
    ChangeFlagStatus,
    CopyFlag,
    CreateFlag,
    DeleteFlagFolder,
    FlagId,
    ListFlags,
    OwnedInput,
    RenamedFolder,
    UndeleteFlag,
    UpdateFlag,
    clean_environment,
)
from analytics_box.products.flags.editing.shown import (
    FlagChangeAnswer,
    FlagItemAnswer,
    flag_change_answer,
    flag_item_answer,
)
from analytics_box.products.flags.flag import Flag, FlagScope, Status, clean_folder
from analytics_box.products.flags.saving import save
from analytics_box.products.flags.usage.counts import used
from analytics_box.resource.reach import check
from analytics_box.tenants.tenancy.messages import date
from analytics_box.web.call import Call


class DeletedFlag(Struct, frozen=True):
    """A flag that can be brought back until `restorableUntil`."""

    id: str
    key: str
    name: str | None
    environment: str | None
    userId: str | None
    deletedAt: datetime
    restorableUntil: datetime


async def list_deleted(call: Call, given: OwnedInput) -> list[DeletedFlag]:
    """flags.listDeleted: list deleted flags that can be restored, latest first. Raises Forbidden or NotFound."""
    own = reach(call, given.websiteId, given.organizationId)

    def read(db: Connection) -> list[Flag]:
        check(db, own, "viewer")
        return rows.FLAGS.all(db, "scope = ? and deleted_at is not null order by deleted_at desc, id", own.scope)

    grace = call.parts.settings.grace_days * DAY
    found = [(flag, flag.deleted_at or 0) for flag in await call.read(read)]
    return [_deleted_flag_answer(flag, gone, gone + grace) for flag, gone in found if call.now < gone + grace]


async def undelete(call: Call, given: UndeleteFlag) -> FlagChangeAnswer:
    """flags.undelete: restore a deleted flag, inactive. Raises Forbidden, NotFound, BadRequest or Conflict."""
    own = reach(call, given.websiteId, given.organizationId)
    done = await save(call.parts, own.scope, lambda db: change.undelete(db, own, given.id, note=given.note), adds=True)
    scope = call.parts[Flags].scope(own.scope) or FlagScope(own.scope, own.organization_id, own.website_id)
    return flag_change_answer(done, scope)


def _deleted_flag_answer(flag: Flag, gone: int, until: int) -> DeletedFlag:
    return DeletedFlag(
        id=flag.id,
        key=flag.key,
        name=flag.definition.name or None,
        environment=flag.environment,
        userId=flag.user_id,
        deletedAt=date(gone),
        restorableUntil=date(until),
    )


class FlagFolderAnswer(Struct, frozen=True):
    """A folder, and how many flags are in it; not those in folders below it."""

    folder: str
    flags: int


class FlagMoveAnswer(Struct, frozen=True):
    """The number of flags that moved to another folder."""

    moved: int
    success: bool = True


async def list_folders(call: Call, given: OwnedInput) -> list[FlagFolderAnswer]:
    """flags.listFolders: list folders by name. Raises Forbidden or NotFound."""
    scope = await visible_scope(call, given.websiteId, given.organizationId)
    return [FlagFolderAnswer(name, count) for name, count in folders.count(scope.flags).items()]


async def rename_folder(call: Call, given: RenamedFolder) -> FlagMoveAnswer:
    """flags.renameFolder: rename a folder with its subfolders. Raises Forbidden, BadRequest or NotFound."""
    own = reach(call, given.websiteId, given.organizationId)
    moved = await save(call.parts, own.scope, lambda db: folders.rename(db, own, given.folder, given.to), adds=True)
    return FlagMoveAnswer(moved)


async def delete_folder(call: Call, given: DeleteFlagFolder) -> FlagMoveAnswer:
    """flags.deleteFolder: delete a folder. Raises Forbidden, BadRequest or NotFound.

    Its flags move one level up.
    """
    own = reach(call, given.websiteId, given.organizationId)
    return FlagMoveAnswer(await save(call.parts, own.scope, lambda db: folders.delete(db, own, given.folder)))


class FlagEnvironmentAnswer(Struct, frozen=True):
    """An environment that flags have; null is that of requests that name none."""

    environment: str | None
    flags: int
    active: int
    updatedAt: datetime


class FlagDeleteAnswer(Struct, frozen=True):
    """The keys of active flags that need the deleted one: they are off from now on."""

    dependents: tuple[str, ...]
    success: bool = True


async def list_flags(call: Call, given: ListFlags) -> list[FlagItemAnswer]:
    """flags.list: list flags, newest first. Raises Forbidden or NotFound."""
    scope = await visible_scope(call, given.websiteId, given.organizationId)
    found = [flag for flag in scope.flags if call.identity.reaches(flag.id, flag.website_id)]
    found = [flag for flag in found if given.status in {None, flag.definition.status}]
    if given.folder is not UNSET:
        folder = clean_folder(given.folder or "")
        found = [flag for flag in found if flag.definition.folder == folder]
    if given.environment is not UNSET:
        environment = clean_environment(given.environment)
        found = [flag for flag in found if flag.environment == environment]
    uses = await used(call.parts, scope, found)
    return [flag_item_answer(flag, scope, uses[flag.id]) for flag in sorted(found, key=lambda flag: -flag.created_at)]


async def get_by_id(call: Call, given: FlagId) -> FlagItemAnswer:
    """flags.getById: get a flag. Raises NotFound or Forbidden."""
    own, found = find_flag(call, given.id, given)
    await call.read(lambda db: check(db, own, "viewer"))
    return await _used(call, found, _scope(call, own))


async def get_by_key(call: Call, given: ByKey) -> FlagItemAnswer:
    """flags.getByKey: get a flag by key and environment, active or not. Raises NotFound or Forbidden."""
    scope = await visible_scope(call, given.websiteId, given.organizationId)
    wanted = (given.key, clean_environment(given.environment), given.userId)
    for flag in scope.flags:
        if (flag.key, flag.environment, flag.user_id) == wanted:
            return await _used(call, flag, scope)
    raise errors.NotFound.of("flag", given.key, _("There is no flag with this key"))


async def environments(call: Call, given: OwnedInput) -> list[FlagEnvironmentAnswer]:
    """flags.environments: list environments with their number of flags. Raises Forbidden or NotFound."""
    scope = await visible_scope(call, given.websiteId, given.organizationId)
    by_name: dict[str | None, list[Flag]] = {}
    for flag in scope.flags:
        by_name.setdefault(flag.environment, []).append(flag)
    return [
        FlagEnvironmentAnswer(
            name,
            len(flags),
            sum(flag.definition.status == "active" for flag in flags),
            date(max(flag.updated_at for flag in flags)),
        )
        for name, flags in sorted(by_name.items(), key=lambda item: item[0] or "")
    ]


async def create(call: Call, given: CreateFlag) -> FlagChangeAnswer:
    """flags.create: create a flag. Raises Forbidden, NotFound, BadRequest or Conflict."""
    own = reach(call, given.websiteId, given.organizationId)
    return await _save_answer(call, own, lambda db: change.create(db, own, given), adds=True)


async def update(call: Call, given: UpdateFlag) -> FlagChangeAnswer:
    """flags.update: update a flag. Raises Forbidden, NotFound, BadRequest or Conflict.

    Omitted fields keep their values.
    """
    own, _ = find_flag(call, given.id, given)
    return await _save_answer(call, own, lambda db: change.update(db, own, given), adds=True)


async def copy(call: Call, given: CopyFlag) -> FlagChangeAnswer:
    """flags.copy: copy a flag to another environment. Raises Forbidden, NotFound, BadRequest or Conflict.

    The copy is inactive.
    """
    own, _ = find_flag(call, given.id, given)
    return await _save_answer(call, own, lambda db: change.copy(db, own, given), adds=True)


async def activate(call: Call, given: ChangeFlagStatus) -> FlagChangeAnswer:
    """flags.activate: activate a flag. Raises Forbidden, NotFound or Conflict."""
    return await _step(call, given, "active")


async def deactivate(call: Call, given: ChangeFlagStatus) -> FlagChangeAnswer:
    """flags.deactivate: deactivate a flag. Raises Forbidden, NotFound or Conflict."""
    return await _step(call, given, "inactive")


async def archive(call: Call, given: ChangeFlagStatus) -> FlagChangeAnswer:
    """flags.archive: archive a flag. Raises Forbidden, NotFound or Conflict."""
    return await _step(call, given, "archived")


async def delete(call: Call, given: ChangeFlagStatus) -> FlagDeleteAnswer:
    """flags.delete: delete a flag. Raises Forbidden, NotFound or Conflict."""
    own, _ = find_flag(call, given.id, given)
    done = await save(
        call.parts,
        own.scope,
        lambda db: change.delete(db, own, given.id, note=given.note, version=given.version),
    )
    return FlagDeleteAnswer(done.dependents)


async def _step(call: Call, given: ChangeFlagStatus, status: Status) -> FlagChangeAnswer:
    own, _ = find_flag(call, given.id, given)
    return await _save_answer(
        call,
        own,
        lambda db: change.set_status(db, own, given.id, status, note=given.note, version=given.version),
        adds=status == "active",  # A flag can be turned off while the disk is full.
    )


async def _save_answer(
    call: Call, own: FlagReach, work: Callable[[Connection], FlagChange], *, adds: bool = False
) -> FlagChangeAnswer:
    done = await save(call.parts, own.scope, work, adds=adds)
    return flag_change_answer(done, _scope(call, own))


async def _used(call: Call, flag: Flag, scope: FlagScope) -> FlagItemAnswer:
    return flag_item_answer(flag, scope, (await used(call.parts, scope, (flag,)))[flag.id])


def _scope(call: Call, own: FlagReach) -> FlagScope:
    return call.parts[Flags].scope(own.scope) or FlagScope(own.scope, own.organization_id, own.website_id)
