"""The table of what was not counted, in events.db."""

from collections.abc import Mapping
from typing import NamedTuple

from analytics_box.base.store.db import Connection

Key = tuple[int, int, str]  # site, UTC day, reason


class DroppedCount(NamedTuple):
    """The number of events dropped for a reason on a UTC day (days since 1970)."""

    day: int
    reason: str
    times: int


def add(db: Connection, counts: Mapping[Key, int]) -> None:
    """Add these to what is there."""
    db.executemany(
        """
        -- dropped.counts
        insert into drops (site, day, reason, count) values (?, ?, ?, ?)
        on conflict (site, day, reason) do update set count = count + excluded.count
        """,
        ((*key, count) for key, count in counts.items()),
    )


def take(db: Connection) -> dict[int, list[tuple[int, str, int]]]:
    """Take all counts out of the table: by site the day, the reason and how much."""
    found: dict[int, list[tuple[int, str, int]]] = {}
    taken = db.execute("-- dropped.counts\ndelete from drops returning site, day, reason, count").fetchall()
    for site, day, reason, count in taken:
        found.setdefault(int(str(site)), []).append((int(str(day)), str(reason), int(str(count))))
    return found


def since(db: Connection, site: int, day: int) -> list[DroppedCount]:
    """The dropped events of a site from this UTC day on, the newest day first."""
    rows = db.execute(
        """
        -- dropped.counts
        select day, reason, count from drops where site = ? and day >= ? order by day desc, count desc, reason
        """,
        (site, day),
    ).fetchall()
    return [DroppedCount(int(str(found)), str(reason), int(str(count))) for found, reason, count in rows]


def forget(db: Connection, day: int) -> None:
    """Remove what is older than this UTC day."""
    db.execute("-- dropped.counts\ndelete from drops where day < ?", (day,))
