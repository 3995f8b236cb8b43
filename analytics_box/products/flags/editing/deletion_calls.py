"""Deleting flags over RPC, and bringing them back while their grace lasts. Keys need manage:flags."""

from datetime import datetime

from msgspec import Struct

from analytics_box.base.clock import DAY
from analytics_box.base.store.db import Connection
from analytics_box.products.flags import rows
from analytics_box.products.flags.access import reach
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.editing import change
from analytics_box.products.flags.editing.messages import UndeleteFlag
from analytics_box.products.flags.editing.shown import FlagChangeAnswer, flag_change_answer
from analytics_box.products.flags.flag import Flag
from analytics_box.products.flags.messages import OwnedInput
from analytics_box.products.flags.saving import save
from analytics_box.products.flags.scope import FlagScope
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
        return rows.deleted_flags(db, own.scope)

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
