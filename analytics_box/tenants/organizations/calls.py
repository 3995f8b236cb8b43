"""Organizations over RPC (wire 10.4).

People act by their role in the organization that a call names; without one it is their session's. An API key needs
manage:config and global access, reads and updates its own organization, and does nothing else here.
"""

from typing import Any

from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.identity import Role
from analytics_box.base.translation import _
from analytics_box.resource.reach import acting
from analytics_box.tenants.accounts.sign_in import SignIns
from analytics_box.tenants.organizations import change, rules
from analytics_box.tenants.organizations.change import OrganizationUpdate
from analytics_box.tenants.organizations.rules import Plan, WebsiteAction
from analytics_box.tenants.organizations.shown import OrganizationAnswer, in_memory, organization_answer
from analytics_box.tenants.tenancy import access
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.tenancy.messages import OrganizationInput, Text
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
        return [organization_answer(call, await call.read(lambda db: access.existing(db, organization_id)))]
    found = await call.read(lambda db: access.of_user(db, person.user_id))
    return [organization_answer(call, one, person.role_in(one.id)) for one in found]


async def get_by_id(call: Call, given: OrganizationId) -> OrganizationAnswer:
    """organizations.getById: get an organization. Raises Forbidden."""
    organization_id, by = acting(call, given.id or given.organizationId)
    role = await call.read(lambda db: access.check(db, organization_id, by, "read"))
    stored = await call.read(lambda db: access.existing(db, organization_id))
    return organization_answer(call, stored, role if call.identity.person else None)


async def get_my_role(call: Call, given: OrganizationInput) -> OwnRole:
    """organizations.getMyRole: return the caller's role. Raises Forbidden."""
    organization_id, by = acting(call, given.organizationId)
    role = await call.read(lambda db: access.check(db, organization_id, by, "read"))
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
    stored = await call.read(lambda db: access.existing(db, given.organizationId))
    return organization_answer(call, stored, person.role_in(stored.id))
