"""Validation of maintenance windows. Pure."""

from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec.structs import replace

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.monitors.window import MaintenanceWindow, Repeat, change_after

MOST: Final = 1_000  # windows of an organization
_LONGEST: Final = 366 * 86_400_000  # of one that is once


def check_window(window: MaintenanceWindow, now: int) -> MaintenanceWindow:
    """The window, without an end if it repeats. Raises BadRequest for fields that do not match each other."""
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
    return window


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
