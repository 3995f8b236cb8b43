"""The page /settings/members: invitations, roles, confirming and removing members."""

from collections.abc import Collection, Mapping

from msgspec import Struct

from analytics_box.base import errors, figures
from analytics_box.base.errors import BadRequest, BoxError, Conflict, RateLimited
from analytics_box.base.identity import ROLES, Role, SignedInPerson
from analytics_box.base.notify.change import ChannelTools
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _, ngettext
from analytics_box.resource.reach import GRANTED
from analytics_box.tenants.accounts import users
from analytics_box.tenants.members import invitations
from analytics_box.tenants.members.calls import invite
from analytics_box.tenants.members.granting import (
    ACCESS_ALL,
    ACCESS_SELECTED,
    MOST_OFFERED,
    ResourceGroup,
    read_selected,
    resource_groups,
    selected_ids,
)
from analytics_box.tenants.members.invitations import Invitation
from analytics_box.tenants.tenancy import defaults, members, rules
from analytics_box.tenants.tenancy.rules import InvitedRole, OrganizationMember, invitation_role
from analytics_box.web.page import dates
from analytics_box.web.page.templates import field_errors
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

_DONE = {
    "revoked": _("Invitation revoked."),
    "role": _("The role was changed."),
    "confirmed": _("The email address was confirmed."),
    "removed": _("The member was removed."),
    "access": _("Access was changed."),
    "transferred": _("Ownership transferred. You are now an admin."),
}


MEMBERS = "/settings/members"
# A form has a check box for each resource that is offered or selected.
MOST_FIELDS = len(GRANTED) * MOST_OFFERED + rules.MOST_RESOURCES + 10


class MemberRow(Struct, frozen=True):
    """A member in the list. `roles` are those to choose from, empty if the user cannot change the role. `access` is
    what they can access, in words.
    """

    user_id: str
    email: str
    name: str
    role: Role
    joined: str
    own: bool
    roles: tuple[Role, ...]
    removable: bool
    confirmed: bool
    access: str
    can_restrict: bool


class InvitationRow(Struct, frozen=True):
    """An invitation in the list."""

    id: str
    email: str
    role: InvitedRole
    until: str
    expired: bool
    access: str


class InvitationLink(Struct, frozen=True):
    """A new invitation: its link, shown once, or None if it is only emailed, and whether it was sent."""

    email: str
    url: str | None
    emailed: bool


async def member_page(visit: PageRequest, again: Again, link: InvitationLink | None = None) -> Page:
    """The page, with what is wrong with a form of it, or with the link of a new invitation."""
    person, by = visit.person, visit.call.by
    inviting = rules.may(person.role, "invite")

    def find(
        db: Connection,
    ) -> tuple[list[OrganizationMember], list[Invitation], InvitedRole, list[ResourceGroup]]:
        own = person.organization_id
        waiting = invitations.waiting(db, own, by, include_expired=True) if inviting else []
        groups = resource_groups(db, own, selected_ids(again.values)) if inviting else []
        return members.of_organization(db, own), waiting, defaults.of(db, own).invitation_role, groups

    joined, waiting, usual, groups = await visit.call.read(find)
    return visit.settings_page(
        "members.html",
        "members",
        again=again,
        values={"email": "", "role": usual, "access": ACCESS_ALL},
        groups=groups,
        members=[_row(one, person) for one in joined],
        waiting=[
            InvitationRow(
                id=one.id,
                email=one.email,
                role=one.role,
                until=dates.moment(one.expires_at, person),
                expired=one.status(visit.call.now) == "expired",
                access=_access(one.resources),
            )
            for one in waiting
        ],
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
        access=_access(member.resources),
        can_restrict=member.role in rules.RESTRICTED and rules.may(person.role, "change roles"),
    )


def _access(resources: Collection[str] | None) -> str:
    """The access of a member in words; empty for everything."""
    if resources is None:
        return ""
    text = ngettext("1 selected resource", "{count} selected resources", len(resources))
    return text.format(count=figures.count(len(resources)))


async def invite_member(visit: Visitor) -> Page:
    """POST /settings/members/invite: make an invitation; without a mail server its link is on this answer only."""
    form, own = await visit.form(most_fields=MOST_FIELDS), visit.person.organization_id
    role = invitation_role(form.get("role", ""))
    try:
        visit.saves()
        resources = read_selected(form)
        invitation, url, emailed = await invite(
            visit.call, own, email=form.get("email", ""), role=role, resources=resources
        )
    except (BadRequest, Conflict, RateLimited) as refused:
        named = field_errors(refused) if isinstance(refused, BadRequest) else {}
        return await member_page(visit, Again(refused.status, form, named or {"email": refused.message}))
    return await member_page(visit, Again(), InvitationLink(invitation.email, url, emailed))


async def revoke_invitation(visit: Visitor) -> Answer:
    """POST /settings/members/invitations/revoke. Raises Forbidden or NotFound."""
    form, own, by = await visit.form(), visit.person.organization_id, visit.call.by

    async def save() -> str:
        await visit.call.write(lambda db: invitations.revoke(db, own, by, form.get("invitation", "")))
        return f"{MEMBERS}?done=revoked"

    return await visit.submit(save, member_page)


async def member_list(visit: Visitor) -> Page:
    """GET /settings/members."""
    return await member_page(visit, Again())


async def change_role(visit: Visitor) -> Answer:
    """POST /settings/members/role. Raises Forbidden or NotFound."""
    form, own, by = await visit.form(), visit.person.organization_id, visit.call.by

    async def save() -> str:
        role = next((role for role in ROLES if role == form.get("role")), None)
        if role is None:
            raise BadRequest(_("Choose one of the roles on the page"))
        await visit.call.write(lambda db: members.change_role(db, own, by, form.get("member", ""), role))
        return f"{MEMBERS}?done=role"

    return await visit.submit(save, member_page)


async def access_form(visit: PageRequest, again: Again, form: Mapping[str, str] | None = None) -> Page:
    """The form with what a member can access; `form` is one that came back. Raises Forbidden or NotFound."""
    own = visit.person.organization_id
    user_id = visit.asked("member") if form is None else form.get("member", "")

    def find(db: Connection) -> tuple[OrganizationMember | None, list[ResourceGroup]]:
        joined = members.of_organization(db, own)
        found = next((one for one in joined if one.user_id == user_id and one.role in rules.RESTRICTED), None)
        now = found.resources or () if found is not None else ()
        return found, resource_groups(db, own, now if form is None else selected_ids(form))

    member, groups = await visit.call.read(find)
    if member is None:
        raise errors.NotFound.of("member", user_id)
    return visit.settings_page(
        "member_access.html",
        "members",
        again=again,
        values={"access": ACCESS_ALL if member.resources is None else ACCESS_SELECTED},
        member=member,
        groups=groups,
    )


async def show_access(visit: Visitor) -> Page:
    """GET /settings/members/access?member=…"""
    return await access_form(visit, Again())


async def change_access(visit: Visitor) -> Answer:
    """POST /settings/members/access. Raises Forbidden or NotFound."""
    form, own, by = await visit.form(most_fields=MOST_FIELDS), visit.person.organization_id, visit.call.by
    try:
        resources = read_selected(form)
        await visit.call.write(lambda db: members.change_access(db, own, by, form.get("member", ""), resources))
    except BadRequest as refused:
        return await access_form(visit, Again(refused.status, form, field_errors(refused)), form)
    return visit.go(f"{MEMBERS}?done=access")


async def confirm(visit: Visitor) -> Answer:
    """POST /settings/members/confirm: the box administrator knows whose address it is. Raises Forbidden or NotFound."""
    form, own, by = await visit.form(), visit.person.organization_id, visit.call.by
    user_id = form.get("member", "")

    def write(db: Connection) -> None:
        if not members.administers(db, by):
            raise errors.Forbidden(_("Only a server administrator can confirm accounts"))
        if all(member.user_id != user_id for member in members.of_organization(db, own)):
            raise errors.NotFound.of("member", user_id)
        users.confirm(db, user_id, organization_id=own, by=by)

    async def save() -> str:
        await visit.call.write(write)
        return f"{MEMBERS}?done=confirmed"

    return await visit.submit(save, member_page)


async def remove_form(visit: Visitor) -> Page:
    """GET /settings/members/remove?member=…: are you sure?"""
    own = visit.person.organization_id
    joined = await visit.call.read(lambda db: members.of_organization(db, own))
    found = next((one for one in joined if one.user_id == visit.asked("member")), None)
    if found is None:
        raise errors.NotFound.of("member", visit.asked("member"))
    return visit.confirm(
        "members",
        title=_("Remove member"),
        text=_("{email} will lose access to this organization immediately.").format(email=found.email),
        action=f"{MEMBERS}/remove",
        back=MEMBERS,
        member=found.user_id,
    )


async def remove(visit: Visitor) -> Answer:
    """POST /settings/members/remove. Raises Forbidden or NotFound."""
    form, own, by = await visit.form(), visit.person.organization_id, visit.call.by

    async def save() -> str:
        seal = visit.parts[ChannelTools].seal
        await visit.call.write(lambda db: members.remove(db, seal, own, by, form.get("member", "")))
        return f"{MEMBERS}?done=removed"

    return await visit.submit(save, member_page)
