"""Input and output of schedule procedures (wire 6.4)."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from analytics_box.base.clock import DAY, MINUTE
from analytics_box.products.flags.schedules.schedule import ScheduleType

Id = Annotated[str, Meta(min_length=1, max_length=255)]
Instant = Annotated[datetime, Meta(tz=True)]
Percentage = Annotated[float, Meta(ge=0, le=100)]


class GivenStep(Struct, frozen=True, forbid_unknown_fields=True):
    """From then on the flag is for so many percent."""

    scheduledAt: Instant
    value: Percentage


class Ramp(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A straight line from one percentage to another, in a step each `everyMinutes`."""

    start: Percentage = field(name="from")
    to: Percentage
    startsAt: Instant
    endsAt: Instant
    everyMinutes: Annotated[int, Meta(ge=1, le=366 * DAY // MINUTE)]


class CreateFlagSchedule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Input of flagSchedules.create. An update_rollout has steps or a ramp; the others have `scheduledAt`."""

    flagId: Id
    type: ScheduleType
    scheduledAt: Instant | None = None
    rolloutSteps: Annotated[tuple[GivenStep, ...], Meta(max_length=1_000)] = ()
    ramp: Ramp | None = None
    isEnabled: bool = True


class OfFlag(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of flagSchedules.list."""

    flagId: Id


class DeleteFlagSchedule(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of flagSchedules.delete."""

    id: Id


class RolloutStepAnswer(Struct, frozen=True, rename="camel"):
    """A step. `skipped` is one that was late together with a later one, which counts instead."""

    scheduled_at: datetime
    value: float
    executed_at: datetime | None
    skipped: bool


class FlagScheduleAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """A schedule: its next action and time, and, once it has ended, its result.

    `failed` is a schedule that could not continue; `error` says why.
    """

    id: str
    flag_id: str
    type: ScheduleType
    state: Literal["pending", "done", "failed"]
    scheduled_at: datetime
    rollout_steps: tuple[RolloutStepAnswer, ...]
    next_at: datetime | None
    ended_at: datetime | None
    error: str | None
    created_by: str
    created_at: datetime
