"""Members and invitations over RPC (wire 10.4). For people only; organizations.rules decides who may do what."""

from collections.abc import Collection
from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from analytics_box.base import errors, ids
from analytics_box.base.identity import Role
from analytics_box.base.notify import mail_limits
from analytics_box.base.notify.change import ChannelTools
from analytics_box.base.notify.mail import Mail, Mailer
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.resource.reach import acting
from analytics_box.tenants.members import invitations
from analytics_box.tenants.members.invitations import Invitation, Status
from analytics_box.tenants.organizations.change import MemberShown, member_shown
from analytics_box.tenants.tenancy import defaults, members
from analytics_box.tenants.tenancy.messages import OrganizationInput, Success, Text, date
from analytics_box.tenants.tenancy.rules import MOST_RESOURCES, InvitedRole
from analytics_box.web.call import Call


def link(base_url: str, secret: str) -> str:
    """The address to accept an invitation. Anyone with it can join, so it is shown to the inviter once and stored
    nowhere.
    """
    return f"{base_url}/invitation?token={secret}"


def invitation_letter(invitation: Invitation, *, organization: str, inviter: str, url: str) -> Mail:
    """The invitation email."""
    host = url_parts(url).netloc
    plain = " ".join(organization.split())
    return Mail(
        to=invitation.email,
        subject=_("Invitation to Analytics Box"),
        text=_(
            "{inviter} has invited you to join {organization} on {host}.\n\n"
            "Open this link to join. It works once, for 7 days:\n{url}\n\nIf you did not "
            "expect this invitation, ignore this email.\n"
        ).format(organization=plain, inviter=inviter, url=url, host=host),
    )


class OfMember(Struct, frozen=True, forbid_unknown_fields=True):
    userId: Text
    organizationId: Text | None = None


Resources = Annotated[tuple[Text, ...], Meta(max_length=MOST_RESOURCES)]


class NewAccess(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of organizations.updateMemberAccess.

    `resources` are the IDs of the websites, links, monitors, status pages and flags that the member can access; null
    for everything.
    """

    userId: Text
    resources: Resources | None
    organizationId: Text | None = None


class NewRole(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of organizations.updateMemberRole."""

    userId: Text
    role: Role
    organizationId: Text | None = None


async def list_members(call: Call, given: OrganizationInput) -> list[MemberShown]:
    """organizations.listMembers: list members, longest-standing first."""
    organization_id, by = acting(call, given.organizationId)
    await call.read(lambda db: members.check(db, organization_id, by, "see members"))
    return [member_shown(one) for one in await call.read(lambda db: members.of_organization(db, organization_id))]


async def update_member_role(call: Call, given: NewRole) -> MemberShown:
    """organizations.updateMemberRole: change a member's role.

    Only owners can appoint owners. The last owner keeps the role. Raises Conflict for the last owner.
    """
    organization_id, by = acting(call, given.organizationId)
    return member_shown(
        await call.write(lambda db: members.change_role(db, organization_id, by, given.userId, given.role))
    )


async def update_member_access(call: Call, given: NewAccess) -> MemberShown:
    """organizations.updateMemberAccess: choose what a member can access.

    Only viewers and members can be restricted. Raises BadRequest, Forbidden or NotFound.
    """
    organization_id, by = acting(call, given.organizationId)
    return member_shown(
        await call.write(lambda db: members.change_access(db, organization_id, by, given.userId, given.resources))
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


class NewInvitation(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of organizations.createInvitation. Without a role it is the organization's default.

    `resources` are the IDs of the websites, links, monitors, status pages and flags that a viewer or member can access;
    without them it is everything.
    """

    email: Text
    role: InvitedRole | None = None
    organizationId: Text | None = None
    resources: Resources | None = None


class OfInvitations(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of organizations.getPendingInvitations."""

    organizationId: Text | None = None
    includeExpired: bool = False


class OfInvitation(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of organizations.revokeInvitation."""

    invitationId: Text
    organizationId: Text | None = None


class AcceptInvitation(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of organizations.acceptInvitation: the token of the link."""

    token: Text


class InvitationShown(Struct, frozen=True):
    """An invitation as procedures answer with it; its secret is not part of it."""

    id: str
    organizationId: str
    email: str
    role: InvitedRole
    status: Status
    inviterId: str
    createdAt: datetime
    expiresAt: datetime
    resources: list[str] | None


class InvitationAnswer(Struct, frozen=True):
    """Output of organizations.createInvitation. `emailed` says whether the link was sent.

    Without a mail server, `url` is the link, which is only returned here. With a mail server it is null: only the
    invited person gets the link, which proves that the address is theirs.
    """

    invitation: InvitationShown
    url: str | None
    emailed: bool


class AcceptInvitationAnswer(Struct, frozen=True):
    """Output of organizations.acceptInvitation."""

    organizationId: str
    role: InvitedRole


async def create_invitation(call: Call, given: NewInvitation) -> InvitationAnswer:
    """organizations.createInvitation: invite a member with a link that works once, for 7 days. Raises BadRequest,
    Conflict, or RateLimited for a mailbox that got too many."""
    organization_id, _ = acting(call, given.organizationId)
    invitation, url, emailed = await invite(
        call, organization_id, email=given.email, role=given.role, resources=given.resources
    )
    return InvitationAnswer(invitation_answer(invitation, call.now), url, emailed)


async def get_pending_invitations(call: Call, given: OfInvitations) -> list[InvitationShown]:
    """organizations.getPendingInvitations: list pending invitations, newest first."""
    organization_id, by = acting(call, given.organizationId)
    found = await call.read(
        lambda db: invitations.waiting(db, organization_id, by, include_expired=given.includeExpired)
    )
    return [invitation_answer(one, call.now) for one in found]


async def revoke_invitation(call: Call, given: OfInvitation) -> Success:
    """organizations.revokeInvitation: revoke an invitation. Raises NotFound."""
    organization_id, by = acting(call, given.organizationId)
    await call.write(lambda db: invitations.revoke(db, organization_id, by, given.invitationId))
    return Success()


async def accept_invitation(call: Call, given: AcceptInvitation) -> AcceptInvitationAnswer:
    """organizations.acceptInvitation: accept an invitation. Raises NotFound, Conflict, or Forbidden."""
    person = call.identity.person
    if person is None:
        raise errors.Forbidden(_("Sign in to do this. API keys are not accepted"))
    joined = await call.write(
        lambda db: invitations.accept_as(db, given.token, user_id=person.user_id, email=person.email, now=call.now)
    )
    return AcceptInvitationAnswer(joined.organization_id, joined.role)


async def invite(
    call: Call,
    organization_id: str,
    *,
    email: str,
    role: InvitedRole | None,
    resources: Collection[str] | None = None,
) -> tuple[Invitation, str | None, bool]:
    """Create an invitation: the invitation, its link, and whether it was sent.

    With a mail server the link is sent and not returned, so that only its receiver can use it. Without
    a role it is the organization's default.
    """
    _, by = acting(call, organization_id)
    role = role or (await call.read(lambda db: defaults.of(db, organization_id))).invitation_role
    secret, by_mail = ids.new_token(), call.parts[Mailer].configured

    def write(db: Connection) -> tuple[Invitation, str]:
        made = invitations.invite(
            db, organization_id, by, email=email, role=role, secret=secret, by_mail=by_mail, resources=resources
        )
        if by_mail:
            mail_limits.take(db, "invitation", made[0].email, call.now)
            if not members.administers(db, by):
                mail_limits.take_of_caller(db, by.actor, call.now)
        return made

    invitation, organization = await call.write(write)
    url = link(call.parts.settings.public_url, secret)
    if not by_mail:
        return invitation, url, False
    inviter = call.identity.person.email if call.identity.person else ""
    letter = invitation_letter(invitation, organization=organization, inviter=inviter, url=url)
    return invitation, None, await call.parts[Mailer].try_to_send(letter)


def invitation_answer(invitation: Invitation, now: int) -> InvitationShown:
    """An invitation for an answer."""
    return InvitationShown(
        id=invitation.id,
        organizationId=invitation.organization_id,
        email=invitation.email,
        role=invitation.role,
        status=invitation.status(now),
        inviterId=invitation.invited_by,
        createdAt=date(invitation.created_at),
        expiresAt=date(invitation.expires_at),
        resources=None if invitation.resources is None else sorted(invitation.resources),
    )
