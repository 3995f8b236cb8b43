"""Deleting and restoring organizations over RPC. For owners who are signed in."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

from analytics_box.base.clock import DAY
from analytics_box.resource.reach import acting
from analytics_box.tenants.organizations import deletion
from analytics_box.tenants.organizations.calls import ThisOrganization
from analytics_box.tenants.organizations.rules import DeletedOrganization
from analytics_box.tenants.organizations.shown import OrganizationAnswer, in_memory, organization_answer
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.tenancy.messages import date
from analytics_box.tenants.tenancy.rules import StoredOrganization
from analytics_box.web.call import Call


class DeletedShown(Struct, frozen=True):
    """A deleted organization; after `restorableUntil` all that was its own is removed."""

    id: str
    name: str
    slug: str
    deletedAt: datetime
    restorableUntil: datetime


class DeletionShown(Struct, frozen=True):
    """Output of organizations.delete."""

    success: Literal[True]
    restorableUntil: datetime


async def delete(call: Call, given: ThisOrganization) -> DeletionShown:
    """organizations.delete: delete an organization, for owners. Raises Forbidden, or Conflict for the caller's only
    organization.

    Its keys, websites and members stop working immediately. `organizations.restore` undoes this for
    `organization_grace_days` days; then all of its data is erased.
    """
    organization_id, _ = acting(call, given.organizationId)
    await carry_out(call, organization_id)
    days = call.parts.settings.organization_grace_days
    return DeletionShown(True, restorableUntil=date(call.now + days * DAY))


async def restore(call: Call, given: ThisOrganization) -> OrganizationAnswer:
    """organizations.restore: restore a deleted organization within its grace period, for owners. Raises NotFound."""
    return organization_answer(call, await undo(call, given.organizationId), "owner")


async def list_deleted(call: Call) -> list[DeletedShown]:
    """organizations.listDeleted: list deleted organizations that the caller can restore, latest first."""
    days = call.parts.settings.organization_grace_days
    return [
        DeletedShown(one.id, one.name, one.slug, date(one.deleted_at), date(deletion.ends_at(one, days)))
        for one in await restorable(call)
    ]


async def carry_out(call: Call, organization_id: str, *, typed: str | None = None) -> StoredOrganization:
    """Delete an organization, and tell the memory. Raises what deletion.delete raises."""
    by = call.by
    gone = await call.write(lambda db: deletion.delete(db, organization_id, by, typed=typed))
    call.parts[OrganizationDirectory].close(organization_id)
    return gone


async def undo(call: Call, organization_id: str) -> StoredOrganization:
    """Restore an organization, and tell the memory. Raises NotFound."""
    by, days = call.by, call.parts.settings.organization_grace_days
    back = await call.write(lambda db: deletion.restore(db, organization_id, by, grace_days=days))
    call.parts[OrganizationDirectory].remember(in_memory(back))
    call.parts[OrganizationDirectory].reopen(organization_id)
    return back


async def restorable(call: Call) -> list[DeletedOrganization]:
    """The deleted organizations that the caller can restore, the latest first."""
    days = call.parts.settings.organization_grace_days
    found = await call.read(lambda db: deletion.of_owner(db, call.by))
    return [one for one in found if call.now < deletion.ends_at(one, days)]
