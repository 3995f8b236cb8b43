"""Incidents under /status-pages/{id}/incidents: fields are filled in, and each next step is a button."""

from typing import Final

from litestar import Response
from litestar.params import FromPath

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict, NotFound
from analytics_box.base.translation import _
from analytics_box.products.status_pages import incident_rows
from analytics_box.products.status_pages.console import incident_fields as fields_of
from analytics_box.products.status_pages.console.choosing import choices, impacts_of, read_impacts
from analytics_box.products.status_pages.console.frame import (
    ConsolePage,
    Tab,
    open_page,
    opened_with,
    page_deletion,
    rejection_of,
)
from analytics_box.products.status_pages.console.shown import href_of, incident_shown
from analytics_box.products.status_pages.console.telling import notified_text
from analytics_box.products.status_pages.incident import STATUS_LABELS, USUAL_MESSAGES, Incident, IncidentUpdate, Status
from analytics_box.products.status_pages.incidents import calls as procedures
from analytics_box.products.status_pages.incidents import template_calls
from analytics_box.products.status_pages.incidents.messages import (
    EditIncidentUpdate,
    IncidentId,
    IncidentTemplateAnswer,
    ListIncidentTemplates,
    PublishIncident,
)
from analytics_box.products.status_pages.incidents.rules import moves
from analytics_box.products.status_pages.subscribers import deliveries
from analytics_box.tenants.tenancy import members
from analytics_box.tenants.tenancy.messages import millis
from analytics_box.web.page import dates
from analytics_box.web.page.questions import ConfirmationTexts
from analytics_box.web.page.resource_form import Form, FormPages
from analytics_box.web.page.visit import Again, Answer, Next, Page, PageRequest, Visitor

_DELETE = ConfirmationTexts(
    _("Delete {name}?"),
    _("The incident and its updates are removed from the page. To end it instead, resolve it."),
    _("Delete {name}"),
)
_NEXT_HELP = {
    "investigating": _("Looking for the cause"),
    "identified": _("The cause is known"),
    "monitoring": _("Fixed, watching the results"),
    "resolved": _("Done"),
    "postmortem": _("What happened and what changes"),
    "in_progress": _("Work has started"),
    "verifying": _("Work is done, being verified"),
    "completed": _("Done"),
    "scheduled": _("Announced"),
}


UNKNOWN: Final = _("This incident does not exist")
USE: Final = "use"
DRAFT: Final = "draft"
_FIELDS: Final = {"affectedMonitors": "affected"}


async def new_form(visit: Visitor, page_id: FromPath[str]) -> Page:
    """GET /status-pages/{id}/incidents/new, with ?monitor= or ?component= among what is affected. Raises NotFound."""
    page = await open_page(visit, page_id)
    asked = {"monitor_id": visit.asked("monitor"), "component_id": visit.asked("component")}
    return await _form(page, Again(values=fields_of.new_fields(page.whole, page.seen, **asked)))


async def add(visit: Visitor, page_id: FromPath[str]) -> Answer:
    """POST /status-pages/{id}/incidents/new: publish it, keep it as a draft, or fill in a template. Raises NotFound."""
    page, form = await open_page(visit, page_id), await visit.form()
    fields, do = fields_of.read_fields(form), form.get("do", "")
    if do == USE:
        return await _form(page, Again(values=fields | await _template(page, fields.get("template", ""))))
    try:
        visit.saves()
        made = await procedures.create_incident(
            visit.call, fields_of.creation_input(fields, page_id, draft=do == DRAFT)
        )
    except (BadRequest, Conflict) as wrong:
        return await _form(page, rejection_of(wrong, fields, _FIELDS))
    return visit.go(f"{page.href}/incidents/{made.id}?done={'drafted' if do == DRAFT else 'published'}")


async def told_of_new(visit: Visitor, page_id: FromPath[str]) -> Response[str] | Page:
    """POST /status-pages/{id}/incidents/told: the number of subscribers that the form of a new incident notifies. After
    the session has ended, the form itself. Raises NotFound."""
    page, fields = await open_page(visit, page_id), fields_of.read_fields(await visit.form())
    if visit.typed is not None:
        return await _form(page, _restored_form(fields))
    return _plain_text(await notified_text(page, fields))


async def told_of_update(visit: Visitor, page_id: FromPath[str], incident_id: FromPath[str]) -> Response[str] | Page:
    """POST /status-pages/{id}/incidents/{incident}/told: the number of subscribers that the update notifies.

    After the session has ended, the form itself. Raises NotFound.
    """
    page, fields = await open_page(visit, page_id), fields_of.read_fields(await visit.form())
    incident = await find_incident(page, incident_id)
    if visit.typed is not None:
        return await _show_incident(visit, page, incident, _restored_form(fields))
    return _plain_text(await notified_text(page, fields, incident))


async def publish(visit: Visitor, page_id: FromPath[str], incident_id: FromPath[str]) -> Next:
    """POST /status-pages/{id}/incidents/{incident}/publish: publish a draft. Raises NotFound or BadRequest."""
    page = await open_page(visit, page_id)
    incident = await find_incident(page, incident_id)
    await procedures.publish_incident(visit.call, PublishIncident(incident.id))
    return visit.go(f"{href_of(page.href, incident)}?done=published")


async def hold(visit: Visitor, page_id: FromPath[str], incident_id: FromPath[str]) -> Next:
    """POST /status-pages/{id}/incidents/{incident}/hold: cancel automatic publishing. Raises NotFound or BadRequest."""
    page = await open_page(visit, page_id)
    incident = await find_incident(page, incident_id)
    await procedures.hold_incident(visit.call, IncidentId(incident.id))
    return visit.go(f"{href_of(page.href, incident)}?done=held")


async def find_incident(page: ConsolePage, incident_id: str) -> Incident:
    """An incident or a maintenance of a page, however old. Raises NotFound."""
    known = await page.visit.call.read(lambda db: incident_rows.find(db, incident_id))
    if known is None or known.page_id != page.whole.page.id:
        raise NotFound(UNKNOWN)
    return known


async def _form(page: ConsolePage, again: Again) -> Page:
    rows = choices(page.seen, read_impacts(again.values))
    templates = await template_calls.list_templates(page.visit.call, ListIncidentTemplates(page.whole.page.id))
    return page.show(
        "incident_form.html",
        "now",
        again=again,
        chosen=[row for row in rows if row.impact],
        others=[row for row in rows if not row.impact],
        templates=[(one.id, figures.visible(one.name)) for one in templates],
        told=await notified_text(page, again.values),
        told_href=f"{page.href}/incidents/told",
    )


async def _find(page: ConsolePage) -> Incident:
    return await find_incident(page, page.visit.path("incident_id"))


def _fill_update(visit: PageRequest, _page: ConsolePage, incident: Incident) -> Form:
    """The next update, with ?status= chosen."""
    allowed = moves(incident, visit.call.now)
    return {
        "title": incident.title,
        "severity": incident.severity,
        "notify": "on",
        "status": fields_of.status_of(visit.asked("status"), allowed, is_open=incident.is_open),
    }


async def _show_incident(visit: PageRequest, page: ConsolePage, incident: Incident, again: Again) -> Page:
    now = visit.call.now
    allowed = moves(incident, now)
    is_incident = incident.kind == "incident"
    impacts = read_impacts(again.values) if again.code != 200 or again.general else impacts_of(incident.affected)
    tab: Tab = "now" if is_incident else "maintenances"
    ids = [one.id for one in incident.updates]
    receivers = await visit.call.read(lambda db: deliveries.of(db, ids))
    return page.show(
        "incident.html",
        tab,
        again=again,
        edited=incident,
        incident=incident_shown(page.href, page.seen.url, incident, await _authors(page), receivers, visit.person, now),
        steps=[_step(status, is_again=not incident.is_open) for status in allowed],
        usual=[(status, USUAL_MESSAGES[status]) for status in allowed],
        rows=choices(page.seen, impacts) if is_incident else [],
        told=await notified_text(page, again.values, incident),
        told_href=f"{href_of(page.href, incident)}/told",
        is_incident=is_incident,
        is_open=incident.is_open,
    )


async def _save_update(visit: PageRequest, page: ConsolePage, incident: Incident, fields: Form) -> str:
    if incident.kind == "incident":
        await procedures.update_incident(visit.call, fields_of.update_input(fields, incident))
    else:
        await procedures.update_maintenance(visit.call, fields_of.step_input(fields, incident))
    return f"{href_of(page.href, incident)}?done={'drafted' if incident.is_draft else 'updated'}"


UPDATE: Final = FormPages(
    find=opened_with(_find),
    fill=_fill_update,
    show=_show_incident,
    save=_save_update,
    clean=fields_of.read_fields,
    names=_FIELDS,
    deletion=page_deletion(
        _find,
        _DELETE,
        about=lambda page, incident: (incident.title, href_of(page.href, incident)),
        delete=lambda visit, _page, incident: procedures.delete_incident(visit.call, IncidentId(incident.id)),
        after=lambda page, _form: f"{page.href}?done=incident-deleted",
    ),
)


async def _authors(page: ConsolePage) -> dict[str, str]:
    """The possible authors of updates: stored author to email address."""
    everybody = await page.visit.call.read(lambda db: members.of_organization(db, page.whole.page.organization_id))
    return {f"user:{one.user_id}": one.email for one in everybody}


def _step(status: Status, *, is_again: bool) -> tuple[Status, str, str]:
    reopens = is_again and status not in {"resolved", "postmortem"}
    return (
        status,
        STATUS_LABELS[status],
        _("Reopens the incident") if reopens else _NEXT_HELP[status],
    )


async def _find_update(page: ConsolePage) -> IncidentUpdate:
    wanted = page.visit.path("update_id")
    for one in (await _find(page)).updates:
        if one.id == wanted:
            return one
    raise NotFound(UNKNOWN)


async def _show_correction(visit: PageRequest, page: ConsolePage, said: IncidentUpdate, again: Again) -> Page:
    incident = await _find(page)
    whole = await procedures.get_incident(visit.call, IncidentId(incident.id))
    earlier = next((one.earlier for one in whole.updates if one.id == said.id), ())
    until = _("until {when}")
    return page.show(
        "status_incident_edit.html",
        "now",
        again=again,
        edited=said,
        label=STATUS_LABELS[said.status],
        back=href_of(page.href, incident),
        earlier=[
            (until.format(when=dates.moment(millis(one.replaced_at), visit.person)), figures.visible(one.message))
            for one in earlier
        ],
    )


async def _save_correction(visit: PageRequest, page: ConsolePage, said: IncidentUpdate, form: Form) -> str:
    incident = await _find(page)
    await procedures.edit_incident_update(visit.call, EditIncidentUpdate(said.id, form.get("message", "")))
    return f"{href_of(page.href, incident)}?done=corrected"


CORRECTION: Final = FormPages(
    find=opened_with(_find_update),
    fill=lambda _visit, _page, said: {"message": said.message},
    show=_show_correction,
    save=_save_correction,
)


async def _template(page: ConsolePage, template_id: str) -> dict[str, str]:
    """The fields that a template fills in; empty for an unknown template."""
    templates: list[IncidentTemplateAnswer] = list(
        await template_calls.list_templates(page.visit.call, ListIncidentTemplates(page.whole.page.id))
    )
    for one in templates:
        if one.id == template_id:
            given = {"title": one.title, "message": one.message}
            return {name: text for name, text in given.items() if text} | {"severity": one.severity}
    return {}


def _restored_form(fields: dict[str, str]) -> Again:
    """A form with what was typed before its owner had to sign in again."""
    return Again(
        200,
        fields,
        {},
        _("You were signed out before this was saved. Your changes are still here: review them, then save."),
    )


def _plain_text(text: str) -> Response[str]:
    return Response(text, media_type="text/plain", headers={"cache-control": "no-store"})
