"""The pages below /settings/security: password, sessions, second factor. Each change requires the password first."""

from collections.abc import Awaitable, Callable

from msgspec import Struct

from analytics_box.base import audit, errors, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import AuthRequired, BadRequest
from analytics_box.base.store.db import Connection
from analytics_box.base.store.seal import Seal
from analytics_box.base.translation import _
from analytics_box.tenants.accounts import password_reset, rows, rules
from analytics_box.tenants.accounts import second_factor as factor
from analytics_box.tenants.accounts.passwords import Passwords
from analytics_box.tenants.accounts.rows import AccountSession
from analytics_box.tenants.accounts.second_factor import SecondSteps
from analytics_box.tenants.accounts.sign_in import SignIns, device_name
from analytics_box.web.page import dates
from analytics_box.web.page.templates import field_errors
from analytics_box.web.page.visit import Again, Answer, Next, Page, PageRequest, Visitor

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
        sessions=[
            SessionRow(
                name=session_name(one),
                device=one.device or _("Unknown device"),
                began=dates.moment(one.created_at, person),
                seen=dates.moment(one.seen_at, person),
                this=one.digest == own,
            )
            for one in sorted(found, key=lambda one: one.digest != own)
        ],
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


async def security(visit: Visitor) -> Page:
    """GET /settings/security."""
    return await security_page(visit, done=visit.asked("done"))


async def change_password(visit: Visitor) -> Answer:
    """POST /settings/security/password: all other sessions end, and this one gets a new id."""
    person, parts = visit.person, visit.parts

    async def change(form: dict[str, str]) -> Answer:
        rules.check_password(form.get("new", ""), person.email, field="new")
        hashed = await parts[Passwords].hash(form["new"])

        def write(db: Connection) -> str:
            password_reset.set_password(db, person.user_id, hashed, by=visit.call.by)
            return parts[SignIns].replace(db, person, device=device_name(visit.browser()))

        token = await visit.call.write(write)
        parts[SecondSteps].forget(person.user_id)
        return visit.go(f"{HOME}?done=password", cookie=parts[SignIns].cookie(token))

    return await after_password(visit, change, field="current")


async def end_session(visit: Visitor) -> Next:
    """POST /settings/security/sessions/end: end one of one's own sessions. Raises NotFound."""
    user_id, chosen = visit.person.user_id, (await visit.form()).get("session", "")

    def write(db: Connection) -> None:
        found = next((one for one in rows.sessions_of_user(db, user_id) if session_name(one) == chosen), None)
        if found is None:
            raise errors.NotFound(_("This session does not exist"))
        rows.delete_session(db, found.digest)
        _record(db, visit, ended=1)

    await visit.call.write(write)
    return visit.go(f"{HOME}?done=ended")


async def end_other_sessions(visit: Visitor) -> Next:
    """POST /settings/security/sessions/end-others."""
    user_id, own = visit.person.user_id, own_digest(visit)
    await visit.call.write(lambda db: _record(db, visit, ended=rows.delete_sessions_of_user(db, user_id, keep=own)))
    return visit.go(f"{HOME}?done=others")


def _record(db: Connection, visit: PageRequest, *, ended: int) -> None:
    audit.record(
        db,
        By(visit.call.actor, visit.call.now),
        visit.person.organization_id,
        "revoked",
        "session",
        visit.person.user_id,
        {"ended": ended},
    )


def qr_image(text: str) -> str:
    """A data address of an SVG, dark on white with its quiet zone, at 5 px a module."""
    import segno  # noqa: PLC0415  1.4 MB for a page that is shown once per person

    return str(segno.make(text, micro=False, error="m").svg_data_uri(scale=5, border=4, dark="#000", light="#fff"))


async def begin_second_factor(visit: Visitor) -> Answer:
    """POST /settings/security/second-factor: make the secret that the next page shows."""
    user_id, seal = visit.person.user_id, visit.parts[Seal]

    async def make(_form: dict[str, str]) -> Answer:
        await visit.call.write(lambda db: factor.begin(db, seal, user_id, visit.call.now))
        return visit.go(f"{HOME}/second-factor")

    return await after_password(visit, make)


async def second_factor_form(visit: Visitor) -> Answer:
    """GET /settings/security/second-factor: the secret that waits for its first code, as QR code and text."""
    return await _second_factor_page(visit)


async def confirm_second_factor(visit: Visitor) -> Answer:
    """POST /settings/security/second-factor/confirm: turn it on and show the recovery codes, this once.

    Sessions that were opened without it end; this one gets a new id.
    """
    parts, code = visit.parts, (await visit.form()).get("code", "")[:100]

    def write(db: Connection) -> tuple[tuple[str, ...], str]:
        codes = factor.confirm(db, parts[Seal], _owner(visit), code)
        return codes, _renew_session(db, visit)

    parts[SecondSteps].admit(visit.person.user_id)
    try:
        codes, token = await visit.call.write(write)
    except BadRequest as wrong:
        return await _second_factor_page(visit, Again(wrong.status, wrong=field_errors(wrong)))
    parts[SecondSteps].passed(visit.person.user_id)
    return _codes_page(visit, codes, cookie=parts[SignIns].cookie(token))


async def renew_codes(visit: Visitor) -> Answer:
    """POST /settings/security/recovery-codes: ten new ones instead of the old, shown this once."""

    async def renew(_form: dict[str, str]) -> Answer:
        codes = await visit.call.write(lambda db: factor.renew_codes(db, _owner(visit)))
        return _codes_page(visit, codes)

    return await after_password(visit, renew)


async def remove_second_factor(visit: Visitor) -> Answer:
    """POST /settings/security/second-factor/remove: turn it off; all other sessions end."""

    def write(db: Connection) -> str:
        factor.remove(db, _owner(visit))
        return _renew_session(db, visit)

    async def turn_off(_form: dict[str, str]) -> Answer:
        token = await visit.call.write(write)
        return visit.go(f"{HOME}?done=removed", cookie=visit.parts[SignIns].cookie(token))

    return await after_password(visit, turn_off)


async def _second_factor_page(visit: PageRequest, again: Again | None = None) -> Answer:
    person, seal = visit.person, visit.parts[Seal]
    secret = await visit.call.read(lambda db: factor.waiting_secret(db, seal, person.user_id))
    if secret is None:
        return visit.go(HOME)
    address = factor.address(secret, account=person.email, issuer=_("Analytics Box"))
    return visit.settings_page(
        "second_factor.html", "security", again=again, image=qr_image(address), key=factor.secret_text(secret)
    )


def _codes_page(visit: PageRequest, codes: tuple[str, ...], *, cookie: str = "") -> Page:
    return visit.settings_page("recovery_codes.html", "security", cookie=cookie, codes=codes)


def _owner(visit: PageRequest) -> factor.Owner:
    return factor.Owner(visit.person.user_id, visit.person.organization_id, visit.call.by)


def _renew_session(db: Connection, visit: PageRequest) -> str:
    """Inside a write: all sessions of the person end, and this browser gets a new one; its secret."""
    return visit.parts[SignIns].replace(db, visit.person, device=device_name(visit.browser()))
