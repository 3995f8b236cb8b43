"""The page behind an invitation's link: a new person chooses a password, a known one accepts."""

from typing import Any
from urllib.parse import quote

from litestar import Request, Response
from litestar.di import NamedDependency

from analytics_box.base import ids
from analytics_box.base.errors import AuthRequired, BadRequest, Conflict, ErrorDetail, NotFound
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _
from analytics_box.tenants.accounts import rules as account_rules
from analytics_box.tenants.accounts.passwords import Passwords
from analytics_box.tenants.accounts.sign_in import SignIns, device_name
from analytics_box.tenants.accounts.tries import Tries
from analytics_box.tenants.members import invitations
from analytics_box.tenants.members.invitations import Welcome
from analytics_box.web.call import Call
from analytics_box.web.page.templates import Pages, field_errors, form_of, go

_INVITATION = (
    _("This invitation is not valid"),
    _("Invitation links work once and expire in 7 days. Ask for a new one."),
    _("Ask for a new one."),
)


Page = Response[str]
Next = Response[bytes]
AnyRequest = Request[Any, Any, Any]


async def invitation(request: AnyRequest, call: NamedDependency[Call], pages: NamedDependency[Pages]) -> Page:
    """GET /invitation?token=…"""
    token = request.query_params.get("token", "")
    found = await call.read(lambda db: invitations.welcome(db, token, call.now))
    if found is None:
        return pages.explain(_INVITATION, code=403)
    return _page(pages, token, found, call.identity.person)


async def accept(request: AnyRequest, call: NamedDependency[Call], pages: NamedDependency[Pages]) -> Page | Next:
    """POST /invitation?token=…: join, and go on in that organization. Raises Forbidden for another person's link."""
    identity, parts = call.identity, call.parts
    parts.limits.take("sign-in", identity.address, parts.settings.limit_sign_in)
    token = request.query_params.get("token", "")
    found = await call.read(lambda db: invitations.welcome(db, token, call.now))
    if found is None:
        return pages.explain(_INVITATION, code=403)
    person = identity.person
    if person is None and found.known and not found.stranded:
        return _page(pages, token, found, None)
    form = await form_of(request, parts.settings)
    try:
        if person is not None:
            return await _as_known(call, token, person)
        if found.stranded:
            return await _as_stranded(call, token, found, form)
        return await _as_new(request, call, token, found, form)
    except BadRequest as refused:
        return _page(pages, token, found, person, code=400, wrong=field_errors(refused))
    except (NotFound, Conflict):
        return pages.explain(_INVITATION, code=403)


async def _as_known(call: Call, token: str, person: SignedInPerson) -> Next:
    joined = await call.write(
        lambda db: invitations.accept_as(db, token, user_id=person.user_id, email=person.email, now=call.now)
    )
    await call.parts[SignIns].turn_to(person, joined.organization_id)
    return go("/")


async def _as_stranded(call: Call, token: str, found: Welcome, form: dict[str, str]) -> Next:
    """The password lets the account in; signing in, with a second factor if it has one, comes after."""
    email = found.invitation.email
    call.parts.limits.take("sign-in to", ids.digest(email).hex(), call.parts.settings.limit_sign_in)
    try:
        user = await call.parts[SignIns].check(email, form.get("password", ""))
    except AuthRequired as wrong:
        raise BadRequest(wrong.message, details=(ErrorDetail("password", _("Incorrect password.")),)) from wrong
    await call.write(lambda db: invitations.accept_as(db, token, user_id=user.id, email=user.email, now=call.now))
    return go("/sign-in")


async def _as_new(request: AnyRequest, call: Call, token: str, found: Welcome, form: dict[str, str]) -> Next:
    password = form.get("password", "")
    account_rules.check_password(password, found.invitation.email)
    hashed = await call.parts[Passwords].hash(password)
    zone = account_rules.clean_time_zone(form.get("zone", "")) if form.get("zone") else ""
    _rest, user_id = await call.write(
        lambda db: invitations.accept_new(db, token, password=hashed, time_zone=zone, now=call.now)
    )
    secret = await call.parts[SignIns].open_for(user_id, device=device_name(request.headers.get("user-agent", "")))
    answer = go("/", cookie=call.parts[SignIns].cookie(secret))
    call.parts[Tries].remember(answer, found.invitation.email)
    return answer


def _page(
    pages: Pages,
    token: str,
    found: Welcome,
    person: SignedInPerson | None,
    *,
    code: int = 200,
    wrong: dict[str, str] | None = None,
) -> Page:
    return pages.show(
        "invitation.html",
        code=code,
        token=quote(token),
        back=quote(f"/invitation?token={token}"),
        organization=found.organization,
        role=found.invitation.role,
        email=found.invitation.email,
        known=found.known,
        stranded=found.stranded,
        own=person.email if person else "",
        errors=wrong or {},
    )
