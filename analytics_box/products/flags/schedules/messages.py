"""Input and output of schedule procedures (wire 6.4)."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from analytics_box.base.clock import DAY, MINUTE
from analytics_box.products.flags.flag import Status
from analytics_box.resource.fields import Stamp

ScheduleType = Literal["enable", "disable", "update_rollout"]
SUBJECT = "flag schedule"  # The noun in the audit log.


class RolloutStep(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A step of a rollout: the percentage of the flag from `at` on (UTC ms). Stored as JSON under these names.

    A step is `skipped` if a later one was also due, after an outage: only the latest counts.
    """

    at: int
    percentage: float
    doneAt: int | None = None  # UTC ms
    skipped: bool = False


class FlagSchedule(Struct, frozen=True, kw_only=True, rename="camel"):
    """A scheduled change of a flag. Times are UTC ms. Only an update_rollout has steps, in the order of time.

    `scheduled_at` is the beginning, `next_at` the time of the next action; it is None once all is done, or once `error`
    says why the schedule stopped. `flag_percentage` and `flag_status` are the state of the flag at the creation of the
    schedule, then the state that schedules left it in: a flag in another state was changed by a user.
    """

    id: str
    flag_id: str
    type: ScheduleType
    scheduled_at: Stamp
    steps: tuple[RolloutStep, ...] = ()
    next_at: Stamp | None
    ended_at: Stamp | None = None
    error: str = ""
    created_by: str = ""  # An actor of the audit log.
    created_at: Stamp = 0
    flag_percentage: float = 0
    flag_status: Status = "active"

    @property
    def last_at(self) -> int:
        """The time of the last action, in UTC ms."""
        return self.steps[-1].at if self.steps else self.scheduled_at


Id = Annotated[str, Meta(min_length=1, max_length=255)]
Instant = Annotated[datetime, Meta(tz=True)]
Percentage = Annotated[float, Meta(ge=0, le=100)]


class GivenStep(Struct, frozen=True, forbid_unknown_fields=True):
    """A step of a rollout: the percentage from this time on."""

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
