"""The pages of the first run."""

from collections.abc import Callable

from analytics_box import ids, texts
from analytics_box.accounts import first_run, rules
from analytics_box.accounts.device import describe
from analytics_box.accounts.passwords import Passwords
from analytics_box.accounts.sign_in import SignIns
from analytics_box.acting import By
from analytics_box.errors import BadRequest, Conflict
from analytics_box.http.page.templates import field_errors
from analytics_box.http.page.visit import Page, Visit, Visitor
from analytics_box.keys.ring import KeyRing
from analytics_box.setup.account import Made, Wanted, first_account
from analytics_box.tenancy.directory import Organizations
from analytics_box.tenancy.rules import clean_organization
from analytics_box.websites import rules as website_rules
from analytics_box.websites.directory import Directory


async def setup_form(visit: Visitor) -> Page:
    """GET /setup?token=…: the form of a new box, for whoever has the one-time link."""
    if not await _link_works(visit):
        return _expired(visit)
    return visit.pages.show("setup.html", token=visit.asked("token"), values={}, errors={}, general="")


async def set_up(visit: Visitor) -> Page:
    """POST /setup: make the first account, sign its user in, and lead to the snippet."""
    parts, now = visit.parts, visit.call.now
    parts.limits.take("sign-in", visit.call.identity.address, parts.settings.limit_sign_in)
    if not await _link_works(visit):
        return _expired(visit)
    form = await visit.form()
    wrong = _wrong_fields(form)
    if wrong:
        shown = {name: value for name, value in form.items() if name != "password"}
        token = visit.asked("token")
        return visit.pages.show("setup.html", code=400, token=token, values=shown, errors=wrong, general="")
    wanted = Wanted(
        email=form["email"],
        password=await parts[Passwords].hash(form["password"]),
        organization=form["organization"],
        website=form["website"],
        domain=form["domain"],
        browser_zone=form.get("zone", ""),
    )
    try:
        made = await visit.call.write(lambda db: first_account(db, wanted, by=By("setup link", now)))
    except Conflict:
        return _expired(visit)
    parts[Organizations].remember(made.organization)
    parts[Directory].remember(made.website)
    parts[KeyRing].remember(ids.digest(made.secret), made.key)
    return await _done(visit, made)


async def _done(visit: Visit, made: Made) -> Page:
    """Sign the first user in, and show the key's secret this once."""
    parts = visit.parts
    session = await parts[SignIns].open_for(made.user.id, device=describe(visit.browser()))
    return visit.pages.show(
        "setup_done.html",
        headers={"set-cookie": parts[SignIns].cookie(session)},
        secret=made.secret,
        curl=curl_example(parts.settings.public_url, made.website.id, made.secret),
        href=f"/sites/{made.website.id}",
    )


async def _link_works(visit: Visit) -> bool:
    token, now = visit.asked("token"), visit.call.now
    return await visit.call.read(lambda db: first_run.is_valid(db, token, now))


def _expired(visit: Visit) -> Page:
    return visit.pages.explain(texts.Errors.expired, code=403)


def curl_example(base_url: str, website_id: str, secret: str) -> str:
    """A command that asks for the website's last seven days."""
    body = '{"parameters": ["summary_metrics"], "preset": "last_7d"}'
    return (
        f"curl '{base_url}/v1/query?website_id={website_id}' -H 'x-api-key: {secret}' "
        f"-H 'content-type: application/json' -d '{body}'"
    )


def _wrong_fields(form: dict[str, str]) -> dict[str, str]:
    """What is wrong with a setup form, by field."""
    email = form.get("email", "")
    checks: tuple[tuple[str, Callable[[], object]], ...] = (
        ("email", lambda: rules.clean_email(email)),
        ("password", lambda: rules.check_password(form.get("password", ""), email)),
        ("organization", lambda: clean_organization(form.get("organization", ""))),
        ("website", lambda: website_rules.clean_name(form.get("website", ""))),
        ("domain", lambda: website_rules.clean_domain(form.get("domain", ""))),
    )
    wrong = {}
    for field, check in checks:
        try:
            check()
        except BadRequest as refused:
            wrong[field] = next(iter(field_errors(refused).values()), refused.message)
    return wrong
