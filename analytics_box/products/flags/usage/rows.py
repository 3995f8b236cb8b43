"""Counts of evaluations in box.db. Every function takes a connection inside the caller's transaction."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec import Struct

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.products.flags.usage.rules import LastGiven


class UsageKey(NamedTuple):
    """The key of a count: a flag, a UTC day, and the outcome (a variant, or "true" or "false")."""

    flag_id: str
    day: int
    gave: str


class UsageCount(Struct):
    """A count, and the time of the last evaluation (UTC ms)."""

    count: int
    last_at: int


class DayCount(Struct, frozen=True):
    """The count of an outcome on a UTC day, counted from 1970."""

    day: int
    gave: str
    count: int


def add(db: Connection, counts: Mapping[UsageKey, UsageCount]) -> None:
    """Add counts to the existing ones; those of deleted flags are left out."""
    db.executemany(
        """
        -- flag_counts.add
        insert into flag_counts (flag_id, day, gave, count) select id, ?2, ?3, ?4 from flags where id = ?1
        on conflict (flag_id, day, gave) do update set count = count + excluded.count
        """,
        ((*key, counted.count) for key, counted in counts.items()),
    )
    db.executemany(
        """
        -- flag_counts.add
        insert into flag_last_given (flag_id, gave, at) select id, ?2, ?3 from flags where id = ?1
        on conflict (flag_id, gave) do update set at = max(at, excluded.at)
        """,
        ((key.flag_id, key.gave, counted.last_at) for key, counted in counts.items()),
    )


def forget(db: Connection, day: int) -> None:
    """Remove counts of before this UTC day."""
    db.execute("-- flag_counts.forget\ndelete from flag_counts where day < ?", (day,))


def since(db: Connection, flag_id: str, day: int) -> list[DayCount]:
    """The counts of a flag's outcomes from this UTC day on, the newest day first."""
    return records.all_of(
        db,
        DayCount,
        """
        -- flag_counts.since
        select day, gave, count from flag_counts where flag_id = ? and day >= ? order by day desc, count desc, gave
        """,
        (flag_id, day),
    )


def last_given(db: Connection, flag_ids: Iterable[str]) -> dict[str, LastGiven]:
    """The last time of each outcome of these flags, without flags that were never evaluated."""
    found: dict[str, LastGiven] = {}
    for flag_id in flag_ids:
        rows = db.execute("-- flag_counts.given\nselect gave, at from flag_last_given where flag_id = ?", (flag_id,))
        last = {str(gave): int(str(at)) for gave, at in rows.fetchall()}
        if last:
            found[flag_id] = LastGiven(last)
    return found


def active_since(db: Connection, flag_id: str) -> int:
    """The time when an active flag was last enabled (UTC ms), by its history; 0 if the history does not have it."""
    row = db.execute(
        """
        -- flag_counts.active_since
        select min(at) from flag_versions where flag_id = :id and version > coalesce((
          select max(version) from flag_versions
          where flag_id = :id and coalesce(definition ->> 'status', 'active') <> 'active'
        ), 0)
        """,
        {"id": flag_id},
    ).fetchone()
    return int(str(row[0])) if row is not None and row[0] is not None else 0
