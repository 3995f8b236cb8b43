"""The second factor on the page /settings/security: turning it on and off, and its recovery codes."""

from analytics_box.base.errors import BadRequest
from analytics_box.base.store.db import Connection
from analytics_box.base.store.seal import Seal
from analytics_box.base.translation import _
from analytics_box.tenants.accounts import second_factor as factor
from analytics_box.tenants.accounts.device import describe
from analytics_box.tenants.accounts.second_step import SecondSteps
from analytics_box.tenants.accounts.security_page import HOME, after_password
from analytics_box.tenants.accounts.sign_in import SignIns
from analytics_box.web.page.templates import field_errors
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor


def qr_image(text: str) -> str:
    """A data address of an SVG, dark on white with its quiet zone, at 5 px a module."""
    import segno  # noqa: PLC0415  1.4 MB for a page that is shown once per person

    return str(segno.make(text, micro=False, error="m").svg_data_uri(scale=5, border=4, dark="#000", light="#fff"))


async def begin(visit: Visitor) -> Answer:
    """POST /settings/security/second-factor: make the secret that the next page shows."""
    user_id, seal = visit.person.user_id, visit.parts[Seal]

    async def make(_form: dict[str, str]) -> Answer:
        await visit.call.write(lambda db: factor.begin(db, seal, user_id, visit.call.now))
        return visit.go(f"{HOME}/second-factor")

    return await after_password(visit, make)


async def form(visit: Visitor) -> Answer:
    """GET /settings/security/second-factor: the secret that waits for its first code, as QR code and text."""
    return await _second_factor_page(visit)


async def confirm(visit: Visitor) -> Answer:
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


async def remove(visit: Visitor) -> Answer:
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
    return visit.parts[SignIns].replace(db, visit.person, device=describe(visit.browser()))
