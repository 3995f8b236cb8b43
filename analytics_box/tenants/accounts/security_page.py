"""The page /settings/security, and the password that each of its changes requires first."""

from collections.abc import Awaitable, Callable

from msgspec import Struct

from analytics_box.base import ids
from analytics_box.base.errors import AuthRequired, BadRequest
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _
from analytics_box.tenants.accounts import second_factor as factor
from analytics_box.tenants.accounts.session_rows import AccountSession
from analytics_box.tenants.accounts.sign_in import SignIns
from analytics_box.web.page import dates
from analytics_box.web.page.templates import field_errors
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest

_DONE = {
    "password": _("Password changed. All other sessions were signed out."),
    "removed": _("Second factor turned off. All other sessions were signed out."),
    "ended": _("Session signed out."),
    "others": _("All other sessions were signed out."),
}


HOME = "/settings/security"


class SessionRow(Struct, frozen=True):
    """A session in the list."""

    name: str
    device: str
    began: str
    seen: str
    this: bool


async def security_page(visit: PageRequest, again: Again | None = None, *, done: str = "") -> Page:
    """The page, with what was wrong with a form of it, or with what was done."""
    person, own = visit.person, own_digest(visit)
    found = await visit.parts[SignIns].of_user(person.user_id)
    return visit.settings_page(
        "security.html",
        "security",
        again=again,
        done=_DONE.get(done, ""),
        factor=await visit.call.read(lambda db: factor.state(db, person.user_id)),
        codes=factor.RECOVERY_CODES,
        sessions=[_row(one, person, own) for one in sorted(found, key=lambda one: one.digest != own)],
    )


async def after_password(
    visit: PageRequest, change: Callable[[dict[str, str]], Awaitable[Answer]], *, field: str = "password"
) -> Answer:
    """Carry out `change` with the posted form once its `field` is the person's password.

    When it is not, or when `change` raises BadRequest, the page says what is wrong. Raises RateLimited after too many
    tries.
    """
    form = await visit.form()
    try:
        await _check_password(visit, form.get(field, ""), field)
        return await change(form)
    except BadRequest as wrong:
        return await security_page(visit, Again(wrong.status, wrong=field_errors(wrong)))


async def _check_password(visit: PageRequest, password: str, field: str) -> None:
    parts, person = visit.parts, visit.person
    parts.limits.take("password", visit.call.actor, parts.settings.limit_sign_in)
    try:
        await parts[SignIns].check(person.email, password)
    except AuthRequired as wrong:
        raise BadRequest.about(field, _("Incorrect password.")) from wrong


def session_name(found: AccountSession) -> str:
    """The name of a session in forms: nothing that its cookie could be derived from."""
    return found.digest.hex()[:32]


def own_digest(visit: PageRequest) -> bytes:
    """Under which digest this browser's session is kept."""
    return ids.digest(visit.cookie(visit.parts[SignIns].cookie_name))


def _row(found: AccountSession, person: SignedInPerson, own: bytes) -> SessionRow:
    return SessionRow(
        name=session_name(found),
        device=found.device or _("Unknown device"),
        began=dates.moment(found.created_at, person),
        seen=dates.moment(found.seen_at, person),
        this=found.digest == own,
    )
