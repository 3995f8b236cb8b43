"""Organizations and members over RPC (wire 10.4).

People act by their role in the organization that a call names; without one it is their session's. An API key needs
manage:config and global access, reads and updates its own organization, and does nothing else here.
"""

from datetime import UTC, datetime
from typing import Annotated

from msgspec import Meta, Struct

from analytics_box import errors
from analytics_box.accounts.rules import Organization
from analytics_box.http.call import Call
from analytics_box.identity import Role
from analytics_box.organizations import change, members, rows
from analytics_box.organizations.change import By, Given
from analytics_box.organizations.rules import Member, Plan, Stored

Text = Annotated[str, Meta(max_length=255)]


class OfOrganization(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that may name an organization; else it is the caller's."""

    organizationId: Text | None = None


class ById(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of organizations.getById; `organizationId` is the same as `id`."""

    id: Text | None = None
    organizationId: Text | None = None


class NewOrganization(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of organizations.create."""

    name: Text
    slug: Text | None = None


class ChangedOrganization(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of organizations.update; what is not given stays. The plan is for the box administrator."""

    organizationId: Text | None = None
    name: Text | None = None
    slug: Text | None = None
    plan: Plan | None = None


class OfMember(Struct, frozen=True, forbid_unknown_fields=True):
    userId: Text
    organizationId: Text | None = None


class NewRole(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of organizations.updateMemberRole."""

    userId: Text
    role: Role
    organizationId: Text | None = None


class OrganizationShown(Struct, frozen=True):
    """An organization as procedures answer with it. `role` is the caller's; null for an API key."""

    id: str
    name: str
    slug: str
    plan: str
    createdAt: datetime
    role: Role | None = None


class MemberShown(Struct, frozen=True):
    """A member as procedures answer with it."""

    userId: str
    email: str
    role: Role
    createdAt: datetime


class Success(Struct, frozen=True):
    success: bool = True


async def list_organizations(call: Call) -> list[OrganizationShown]:
    """organizations.list: those of the caller."""
    person = call.identity.person
    if person is None:
        organization_id, _ = acting(call, None)
        stored = await call.read(lambda db: change.existing(db, organization_id))
        return [shown(stored)]
    found = await call.read(lambda db: rows.of_user(db, person.user_id))
    return [shown(one, person.role_in(one.id)) for one in found]


async def get_by_id(call: Call, given: ById) -> OrganizationShown:
    """organizations.getById. Raises Forbidden."""
    organization_id, by = acting(call, given.id or given.organizationId)
    role = await call.read(lambda db: change.check(db, organization_id, by, "read"))
    stored = await call.read(lambda db: change.existing(db, organization_id))
    return shown(stored, role if call.identity.person else None)


async def create(call: Call, given: NewOrganization) -> OrganizationShown:
    """organizations.create: a new organization on the plan hobby; the caller is its owner."""
    made = await call.write(lambda db: change.create(db, by_of(call), name=given.name, slug=given.slug))
    call.parts.organizations.remember(made)
    return OrganizationShown(made.id, made.name, made.slug, made.plan, date(made.created_at), "owner")


async def update(call: Call, given: ChangedOrganization) -> OrganizationShown:
    """organizations.update: name, slug or plan. Raises Forbidden, BadRequest or Conflict."""
    organization_id, by = acting(call, given.organizationId)
    wanted = Given(name=given.name, slug=given.slug, plan=given.plan)
    stored = await call.write(lambda db: change.update(db, organization_id, by, wanted))
    call.parts.organizations.remember(in_memory(stored))
    person = call.identity.person
    return shown(stored, person.role_in(organization_id) if person else None)


async def list_members(call: Call, given: OfOrganization) -> list[MemberShown]:
    """organizations.listMembers: who joined first first."""
    organization_id, by = acting(call, given.organizationId)
    await call.read(lambda db: change.check(db, organization_id, by, "see members"))
    return [member_shown(one) for one in await call.read(lambda db: members.everybody(db, organization_id))]


async def update_member_role(call: Call, given: NewRole) -> MemberShown:
    """organizations.updateMemberRole. Only owners make owners; the last owner stays one (Conflict)."""
    organization_id, by = acting(call, given.organizationId)
    return member_shown(
        await call.write(lambda db: members.change_role(db, organization_id, by, given.userId, given.role))
    )


async def remove_member(call: Call, given: OfMember) -> Success:
    """organizations.removeMember. Only owners remove owners; the last owner stays (Conflict)."""
    organization_id, by = acting(call, given.organizationId)
    await call.write(lambda db: members.remove(db, organization_id, by, given.userId))
    return Success()


async def leave(call: Call, given: OfOrganization) -> Success:
    """organizations.leave: the caller is no member any more. Conflict for the last owner."""
    organization_id, by = acting(call, given.organizationId)
    await call.write(lambda db: members.leave(db, organization_id, by))
    return Success()


async def transfer_ownership(call: Call, given: OfMember) -> MemberShown:
    """organizations.transferOwnership: the named member becomes owner, the caller an admin."""
    organization_id, by = acting(call, given.organizationId)
    return member_shown(await call.write(lambda db: members.transfer(db, organization_id, by, given.userId)))


def acting(call: Call, organization_id: str | None) -> tuple[str, By]:
    """Which organization a call is about, and who acts there. Raises Forbidden for one that is not the caller's."""
    person = call.identity.person
    if person is not None:
        wanted = organization_id or person.organization_id
        if person.role_in(wanted) is None:
            raise errors.Forbidden("Access denied to this organization")
        return wanted, by_of(call)
    if call.identity.key is not None and call.identity.key.websites is not None:
        raise errors.Forbidden("This needs a key with global access")
    return call.organization(organization_id), by_of(call)


def by_of(call: Call) -> By:
    """The caller for the audit log."""
    person = call.identity.person
    return By(call.actor, call.now, person.user_id if person else None)


def in_memory(stored: Stored) -> Organization:
    """What the directory of organizations keeps."""
    return Organization(
        id=stored.id,
        name=stored.name,
        slug=stored.slug,
        plan=stored.plan,
        site=stored.site,
        created_at=stored.created_at,
    )


def shown(stored: Stored, role: Role | None = None) -> OrganizationShown:
    """An organization for an answer."""
    return OrganizationShown(stored.id, stored.name, stored.slug, stored.plan, date(stored.created_at), role)


def member_shown(member: Member) -> MemberShown:
    """A member for an answer."""
    return MemberShown(member.user_id, member.email, member.role, date(member.created_at))


def date(instant: int) -> datetime:
    """An instant in UTC ms as a date of an answer."""
    return datetime.fromtimestamp(instant / 1000, UTC)
