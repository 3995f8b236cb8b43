"""Schedules of flags over RPC (wire 6.4). Keys need manage:flags."""

from analytics_box.base import errors
from analytics_box.products.flags.access import known, seen
from analytics_box.products.flags.schedules import planning, rows
from analytics_box.products.flags.schedules.messages import NewSchedule, OfFlag, OneSchedule, ScheduleShown
from analytics_box.products.flags.schedules.shown import shown
from analytics_box.tenants.tenancy.messages import Success
from analytics_box.web.call import Call


async def create(call: Call, given: NewSchedule) -> ScheduleShown:
    """flagSchedules.create: switch a flag on or off at a time, or roll it out in steps or along a ramp.

    Raises Forbidden, NotFound, BadRequest or Conflict.
    """
    own, _ = known(call, given.flagId)
    return shown(await call.parts.box_db.write(lambda db: planning.create(db, own, given), adds=True))


async def list_schedules(call: Call, given: OfFlag) -> list[ScheduleShown]:
    """flagSchedules.list: what is to come by its time, then what is over, the latest first. Raises NotFound."""
    flag = await seen(call, given.flagId)
    return [shown(schedule) for schedule in await call.read(lambda db: rows.of_flag(db, flag.id))]


async def delete(call: Call, given: OneSchedule) -> Success:
    """flagSchedules.delete: nothing of it is done any more; what it has done stays. Raises Forbidden or NotFound."""
    schedule = await call.read(lambda db: rows.find(db, given.id))
    try:
        own, _ = known(call, schedule.flag_id if schedule is not None else "")
    except errors.NotFound as elsewhere:
        raise errors.NotFound.of("flagSchedule", given.id) from elsewhere
    await call.write(lambda db: planning.delete(db, own, given.id))
    return Success()
