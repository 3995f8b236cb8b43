"""Past incidents of a status page under /status-pages/{id}/history, and templates for new ones."""

from datetime import datetime
from itertools import groupby
from typing import Any
from zoneinfo import ZoneInfo

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict, NotFound
from analytics_box.base.translation import _
from analytics_box.products.status_pages.console.frame import ConsolePage, frame, open_page, rejection_of
from analytics_box.products.status_pages.console.shown import line
from analytics_box.products.status_pages.incident import Incident
from analytics_box.products.status_pages.incidents import template_calls as procedures
from analytics_box.products.status_pages.incidents.messages import (
    IncidentTemplateAnswer,
    IncidentTemplateId,
    ListIncidentTemplates,
    SaveIncidentTemplate,
)
from analytics_box.products.status_pages.serving import times
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.web.page.edits import check_version
from analytics_box.web.page.questions import ConfirmationTexts, ask
from analytics_box.web.page.visit import Again, Answer, Next, Page, Visitor

_DELETE_TEMPLATE = ConfirmationTexts(
    _("Delete the template {name}?"), _("Incidents stay as they are."), _("Delete {name}")
)


UNKNOWN = _("This template does not exist")


class TemplateLine(Struct, frozen=True):
    """A template in the list; `remove` leads to its deletion."""

    name: str
    title: str
    message: str
    href: str
    remove: str


async def history(visit: Visitor, page_id: FromPath[str]) -> Page:
    """GET /status-pages/{id}/history: ended incidents and maintenance by month. Raises NotFound."""
    page = await open_page(visit, page_id)
    over = [one for one in page.whole.incidents if not one.is_open]
    months = [
        (month, [line(page.href, one, visit.person, visit.call.now) for one in some])
        for month, some in groupby(over, key=lambda one: _month(one, page.whole.page.zone))
    ]
    return page.show("status_history.html", "history", months=months, older=f"{page.seen.url}/history")


async def templates(visit: Visitor, page_id: FromPath[str]) -> Page:
    """GET /status-pages/{id}/templates. Raises NotFound."""
    return await _templates(await open_page(visit, page_id), Again(values={"severity": "minor"}))


async def add_template(visit: Visitor, page_id: FromPath[str]) -> Answer:
    """POST /status-pages/{id}/templates. Raises NotFound."""
    return await _save(await open_page(visit, page_id), await visit.form())


async def template_form(visit: Visitor, page_id: FromPath[str], template_id: FromPath[str]) -> Page:
    """GET /status-pages/{id}/templates/{template}. Raises NotFound."""
    page = await open_page(visit, page_id)
    one = await _find_template(page, template_id)
    values = {"name": one.name, "title": one.title, "message": one.message, "severity": one.severity}
    return await _templates(page, Again(values=values), one)


async def save_template(visit: Visitor, page_id: FromPath[str], template_id: FromPath[str]) -> Answer:
    """POST /status-pages/{id}/templates/{template}. Raises NotFound."""
    page, form = await open_page(visit, page_id), await visit.form()
    return await _save(page, form, await _find_template(page, template_id))


async def delete_form(visit: Visitor, page_id: FromPath[str], template_id: FromPath[str]) -> Page:
    """GET /status-pages/{id}/templates/{template}/delete: are you sure? Raises NotFound."""
    page = await open_page(visit, page_id)
    one, base = await _find_template(page, template_id), f"{page.href}/templates"
    question = _DELETE_TEMPLATE
    return ask(visit, frame(visit.person), question, one.name, action=f"{base}/{one.id}/delete", back=base)


async def delete(visit: Visitor, page_id: FromPath[str], template_id: FromPath[str]) -> Next:
    """POST /status-pages/{id}/templates/{template}/delete. Raises NotFound."""
    page = await open_page(visit, page_id)
    one = await _find_template(page, template_id)
    await procedures.delete_template(visit.call, IncidentTemplateId(one.id))
    return visit.go(f"{page.href}/templates?done=template-deleted")


async def _save(page: ConsolePage, form: dict[str, str], known: IncidentTemplateAnswer | None = None) -> Answer:
    found: dict[str, Any] = {name: form.get(name, "") for name in ("name", "title", "message")}
    found |= {"statusPageId": page.whole.page.id, "severity": form.get("severity", "minor")}
    if known is not None:
        found["templateId"] = known.id
    try:
        page.visit.saves()
        check_version(form, known)
        await procedures.save_template(page.visit.call, message_of(found, SaveIncidentTemplate))
    except (BadRequest, Conflict) as wrong:
        return await _templates(page, rejection_of(wrong, form), known)
    return page.visit.go(f"{page.href}/templates?done=template-saved")


async def _templates(page: ConsolePage, again: Again, known: IncidentTemplateAnswer | None = None) -> Page:
    base = f"{page.href}/templates"
    own = await procedures.list_templates(page.visit.call, ListIncidentTemplates(page.whole.page.id))
    return page.show(
        "status_templates.html",
        "history",
        again=again,
        edited=known,
        lines=[
            TemplateLine(
                figures.visible(one.name),
                figures.visible(one.title),
                figures.visible(one.message),
                f"{base}/{one.id}",
                f"{base}/{one.id}/delete",
            )
            for one in own
        ],
        action=f"{base}/{known.id}" if known is not None else base,
        heading=_("Edit {name}").format(name=figures.visible(known.name)) if known else _("New template"),
    )


async def _find_template(page: ConsolePage, template_id: str) -> IncidentTemplateAnswer:
    for one in await procedures.list_templates(page.visit.call, ListIncidentTemplates(page.whole.page.id)):
        if one.id == template_id:
            return one
    raise NotFound(UNKNOWN)


def _month(one: Incident, zone: str) -> str:
    local = datetime.fromtimestamp(one.started_at / 1000, ZoneInfo(zone))
    return times.month(local.year, local.month)
