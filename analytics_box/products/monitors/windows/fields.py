"""The maintenance form: its fields, and their conversion to API input. Pure but for time zones."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from analytics_box.base.errors import BadRequest, ErrorDetail
from analytics_box.base.translation import _
from analytics_box.products.monitors.windows.messages import (
    CreateMaintenanceWindow,
    MaintenanceShown,
    UpdateMaintenanceWindow,
)
from analytics_box.tenants.tenancy.messages import message_of

NAMES: Final = (
    "name",
    "all",
    "isAnnounced",
    "monitors",
    "groups",
    "tags",
    "frequency",
    "start",
    "end",
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
        "start": start.strftime(_FORM),
        "end": (start + timedelta(hours=1)).strftime(_FORM),
        "time": start.strftime("%H:%M"),
        "minutes": "60",
        "zone": zone,
    }


def read_fields(form: Mapping[str, str]) -> dict[str, str]:
    """The form as it was posted."""
    known = (*NAMES, "zone", "until", *(f"weekday.{day}" for day in WEEKDAYS))
    return {name: value for name, value in form.items() if name in known or name.startswith("monitor.")}


def fields_of(shown: MaintenanceShown, zone: str) -> dict[str, str]:
    """The form filled in with what a maintenance is."""
    repeat, covers = shown.repeat, shown.covers
    fields = {
        "name": shown.name,
        "all": "on" if covers.all else "",
        "isAnnounced": "on" if shown.announced else "",
        "groups": ", ".join(covers.groups),
        "tags": ", ".join(covers.tags),
        **{f"monitor.{monitor_id}": "on" for monitor_id in covers.monitor_ids},
        "start": _local(shown.starts_at, zone),
        "end": _local(shown.ends_at, zone) if shown.ends_at is not None else "",
        "zone": zone,
        "frequency": "once",
    }
    if repeat is None:
        return fields
    return fields | {
        "frequency": next(name for name, every in _EVERY.items() if every == repeat.every),
        "time": repeat.time,
        "minutes": str(repeat.minutes),
        "zone": repeat.zone,
        "day": str(repeat.day or ""),
        "until": _local(repeat.until, repeat.zone)[:10] if repeat.until is not None else "",
        **{f"weekday.{day}": "on" for day in repeat.weekdays},
    }


def creation_input(fields: Mapping[str, str]) -> CreateMaintenanceWindow:
    """The message that plans a maintenance. Raises BadRequest."""
    return message_of(_parse_fields(fields), CreateMaintenanceWindow, _("This value is not valid: {message}"))


def update_input(fields: Mapping[str, str], maintenance_id: str) -> UpdateMaintenanceWindow:
    """The message that changes one. Raises BadRequest."""
    return message_of(
        _parse_fields(fields) | {"maintenanceId": maintenance_id},
        UpdateMaintenanceWindow,
        _("This value is not valid: {message}"),
    )


def _parse_fields(fields: Mapping[str, str]) -> dict[str, Any]:
    wrong: dict[str, str] = {}
    found: dict[str, Any] = {
        "name": fields.get("name", "").strip(),
        "covers": _covers(fields),
        "isAnnounced": bool(fields.get("isAnnounced")),
    }
    if not found["name"]:
        wrong["name"] = _("Enter a name")
    if fields.get("frequency", "once") == "once":
        zone = fields.get("zone", "UTC")
        found |= {
            "startsAt": _instant(fields, "start", zone, wrong),
            "endsAt": _instant(fields, "end", zone, wrong),
            "repeat": None,
        }
    else:
        found["repeat"] = _repeat(fields, wrong)
    if wrong:
        raise BadRequest(next(iter(wrong.values())), details=tuple(ErrorDetail(*one) for one in wrong.items()))
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
        repeat["until"] = _instant({"until": f"{fields['until']}T23:59"}, "until", repeat["zone"], wrong)
    return repeat


def _number(fields: Mapping[str, str], name: str, wrong: dict[str, str]) -> int:
    text = fields.get(name, "").strip()
    if not (text.isascii() and text.isdecimal() and len(text) < 6):
        wrong[name] = _("Enter a whole number")
        return 0
    return int(text)


def _instant(fields: Mapping[str, str], name: str, zone: str, wrong: dict[str, str]) -> datetime | None:
    try:
        when = datetime.fromisoformat(fields.get(name, ""))
        return when.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    except (ValueError, KeyError, OSError, OverflowError):
        wrong[name] = _("Enter a date and a time")
        return None


def _local(when: datetime, zone: str) -> str:
    return when.astimezone(ZoneInfo(zone)).strftime(_FORM)
