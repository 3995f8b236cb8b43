"""Schedules as procedures answer with them."""

from datetime import datetime

from analytics_box.products.flags.schedules.messages import FlagScheduleAnswer, RolloutStepAnswer
from analytics_box.products.flags.schedules.schedule import FlagSchedule
from analytics_box.tenants.tenancy.messages import date


def schedule_answer(schedule: FlagSchedule) -> FlagScheduleAnswer:
    """A schedule as its organization sees it."""
    return FlagScheduleAnswer(
        id=schedule.id,
        flag_id=schedule.flag_id,
        type=schedule.type,
        state="pending" if schedule.next_at is not None else "failed" if schedule.error else "done",
        scheduled_at=date(schedule.scheduled_at),
        rollout_steps=tuple(
            RolloutStepAnswer(date(step.at), step.percentage, _date(step.doneAt), step.skipped)
            for step in schedule.steps
        ),
        next_at=_date(schedule.next_at),
        ended_at=_date(schedule.ended_at),
        error=schedule.error or None,
        created_by=schedule.created_by,
        created_at=date(schedule.created_at),
    )


def _date(instant: int | None) -> datetime | None:
    return None if instant is None else date(instant)
