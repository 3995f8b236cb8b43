"""Pages of websites: adding and restoring one; its settings, giving it away and deleting it."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from litestar.params import FromPath

from analytics_box.base import names
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest
from analytics_box.base.identity import Membership, SignedInPerson, at_least
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.websites import calls, change, settings_area
from analytics_box.tenants.websites.messages import CreateWebsite, TransferWebsite, WebsiteId
from analytics_box.tenants.websites.reach import change as change_own
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import MANAGER, Website
from analytics_box.tenants.websites.settings_area import settings_page
from analytics_box.tenants.websites.shell import shell, snippet
from analytics_box.web.page.edits import FIELD, check_version, version_of
from analytics_box.web.page.templates import go
from analytics_box.web.page.visit import Again, Answer, Next, Page, PageRequest, Visitor

OfWebsite = Callable[[PageRequest, str, Again], Awaitable[Page]]


async def general(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/settings: name, domain and id; members read them, admins change them."""
    return await _general(visit, website_id, Again())


async def save_general(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/settings: name and domain."""
    form = await visit.form()

    def write(db: Connection, website: Website, by: By) -> Website:
        return change.details(db, website, by, name=form.get("name", ""), domain=form.get("domain", ""))

    return await _save(visit, website_id, "/settings", write, _general, values=form)


async def tracking(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/settings/tracking; `?saved=` names the section that was just saved."""
    return await _tracking(visit, website_id, Again())


async def save_tracking(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/settings/tracking: who may send, what is ignored, visitor ids, retention."""
    form = await visit.form()

    def write(db: Connection, website: Website, by: By) -> Website:
        return change.settings(db, website, by, settings_area.tracking_of(form))

    return await _save(visit, website_id, "/settings/tracking", write, _tracking, values=form)


async def rotate(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/settings/client-id: a new client id for the snippet."""
    days = visit.parts.settings.client_id_grace_days

    def write(db: Connection, website: Website, by: By) -> Website:
        return change.rotate(db, website, by, grace_days=days)

    return await _save(visit, website_id, "/settings/tracking", write, _tracking, section="client-id")


async def danger(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/settings/danger: giving the website away, and deleting it."""
    return await _danger(visit, website_id, Again())


async def delete(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/settings/delete: only with the website's name typed."""
    website, form = own(visit.call, website_id), await visit.form()

    async def save() -> str:
        if names.one_line(form.get("confirmation", "")) != website.name:
            raise BadRequest.about("confirmation", _("Enter the website name: {name}").format(name=website.name))
        await calls.delete(visit.call, WebsiteId(website.id))
        return "/sites"

    return await visit.submit(save, partial(_again, _danger, website_id), values=form)


async def _save(
    visit: PageRequest,
    website_id: str,
    path: str,
    write: Callable[[Connection, Website, By], Website],
    page: OfWebsite,
    *,
    values: Mapping[str, str] | None = None,
    section: str = "saved",
) -> Answer:
    """Change the website and come back to its page, or show that again with what is wrong. Raises NotFound.

    Errors of a separate `section` are shown there.
    """

    def write_checked(db: Connection, website: Website, by: By) -> Website:
        check_version(values or {}, website)
        return write(db, website, by)

    async def save() -> str:
        website = await change_own(visit.call, website_id, write_checked)
        return f"/sites/{website.id}{path}?saved={section}" + (f"#{section}" if section != "saved" else "")

    field = section if section != "saved" else ""
    return await visit.submit(save, partial(_again, page, website_id), values=values, field=field)


async def _again(page: OfWebsite, website_id: str, visit: PageRequest, again: Again) -> Page:
    return await page(visit, website_id, again)


async def _general(visit: PageRequest, website_id: str, again: Again) -> Page:
    website = own(visit.call, website_id)
    return settings_page(
        visit,
        "site_settings.html",
        "general",
        website,
        again=again,
        values={**settings_area.values_of(website), FIELD: version_of(website), **again.values},
        saved=visit.asked("saved"),
        manages=visit.person.may(MANAGER),
    )


async def _tracking(visit: PageRequest, website_id: str, again: Again) -> Page:
    website, person, settings = own(visit.call, website_id), visit.person, visit.parts.settings
    return settings_page(
        visit,
        "site_tracking.html",
        "tracking",
        website,
        again=again,
        values={**settings_area.values_of(website), FIELD: version_of(website), **again.values},
        saved=visit.asked("saved"),
        snippet=snippet(website, f"{settings.tracker_url}/script.js"),
        old_ids=settings_area.old_ids(website, visit.call.now, person),
        client_id_grace_days=settings.client_id_grace_days,
        budget_texts=settings.budget_texts,
        budget_mb=settings.budget_mb,
    )


async def _danger(visit: PageRequest, website_id: str, again: Again) -> Page:
    return settings_page(
        visit,
        "site_danger.html",
        "danger",
        own(visit.call, website_id),
        again=again,
        values=again.values,
        grace_days=visit.parts.settings.grace_days,
    )


async def transfer_form(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/settings/transfer. Raises NotFound."""
    return _page(visit, website_id, Again())


async def transfer(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/settings/transfer: only with the website's domain typed. Raises NotFound and Forbidden."""
    website, form = own(visit.call, website_id), await visit.form()

    async def save() -> str:
        chosen = form.get("organization", "")
        if chosen not in {one.organization_id for one in targets(visit.person)}:
            raise BadRequest.about("organization", _("Select an organization in which you are an admin or owner."))
        if form.get("confirmation", "").strip().lower() != website.domain:
            raise BadRequest.about(
                "confirmation", _("Enter the website domain: {domain}").format(domain=website.domain)
            )
        await calls.transfer(visit.call, TransferWebsite(website.id, chosen))
        return f"/sites?moved={chosen}"

    async def page(visit: PageRequest, again: Again) -> Page:
        return _page(visit, website_id, again)

    return await visit.submit(save, page, values=form)


def targets(person: SignedInPerson) -> list[Membership]:
    """The organizations that a person may give a website to: others that they manage."""
    return [
        one
        for one in person.memberships
        if at_least(one.role, MANAGER) and one.organization_id != person.organization_id
    ]


def _page(visit: PageRequest, website_id: str, again: Again) -> Page:
    website = own(visit.call, website_id)
    return settings_page(
        visit,
        "site_transfer.html",
        "danger",
        website,
        again=again,
        back=f"/sites/{website.id}/settings",
        targets=targets(visit.person),
        values=again.values,
    )


async def new_site_form(visit: Visitor) -> Page:
    """GET /sites/new."""
    return await _new_site_page(visit, Again())


async def add_site(visit: Visitor) -> Answer:
    """POST /sites/new: make the website and show its snippet."""
    form = await visit.form()

    async def save() -> str:
        wanted = CreateWebsite(form.get("name", ""), form.get("domain", ""))
        return f"/sites/{(await calls.create(visit.call, wanted)).id}"

    return await visit.submit(save, _new_site_page, values=form)


async def _new_site_page(visit: PageRequest, again: Again) -> Page:
    return visit.show("site_new.html", shell(visit.person, "add"), again)


async def restore(visit: Visitor, website_id: FromPath[str]) -> Next:
    """POST /sites/{id}/restore: bring a deleted website back. Raises NotFound or Conflict."""
    website = await calls.restore(visit.call, WebsiteId(website_id))
    return go(f"/sites/{website.id}")
