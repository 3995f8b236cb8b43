"""Pages of the first run."""

from collections.abc import Callable
from typing import Any

from litestar import Request, Response
from litestar.di import NamedDependency

from analytics_box import ids, texts
from analytics_box.accounts import first_run, rules
from analytics_box.accounts.device import describe
from analytics_box.accounts.directory import Organizations
from analytics_box.accounts.passwords import Passwords
from analytics_box.accounts.setup import Wanted, first_account
from analytics_box.accounts.sign_in import SignIns
from analytics_box.clock import Clock
from analytics_box.errors import BadRequest, Conflict
from analytics_box.http.pages import Pages, field_errors, form_of, go
from analytics_box.identity import Identity
from analytics_box.keys.ring import KeyRing
from analytics_box.limits import Limits
from analytics_box.settings import Settings
from analytics_box.store.db import Db
from analytics_box.websites import rules as website_rules
from analytics_box.websites.directory import Directory

Page = Response[str]
Next = Response[bytes]


async def home(identity: NamedDependency[Identity]) -> Next:
    """GET /: to the websites, or to sign in first."""
    return go("/sites" if identity.person is not None else "/sign-in")


async def setup_form(
    request: Request[Any, Any, Any],
    box_db: NamedDependency[Db],
    pages: NamedDependency[Pages],
    clock: NamedDependency[Clock],
) -> Page:
    """GET /setup?token=…: the form of a new box, for whoever has the one-time link."""
    token = request.query_params.get("token", "")
    if not await box_db.read(lambda db: first_run.is_valid(db, token, clock.now())):
        return pages.explain(texts.Errors.expired, code=403)
    return pages.show("setup.html", token=token, values={}, errors={}, general="")


async def set_up(
    request: Request[Any, Any, Any],
    box_db: NamedDependency[Db],
    pages: NamedDependency[Pages],
    clock: NamedDependency[Clock],
    settings: NamedDependency[Settings],
    limits: NamedDependency[Limits],
    identity: NamedDependency[Identity],
    passwords: NamedDependency[Passwords],
    sign_ins: NamedDependency[SignIns],
    keys: NamedDependency[KeyRing],
    websites: NamedDependency[Directory],
    organizations: NamedDependency[Organizations],
) -> Page | Next:
    """POST /setup: make the first account, sign its user in, and lead to the snippet."""
    limits.take("sign-in", identity.address, settings.limit_sign_in)
    token = request.query_params.get("token", "")
    now = clock.now()
    if not await box_db.read(lambda db: first_run.is_valid(db, token, now)):
        return pages.explain(texts.Errors.expired, code=403)
    form = await form_of(request, settings)
    wrong = _wrong_fields(form)
    if wrong:
        shown = {name: value for name, value in form.items() if name != "password"}
        return pages.show("setup.html", code=400, token=token, values=shown, errors=wrong, general="")
    wanted = Wanted(
        email=form["email"],
        password=await passwords.hash(form["password"]),
        organization=form["organization"],
        website=form["website"],
        domain=form["domain"],
        browser_zone=form.get("zone", ""),
    )
    try:
        made = await box_db.write(lambda db: first_account(db, wanted, actor="setup link", now=now))
    except Conflict:
        return pages.explain(texts.Errors.expired, code=403)
    organizations.remember(made.organization)
    websites.remember(made.website)
    keys.remember(ids.digest(made.secret), made.key)
    token = await sign_ins.open_for(made.user.id, device=describe(request.headers.get("user-agent", "")))
    return pages.show(
        "setup_done.html",
        headers={"set-cookie": sign_ins.cookie(token)},
        secret=made.secret,
        curl=curl_example(settings.public_url, made.website.id, made.secret),
        href=f"/sites/{made.website.id}",
    )


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
        ("organization", lambda: rules.clean_organization(form.get("organization", ""))),
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
