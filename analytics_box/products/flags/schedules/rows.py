"""Schedules of flags in box.db. Every function takes a connection inside the caller's transaction."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from analytics_box.base.store.db import Connection
from analytics_box.products.flags.flag import Status
from analytics_box.products.flags.schedules.messages import FlagSchedule, RolloutStep

_FIELDS: Final = FlagSchedule.__struct_fields__
_COLUMNS: Final = ", ".join(_FIELDS)
_INSERT: Final = f"insert into flag_schedules ({_COLUMNS}) values ({', '.join(f':{name}' for name in _FIELDS)})"
_STEPS: Final = msgspec.json.Decoder(tuple[RolloutStep, ...])


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


def find(db: Connection, schedule_id: str) -> FlagSchedule | None:
    found = _all(db, f"-- flag_schedules.find\nselect {_COLUMNS} from flag_schedules where id = ?", schedule_id)
    return found[0] if found else None


def of_flag(db: Connection, flag_id: str) -> list[FlagSchedule]:
    """The schedules of a flag: pending ones by their time, then finished ones, the latest first."""
    pending = f"select {_COLUMNS} from flag_schedules where flag_id = ? and next_at is not null order by next_at, id"
    over = f"select {_COLUMNS} from flag_schedules where flag_id = ? and next_at is null order by ended_at desc, id"
    return [
        row for statement in (pending, over) for row in _all(db, f"-- flag_schedules.of_flag\n{statement}", flag_id)
    ]


def insert(db: Connection, schedule: FlagSchedule) -> None:
    db.execute(f"-- flag_schedules.insert\n{_INSERT}", _values(schedule))


def update(db: Connection, schedule: FlagSchedule) -> None:
    """Store how far it is."""
    db.execute(
        """
        -- flag_schedules.update
        update flag_schedules set steps = :steps, next_at = :next_at, ended_at = :ended_at, error = :error,
            flag_percentage = :flag_percentage, flag_status = :flag_status
        where id = :id
        """,
        _values(schedule),
    )


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


def delete(db: Connection, schedule_id: str) -> None:
    db.execute("-- flag_schedules.delete\ndelete from flag_schedules where id = ?", (schedule_id,))


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


def _all(db: Connection, statement: str, *values: str) -> list[FlagSchedule]:
    return [_schedule(row) for row in db.execute(statement, values).fetchall()]


def _schedule(row: Sequence[Any]) -> FlagSchedule:
    named: dict[str, Any] = dict(zip(_FIELDS, row, strict=True))
    return FlagSchedule(**named | {"steps": _STEPS.decode(named["steps"])})


def _values(schedule: FlagSchedule) -> dict[str, Any]:
    return msgspec.structs.asdict(schedule) | {"steps": msgspec.json.encode(schedule.steps).decode()}
