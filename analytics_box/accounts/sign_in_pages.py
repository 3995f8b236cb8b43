"""Pages of signing in, with the second factor as a step of its own, and of signing out."""

from typing import Any
from urllib.parse import urlsplit

from litestar import Request, Response
from litestar.di import NamedDependency

from analytics_box import ids, texts
from analytics_box.accounts import rows, rules
from analytics_box.accounts import second_factor as factor
from analytics_box.accounts.device import describe
from analytics_box.accounts.second_step import SecondSteps
from analytics_box.accounts.sign_in import SignIns
from analytics_box.clock import Clock
from analytics_box.errors import AuthRequired
from analytics_box.http.identify import cookie
from analytics_box.http.pages import Pages, form_of, go, own_path
from analytics_box.identity import Identity
from analytics_box.ingest.source import is_local
from analytics_box.limits import Limits
from analytics_box.settings import Settings
from analytics_box.store.db import Connection, Db
from analytics_box.store.seal import Seal

Page = Response[str]
Next = Response[bytes]
AnyRequest = Request[Any, Any, Any]


async def sign_in_form(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    box_db: NamedDependency[Db],
    pages: NamedDependency[Pages],
    settings: NamedDependency[Settings],
) -> Page | Next:
    """GET /sign-in; a box without users says where its setup link is."""
    wanted = own_path(request.query_params.get("next", ""))
    if identity.person is not None:
        return go(wanted or "/sites")
    if not await box_db.read(rows.any_user):
        return pages.explain(texts.Errors.not_set_up, code=200)
    changed = request.query_params.get("done") == "password"
    return _sign_in_page(pages, settings, wanted, changed=changed)


async def sign_in(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    settings: NamedDependency[Settings],
    limits: NamedDependency[Limits],
    sign_ins: NamedDependency[SignIns],
    second_steps: NamedDependency[SecondSteps],
    box_db: NamedDependency[Db],
) -> Page | Next:
    """POST /sign-in: check the password; then start a session, or ask for the second factor."""
    limits.take("sign-in", identity.address, settings.limit_sign_in)
    form = await form_of(request, settings)
    email, wanted = form.get("email", ""), own_path(form.get("next", ""))
    limits.take("sign-in to", ids.digest(email.strip().lower()).hex(), settings.limit_sign_in)
    try:
        user = await sign_ins.check(email, form.get("password", ""))
    except AuthRequired:
        return _sign_in_page(pages, settings, wanted, email=email[:254], wrong=True)
    zone = form.get("zone", "")
    if (await box_db.read(lambda db: factor.state(db, user.id))).on:
        token = second_steps.begin(user.id, wanted=wanted, zone=zone)
        seconds = rules.SECOND_STEP_LIFE // 1000
        return go("/sign-in/code", cookie=sign_ins.cookie_of(second_steps.cookie_name, token, seconds=seconds))
    return await _signed_in(request, sign_ins, box_db, user.id, wanted=wanted, zone=zone)


async def code_form(
    request: AnyRequest,
    pages: NamedDependency[Pages],
    second_steps: NamedDependency[SecondSteps],
) -> Page | Next:
    """GET /sign-in/code, for whoever has just shown a password."""
    if second_steps.find(_cookie(request, second_steps.cookie_name)) is None:
        return go("/sign-in")
    return pages.show("sign_in_code.html", errors={})


async def check_code(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    settings: NamedDependency[Settings],
    limits: NamedDependency[Limits],
    sign_ins: NamedDependency[SignIns],
    second_steps: NamedDependency[SecondSteps],
    box_db: NamedDependency[Db],
    seal: NamedDependency[Seal],
    clock: NamedDependency[Clock],
) -> Page | Next:
    """POST /sign-in/code: a code of the app or a recovery code starts the session."""
    limits.take("sign-in", identity.address, settings.limit_sign_in)
    token = _cookie(request, second_steps.cookie_name)
    waiting = second_steps.find(token)
    if waiting is None:
        return go("/sign-in")
    form = await form_of(request, settings)
    user_id, code, now = waiting.user_id, form.get("code", "")[:100], clock.now()
    second_steps.admit(user_id)
    if not await box_db.write(lambda db: factor.check(db, seal, user_id, code, now)):
        return pages.show("sign_in_code.html", code=401, errors={"code": texts.SignIn.code_wrong})
    if second_steps.find(token) is None:  # the password has changed meanwhile
        return go("/sign-in")
    second_steps.passed(user_id)
    second_steps.end(token)
    return await _signed_in(request, sign_ins, box_db, user_id, wanted=waiting.wanted, zone=waiting.zone)


async def sign_out(request: AnyRequest, sign_ins: NamedDependency[SignIns]) -> Next:
    """POST /sign-out: end this browser's session."""
    token = _cookie(request, sign_ins.cookie_name)
    if token:
        await sign_ins.close(token)
    return go("/sign-in", cookie=sign_ins.cookie(""))


async def _signed_in(
    request: AnyRequest, sign_ins: SignIns, box_db: Db, user_id: str, *, wanted: str, zone: str
) -> Next:
    """Start a session with a new id; the one that the browser had before ends."""
    token = await sign_ins.open_for(
        user_id,
        device=describe(request.headers.get("user-agent", "")),
        instead_of=_cookie(request, sign_ins.cookie_name),
    )
    if zone:

        def follow(db: Connection) -> None:
            rows.follow_time_zone(db, user_id, rules.clean_time_zone(zone))

        await box_db.write(follow)
    return go(wanted or "/sites", cookie=sign_ins.cookie(token))


def _sign_in_page(
    pages: Pages, settings: Settings, wanted: str, *, email: str = "", wrong: bool = False, changed: bool = False
) -> Page:
    return pages.show(
        "sign_in.html",
        code=401 if wrong else 200,
        email=email,
        wrong=wrong,
        changed=changed,
        plain_http=not settings.secure and not is_local(urlsplit(settings.public_url).hostname or ""),
        next=wanted,
    )


def _cookie(request: AnyRequest, name: str) -> str:
    return cookie(request.headers.get("cookie", ""), name)
