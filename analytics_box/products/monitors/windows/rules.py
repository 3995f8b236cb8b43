"""Validation of maintenance windows. Pure."""

import unicodedata
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec.structs import replace

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.monitors.window import MaintenanceWindow, Repeat, change_after
from analytics_box.products.monitors.windows.messages import GivenRepeat

MOST: Final = 1_000  # windows of an organization
_YEARS: Final = range(2000, 2200)
_LONGEST: Final = 366 * 86_400_000  # of one that is once


def check_window(window: MaintenanceWindow, now: int) -> MaintenanceWindow:
    """The window with its name in its one spelling. Raises BadRequest."""
    name = window.name.strip()
    if not name or any(unicodedata.category(letter) in {"Cc", "Cf", "Cs"} for letter in name):
        raise BadRequest.about("name", _("Enter a name"))
    covers = window.covers
    if not (covers.all or covers.monitor_ids or covers.groups or covers.tags):
        raise BadRequest.about("covers", _("Select all monitors, or some by monitorIds, groups or tags"))
    if window.repeat is not None:
        _check_repeat(window.repeat)
        window = replace(window, ends_at=0)
    elif window.ends_at <= window.starts_at:
        raise BadRequest.about("endsAt", _("Enter an end after the start"))
    elif window.ends_at - window.starts_at > _LONGEST:
        raise BadRequest.about("endsAt", _("Enter a duration of up to a year, or pause the monitors"))
    if change_after(window, now) is None:
        raise BadRequest.about("endsAt" if window.repeat is None else "repeat.until", "Enter an end in the future")
    return replace(window, name=name)


def repeat_of(given: GivenRepeat | None) -> Repeat | None:
    """The recurrence in this input; None if there is none. Raises BadRequest."""
    if given is None:
        return None
    fields = {name: getattr(given, name) for name in Repeat.__struct_fields__}
    until = instant_of(given.until, "repeat.until") if given.until is not None else None
    return Repeat(**fields | {"until": until, "weekdays": tuple(sorted({*given.weekdays}))})


def instant_of(given: datetime, where: str) -> int:
    """A date as UTC ms; one without a zone is UTC. Raises BadRequest."""
    aware = given if given.tzinfo is not None else given.replace(tzinfo=UTC)
    if aware.year not in _YEARS:
        raise BadRequest.about(where, f"Enter a year from {_YEARS.start} and {_YEARS.stop - 1}")
    return round(aware.timestamp() * 1000)


def _check_repeat(repeat: Repeat) -> None:
    try:
        ZoneInfo(repeat.zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
        raise BadRequest.about("repeat.zone", _("Enter an IANA time zone, such as Europe/Berlin")) from unknown
    if (repeat.every == "week") != bool(repeat.weekdays):
        raise BadRequest.about("repeat.weekdays", _("Enter weekdays for weekly windows only"))
    by_day, by_weekday = repeat.day is not None, repeat.nth is not None and repeat.weekday is not None
    if repeat.every == "month" and (by_day == by_weekday or repeat.day == 0):
        raise BadRequest.about("repeat.day", _("Enter a day of the month, or an nth weekday"))
    if (repeat.nth is None) != (repeat.weekday is None) or (repeat.every != "month" and (by_day or by_weekday)):
        raise BadRequest.about("repeat.nth", _("Enter a day or nth weekday for monthly windows only"))
