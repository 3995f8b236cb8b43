"""Maintenances that a status page announces, under /status-pages/{id}/maintenances."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict, NotFound
from analytics_box.base.translation import _
from analytics_box.products.status_pages.console.frame import ConsolePage, frame, open_page, rejection_of
from analytics_box.products.status_pages.console.incident_fields import message_or_default
from analytics_box.products.status_pages.console.incident_pages import UNKNOWN, find_incident
from analytics_box.products.status_pages.console.shown import IncidentRow, href_of, line
from analytics_box.products.status_pages.console.telling import count_notified, notified_words
from analytics_box.products.status_pages.incident import AffectedComponent, Incident
from analytics_box.products.status_pages.incidents import calls
from analytics_box.products.status_pages.incidents.messages import (
    CancelPageMaintenance,
    CreatePageMaintenance,
    UpdatePageMaintenance,
)
from analytics_box.resource import forms
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.web.page.edits import FIELD, check_version
from analytics_box.web.page.questions import ConfirmationTexts, ask
from analytics_box.web.page.visit import Again, Answer, Next, Page, Visitor

_CANCEL = ConfirmationTexts(
    _("Cancel {name}?"),
    _("The status page announces that this maintenance is canceled, and subscribers are notified."),
    _("Cancel maintenance"),
)


_PREFIX: Final = "component."
_FORM: Final = "%Y-%m-%dT%H:%M"
_NAMES: Final = ("title", "message", "start", "end", "notify", FIELD)
_FIELDS: Final = {"scheduledFor": "start", "scheduledUntil": "end", "affectedMonitors": "affected"}


class MaintenanceChoice(Struct, frozen=True):
    """A component in the form, and whether the maintenance is about it."""

    id: str
    name: str
    chosen: bool


async def maintenances(visit: Visitor, page_id: FromPath[str]) -> Page:
    """GET /status-pages/{id}/maintenances. Raises NotFound."""
    page = await open_page(visit, page_id)
    own = [one for one in page.whole.incidents if one.kind == "maintenance"]
    planned = sorted((one for one in own if one.status == "scheduled"), key=lambda one: one.scheduled_for or 0)
    lists = (
        (_("In progress"), _lines(page, [one for one in own if one.is_active])),
        (_("Scheduled"), _lines(page, planned)),
        (_("Past"), _lines(page, [one for one in own if not one.is_open])),
    )
    return page.show("status_maintenances.html", "maintenances", lists=lists)


async def new_form(visit: Visitor, page_id: FromPath[str]) -> Page:
    """GET /status-pages/{id}/maintenances/new: the next full hour, for an hour. Raises NotFound."""
    page = await open_page(visit, page_id)
    zone = ZoneInfo(page.whole.page.zone)
    start = datetime.fromtimestamp(visit.call.now / 1000, zone).replace(minute=0) + timedelta(hours=1)
    end = start + timedelta(hours=1)
    return await _form(page, Again(values={"start": f"{start:{_FORM}}", "end": f"{end:{_FORM}}", "notify": "on"}))


async def add(visit: Visitor, page_id: FromPath[str]) -> Answer:
    """POST /status-pages/{id}/maintenances/new. Raises NotFound."""
    page, fields = await open_page(visit, page_id), _form_fields(await visit.form())
    try:
        visit.saves()
        given = {
            "statusPageId": page_id,
            "notify": bool(fields.get("notify")),
            "message": message_or_default(fields, "scheduled"),
        }
        message = message_of(given | _maintenance_input(page, fields), CreatePageMaintenance)
        await calls.create_maintenance(visit.call, message)
    except (BadRequest, Conflict) as wrong:
        return await _form(page, rejection_of(wrong, fields, _FIELDS))
    return visit.go(f"{page.href}/maintenances?done=planned")


async def edit_form(visit: Visitor, page_id: FromPath[str], incident_id: FromPath[str]) -> Page:
    """GET /status-pages/{id}/maintenances/{maintenance}/edit. Raises NotFound."""
    page = await open_page(visit, page_id)
    incident = await _maintenance(page, incident_id)
    zone = ZoneInfo(page.whole.page.zone)
    values = {
        "title": incident.title,
        "start": _local(incident.scheduled_for or 0, zone),
        "end": _local(incident.scheduled_until or 0, zone),
        **{f"{_PREFIX}{one.component_id}": "on" for one in incident.affected if one.component_id is not None},
    }
    return await _form(page, Again(values=values), incident)


async def save(visit: Visitor, page_id: FromPath[str], incident_id: FromPath[str]) -> Answer:
    """POST /status-pages/{id}/maintenances/{maintenance}/edit. Raises NotFound."""
    page, fields = await open_page(visit, page_id), _form_fields(await visit.form())
    incident = await _maintenance(page, incident_id)
    try:
        visit.saves()
        check_version(fields, incident)
        given = {"maintenanceId": incident.id, "notify": False} | _maintenance_input(page, fields)
        await calls.update_maintenance(visit.call, message_of(given, UpdatePageMaintenance))
    except (BadRequest, Conflict) as wrong:
        return await _form(page, rejection_of(wrong, fields, _FIELDS), incident)
    return visit.go(f"{href_of(page.href, incident)}?done=maintenance-saved")


async def cancel_form(visit: Visitor, page_id: FromPath[str], incident_id: FromPath[str]) -> Page:
    """GET /status-pages/{id}/maintenances/{maintenance}/cancel: are you sure? Raises NotFound."""
    page = await open_page(visit, page_id)
    incident = await _maintenance(page, incident_id)
    action = f"{page.href}/maintenances/{incident.id}/cancel"
    question, back = _CANCEL, href_of(page.href, incident)
    return ask(visit, frame(visit.person), question, incident.title, action=action, back=back)


async def cancel(visit: Visitor, page_id: FromPath[str], incident_id: FromPath[str]) -> Next:
    """POST /status-pages/{id}/maintenances/{maintenance}/cancel. Raises NotFound or BadRequest."""
    page = await open_page(visit, page_id)
    incident = await _maintenance(page, incident_id)
    await calls.cancel_maintenance(visit.call, CancelPageMaintenance(maintenance_id=incident.id))
    return visit.go(f"{page.href}/maintenances?done=maintenance-cancelled")


async def _form(page: ConsolePage, again: Again, incident: Incident | None = None) -> Page:
    chosen = _chosen_components(again.values)
    base = f"{page.href}/maintenances"
    affected = tuple(
        AffectedComponent(component_id=one.id, name=one.name, impact="maintenance")
        for one in page.seen.components
        if one.id in chosen
    )
    return page.show(
        "status_maintenance_form.html",
        "maintenances",
        again=again,
        edited=incident,
        title=figures.visible(incident.title) if incident is not None else _("Schedule maintenance"),
        action=f"{base}/{incident.id}/edit" if incident is not None else f"{base}/new",
        back=href_of(page.href, incident) if incident is not None else base,
        rows=[MaintenanceChoice(one.id, figures.visible(one.name), one.id in chosen) for one in page.seen.components],
        zone=page.whole.page.zone,
        told=notified_words(await count_notified(page, affected, kind="maintenance")),
        is_new=incident is None,
    )


async def _maintenance(page: ConsolePage, incident_id: str) -> Incident:
    incident = await find_incident(page, incident_id)
    if incident.kind != "maintenance":
        raise NotFound(UNKNOWN)
    return incident


def _lines(page: ConsolePage, some: list[Incident]) -> list[IncidentRow]:
    return [line(page.href, one, page.visit.person, page.visit.call.now) for one in some]


def _form_fields(form: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in form.items() if name in _NAMES or name.startswith(_PREFIX)}


def _chosen_components(fields: Mapping[str, str]) -> list[str]:
    return [name.removeprefix(_PREFIX) for name, value in fields.items() if name.startswith(_PREFIX) and value]


def _maintenance_input(page: ConsolePage, fields: Mapping[str, str]) -> dict[str, Any]:
    """The values of the form as procedure input. Raises BadRequest."""
    zone, wrong = ZoneInfo(page.whole.page.zone), dict[str, str]()
    times = {name: _instant(fields, field, zone, wrong) for name, field in _FIELDS.items() if field != "affected"}
    forms.refuse(wrong)
    return {"title": fields.get("title", ""), **times, "affectedMonitors": _chosen_components(fields)}


def _instant(fields: Mapping[str, str], name: str, zone: ZoneInfo, wrong: dict[str, str]) -> datetime | None:
    try:
        return datetime.fromisoformat(fields.get(name, "")).replace(tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        wrong[name] = _("Enter a date and time")
        return None


def _local(instant: int, zone: ZoneInfo) -> str:
    return datetime.fromtimestamp(instant / 1000, zone).strftime(_FORM)
