"""Members of an organization over RPC (wire 10.4). For people only; who may what is decided by organizations.rules."""

from msgspec import Struct

from analytics_box.base.identity import Role
from analytics_box.base.notify.change import ChannelTools
from analytics_box.resource.reach import acting
from analytics_box.tenants.organizations.shown import MemberShown, member_shown
from analytics_box.tenants.tenancy import access, members
from analytics_box.tenants.tenancy.messages import OrganizationInput, Success, Text
from analytics_box.web.call import Call


class OfMember(Struct, frozen=True, forbid_unknown_fields=True):
    userId: Text
    organizationId: Text | None = None


class NewRole(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of organizations.updateMemberRole."""

    userId: Text
    role: Role
    organizationId: Text | None = None


async def list_members(call: Call, given: OrganizationInput) -> list[MemberShown]:
    """organizations.listMembers: list members, longest-standing first."""
    organization_id, by = acting(call, given.organizationId)
    await call.read(lambda db: access.check(db, organization_id, by, "see members"))
    return [member_shown(one) for one in await call.read(lambda db: members.of_organization(db, organization_id))]


async def update_member_role(call: Call, given: NewRole) -> MemberShown:
    """organizations.updateMemberRole: change a member's role.

    Only owners can appoint owners. The last owner keeps the role. Raises Conflict for the last owner.
    """
    organization_id, by = acting(call, given.organizationId)
    return member_shown(
        await call.write(lambda db: members.change_role(db, organization_id, by, given.userId, given.role))
    )


async def remove_member(call: Call, given: OfMember) -> Success:
    """organizations.removeMember: remove a member.

    Only owners can remove owners. The last owner cannot be removed. Raises Conflict for the last owner.
    """
    organization_id, by = acting(call, given.organizationId)
    seal = call.parts[ChannelTools].seal
    await call.write(lambda db: members.remove(db, seal, organization_id, by, given.userId))
    return Success()


async def leave(call: Call, given: OrganizationInput) -> Success:
    """organizations.leave: leave an organization.

    The last owner cannot leave. Raises Conflict for the last owner.
    """
    organization_id, by = acting(call, given.organizationId)
    seal = call.parts[ChannelTools].seal
    await call.write(lambda db: members.leave(db, seal, organization_id, by))
    return Success()


async def transfer_ownership(call: Call, given: OfMember) -> MemberShown:
    """organizations.transferOwnership: make a member the owner and the caller an admin."""
    organization_id, by = acting(call, given.organizationId)
    return member_shown(await call.write(lambda db: members.transfer(db, organization_id, by, given.userId)))
