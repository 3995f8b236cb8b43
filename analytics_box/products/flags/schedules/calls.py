"""Schedules of flags over RPC (wire 6.4). Keys need manage:flags."""

from analytics_box.base import errors
from analytics_box.products.flags.access import find_flag, visible_flag
from analytics_box.products.flags.schedules import planning, rows
from analytics_box.products.flags.schedules.messages import (
    CreateFlagSchedule,
    DeleteFlagSchedule,
    FlagScheduleAnswer,
    OfFlag,
)
from analytics_box.products.flags.schedules.shown import schedule_answer
from analytics_box.tenants.tenancy.messages import Success
from analytics_box.web.call import Call


async def create(call: Call, given: CreateFlagSchedule) -> FlagScheduleAnswer:
    """flagSchedules.create: switch a flag on or off at a time, or roll it out in steps or along a ramp.

    Raises Forbidden, NotFound, BadRequest or Conflict.
    """
    own, _ = find_flag(call, given.flagId)
    return schedule_answer(await call.parts.box_db.write(lambda db: planning.create(db, own, given), adds=True))


async def list_schedules(call: Call, given: OfFlag) -> list[FlagScheduleAnswer]:
    """flagSchedules.list: pending schedules by their time, then finished ones, the latest first. Raises NotFound."""
    flag = await visible_flag(call, given.flagId)
    return [schedule_answer(schedule) for schedule in await call.read(lambda db: rows.of_flag(db, flag.id))]


async def delete(call: Call, given: DeleteFlagSchedule) -> Success:
    """flagSchedules.delete: cancel a schedule; changes already made stay. Raises Forbidden or NotFound."""
    schedule = await call.read(lambda db: rows.find(db, given.id))
    try:
        own, _ = find_flag(call, schedule.flag_id if schedule is not None else "")
    except errors.NotFound as elsewhere:
        raise errors.NotFound.of("flagSchedule", given.id) from elsewhere
    await call.write(lambda db: planning.delete(db, own, given.id))
    return Success()
