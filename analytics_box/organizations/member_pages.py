"""The page /settings/members: who belongs, who is invited, and their roles. What it offers follows from the role."""

from typing import Any

from litestar import Request, Response
from litestar.di import NamedDependency
from msgspec import Struct

from analytics_box import errors, texts
from analytics_box.errors import BadRequest, BoxError, Conflict
from analytics_box.http import dates
from analytics_box.http.call import Call, Calls
from analytics_box.http.pages import Pages, form_of, go
from analytics_box.identity import Identity, Person, Role
from analytics_box.invitations import change as invitations
from analytics_box.invitations.calls import invite
from analytics_box.invitations.rules import Invitation, InvitedRole
from analytics_box.organizations import members, rules
from analytics_box.organizations.calls import by_of
from analytics_box.organizations.rules import Member
from analytics_box.store.db import Connection
from analytics_box.websites.shell import shell

Page = Response[str]
Next = Response[bytes]
AnyRequest = Request[Any, Any, Any]

MEMBERS = "/settings/members"

_INVITED: dict[str, InvitedRole] = {"admin": "admin", "member": "member", "viewer": "viewer"}


class Row(Struct, frozen=True):
    """A member in the list. `roles` are those to choose from; none where the reader may not change it."""

    user_id: str
    email: str
    role: Role
    joined: str
    own: bool
    roles: tuple[Role, ...]
    removable: bool


class Waiting(Struct, frozen=True):
    """An invitation in the list."""

    id: str
    email: str
    role: InvitedRole
    until: str
    expired: bool


async def member_list(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    calls: NamedDependency[Calls],
) -> Page:
    """GET /settings/members."""
    return await _members_page(pages, calls.by(identity), done=request.query_params.get("done", ""))


async def invite_member(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    calls: NamedDependency[Calls],
) -> Page:
    """POST /settings/members/invite: make an invitation; its link is on this answer only."""
    call, form = calls.by(identity), await form_of(request, calls.settings)
    role = _INVITED.get(form.get("role", ""), "member")
    try:
        invitation, url, emailed = await invite(
            call, _person(call).organization_id, email=form.get("email", ""), role=role
        )
    except (BadRequest, Conflict) as refused:
        wrong = {"email": refused.message}
        return await _members_page(pages, call, code=refused.status, values=form, wrong=wrong)
    return await _members_page(pages, call, link=(invitation.email, url, emailed))


async def revoke_invitation(
    request: AnyRequest, identity: NamedDependency[Identity], calls: NamedDependency[Calls]
) -> Next:
    """POST /settings/members/invitations/revoke. Raises Forbidden or NotFound."""
    call, form = calls.by(identity), await form_of(request, calls.settings)
    organization_id, chosen = _person(call).organization_id, form.get("invitation", "")
    await call.write(lambda db: invitations.revoke(db, organization_id, by_of(call), chosen))
    return go(f"{MEMBERS}?done=revoked")


async def change_role(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    calls: NamedDependency[Calls],
) -> Page | Next:
    """POST /settings/members/role. Raises Forbidden or NotFound."""
    call, form = calls.by(identity), await form_of(request, calls.settings)
    organization_id, chosen = _person(call).organization_id, form.get("member", "")
    role = next((role for role in rules.ROLES if role == form.get("role")), None)
    if role is None:
        raise BadRequest("Choose one of the roles on the page")
    try:
        await call.write(lambda db: members.change_role(db, organization_id, by_of(call), chosen, role))
    except Conflict as refused:
        return await _members_page(pages, call, code=409, general=refused.message)
    return go(f"{MEMBERS}?done=role")


async def remove_form(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    calls: NamedDependency[Calls],
) -> Page:
    """GET /settings/members/remove?member=…: are you sure?"""
    call = calls.by(identity)
    chosen = request.query_params.get("member", "")
    person = _person(call)
    everybody = await call.read(lambda db: members.everybody(db, person.organization_id))
    found = next((one for one in everybody if one.user_id == chosen), None)
    if found is None:
        raise errors.NotFound("There is no member with this id")
    question = texts.Members.remove_text.format(email=found.email)
    return pages.show(
        "confirm.html",
        shell=shell(person, "settings"),
        tab="members",
        title=texts.Members.remove,
        text=question,
        action=f"{MEMBERS}/remove",
        back=MEMBERS,
        fields={"member": found.user_id},
    )


async def remove(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    calls: NamedDependency[Calls],
) -> Page | Next:
    """POST /settings/members/remove. Raises Forbidden or NotFound."""
    call, form = calls.by(identity), await form_of(request, calls.settings)
    organization_id, chosen = _person(call).organization_id, form.get("member", "")
    try:
        await call.write(lambda db: members.remove(db, organization_id, by_of(call), chosen))
    except Conflict as refused:
        return await _members_page(pages, call, code=409, general=refused.message)
    return go(f"{MEMBERS}?done=removed")


async def _members_page(
    pages: Pages,
    call: Call,
    *,
    code: int = 200,
    done: str = "",
    values: dict[str, str] | None = None,
    wrong: dict[str, str] | None = None,
    general: str = "",
    link: tuple[str, str, bool] | None = None,
) -> Page:
    person = _person(call)
    inviting = rules.may(person.role, "invite")

    def find(db: Connection) -> tuple[list[Member], list[Invitation]]:
        own = person.organization_id
        waiting = invitations.waiting(db, own, by_of(call), include_expired=True) if inviting else []
        return members.everybody(db, own), waiting

    everybody, waiting = await call.read(find)
    return pages.show(
        "members.html",
        code=code,
        shell=shell(person, "settings"),
        tab="members",
        members=[_row(one, person) for one in everybody],
        waiting=[_waiting(one, person, call.now) for one in waiting],
        inviting=inviting,
        invited=rules.INVITED,
        values={"email": "", "role": "member", **(values or {})},
        errors=wrong or {},
        general=general,
        done=texts.Members.done.get(done, ""),
        link=link,
    )


def _row(member: Member, person: Person) -> Row:
    def allowed(after: Role | None) -> bool:
        try:
            rules.check_role_change(person.role, member.role, after)
        except BoxError:
            return False
        return True

    own = member.user_id == person.user_id
    roles = tuple(role for role in rules.ROLES if role == member.role or allowed(role))
    return Row(
        user_id=member.user_id,
        email=member.email,
        role=member.role,
        joined=dates.moment(member.created_at, person),
        own=own,
        roles=roles if len(roles) > 1 else (),
        removable=allowed(None) and not own,
    )


def _waiting(invitation: Invitation, person: Person, now: int) -> Waiting:
    return Waiting(
        id=invitation.id,
        email=invitation.email,
        role=invitation.role,
        until=dates.moment(invitation.expires_at, person),
        expired=invitation.status(now) == "expired",
    )


def _person(call: Call) -> Person:
    if call.identity.person is None:
        raise errors.AuthRequired("Sign in to see this page")
    return call.identity.person
