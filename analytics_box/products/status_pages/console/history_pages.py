"""Past incidents of a status page under /status-pages/{id}/history, and templates for new ones."""

from datetime import datetime
from itertools import groupby
from typing import Any, Final
from zoneinfo import ZoneInfo

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.errors import NotFound
from analytics_box.base.translation import _
from analytics_box.products.status_pages.console.frame import (
    ConsolePage,
    open_page,
    opened_with,
    page_deletion,
)
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
from analytics_box.web.page.questions import ConfirmationTexts
from analytics_box.web.page.resource_form import Form, FormPages
from analytics_box.web.page.visit import Again, Page, PageRequest, Visitor

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


async def _find_template(page: ConsolePage) -> IncidentTemplateAnswer | None:
    """The template that an address names; None for a new one. Raises NotFound."""
    wanted = page.visit.path("template_id")
    if not wanted:
        return None
    for one in await procedures.list_templates(page.visit.call, ListIncidentTemplates(page.whole.page.id)):
        if one.id == wanted:
            return one
    raise NotFound(UNKNOWN)


def _fill(_visit: PageRequest, _page: ConsolePage, one: IncidentTemplateAnswer | None) -> Form:
    if one is None:
        return {"severity": "minor"}
    return {"name": one.name, "title": one.title, "message": one.message, "severity": one.severity}


async def _show(_visit: PageRequest, page: ConsolePage, known: IncidentTemplateAnswer | None, again: Again) -> Page:
    base = f"{page.href}/templates"
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
            for one in await procedures.list_templates(page.visit.call, ListIncidentTemplates(page.whole.page.id))
        ],
        action=f"{base}/{known.id}" if known is not None else base,
        heading=_("Edit {name}").format(name=figures.visible(known.name)) if known else _("New template"),
    )


async def _save(visit: PageRequest, page: ConsolePage, known: IncidentTemplateAnswer | None, form: Form) -> str:
    found: dict[str, Any] = {name: form.get(name, "") for name in ("name", "title", "message")}
    found |= {"statusPageId": page.whole.page.id, "severity": form.get("severity", "minor")}
    found |= {"templateId": known.id} if known is not None else {}
    await procedures.save_template(visit.call, message_of(found, SaveIncidentTemplate))
    return f"{page.href}/templates?done=template-saved"


TEMPLATE: Final = FormPages(
    find=opened_with(_find_template),
    fill=_fill,
    show=_show,
    save=_save,
    deletion=page_deletion(
        _find_template,
        _DELETE_TEMPLATE,
        about=lambda page, one: (one.name, f"{page.href}/templates"),
        delete=lambda visit, _page, one: procedures.delete_template(visit.call, IncidentTemplateId(one.id)),
        after=lambda page, _form: f"{page.href}/templates?done=template-deleted",
    ),
)


def _month(one: Incident, zone: str) -> str:
    local = datetime.fromtimestamp(one.started_at / 1000, ZoneInfo(zone))
    return times.month(local.year, local.month)
