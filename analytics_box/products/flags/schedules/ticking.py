"""Execution of scheduled changes. Each step is one transaction, together with its version and audit entry, so a kill -9
neither repeats nor loses one; actions that were due while the box was off are executed when it is back.
"""

import logging
from functools import partial

from msgspec.structs import replace

from analytics_box.base import errors
from analytics_box.base.acting import THE_BOX, By
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.flags.access import FlagReach
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.editing import change
from analytics_box.products.flags.flag import Flag
from analytics_box.products.flags.rows import FLAGS
from analytics_box.products.flags.saving import save
from analytics_box.products.flags.schedules import planning, rules
from analytics_box.products.flags.schedules.messages import FlagSchedule
from analytics_box.products.flags.schedules.planning import SCHEDULES
from analytics_box.web.call import Parts

log = logging.getLogger(__name__)

MOST_OVER = 20  # Finished schedules of a flag that are kept.


async def tick(parts: Parts) -> None:
    """Do all that is due. A schedule that cannot be done does not keep others waiting. Raises Unavailable.

    Flags of a deleted website or organization wait: it may be restored.
    """
    now = parts.clock.now()
    for schedule_id, scope_id in await parts.box_db.read(lambda db: planning.due(db, now)):
        if parts[Flags].scope(scope_id) is None:
            continue
        try:
            await save(parts, scope_id, partial(turn, schedule_id=schedule_id, now=now))
        except errors.Unavailable:
            raise
        except Exception:
            log.exception("The schedule %s of a feature flag failed", schedule_id)


def turn(db: Connection, schedule_id: str, now: int) -> None:
    """Execute the due part of a schedule, in the caller's transaction. `now` is UTC ms."""
    schedule = SCHEDULES.find(db, schedule_id)
    if schedule is None or schedule.next_at is None or schedule.next_at > now:
        return  # It was deleted or executed a moment ago.
    flag = FLAGS.find(db, schedule.flag_id)
    if flag is None:
        return
    SCHEDULES.update(db, _run_schedule(db, schedule, flag, now))
    planning.keep_latest(db, flag.id, MOST_OVER)


def _run_schedule(db: Connection, schedule: FlagSchedule, flag: Flag, now: int) -> FlagSchedule:
    """Apply the due action to the flag; return the schedule afterwards."""
    hindrance = _("The flag is deleted.") if flag.deleted_at is not None else rules.hindrance(schedule, flag)
    if hindrance:
        return rules.end_schedule(schedule, now, hindrance)
    wanted = rules.next_turn(schedule, now)
    definition = flag.definition
    if schedule.type == "update_rollout":
        if wanted.percentage is not None:
            definition = replace(definition, rolloutPercentage=wanted.percentage)
    else:
        definition = replace(definition, status="active" if schedule.type == "enable" else "inactive")
    own = FlagReach(flag.organization_id, By(THE_BOX, now), website_id=flag.website_id)
    try:
        done = change.redefine(db, own, flag.id, definition, act="scheduled", note=_("By schedule"))
    except errors.BoxError as refused:
        return rules.end_schedule(schedule, now, _("Failed: {message}").format(message=refused.message))
    if done.flag.definition.status != definition.status:
        return rules.end_schedule(
            schedule,
            now,
            _("The flag stays inactive because required flags are not active: {flags}.").format(
                flags=", ".join(done.inactive_dependencies)
            ),
        )
    if schedule.type != "update_rollout":
        if schedule.type == "enable":
            planning.left_at(db, flag.id, status="active")
        return wanted.after
    planning.left_at(db, flag.id, percentage=definition.rolloutPercentage)
    return replace(wanted.after, flag_percentage=definition.rolloutPercentage, flag_status=definition.status)
