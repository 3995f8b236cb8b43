"""The pages of the first run."""

from analytics_box.app.setup.account import FirstAccount, first_account
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest, Conflict, check_together
from analytics_box.base.translation import _
from analytics_box.products.sample_data.example import Examples
from analytics_box.products.sample_data.site import DOMAIN, NAME
from analytics_box.tenants.accounts import rules, users
from analytics_box.tenants.accounts.passwords import Passwords
from analytics_box.tenants.accounts.sign_in import SignIns, device_name, transport_of
from analytics_box.tenants.accounts.tries import Tries
from analytics_box.tenants.websites import rules as website_rules
from analytics_box.tenants.websites.change import create
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Parts
from analytics_box.web.page.templates import field_errors, go
from analytics_box.web.page.visit import Again, Answer, Next, Page, PageRequest, Visitor


async def add_example(parts: Parts, organization_id: str, by: By) -> Website:
    """The organization's example, which is made and filled when there is none."""
    for website in parts[Directory].of(organization_id):
        if website.domain == DOMAIN:
            return website
    made = await parts.box_db.write(
        lambda db: create(db, organization_id=organization_id, name=f"{NAME} - example", domain=DOMAIN, by=by)
    )
    parts[Directory].remember(made)
    parts[Examples].begin(made)
    return made


_EXPIRED = (
    _("This setup link has expired"),
    _("A setup link works once and for 24 hours."),
    _("Restart the server. It prints a new link when it starts."),
)


async def setup_form(visit: Visitor) -> Page:
    """GET /setup?token=…: the form of a new server, for the holder of the one-time link."""
    if not await _link_works(visit):
        return _expired_link_page(visit)
    return _form(visit, Again())


async def set_up(visit: Visitor) -> Answer:
    """POST /setup: make the first account, sign its user in, and lead to the snippet."""
    parts, now = visit.parts, visit.call.now
    parts.limits.take("sign-in", visit.call.identity.address, parts.settings.limit_sign_in)
    if not await _link_works(visit):
        return _expired_link_page(visit)
    form = await visit.form()
    if wrong := _wrong_fields(form):
        return _form(visit, Again(400, {name: value for name, value in form.items() if name != "password"}, wrong))
    domain = website_rules.clean_domain(form["domain"])
    wanted = FirstAccount(
        email=form["email"],
        password=await parts[Passwords].hash(form["password"]),
        organization=domain,
        website=domain,
        domain=domain,
        browser_zone=form.get("zone", ""),
    )
    try:
        made = await visit.call.write(lambda db: first_account(db, wanted, by=By("setup link", now)))
    except Conflict:
        return _expired_link_page(visit)
    made.remember(parts)
    if "example" in form:
        await add_example(parts, made.organization.id, By("setup link", now))
    session = await parts[SignIns].open_for(made.user.id, device=device_name(visit.browser()))
    answer = go(f"/sites/{made.website.id}", cookie=parts[SignIns].cookie(session))
    parts[Tries].remember(answer, wanted.email)
    return answer


def _form(visit: PageRequest, again: Again) -> Page:
    settings = visit.parts.settings
    return visit.pages.show(
        "setup.html",
        code=again.code,
        token=visit.asked("token"),
        values=again.values,
        errors=again.wrong,
        address=settings.public_url,
        reached=transport_of(settings),
    )


async def example(visit: Visitor) -> Next:
    """POST /sites/example: a website with made-up visits, to look around in."""
    call = visit.call
    website = await add_example(call.parts, call.organization(None), call.by)
    return go(f"/sites/{website.id}")


async def _link_works(visit: PageRequest) -> bool:
    token, now = visit.asked("token"), visit.call.now
    return await visit.call.read(lambda db: users.is_valid(db, token, now))


def _expired_link_page(visit: PageRequest) -> Page:
    return visit.pages.explain(_EXPIRED, code=403)


def _wrong_fields(form: dict[str, str]) -> dict[str, str]:
    """The errors of a setup form, by field."""
    email = form.get("email", "")
    try:
        check_together(
            lambda: rules.clean_email(email),
            lambda: rules.check_password(form.get("password", ""), email),
            lambda: website_rules.clean_domain(form.get("domain", "")),
        )
    except BadRequest as refused:
        return field_errors(refused)
    return {}
