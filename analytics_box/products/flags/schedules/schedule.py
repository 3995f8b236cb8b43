"""Scheduled changes of a flag (wire 6.4). Pure."""

from typing import Literal

from msgspec import Struct

from analytics_box.products.flags.flag import Status

ScheduleType = Literal["enable", "disable", "update_rollout"]
SUBJECT = "flag schedule"  # in the audit log


class RolloutStep(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A step of a rollout: the percentage of the flag from `at` on (UTC ms). Stored as JSON under these names.

    A step is `skipped` if a later one was also due, after an outage: only the latest counts.
    """

    at: int
    percentage: float
    doneAt: int | None = None  # UTC ms
    skipped: bool = False


class FlagSchedule(Struct, frozen=True, kw_only=True):
    """A scheduled change of a flag. Times are UTC ms. Only an update_rollout has steps, in the order of time.

    `scheduled_at` is the beginning, `next_at` the time of the next action; it is None once all is done, or once `error`
    says why the schedule stopped. `flag_percentage` and `flag_status` are the state of the flag at the creation of the
    schedule, then the state that schedules left it in: a flag in another state was changed by a user.
    """

    id: str
    flag_id: str
    type: ScheduleType
    scheduled_at: int
    steps: tuple[RolloutStep, ...] = ()
    next_at: int | None
    ended_at: int | None = None
    error: str = ""
    created_by: str = ""  # an actor, as the audit log names them
    created_at: int = 0
    flag_percentage: float = 0
    flag_status: Status = "active"

    @property
    def last_at(self) -> int:
        """The time of the last action, in UTC ms."""
        return self.steps[-1].at if self.steps else self.scheduled_at
