"""The steps of a schedule, the step that is due, and the reasons to stop. Pure."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.clock import DAY, MINUTE
from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.translation import _
from analytics_box.products.flags.flag import Flag
from analytics_box.products.flags.schedules.messages import FlagSchedule, RolloutStep, ScheduleType

MOST_STEPS: Final = 200
MOST_PENDING: Final = 20  # Open schedules of a flag.
FURTHEST: Final = 5 * 366 * DAY  # ms ahead
LATE: Final = MINUTE  # A new schedule can start this late (ms): clocks differ, and forms have minutes only.


class Turn(Struct, frozen=True):
    """The next action of a schedule, and its state afterwards. `percentage` is None if the rollout does not change."""

    after: FlagSchedule
    percentage: float | None = None


def ramp(start: float, end: float, starts_at: int, ends_at: int, every: int) -> tuple[RolloutStep, ...]:
    """Steps in a straight line from one percentage to another, one each `every` ms; the last is at the end.

    Raises BadRequest.
    """
    if start == end:
        raise BadRequest.about("ramp.to", _("Enter a different final percentage"))
    if ends_at <= starts_at:
        raise BadRequest.about("ramp.endsAt", _("Enter an end after the start"))
    count = math.ceil((ends_at - starts_at) / every)
    if count >= MOST_STEPS:
        least = math.ceil((ends_at - starts_at) / (MOST_STEPS - 1) / MINUTE)
        raise BadRequest.about(
            "ramp.everyMinutes",
            _("That would be {count} steps, more than {most}. Enter at least {least} minutes").format(
                count=count + 1, most=MOST_STEPS, least=least
            ),
        )
    length = ends_at - starts_at
    along = [
        RolloutStep(at=starts_at + number * every, percentage=round(start + (end - start) * number * every / length, 2))
        for number in range(count)
    ]
    return (*along, RolloutStep(at=ends_at, percentage=end))


def check(kind: ScheduleType, scheduled_at: int | None, steps: Sequence[RolloutStep], now: int) -> None:
    """Raises BadRequest for steps out of order, and for times in the past or more than five years ahead."""
    if kind != "update_rollout":
        _check_switch(kind, scheduled_at, steps)
    elif not steps:
        raise BadRequest.about("rolloutSteps", _("Send steps or a ramp"))
    elif len(steps) > MOST_STEPS:
        raise BadRequest.about("rolloutSteps", _("A schedule can have up to {most} steps").format(most=MOST_STEPS))
    elif scheduled_at is not None and scheduled_at > steps[0].at:
        raise BadRequest.about("scheduledAt", _("Omit scheduledAt. The schedule starts with its first step"))
    times = [step.at for step in steps]
    if any(later <= earlier for earlier, later in pairwise(times)):
        raise BadRequest.about("rolloutSteps", _("Enter steps in order of time"))
    if any(not 0 <= step.percentage <= 100 for step in steps):
        raise BadRequest.about("rolloutSteps", _("Enter a percentage from 0 to 100"))
    where = "rolloutSteps" if steps else "scheduledAt"
    for at in (scheduled_at, *times) if scheduled_at is not None else times:
        if at < now - LATE:
            raise BadRequest.about(where, _("Enter a time in the future"))
        if at > now + FURTHEST:
            raise BadRequest.about(where, _("Enter a time within five years"))


def check_room(new: FlagSchedule, pending: Iterable[FlagSchedule]) -> None:
    """Raises Conflict if a flag has too many schedules, or another rollout at that time."""
    others = list(pending)
    if len(others) >= MOST_PENDING:
        raise Conflict.full(
            "flagSchedules",
            MOST_PENDING,
            _("A flag can have up to {most} open schedules; delete one first").format(most=MOST_PENDING),
        )
    if new.type != "update_rollout":
        return
    for other in others:
        if other.type == "update_rollout" and new.scheduled_at <= other.last_at and other.scheduled_at <= new.last_at:
            raise Conflict.about("rolloutSteps", _("Another rollout of this flag is already scheduled for this time"))


def next_turn(schedule: FlagSchedule, now: int) -> Turn:
    """The action of a schedule that is due. If several steps are late, only the latest counts."""
    if not schedule.steps:
        return Turn(end_schedule(schedule, now))
    due = [step for step in schedule.steps if step.at <= now and step.doneAt is None]
    latest = due[-1] if due else None
    steps = tuple(
        replace(step, doneAt=now, skipped=step is not latest) if step in due else step for step in schedule.steps
    )
    after = replace(schedule, steps=steps)
    waiting = next((step for step in steps if step.doneAt is None), None)
    after = replace(after, next_at=waiting.at) if waiting is not None else end_schedule(after, now)
    return Turn(after, latest.percentage if latest is not None else None)


def end_schedule(schedule: FlagSchedule, now: int, error: str = "") -> FlagSchedule:
    """A schedule that has ended, with the reason if it failed."""
    return replace(schedule, next_at=None, ended_at=now, error=error)


def hindrance(schedule: FlagSchedule, flag: Flag) -> str:
    """The reason why a schedule cannot continue with the flag in its current state; empty if it can.

    A user who lowers a rollout by hand has a reason, so no later step undoes that.
    """
    wanted = flag.definition
    if wanted.status == "archived":
        return _("The flag is archived.")
    if schedule.type != "update_rollout":
        return ""
    if wanted.type != "rollout":
        return _("The flag is no longer a percentage rollout.")
    begun = any(step.doneAt is not None for step in schedule.steps)
    if wanted.status != "active" and schedule.flag_status == "active":
        return (
            _("The flag was deactivated after the previous step, so the schedule stopped.")
            if begun
            else _("The flag was deactivated before the first step, so the schedule stopped.")
        )
    if math.isclose(wanted.rolloutPercentage, schedule.flag_percentage):
        return ""
    return (
        _("The percentage was changed manually after the previous step, so the schedule stopped.")
        if begun
        else _("The percentage was changed manually before the first step, so the schedule stopped.")
    )


def _check_switch(kind: ScheduleType, scheduled_at: int | None, steps: Sequence[RolloutStep]) -> None:
    if steps:
        raise BadRequest.about("rolloutSteps", _("Only update_rollout can have steps, not {kind}").format(kind=kind))
    if scheduled_at is None:
        raise BadRequest.about("scheduledAt", _("Say when"))
