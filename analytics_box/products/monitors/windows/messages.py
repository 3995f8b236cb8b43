"""Input and output of the procedures for maintenance windows."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from analytics_box.products.monitors.monitor import Id
from analytics_box.products.monitors.window import LONGEST, Covers, Every, Weekday

Name = Annotated[str, Meta(max_length=255)]
Status = Literal["scheduled", "active", "over"]


class GivenRepeat(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """The recurrence of a window: each day, on `weekdays` (1 is Monday), or in each month on its `day`, else
    on the `nth` `weekday` of it; `day` and `nth` -1 are the last.

    `time` is a local time such as 02:30 in `zone`, `minutes` is the duration. No window begins at `until` or later.
    """

    every: Every
    time: Annotated[str, Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
    minutes: Annotated[int, Meta(ge=1, le=LONGEST)]
    zone: Annotated[str, Meta(max_length=64)] = "UTC"
    weekdays: Annotated[tuple[Weekday, ...], Meta(max_length=7)] = ()
    day: Annotated[int, Meta(ge=-1, le=31)] | None = None
    nth: Literal[1, 2, 3, 4, -1] | None = None
    weekday: Weekday | None = None
    until: datetime | None = None


class CreateMaintenanceWindow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of uptime.createMaintenance: once, with `startsAt` and `endsAt`, or again and again, with `repeat`.

    One that repeats first begins at `startsAt` or later; without it, now. Status pages that show its monitors list it
    if `isAnnounced`, by its name.
    """

    name: Name
    covers: Covers
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    repeat: GivenRepeat | None = None
    announced: bool = field(default=False, name="isAnnounced")
    organization_id: Id | None = None


class UpdateMaintenanceWindow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of uptime.updateMaintenance. What is not given stays; `repeat` null makes it one that is only once."""

    maintenance_id: Id
    name: Name | UnsetType = UNSET
    covers: Covers | UnsetType = UNSET
    starts_at: datetime | UnsetType = UNSET
    ends_at: datetime | UnsetType | None = UNSET
    repeat: GivenRepeat | UnsetType | None = UNSET
    announced: bool | UnsetType = field(default=UNSET, name="isAnnounced")


class OneMaintenance(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a maintenance window."""

    maintenanceId: Id


class MaintenanceShown(Struct, frozen=True, kw_only=True, rename="camel"):
    """A maintenance window. `currentEndsAt` is when it is over that is under way, `nextStartsAt` when the next begins.

    `monitors` is how many it covers now.
    """

    id: str
    organization_id: str
    name: str
    covers: Covers
    starts_at: datetime
    ends_at: datetime | None
    repeat: GivenRepeat | None
    announced: bool = field(name="isAnnounced")
    status: Status
    current_ends_at: datetime | None
    next_starts_at: datetime | None
    monitors: int
    created_at: datetime
    updated_at: datetime
