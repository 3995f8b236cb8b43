"""Maintenances that a status page announces, under /status-pages/{id}/maintenances."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
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
from analytics_box.web.page.edits import FIELD
from analytics_box.web.page.questions import ConfirmationTexts
from analytics_box.web.page.resource_form import Form, FormPages
from analytics_box.web.page.visit import Again, Page, PageRequest, Visitor

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


async def _find(page: ConsolePage) -> Incident | None:
    """The maintenance that an address names; None for a new one. Raises NotFound."""
    wanted = page.visit.path("incident_id")
    if not wanted:
        return None
    incident = await find_incident(page, wanted)
    if incident.kind != "maintenance":
        raise NotFound(UNKNOWN)
    return incident


def _fill(visit: PageRequest, page: ConsolePage, incident: Incident | None) -> Form:
    """A new one starts at the next full hour, for an hour."""
    zone = ZoneInfo(page.whole.page.zone)
    if incident is None:
        start = datetime.fromtimestamp(visit.call.now / 1000, zone).replace(minute=0) + timedelta(hours=1)
        end = start + timedelta(hours=1)
        return {"start": f"{start:{_FORM}}", "end": f"{end:{_FORM}}", "notify": "on"}
    return {
        "title": incident.title,
        "start": _local(incident.scheduled_for or 0, zone),
        "end": _local(incident.scheduled_until or 0, zone),
        **{f"{_PREFIX}{one.component_id}": "on" for one in incident.affected if one.component_id is not None},
    }


def _clean(form: Form) -> Form:
    return {name: value for name, value in form.items() if name in _NAMES or name.startswith(_PREFIX)}


async def _show(_visit: PageRequest, page: ConsolePage, incident: Incident | None, again: Again) -> Page:
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


async def _save(visit: PageRequest, page: ConsolePage, incident: Incident | None, fields: Form) -> str:
    given = _maintenance_input(page, fields)
    if incident is None:
        given |= {
            "statusPageId": page.whole.page.id,
            "notify": bool(fields.get("notify")),
            "message": message_or_default(fields, "scheduled"),
        }
        await calls.create_maintenance(visit.call, message_of(given, CreatePageMaintenance))
        return f"{page.href}/maintenances?done=planned"
    given |= {"maintenanceId": incident.id, "notify": False}
    await calls.update_maintenance(visit.call, message_of(given, UpdatePageMaintenance))
    return f"{href_of(page.href, incident)}?done=maintenance-saved"


MAINTENANCE: Final = FormPages(find=opened_with(_find), fill=_fill, show=_show, save=_save, clean=_clean, names=_FIELDS)
CANCELATION: Final = page_deletion(
    _find,
    _CANCEL,
    about=lambda page, incident: (incident.title, href_of(page.href, incident)),
    delete=lambda visit, _page, incident: calls.cancel_maintenance(
        visit.call, CancelPageMaintenance(maintenance_id=incident.id)
    ),
    after=lambda page, _form: f"{page.href}/maintenances?done=maintenance-cancelled",
)


def _lines(page: ConsolePage, some: list[Incident]) -> list[IncidentRow]:
    return [line(page.href, one, page.visit.person, page.visit.call.now) for one in some]


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
