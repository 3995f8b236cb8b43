"""The page /settings/members: members, invitations, and what the reader can change."""

from msgspec import Struct

from analytics_box.base.errors import BoxError
from analytics_box.base.identity import ROLES, Role, SignedInPerson
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.members import invitations
from analytics_box.tenants.members.rules import Invitation
from analytics_box.tenants.tenancy import defaults, members, rules
from analytics_box.tenants.tenancy.rules import InvitedRole, OrganizationMember
from analytics_box.web.page import dates
from analytics_box.web.page.visit import Again, Page, PageRequest

_DONE = {
    "revoked": _("Invitation revoked."),
    "role": _("The role was changed."),
    "confirmed": _("The email address was confirmed."),
    "removed": _("The member was removed."),
    "transferred": _("Ownership transferred. You are now an admin."),
}


MEMBERS = "/settings/members"


class MemberRow(Struct, frozen=True):
    """A member in the list. `roles` are those to choose from, empty if the user cannot change the role."""

    user_id: str
    email: str
    name: str
    role: Role
    joined: str
    own: bool
    roles: tuple[Role, ...]
    removable: bool
    confirmed: bool


class InvitationRow(Struct, frozen=True):
    """An invitation in the list."""

    id: str
    email: str
    role: InvitedRole
    until: str
    expired: bool


class InvitationLink(Struct, frozen=True):
    """A new invitation: its link, shown once, or None if it is only emailed, and whether it was sent."""

    email: str
    url: str | None
    emailed: bool


async def member_page(visit: PageRequest, again: Again, link: InvitationLink | None = None) -> Page:
    """The page, with what is wrong with a form of it, or with the link of a new invitation."""
    person, by = visit.person, visit.call.by
    inviting = rules.may(person.role, "invite")

    def find(db: Connection) -> tuple[list[OrganizationMember], list[Invitation], InvitedRole]:
        own = person.organization_id
        waiting = invitations.waiting(db, own, by, include_expired=True) if inviting else []
        return members.of_organization(db, own), waiting, defaults.of(db, own).invitation_role

    joined, waiting, usual = await visit.call.read(find)
    return visit.settings_page(
        "members.html",
        "members",
        again=again,
        values={"email": "", "role": usual},
        members=[_row(one, person) for one in joined],
        waiting=[_waiting(one, person, visit.call.now) for one in waiting],
        inviting=inviting,
        invited=rules.INVITED,
        administers=person.is_administrator,
        owns=rules.may(person.role, "transfer"),
        done=_DONE.get(visit.asked("done"), "") if again.code == 200 else "",
        link=link,
    )


def _row(member: OrganizationMember, person: SignedInPerson) -> MemberRow:
    def allowed(after: Role | None) -> bool:
        try:
            rules.check_role_change(person.role, member.role, after)
        except BoxError:
            return False
        return True

    own = member.user_id == person.user_id
    roles = tuple(role for role in reversed(ROLES) if role == member.role or allowed(role))
    return MemberRow(
        user_id=member.user_id,
        email=member.email,
        name=member.name,
        role=member.role,
        joined=dates.moment(member.created_at, person),
        own=own,
        roles=roles if len(roles) > 1 else (),
        removable=allowed(None) and not own,
        confirmed=member.confirmed,
    )


def _waiting(invitation: Invitation, person: SignedInPerson, now: int) -> InvitationRow:
    return InvitationRow(
        id=invitation.id,
        email=invitation.email,
        role=invitation.role,
        until=dates.moment(invitation.expires_at, person),
        expired=invitation.status(now) == "expired",
    )
