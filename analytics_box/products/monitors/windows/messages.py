"""Input and output of the procedures for maintenance windows."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.products.monitors.monitor import Id
from analytics_box.products.monitors.window import Covers, GivenRepeat, MaintenanceWindow
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
