"""The settings page of a website: name, who may send, what is kept, client id, deletion."""

from collections.abc import Awaitable, Callable, Mapping

from litestar.params import FromPath

from analytics_box import texts
from analytics_box.acting import By
from analytics_box.errors import BadRequest
from analytics_box.http.page.visit import Again, Answer, Page, Visit, Visitor
from analytics_box.identity import at_least
from analytics_box.store.db import Connection
from analytics_box.websites import change, deletion_calls, settings_form
from analytics_box.websites.messages import ById
from analytics_box.websites.reach import change as change_own
from analytics_box.websites.reach import own
from analytics_box.websites.rules import MANAGER, Website
from analytics_box.websites.shell import site_shell, snippet

SECTIONS = ("website", "tracking", "client-id")


async def show(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/settings; `?saved=` names the section that was just saved."""
    return _page(visit, website_id, Again())


async def save_website(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/settings: name, domain, publicity. Without the first box the second one says nothing."""
    form = {"isPublic": "", "publicValues": "", **await visit.form()}
    public = bool(form["isPublic"])

    def write(db: Connection, website: Website, by: By) -> Website:
        renamed = change.details(db, website, by, name=form.get("name", ""), domain=form.get("domain", ""))
        return change.publicity(db, renamed, by, public=public, values=public and bool(form["publicValues"]))

    return await _save(visit, website_id, "website", write, values=form)


async def save_tracking(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/settings/tracking: who may send, what is ignored, visitor ids, retention."""
    form = await visit.form()

    def write(db: Connection, website: Website, by: By) -> Website:
        return change.settings(db, website, by, settings_form.tracking_of(form))

    return await _save(visit, website_id, "tracking", write, values=form)


async def rotate(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/settings/client-id: a new client id for the snippet."""
    days = visit.parts.settings.client_id_grace_days

    def write(db: Connection, website: Website, by: By) -> Website:
        return change.rotate(db, website, by, grace_days=days)

    return await _save(visit, website_id, "client-id", write, field="client-id")


async def _save(
    visit: Visit,
    website_id: str,
    section: str,
    write: Callable[[Connection, Website, By], Website],
    *,
    values: Mapping[str, str] | None = None,
    field: str = "",
) -> Answer:
    """Change the website and come back to the section, or show the page again with what is wrong. Raises NotFound."""

    async def save() -> str:
        website = await change_own(visit.call, website_id, write)
        return f"/sites/{website.id}/settings?saved={section}#{section}"

    return await _submit(visit, website_id, save, values=values, field=field)


async def delete(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/settings/delete: only with the website's name typed."""
    website, form = own(visit.call, website_id), await visit.form()

    async def save() -> str:
        if " ".join(form.get("confirmation", "").split()) != website.name:
            raise BadRequest.about("confirmation", texts.WebsiteSettings.delete_wrong.format(name=website.name))
        await deletion_calls.delete(visit.call, ById(website.id))
        return "/sites"

    return await _submit(visit, website_id, save, values=form)


async def _submit(
    visit: Visit,
    website_id: str,
    save: Callable[[], Awaitable[str]],
    *,
    values: Mapping[str, str] | None = None,
    field: str = "",
) -> Answer:
    async def page(visit: Visit, again: Again) -> Page:
        return _page(visit, website_id, again)

    return await visit.submit(save, page, values=values, field=field)


def _page(visit: Visit, website_id: str, again: Again) -> Page:
    website, person, settings = own(visit.call, website_id), visit.person, visit.parts.settings
    saved = visit.asked("saved")
    return visit.pages.show(
        "site_settings.html",
        code=again.code,
        shell=site_shell(visit, "site-settings", website),
        site=website,
        href=f"/sites/{website.id}/settings",
        values=settings_form.values_of(website) | dict(again.values),
        errors=again.wrong,
        saved=saved if saved in SECTIONS else "",
        manages=at_least(person.role, MANAGER),
        snippet=snippet(website, f"{settings.tracker_url}/script.js"),
        old_ids=settings_form.old_ids(website, visit.call.now, person),
        grace_days=settings.grace_days,
        client_id_grace_days=settings.client_id_grace_days,
        budget_texts=settings.budget_texts,
        budget_mb=settings.budget_mb,
    )
