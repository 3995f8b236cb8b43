"""What stands in the forms of an incident, and the messages that come of them. Pure."""

from collections.abc import Mapping
from typing import Any, Final, get_args

from msgspec import UNSET

from analytics_box.base.texts import IncidentConsole, StatusPageList
from analytics_box.products.status_pages.console.choosing import PREFIX, proposed, read_impacts, severity_of, title_of
from analytics_box.products.status_pages.incident import ENDED, Impact, Incident, Severity, Status
from analytics_box.products.status_pages.incidents.messages import ChangedIncident, ChangedMaintenance, NewIncident
from analytics_box.products.status_pages.seen import PageSeen
from analytics_box.products.status_pages.whole import Whole
from analytics_box.tenants.tenancy.messages import message_of

NAMES: Final = ("title", "message", "severity", "notify", "template", "status")


def new_fields(whole: Whole, seen: PageSeen, *, monitor_id: str = "", component_id: str = "") -> dict[str, str]:
    """The form of a new incident, filled in from what is not well."""
    impacts = proposed(whole, seen, monitor_id=monitor_id, component_id=component_id)
    return {
        "title": title_of(seen, impacts),
        "severity": severity_of(seen, impacts),
        "notify": "on",
        **{f"{PREFIX}{one}": impact for one, impact in impacts.items()},
    }


def read_fields(form: Mapping[str, str]) -> dict[str, str]:
    """The form as it was posted."""
    return {name: value for name, value in form.items() if name in NAMES or name.startswith(PREFIX)}


def created(fields: Mapping[str, str], page_id: str, *, draft: bool) -> NewIncident:
    """The message that makes an incident. Whoever wrote nothing says what is usually said. Raises BadRequest."""
    found = {
        "statusPageId": page_id,
        "title": fields.get("title", ""),
        "message": said(fields, "investigating"),
        "severity": fields.get("severity", "minor"),
        "affectedMonitors": _affected(fields),
        "draft": draft,
        "notify": bool(fields.get("notify")),
    }
    return message_of(found, NewIncident, StatusPageList.wrong)


def updated(fields: Mapping[str, str], incident: Incident) -> ChangedIncident:
    """The message of another update. Components of one that is over are as the box finds them. Raises BadRequest."""
    status = fields.get("status", "")
    found: dict[str, Any] = {
        "incidentId": incident.id,
        "status": status,
        "message": said(fields, status),
        "title": fields.get("title", UNSET),
        "severity": fields.get("severity", UNSET),
        "affectedMonitors": UNSET if status in ENDED else _affected(fields),
        "notify": bool(fields.get("notify")),
    }
    return message_of(found, ChangedIncident, StatusPageList.wrong)


def advanced(fields: Mapping[str, str], incident: Incident) -> ChangedMaintenance:
    """The message of a step of a maintenance. Raises BadRequest."""
    status = fields.get("status", "")
    found = {
        "maintenanceId": incident.id,
        "status": status,
        "message": said(fields, status),
        "notify": bool(fields.get("notify")),
    }
    return message_of(found, ChangedMaintenance, StatusPageList.wrong)


def said(fields: Mapping[str, str], status: str) -> str:
    """What somebody wrote, else what is usually said of this state."""
    return fields.get("message", "").strip() or IncidentConsole.usual_words.get(status, "")


def status_of(wanted: str, allowed: tuple[Status, ...], *, is_open: bool) -> str:
    """The state that a form offers first: the one that was asked for, else the usual next one."""
    if wanted in allowed:
        return wanted
    return next(iter((allowed[1:] or allowed) if is_open else allowed[-1:]), "")


_IMPACTS: Final[Mapping[str, Impact]] = {impact: impact for impact in get_args(Impact)}


def impacts_in(fields: Mapping[str, str]) -> dict[str, Impact]:
    """How components are affected, those that nobody can be affected like left out."""
    return {one: _IMPACTS[said] for one, said in read_impacts(fields).items() if said in _IMPACTS}


def severity_in(fields: Mapping[str, str]) -> Severity:
    """How bad it is."""
    return next((one for one in get_args(Severity) if one == fields.get("severity")), "minor")


def _affected(fields: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"statusPageMonitorId": one, "impact": impact} for one, impact in read_impacts(fields).items()]
