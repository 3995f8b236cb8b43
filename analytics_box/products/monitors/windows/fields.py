"""The maintenance form: its fields, and their conversion to API input. Pure but for time zones."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo, available_timezones

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.monitors.window import MaintenanceWindow
from analytics_box.products.monitors.windows.messages import CreateMaintenanceWindow, UpdateMaintenanceWindow
from analytics_box.resource import forms
from analytics_box.tenants.tenancy.messages import message_of

NAMES: Final = (
    "name",
    "all",
    "isAnnounced",
    "monitors",
    "groups",
    "tags",
    "frequency",
    "startsAt",
    "endsAt",
    "time",
    "minutes",
    "day",
)
WEEKDAYS: Final = range(1, 8)
_EVERY: Final = {"daily": "day", "weekly": "week", "monthly": "month"}
_FORM: Final = "%Y-%m-%dT%H:%M"


def new_fields(now: int, zone: str) -> dict[str, str]:
    """The form of a new one: the next full hour, for an hour."""
    start = datetime.fromtimestamp(now / 1000, ZoneInfo(zone)).replace(minute=0) + timedelta(hours=1)
    return {
        "all": "on",
        "isAnnounced": "on",
        "frequency": "once",
        "startsAt": start.strftime(_FORM),
        "endsAt": (start + timedelta(hours=1)).strftime(_FORM),
        "time": start.strftime("%H:%M"),
        "minutes": "60",
        "zone": zone,
    }


def read_fields(form: Mapping[str, str]) -> dict[str, str]:
    """The form as it was posted."""
    known = (*NAMES, "zone", "until", *(f"weekday.{day}" for day in WEEKDAYS))
    return {name: value for name, value in form.items() if name in known or name.startswith("monitor.")}


def fields_of(window: MaintenanceWindow, zone: str) -> dict[str, str]:
    """The form filled in with a maintenance."""
    repeat, covers = window.repeat, window.covers
    fields = forms.fill(window, zone) | {
        "all": "on" if covers.all else "",
        "groups": ", ".join(covers.groups),
        "tags": ", ".join(covers.tags),
        **{f"monitor.{monitor_id}": "on" for monitor_id in covers.monitor_ids},
        "zone": zone,
        "frequency": "once",
    }
    if repeat is None:
        return fields
    return fields | {
        "endsAt": "",
        "frequency": next(name for name, every in _EVERY.items() if every == repeat.every),
        "time": repeat.time,
        "minutes": str(repeat.minutes),
        "zone": repeat.zone,
        "day": str(repeat.day or ""),
        "until": forms.local_time(repeat.until, repeat.zone)[:10] if repeat.until is not None else "",
        **{f"weekday.{day}": "on" for day in repeat.weekdays},
    }


def creation_input(fields: Mapping[str, str]) -> CreateMaintenanceWindow:
    """The message that plans a maintenance. Raises BadRequest."""
    return message_of(_parse_fields(fields, None), CreateMaintenanceWindow)


def update_input(fields: Mapping[str, str], before: MaintenanceWindow) -> UpdateMaintenanceWindow:
    """The message that changes a maintenance. Raises BadRequest."""
    found = _parse_fields(fields, before) | {"maintenanceId": before.id}
    return message_of(found, UpdateMaintenanceWindow)


def _parse_fields(fields: Mapping[str, str], before: MaintenanceWindow | None) -> dict[str, Any]:
    wrong: dict[str, str] = {}
    zone, is_once = fields.get("zone", "UTC"), fields.get("frequency", "once") == "once"
    if zone not in available_timezones():
        raise BadRequest.about("zone", _("Enter an IANA time zone, such as Europe/Berlin"))
    plain = {"isAnnounced": "", **fields}
    if not is_once:
        plain = {name: value for name, value in plain.items() if name not in {"startsAt", "endsAt"}}
    found = forms.read(plain, MaintenanceWindow, zone, before, wrong)
    found |= {"covers": _covers(fields), "repeat": None if is_once else _repeat(fields, wrong)}
    for name in ("startsAt", "endsAt"):
        if is_once and not fields.get(name):
            wrong[name] = _("Enter a day and a time")
    forms.refuse(wrong)
    return found


def _covers(fields: Mapping[str, str]) -> dict[str, Any]:
    if fields.get("all"):
        return {"all": True}
    listed = {
        name: [one.strip() for one in fields.get(name, "").split(",") if one.strip()] for name in ("groups", "tags")
    }
    return {"monitorIds": [name.removeprefix("monitor.") for name in fields if name.startswith("monitor.")], **listed}


def _repeat(fields: Mapping[str, str], wrong: dict[str, str]) -> dict[str, Any]:
    every = _EVERY.get(fields["frequency"], "day")
    repeat: dict[str, Any] = {
        "every": every,
        "time": fields.get("time", "").strip(),
        "minutes": _number(fields, "minutes", wrong),
        "zone": fields.get("zone", "UTC"),
    }
    if every == "week":
        repeat["weekdays"] = [day for day in WEEKDAYS if fields.get(f"weekday.{day}")]
        if not repeat["weekdays"]:
            wrong["weekdays"] = _("Choose at least one day")
    if every == "month":
        repeat["day"] = _number(fields, "day", wrong)
    if fields.get("until"):
        repeat["until"] = _instant(f"{fields['until']}T23:59", repeat["zone"], wrong)
    return repeat


def _number(fields: Mapping[str, str], name: str, wrong: dict[str, str]) -> int:
    text = fields.get(name, "").strip()
    if not (text.isascii() and text.isdecimal() and len(text) < 6):
        wrong[name] = _("Enter a whole number")
        return 0
    return int(text)


def _instant(text: str, zone: str, wrong: dict[str, str]) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        wrong["until"] = _("Enter a day")
        return None
