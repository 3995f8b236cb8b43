"""The fields of incident forms, and the procedure input that they become. Pure."""

from collections.abc import Mapping
from typing import Any, Final, get_args

from msgspec import UNSET

from analytics_box.products.status_pages.console.choosing import (
    PREFIX,
    propose_impacts,
    read_impacts,
    severity_of,
    title_of,
)
from analytics_box.products.status_pages.incident import ENDED, USUAL_MESSAGES, Impact, Incident, Status
from analytics_box.products.status_pages.incidents.messages import CreateIncident, UpdateIncident, UpdatePageMaintenance
from analytics_box.products.status_pages.page import Whole
from analytics_box.products.status_pages.seen import PageSeen
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.web.page.edits import FIELD

NAMES: Final = ("title", "message", "severity", "notify", "template", "status", FIELD)


def new_fields(whole: Whole, seen: PageSeen, *, monitor_id: str = "", component_id: str = "") -> dict[str, str]:
    """The form of a new incident, with the components in trouble filled in."""
    impacts = propose_impacts(whole, seen, monitor_id=monitor_id, component_id=component_id)
    return {
        "title": title_of(seen, impacts),
        "severity": severity_of(seen, impacts),
        "notify": "on",
        **{f"{PREFIX}{one}": impact for one, impact in impacts.items()},
    }


def read_fields(form: Mapping[str, str]) -> dict[str, str]:
    """The form as it was posted."""
    return {name: value for name, value in form.items() if name in NAMES or name.startswith(PREFIX)}


def creation_input(fields: Mapping[str, str], page_id: str, *, draft: bool) -> CreateIncident:
    """The form as input of createIncident, with the usual message if it is blank. Raises BadRequest."""
    found = {
        "statusPageId": page_id,
        "title": fields.get("title", ""),
        "message": message_or_default(fields, "investigating"),
        "severity": fields.get("severity", "minor"),
        "affectedMonitors": _affected_input(fields),
        "draft": draft,
        "notify": bool(fields.get("notify")),
    }
    return message_of(found, CreateIncident)


def update_input(fields: Mapping[str, str], incident: Incident) -> UpdateIncident:
    """The form as input of updateIncident. An update that ends it has no components. Raises BadRequest."""
    status = fields.get("status", "")
    found: dict[str, Any] = {
        "incidentId": incident.id,
        "status": status,
        "message": message_or_default(fields, status),
        "title": fields.get("title", UNSET),
        "severity": fields.get("severity", UNSET),
        "affectedMonitors": UNSET if status in ENDED else _affected_input(fields),
        "notify": bool(fields.get("notify")),
    }
    return message_of(found, UpdateIncident)


def step_input(fields: Mapping[str, str], incident: Incident) -> UpdatePageMaintenance:
    """The form as input of updateMaintenance. Raises BadRequest."""
    status = fields.get("status", "")
    found = {
        "maintenanceId": incident.id,
        "status": status,
        "message": message_or_default(fields, status),
        "notify": bool(fields.get("notify")),
    }
    return message_of(found, UpdatePageMaintenance)


def message_or_default(fields: Mapping[str, str], status: str) -> str:
    """The entered message, or else the usual text for this state."""
    return fields.get("message", "").strip() or USUAL_MESSAGES.get(status, "")


def status_of(wanted: str, allowed: tuple[Status, ...], *, is_open: bool) -> str:
    """The status that a form selects: the requested one, or else the usual next one."""
    if wanted in allowed:
        return wanted
    return next(iter((allowed[1:] or allowed) if is_open else allowed[-1:]), "")


_IMPACTS: Final[Mapping[str, Impact]] = {impact: impact for impact in get_args(Impact)}


def impacts_in(fields: Mapping[str, str]) -> dict[str, Impact]:
    """The impacts on components, without invalid values."""
    return {one: _IMPACTS[said] for one, said in read_impacts(fields).items() if said in _IMPACTS}


def _affected_input(fields: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"statusPageMonitorId": one, "impact": impact} for one, impact in read_impacts(fields).items()]
