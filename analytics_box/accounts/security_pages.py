"""The page /settings/security and what it leads to: password, second factor, sessions."""

from typing import Any

from litestar import Request, Response
from litestar.di import NamedDependency

from analytics_box import audit, errors, ids, texts
from analytics_box.accounts import password_reset, rules, totp
from analytics_box.accounts import second_factor as factor
from analytics_box.accounts import sessions_rows as sessions
from analytics_box.accounts.device import describe
from analytics_box.accounts.passwords import Passwords
from analytics_box.accounts.qr import qr_image
from analytics_box.accounts.second_step import SecondSteps
from analytics_box.accounts.sessions_rows import Session
from analytics_box.accounts.sign_in import SignIns
from analytics_box.clock import Clock
from analytics_box.errors import AuthRequired, BadRequest
from analytics_box.http import dates
from analytics_box.http.identify import cookie
from analytics_box.http.pages import Pages, field_errors, form_of, go
from analytics_box.identity import Identity, Person
from analytics_box.limits import Limits
from analytics_box.settings import Settings
from analytics_box.store.db import Connection, Db
from analytics_box.store.seal import Seal
from analytics_box.websites.shell import shell

Page = Response[str]
Next = Response[bytes]
AnyRequest = Request[Any, Any, Any]

HOME = "/settings/security"


async def security(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    box_db: NamedDependency[Db],
    sign_ins: NamedDependency[SignIns],
) -> Page:
    """GET /settings/security."""
    done = texts.Security.done.get(request.query_params.get("done", ""), "")
    return await _security_page(request, identity, pages, box_db, sign_ins, done=done)


async def change_password(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    box_db: NamedDependency[Db],
    sign_ins: NamedDependency[SignIns],
    second_steps: NamedDependency[SecondSteps],
    passwords: NamedDependency[Passwords],
    limits: NamedDependency[Limits],
    settings: NamedDependency[Settings],
    clock: NamedDependency[Clock],
) -> Page | Next:
    """POST /settings/security/password: all other sessions end, and this one gets a new id."""
    person = _person(identity)
    form = await form_of(request, settings)
    try:
        await _check_password(sign_ins, limits, settings, person, form.get("current", ""), field="current")
        rules.check_password(form.get("new", ""), person.email, field="new")
    except BadRequest as wrong:
        return await _security_page(request, identity, pages, box_db, sign_ins, code=400, wrong=field_errors(wrong))
    hashed, now = await passwords.hash(form["new"]), clock.now()

    def write(db: Connection) -> str:
        password_reset.set_password(db, person.user_id, hashed, actor=identity.limit_name, now=now)
        return sign_ins.replace(db, person, device=_device(request))

    token = await box_db.write(write)
    second_steps.forget(person.user_id)
    return go(f"{HOME}?done=password", cookie=sign_ins.cookie(token))


async def begin_second_factor(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    box_db: NamedDependency[Db],
    sign_ins: NamedDependency[SignIns],
    limits: NamedDependency[Limits],
    settings: NamedDependency[Settings],
    seal: NamedDependency[Seal],
    clock: NamedDependency[Clock],
) -> Page | Next:
    """POST /settings/security/second-factor: make the secret that the next page shows."""
    person = _person(identity)
    form = await form_of(request, settings)
    try:
        await _check_password(sign_ins, limits, settings, person, form.get("password", ""), field="password")
    except BadRequest as wrong:
        return await _security_page(request, identity, pages, box_db, sign_ins, code=400, wrong=field_errors(wrong))
    now = clock.now()
    await box_db.write(lambda db: factor.begin(db, seal, person.user_id, now))
    return go(f"{HOME}/second-factor")


async def second_factor_form(
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    box_db: NamedDependency[Db],
    seal: NamedDependency[Seal],
) -> Page | Next:
    """GET /settings/security/second-factor: the secret that waits for its first code, as QR code and text."""
    return await _second_factor_page(_person(identity), pages, box_db, seal)


async def confirm_second_factor(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    box_db: NamedDependency[Db],
    sign_ins: NamedDependency[SignIns],
    second_steps: NamedDependency[SecondSteps],
    settings: NamedDependency[Settings],
    seal: NamedDependency[Seal],
    clock: NamedDependency[Clock],
) -> Page | Next:
    """POST /settings/security/second-factor/confirm: turn it on and show the recovery codes, this once.

    Sessions that were opened without it end; this one gets a new id.
    """
    person = _person(identity)
    form = await form_of(request, settings)
    owner, now = _owner(person, identity), clock.now()

    def write(db: Connection) -> tuple[tuple[str, ...], str]:
        codes = factor.confirm(db, seal, owner, form.get("code", "")[:100], now)
        return codes, sign_ins.replace(db, person, device=_device(request))

    second_steps.admit(person.user_id)
    try:
        codes, token = await box_db.write(write)
    except BadRequest as wrong:
        return await _second_factor_page(person, pages, box_db, seal, code=400, wrong=field_errors(wrong))
    second_steps.passed(person.user_id)
    return _codes_page(pages, person, codes, cookie_header=sign_ins.cookie(token))


async def renew_recovery_codes(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    box_db: NamedDependency[Db],
    sign_ins: NamedDependency[SignIns],
    limits: NamedDependency[Limits],
    settings: NamedDependency[Settings],
    clock: NamedDependency[Clock],
) -> Page | Next:
    """POST /settings/security/recovery-codes: ten new ones instead of the old, shown this once."""
    person = _person(identity)
    form = await form_of(request, settings)
    try:
        await _check_password(sign_ins, limits, settings, person, form.get("password", ""), field="password")
    except BadRequest as wrong:
        return await _security_page(request, identity, pages, box_db, sign_ins, code=400, wrong=field_errors(wrong))
    owner, now = _owner(person, identity), clock.now()
    codes = await box_db.write(lambda db: factor.renew_codes(db, owner, now))
    return _codes_page(pages, person, codes)


async def remove_second_factor(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    box_db: NamedDependency[Db],
    sign_ins: NamedDependency[SignIns],
    limits: NamedDependency[Limits],
    settings: NamedDependency[Settings],
    clock: NamedDependency[Clock],
) -> Page | Next:
    """POST /settings/security/second-factor/remove: turn it off; all other sessions end."""
    person = _person(identity)
    form = await form_of(request, settings)
    try:
        await _check_password(sign_ins, limits, settings, person, form.get("password", ""), field="password")
    except BadRequest as wrong:
        return await _security_page(request, identity, pages, box_db, sign_ins, code=400, wrong=field_errors(wrong))
    owner, now = _owner(person, identity), clock.now()

    def write(db: Connection) -> str:
        factor.remove(db, owner, now)
        return sign_ins.replace(db, person, device=_device(request))

    token = await box_db.write(write)
    return go(f"{HOME}?done=removed", cookie=sign_ins.cookie(token))


async def end_session(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    box_db: NamedDependency[Db],
    settings: NamedDependency[Settings],
    clock: NamedDependency[Clock],
) -> Next:
    """POST /settings/security/sessions/end: end one of one's own sessions. Raises NotFound."""
    person = _person(identity)
    form = await form_of(request, settings)
    now = clock.now()

    def write(db: Connection) -> None:
        wanted = [one for one in sessions.of_user(db, person.user_id) if _name(one) == form.get("session", "")]
        if not wanted:
            raise errors.NotFound("There is no such session")
        sessions.delete(db, wanted[0].digest)
        _record(db, person, identity, now, {"ended": 1})

    await box_db.write(write)
    return go(f"{HOME}?done=ended")


async def end_other_sessions(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    box_db: NamedDependency[Db],
    sign_ins: NamedDependency[SignIns],
    clock: NamedDependency[Clock],
) -> Next:
    """POST /settings/security/sessions/end-others."""
    person = _person(identity)
    own, now = _own_digest(request, sign_ins), clock.now()

    def write(db: Connection) -> None:
        ended = sessions.delete_of_user(db, person.user_id, keep=own)
        _record(db, person, identity, now, {"ended": ended})

    await box_db.write(write)
    return go(f"{HOME}?done=others")


async def _check_password(
    sign_ins: SignIns, limits: Limits, settings: Settings, person: Person, password: str, *, field: str
) -> None:
    """Raises BadRequest for this field unless it is the person's password; RateLimited after too many tries."""
    limits.take("password", f"user:{person.user_id}", settings.limit_sign_in)
    try:
        await sign_ins.check(person.email, password)
    except AuthRequired as wrong:
        message = texts.Security.current_wrong
        raise BadRequest(message, details=(errors.Detail(field, message),)) from wrong


async def _security_page(
    request: AnyRequest,
    identity: Identity,
    pages: Pages,
    box_db: Db,
    sign_ins: SignIns,
    *,
    code: int = 200,
    wrong: dict[str, str] | None = None,
    done: str = "",
) -> Page:
    person = _person(identity)
    own = _own_digest(request, sign_ins)
    found = await sign_ins.of_user(person.user_id)
    return pages.show(
        "security.html",
        code=code,
        shell=shell(person, "settings"),
        tab="security",
        errors=wrong or {},
        done=done,
        factor=await box_db.read(lambda db: factor.state(db, person.user_id)),
        codes=factor.RECOVERY_CODES,
        sessions=[_session_shown(one, person, own) for one in sorted(found, key=lambda one: one.digest != own)],
    )


def _session_shown(found: Session, person: Person, own: bytes) -> dict[str, object]:
    return {
        "name": _name(found),
        "device": found.device or texts.Security.some_device,
        "began": dates.moment(found.created_at, person),
        "seen": dates.moment(found.seen_at, person),
        "this": found.digest == own,
    }


async def _second_factor_page(
    person: Person,
    pages: Pages,
    box_db: Db,
    seal: Seal,
    *,
    code: int = 200,
    wrong: dict[str, str] | None = None,
) -> Page | Next:
    secret = await box_db.read(lambda db: factor.waiting_secret(db, seal, person.user_id))
    if secret is None:
        return go(HOME)
    address = totp.address(secret, account=person.email, issuer=texts.App.name)
    return pages.show(
        "second_factor.html",
        code=code,
        shell=shell(person, "settings"),
        tab="security",
        errors=wrong or {},
        image=qr_image(address),
        key=totp.secret_text(secret),
    )


def _codes_page(pages: Pages, person: Person, codes: tuple[str, ...], *, cookie_header: str = "") -> Page:
    return pages.show(
        "recovery_codes.html",
        headers={"set-cookie": cookie_header} if cookie_header else {},
        shell=shell(person, "settings"),
        tab="security",
        codes=codes,
    )


def _record(db: Connection, person: Person, identity: Identity, now: int, detail: dict[str, object]) -> None:
    audit.record(
        db,
        now=now,
        organization_id=person.organization_id,
        actor=identity.limit_name,
        action="revoked",
        subject="session",
        subject_id=person.user_id,
        detail=detail,
    )


def _owner(person: Person, identity: Identity) -> factor.Owner:
    return factor.Owner(person.user_id, person.organization_id, identity.limit_name)


def _person(identity: Identity) -> Person:
    if identity.person is None:
        raise AuthRequired("Sign in to see this page")
    return identity.person


def _name(found: Session) -> str:
    """What a form calls a session: nothing that its cookie could be made of."""
    return found.digest.hex()[:32]


def _own_digest(request: AnyRequest, sign_ins: SignIns) -> bytes:
    return ids.digest(cookie(request.headers.get("cookie", ""), sign_ins.cookie_name))


def _device(request: AnyRequest) -> str:
    return describe(request.headers.get("user-agent", ""))
