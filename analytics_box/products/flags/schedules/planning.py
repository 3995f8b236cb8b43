"""Schedules in box.db: each change writes its rows and its audit entry in the caller's transaction."""

from typing import Final

from analytics_box.base import audit, errors, ids
from analytics_box.base.acting import By
from analytics_box.base.clock import MINUTE
from analytics_box.base.errors import BadRequest
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.flags.access import FlagReach, existing
from analytics_box.products.flags.flag import Flag, Status
from analytics_box.products.flags.schedules import rules
from analytics_box.products.flags.schedules.messages import SUBJECT, CreateFlagSchedule, FlagSchedule, RolloutStep
from analytics_box.resource.reach import check
from analytics_box.resource.table import Table
from analytics_box.tenants.tenancy.messages import millis

SCHEDULES: Final = Table("flag_schedules", FlagSchedule)


def due(db: Connection, now: int) -> list[tuple[str, str]]:
    """The ids of schedules that are due, with the scopes of their flags: in the order of their times, and at the same
    instant, enabling and disabling before percentages.
    """
    found = db.execute(
        """
        -- flag_schedules.due
        select due.id, flags.scope from flag_schedules due join flags on flags.id = due.flag_id
        where due.next_at is not null and due.next_at <= ?
        order by due.next_at, due.type = 'update_rollout', due.created_at, due.id
        """,
        (now,),
    )
    return [(str(schedule_id), str(scope_id)) for schedule_id, scope_id in found.fetchall()]


def of_flag(db: Connection, flag_id: str) -> list[FlagSchedule]:
    """The schedules of a flag: pending ones by their time, then finished ones, the latest first."""
    pending = SCHEDULES.all(db, "flag_id = ? and next_at is not null order by next_at, id", flag_id)
    return pending + SCHEDULES.all(db, "flag_id = ? and next_at is null order by ended_at desc, id", flag_id)


def left_at(db: Connection, flag_id: str, *, percentage: float | None = None, status: Status | None = None) -> None:
    """Record the percentage and status that a schedule has set, for all unfinished schedules of the flag."""
    db.execute(
        """
        -- flag_schedules.left_at
        update flag_schedules
        set flag_percentage = coalesce(:percentage, flag_percentage), flag_status = coalesce(:status, flag_status)
        where flag_id = :id and next_at is not null
        """,
        {"id": flag_id, "percentage": percentage, "status": status},
    )


def keep_latest(db: Connection, flag_id: str, most: int) -> None:
    """Forget all but the latest of those that are over."""
    db.execute(
        """
        -- flag_schedules.keep_latest
        delete from flag_schedules where id in (
          select id from flag_schedules where flag_id = ? and next_at is null
          order by ended_at desc, id limit -1 offset ?
        )
        """,
        (flag_id, most),
    )


def create(db: Connection, own: FlagReach, given: CreateFlagSchedule) -> FlagSchedule:
    """A new schedule of a flag. Raises Forbidden, NotFound, BadRequest or Conflict."""
    check(db, own, "member")
    flag = existing(db, own, given.flagId)
    made = plan_schedule(flag, given, own.by)
    rules.check_room(made, (other for other in of_flag(db, flag.id) if other.next_at is not None))
    SCHEDULES.insert(db, made)
    _record(db, own, flag, made, "created")
    return made


def delete(db: Connection, own: FlagReach, schedule_id: str) -> FlagSchedule:
    """Delete a schedule; changes already made stay. Raises Forbidden or NotFound."""
    check(db, own, "member")
    gone = SCHEDULES.find(db, schedule_id)
    if gone is None:
        raise errors.NotFound.of("flagSchedule", schedule_id)
    flag = existing(db, own, gone.flag_id)
    SCHEDULES.delete(db, schedule_id)
    _record(db, own, flag, gone, "deleted")
    return gone


def plan_schedule(flag: Flag, given: CreateFlagSchedule, by: By) -> FlagSchedule:
    """The requested schedule of a flag. Raises BadRequest."""
    if not given.isEnabled:
        raise BadRequest.about("isEnabled", _("Add steps or a time"))
    if flag.definition.status == "archived":
        raise BadRequest.about("flagId", _("The flag is archived"))
    if given.type == "update_rollout" and flag.definition.type != "rollout":
        raise BadRequest.about("type", _("The flag is not a rollout"))
    steps, at = _steps(given), (None if given.scheduledAt is None else millis(given.scheduledAt))
    rules.check(given.type, at, steps, by.now)
    begins = steps[0].at if steps else at or 0
    return FlagSchedule(
        id=ids.new_id(),
        flag_id=flag.id,
        type=given.type,
        scheduled_at=begins,
        steps=steps,
        next_at=begins,
        created_by=by.actor,
        created_at=by.now,
        flag_percentage=flag.definition.rolloutPercentage,
        flag_status=flag.definition.status,
    )


def _steps(given: CreateFlagSchedule) -> tuple[RolloutStep, ...]:
    if given.ramp is None:
        return tuple(RolloutStep(at=millis(step.scheduledAt), percentage=step.value) for step in given.rolloutSteps)
    if given.rolloutSteps:
        raise BadRequest.about("ramp", _("Send steps or a ramp, not both"))
    ramp = given.ramp
    return rules.ramp(ramp.start, ramp.to, millis(ramp.startsAt), millis(ramp.endsAt), ramp.everyMinutes * MINUTE)


def _record(db: Connection, own: FlagReach, flag: Flag, schedule: FlagSchedule, action: audit.Action) -> None:
    detail: dict[str, object] = {"name": flag.key, "type": schedule.type, "scheduled_at": schedule.scheduled_at}
    if schedule.steps:
        last = schedule.steps[-1]
        detail |= {"steps": len(schedule.steps), "last_at": last.at, "percentage": last.percentage}
    audit.record(db, own.by, own.organization_id, action, SUBJECT, schedule.id, detail)
