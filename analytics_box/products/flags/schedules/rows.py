"""Schedules of flags in box.db. Every function takes a connection inside the caller's transaction."""

from typing import Final

from analytics_box.base.store.db import Connection
from analytics_box.products.flags.flag import Status
from analytics_box.products.flags.schedules.messages import FlagSchedule
from analytics_box.resource.table import Table

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
