"""Schedules of flags over RPC (wire 6.4). Keys need manage:flags."""

from analytics_box.base import errors
from analytics_box.products.flags.access import find_flag, visible_flag
from analytics_box.products.flags.schedules import planning
from analytics_box.products.flags.schedules.messages import (
    CreateFlagSchedule,
    DeleteFlagSchedule,
    FlagSchedule,
    FlagScheduleAnswer,
    OfFlag,
    RolloutStepAnswer,
)
from analytics_box.resource.fields import answer_of, date
from analytics_box.tenants.tenancy.messages import Success
from analytics_box.web.call import Call


def schedule_answer(schedule: FlagSchedule) -> FlagScheduleAnswer:
    """A schedule as its organization sees it."""
    return answer_of(
        FlagScheduleAnswer,
        schedule,
        state="pending" if schedule.next_at is not None else "failed" if schedule.error else "done",
        rollout_steps=tuple(
            RolloutStepAnswer(
                date(step.at), step.percentage, None if step.doneAt is None else date(step.doneAt), step.skipped
            )
            for step in schedule.steps
        ),
        error=schedule.error or None,
    )


async def create(call: Call, given: CreateFlagSchedule) -> FlagScheduleAnswer:
    """flagSchedules.create: schedule a status change or a rollout in steps or along a ramp. Raises Forbidden, NotFound,
    BadRequest or Conflict."""
    own, _ = find_flag(call, given.flagId)
    return schedule_answer(await call.parts.box_db.write(lambda db: planning.create(db, own, given), adds=True))


async def list_schedules(call: Call, given: OfFlag) -> list[FlagScheduleAnswer]:
    """flagSchedules.list: list pending schedules by time, then finished ones, latest first. Raises NotFound."""
    flag = await visible_flag(call, given.flagId)
    return [schedule_answer(schedule) for schedule in await call.read(lambda db: planning.of_flag(db, flag.id))]


async def delete(call: Call, given: DeleteFlagSchedule) -> Success:
    """flagSchedules.delete: cancel a schedule. Raises Forbidden or NotFound.

    Changes already made stay.
    """
    schedule = await call.read(lambda db: planning.SCHEDULES.find(db, given.id))
    try:
        own, _ = find_flag(call, schedule.flag_id if schedule is not None else "")
    except errors.NotFound as elsewhere:
        raise errors.NotFound.of("flagSchedule", given.id) from elsewhere
    await call.write(lambda db: planning.delete(db, own, given.id))
    return Success()
