"""Pages of signing in, with the second factor as a separate step, and of signing out."""

from analytics_box.base.errors import AuthRequired
from analytics_box.base.store.seal import Seal
from analytics_box.base.translation import _
from analytics_box.tenants.accounts import rows, rules
from analytics_box.tenants.accounts import second_factor as factor
from analytics_box.tenants.accounts.second_factor import SecondSteps
from analytics_box.tenants.accounts.sign_in import SignIns, device_name, transport_of
from analytics_box.tenants.accounts.tries import Tries
from analytics_box.web.page.kept_forms import KeptForms
from analytics_box.web.page.templates import FORM_KEPT, own_path
from analytics_box.web.page.visit import Answer, Next, Page, PageRequest, Visitor

_NOT_SET_UP = (
    _("This server is not set up yet"),
    _("The setup link was printed when the server started."),
    _("Open that link to create the first account."),
)


async def sign_in_form(visit: Visitor) -> Answer:
    """GET /sign-in; a box without users says where its setup link is."""
    wanted = own_path(visit.asked("next"))
    if visit.signed_in:
        return visit.go(wanted or "/")
    if not await visit.call.read(rows.any_user):
        return visit.pages.explain(_NOT_SET_UP, code=200)
    return _sign_in_page(visit, wanted, changed=visit.asked("done") == "password")


async def sign_in(visit: Visitor) -> Answer:
    """POST /sign-in: check the password; then start a session, or ask for the second factor."""
    parts = visit.parts
    parts.limits.take("sign-in", visit.call.identity.address, parts.settings.limit_sign_in)
    form = await visit.form()
    email, wanted, zone = form.get("email", ""), own_path(form.get("next", "")), form.get("zone", "")
    try:
        await parts[Tries].admit(email, visit.cookie(parts[Tries].cookie_name))
        user = await parts[SignIns].check(email, form.get("password", ""))
    except AuthRequired:
        return _sign_in_page(visit, wanted, email=email[:254], wrong=True)
    answer = await _next_step(visit, user.id, wanted=wanted, zone=zone)
    parts[Tries].remember(answer, email)
    return answer


async def _next_step(visit: PageRequest, user_id: str, *, wanted: str, zone: str) -> Next:
    """The password was right: ask for the second factor, or start a session."""
    parts = visit.parts
    if (await visit.call.read(lambda db: factor.state(db, user_id))).on:
        token = parts[SecondSteps].begin(user_id, wanted=wanted, zone=zone)
        seconds = rules.SECOND_STEP_LIFE // 1000
        cookie = parts[SignIns].cookie_of(parts[SecondSteps].cookie_name, token, seconds=seconds)
        return visit.go("/sign-in/code", cookie=cookie)
    return await _signed_in(visit, user_id, wanted=wanted, zone=zone)


async def code_form(visit: Visitor) -> Answer:
    """GET /sign-in/code, for users who have just entered their password."""
    steps = visit.parts[SecondSteps]
    if steps.find(visit.cookie(steps.cookie_name)) is None:
        return visit.go("/sign-in")
    return visit.pages.show("sign_in_code.html", errors={})


async def check_code(visit: Visitor) -> Answer:
    """POST /sign-in/code: a code of the app or a recovery code starts the session."""
    parts, steps, now = visit.parts, visit.parts[SecondSteps], visit.call.now
    parts.limits.take("sign-in", visit.call.identity.address, parts.settings.limit_sign_in)
    token = visit.cookie(steps.cookie_name)
    waiting = steps.find(token)
    if waiting is None:
        return visit.go("/sign-in")
    user_id, code = waiting.user_id, (await visit.form()).get("code", "")[:100]
    steps.admit(user_id)
    if not await visit.call.write(lambda db: factor.check(db, parts[Seal], user_id, code, now)):
        return visit.pages.show(
            "sign_in_code.html",
            code=401,
            errors={"code": _("Incorrect code. Enter the latest code; each code works once.")},
        )
    if steps.find(token) is None:  # The password has changed since.
        return visit.go("/sign-in")
    steps.passed(user_id)
    steps.end(token)
    return await _signed_in(visit, user_id, wanted=waiting.wanted, zone=waiting.zone)


async def sign_out(visit: Visitor) -> Next:
    """POST /sign-out: end this browser's session."""
    sign_ins = visit.parts[SignIns]
    token = visit.cookie(sign_ins.cookie_name)
    if token:
        await sign_ins.close(token)
    return visit.go("/sign-in", cookie=sign_ins.cookie(""))


async def _signed_in(visit: PageRequest, user_id: str, *, wanted: str, zone: str) -> Next:
    """Start a session with a new id; the one that the browser had before ends."""
    sign_ins = visit.parts[SignIns]
    token = await sign_ins.open_for(
        user_id, device=device_name(visit.browser()), instead_of=visit.cookie(sign_ins.cookie_name)
    )
    if zone:
        await visit.call.write(lambda db: rows.follow_time_zone(db, user_id, rules.clean_time_zone(zone)))
    return visit.go(wanted or "/", cookie=sign_ins.cookie(token))


async def nothing_kept(visit: Visitor) -> Next:
    """GET /forms/kept where there is no form of this person: to the page on which it stood, and it is forgotten."""
    return visit.go(visit.parts[KeptForms].forget(visit.request.headers) or "/sites")


def _sign_in_page(
    visit: PageRequest, wanted: str, *, email: str = "", wrong: bool = False, changed: bool = False
) -> Page:
    return visit.pages.show(
        "sign_in.html",
        code=401 if wrong else 200,
        email=email,
        wrong=wrong,
        changed=changed,
        plain_http=transport_of(visit.parts.settings) == "plain",
        next=wanted,
        kept=wanted == FORM_KEPT,
    )
