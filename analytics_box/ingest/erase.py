"""Removing events: of a website that is gone, and those older than a website wants to keep.

Ids are looked up on a reader's connection and deleted in small writes, so that events that arrive hardly wait.
The strings that removed events used stay in their table.
"""

import json
from functools import partial

from analytics_box.clock import DAY, utc_day
from analytics_box.store.db import Connection, Db

CHUNK = 2_000  # events per write

# The plus keeps SQLite from walking through all of the site's index for each chunk.
DELETE = """
    -- erase.delete
    delete from events where id in (select value from json_each(?)) and +site = ?
    """


async def site(events: Db, number: int) -> int:
    """Remove every event of a site; how many there were."""
    return await _all(events, number, None)


async def older(events: Db, number: int, *, days: int, now: int) -> int:
    """Remove events from before the last `days` whole UTC days; how many there were.

    A session goes or stays as a whole, by the day on which it began, so that no figure is made of half a session.
    """
    return await _all(events, number, (utc_day(now) - days) * DAY)


async def _all(events: Db, number: int, before: int | None) -> int:
    removed = 0
    while found := await events.read(lambda db: _find(db, number, before)):
        await events.write(partial(_delete, number=number, found=found))
        removed += len(found)
    return removed


def _find(db: Connection, number: int, before: int | None) -> list[int]:
    """The next events to remove. An event is at most a day younger than the beginning of its session."""
    condition, latest = "", None
    if before is not None:
        latest = before + DAY
        condition = "and time <= :latest and iif(session = 0, time, session_started) < :before"
    rows = db.execute(
        f"""
        -- erase.find
        select id from events where site = :site {condition} order by time limit :most
        """,
        {"site": number, "before": before, "latest": latest, "most": CHUNK},
    ).fetchall()
    return [int(str(row[0])) for row in rows]


def _delete(db: Connection, *, number: int, found: list[int]) -> None:
    db.execute(DELETE, (json.dumps(found), number))
