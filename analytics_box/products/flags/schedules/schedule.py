"""What is to become of a flag at set times (wire 6.4). Pure."""

from typing import Literal

from msgspec import Struct

from analytics_box.products.flags.flag import Status

ScheduleType = Literal["enable", "disable", "update_rollout"]
SUBJECT = "flag schedule"  # in the audit log


class Step(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """From `at` on (UTC ms) the flag is for so many percent. Stored as JSON under these names.

    A step is `skipped` when a later one was due as well, after an outage: only the latest counts.
    """

    at: int
    percentage: float
    doneAt: int | None = None  # UTC ms
    skipped: bool = False


class Schedule(Struct, frozen=True, kw_only=True):
    """What is to become of a flag. Times are UTC ms. Only an update_rollout has steps, in the order of time.

    `scheduled_at` is when it begins, `next_at` when something is to be done next; it is None once all is done, or once
    `error` says why it could not go on. `flag_percentage` and `flag_status` are what the flag stood at when it was
    made, then what schedules left it at: a flag that stands at something else was changed by somebody.
    """

    id: str
    flag_id: str
    type: ScheduleType
    scheduled_at: int
    steps: tuple[Step, ...] = ()
    next_at: int | None
    ended_at: int | None = None
    error: str = ""
    created_by: str = ""  # an actor, as the audit log names them
    created_at: int = 0
    flag_percentage: float = 0
    flag_status: Status = "active"

    @property
    def last_at(self) -> int:
        """When the last of it is to be done."""
        return self.steps[-1].at if self.steps else self.scheduled_at
