"""Input and output of the procedures for maintenance windows, and their validation. Pure."""

from datetime import datetime
from typing import Annotated, Final, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.monitors.monitor import Id
from analytics_box.products.monitors.window import Covers, GivenRepeat, MaintenanceWindow, Repeat, change_after
from analytics_box.resource.fields import answer_with, input_of

Status = Literal["scheduled", "active", "over"]


@input_of(MaintenanceWindow)
class CreateMaintenanceWindow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of uptime.createMaintenance: once, with `startsAt` and `endsAt`, or repeatedly, with `repeat`.

    One that repeats first begins at `startsAt` or later; without it, now. Status pages that show its monitors list it
    by its name if `isAnnounced`.
    """

    name: Annotated[str, Meta(max_length=255)]
    covers: Covers
    starts_at: datetime | UnsetType | None = UNSET
    organization_id: Id | None = None


@input_of(MaintenanceWindow)
class UpdateMaintenanceWindow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of uptime.updateMaintenance. Omitted fields keep their values; with `repeat` null it is only once."""

    maintenance_id: Id


class OneMaintenance(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a maintenance window."""

    maintenanceId: Id


@answer_with(MaintenanceWindow)
class MaintenanceShown(Struct, frozen=True, kw_only=True, rename="camel"):
    """A maintenance window. `currentEndsAt` is the end of the occurrence in progress, `nextStartsAt` the next start.

    `monitors` is the number that it covers now.
    """

    id: str
    organization_id: str
    name: str
    covers: Covers
    starts_at: datetime
    ends_at: datetime | None
    repeat: GivenRepeat | None
    status: Status
    current_ends_at: datetime | None
    next_starts_at: datetime | None
    monitors: int
    created_at: datetime
    updated_at: datetime


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
        raise BadRequest.about("endsAt" if window.repeat is None else "repeat.until", _("Enter an end in the future"))
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
