"""Organizations over RPC (wire 10.4).

People act by their role in the organization that a call names; without one it is their session's. An API key needs
manage:config and global access, reads and updates its own organization, and does nothing else here.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from analytics_box.base import errors
from analytics_box.base.clock import DAY
from analytics_box.base.identity import Role
from analytics_box.base.translation import _
from analytics_box.resource.reach import acting
from analytics_box.tenants.accounts.sign_in import SignIns
from analytics_box.tenants.organizations import change, deletion, image, logos, rules
from analytics_box.tenants.organizations.change import (
    OrganizationAnswer,
    OrganizationUpdate,
    in_memory,
    organization_answer,
)
from analytics_box.tenants.organizations.rules import DeletedOrganization, Plan, WebsiteAction
from analytics_box.tenants.tenancy import members
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.tenancy.messages import OrganizationInput, Success, Text, date
from analytics_box.tenants.tenancy.rules import StoredOrganization
from analytics_box.web.call import Call


class ThisOrganization(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that has to name an organization."""

    organizationId: Text


class OrganizationId(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of organizations.getById; `organizationId` is the same as `id`."""

    id: Text | None = None
    organizationId: Text | None = None


class NewOrganization(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of organizations.create. `metadata` is kept for programs; the box does not read it."""

    name: Text
    slug: Text | None = None
    metadata: dict[str, Any] | None = None


class ChangedOrganization(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of organizations.update; omitted fields keep their values. The plan is for the box administrator."""

    organizationId: Text | None = None
    name: Text | None = None
    slug: Text | None = None
    metadata: dict[str, Any] | None = None
    plan: Plan | None = None


class OwnRole(Struct, frozen=True):
    """Output of organizations.getMyRole: the caller's role and what it allows on the organization's websites."""

    role: Role
    websitePermissions: tuple[WebsiteAction, ...]


async def list_organizations(call: Call) -> list[OrganizationAnswer]:
    """organizations.list: list the caller's organizations."""
    person = call.identity.person
    if person is None:
        organization_id, _ = acting(call, None)
        return [
            organization_answer(call, await call.read(lambda db: members.existing_organization(db, organization_id)))
        ]
    found = await call.read(lambda db: members.organizations_of(db, person.user_id))
    return [organization_answer(call, one, person.role_in(one.id)) for one in found]


async def get_by_id(call: Call, given: OrganizationId) -> OrganizationAnswer:
    """organizations.getById: get an organization. Raises Forbidden."""
    organization_id, by = acting(call, given.id or given.organizationId)
    role = await call.read(lambda db: members.check(db, organization_id, by, "read"))
    stored = await call.read(lambda db: members.existing_organization(db, organization_id))
    return organization_answer(call, stored, role if call.identity.person else None)


async def get_my_role(call: Call, given: OrganizationInput) -> OwnRole:
    """organizations.getMyRole: return the caller's role. Raises Forbidden."""
    organization_id, by = acting(call, given.organizationId)
    role = await call.read(lambda db: members.check(db, organization_id, by, "read"))
    return OwnRole(role, rules.ON_WEBSITES[role])


async def create(call: Call, given: NewOrganization) -> OrganizationAnswer:
    """organizations.create: create an organization, owned by the caller. Raises BadRequest or Conflict."""
    most = call.parts.settings.organizations_per_user
    made = await call.write(
        lambda db: change.create(db, call.by, most=most, name=given.name, slug=given.slug, metadata=given.metadata)
    )
    call.parts[OrganizationDirectory].remember(in_memory(made))
    return organization_answer(call, made, "owner")


async def update(call: Call, given: ChangedOrganization) -> OrganizationAnswer:
    """organizations.update: update an organization's name, slug, metadata or plan. Raises Forbidden, BadRequest or
    Conflict."""
    organization_id, by = acting(call, given.organizationId)
    wanted = OrganizationUpdate(name=given.name, slug=given.slug, plan=given.plan, metadata=given.metadata)
    stored = await call.write(lambda db: change.update(db, organization_id, by, wanted))
    call.parts[OrganizationDirectory].remember(in_memory(stored))
    person = call.identity.person
    return organization_answer(call, stored, person.role_in(organization_id) if person else None)


async def set_active(call: Call, given: ThisOrganization) -> OrganizationAnswer:
    """organizations.setActive: select the organization of the caller's session. Raises Forbidden."""
    person = call.identity.person
    if person is None:
        raise errors.Forbidden(_("Sign in to do this. API keys are not accepted"))
    await call.parts[SignIns].turn_to(person, given.organizationId)
    stored = await call.read(lambda db: members.existing_organization(db, given.organizationId))
    return organization_answer(call, stored, person.role_in(stored.id))


class NewLogo(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of organizations.uploadLogo. `image` is a PNG, JPEG or WebP picture of at most 512 KB in base64.

    It may be a whole data: URL. Its type follows from its bytes alone.
    """

    image: Annotated[str, Meta(min_length=1)]
    organizationId: Annotated[str, Meta(max_length=255)] | None = None


async def upload_logo(call: Call, given: NewLogo) -> OrganizationAnswer:
    """organizations.uploadLogo: upload a logo, replacing the previous one. Raises Forbidden or BadRequest."""
    organization_id, by = acting(call, given.organizationId)
    picture = image.picture(image.decode(given.image))
    stored = await call.write(lambda db: logos.replace_logo(db, organization_id, by, picture))
    person = call.identity.person
    return organization_answer(call, stored, person.role_in(organization_id) if person else None)


async def delete_logo(call: Call, given: OrganizationInput) -> Success:
    """organizations.deleteLogo: delete the logo. Raises Forbidden."""
    organization_id, by = acting(call, given.organizationId)
    await call.write(lambda db: logos.remove(db, organization_id, by))
    return Success()


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


async def delete_organization(call: Call, given: ThisOrganization) -> DeletionShown:
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
