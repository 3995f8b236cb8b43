"""Removing facts: of a website that is gone, and those older than a website wants to keep.

Rows are looked up on a reader's connection and deleted in small writes, so that events that arrive hardly wait.
The strings that removed rows used stay in their table; removing a single person is in profiles.erasure. What is in
ClickHouse only is removed there by an order.
"""

import json
from collections.abc import Awaitable, Callable
from functools import partial

from analytics_box.base.clock import DAY, utc_day
from analytics_box.base.facts import orders
from analytics_box.base.facts.layout import stored_table
from analytics_box.base.facts.tables import FACT_NAMES, FACTS, SPANS, TABLES
from analytics_box.base.store.db import Connection, Db

CHUNK = 2_000  # rows per write
# Of a site and visitors, who has events that are not here.
Elsewhere = Callable[[int, list[int]], Awaitable[set[int]]]
IMPORTED = "imported_days"
_SCAN_SECONDS = 60.0  # for a look through all events of a website

# The plus keeps SQLite from walking through all of the site's index for each chunk.
DELETE = {
    table: f"""
    -- erase.delete
    delete from {stored_table(table)} where id in (select value from json_each(?)) and +site = ?
    """
    for table in FACT_NAMES
}
# What else is known of a site.
OTHERS = tuple(table for table in TABLES if "site" in table.names and table not in FACTS)


async def site(events: Db, number: int) -> int:
    """Remove everything of a site; how many events there were."""
    removed = await _all(events, "events", number, None)
    for table in SPANS:
        await _all(events, table, number, None)
    await events.write(partial(orders.note, what=orders.OfSite(number)))
    for other in OTHERS:
        key = ", ".join(other.key)
        while await events.write(partial(_delete_some, table=other.name, key=key, number=number)) == CHUNK:
            pass
    return removed


async def nobody(_site: int, _visitors: list[int]) -> set[int]:
    """The visitors of these who have events elsewhere: none, if there is no elsewhere."""
    return set()


async def older(events: Db, number: int, *, days: int, now: int, elsewhere: Elsewhere = nobody) -> int:
    """Remove what is from before the last `days` whole UTC days; how many events there were.

    A session goes or stays as a whole, by the day on which it began, so that no figure consists of half a session.
    With the last event of someone the knowledge goes of who it was; `elsewhere` says who has events on other machines.
    """
    removed = await before(events, number, instant=(utc_day(now) - days) * DAY, elsewhere=elsewhere)
    return removed["events"]


async def before(events: Db, number: int, *, instant: int, elsewhere: Elsewhere = nobody) -> dict[str, int]:
    """Remove what is from before this instant, the beginning of a UTC day in ms, as `older` does; how many rows of
    each table of facts and of imported totals there were."""
    removed = {table: await _all(events, table, number, instant) for table in ("events", *SPANS)}
    removed[IMPORTED] = await _imported_days(events, number, instant // DAY)
    if not await events.write(partial(orders.note, what=orders.Older(number, instant))):
        await people(events, number, instant, elsewhere)
    return removed


async def count_before(events: Db, number: int, *, instant: int) -> dict[str, int]:
    """The number of rows of each table of facts that `before` would remove."""
    return {
        table: await events.read(
            partial(_count, table=table, number=number, before=instant), seconds=_SCAN_SECONDS, long=True
        )
        for table in ("events", *SPANS, IMPORTED)
    }


async def _imported_days(events: Db, number: int, day: int) -> int:
    """Remove imported totals from before this UTC day, and the days of imports that have none left."""
    removed = 0
    while rows := await events.write(partial(_delete_imported, number=number, day=day)):
        removed += rows
    await events.write(partial(_shorten_imports, number=number, day=day))
    return removed


def _delete_imported(db: Connection, *, number: int, day: int) -> int:
    db.execute(
        """
        -- erase.imported
        delete from imported_days where site = :site and (roll, day, value, second) in (
          select roll, day, value, second from imported_days where site = :site and day < :day limit :most)
        """,
        {"site": number, "day": day, "most": CHUNK},
    )
    return db.changes()


def _shorten_imports(db: Connection, *, number: int, day: int) -> None:
    """An import keeps its progress, so that it can be undone; one that has no day left begins after its last day."""
    db.execute(
        """
        -- erase.imported
        update import_progress set first_day = min(:day, last_day + 1)
        where site = :site and first_day < min(:day, last_day + 1)
        """,
        {"site": number, "day": day},
    )


async def _all(events: Db, table: str, number: int, before: int | None) -> int:
    removed = 0
    while found := await events.read(lambda db: _find(db, table, number, before)):
        await events.write(partial(_delete, table=table, number=number, found=found))
        removed += len(found)
    return removed


def _find(db: Connection, table: str, number: int, before: int | None) -> list[int]:
    """The next rows to remove."""
    rows = db.execute(
        f"""
        -- erase.find
        select id from {table} where site = :site {_condition(table, before)} order by time limit :most
        """,
        {"site": number, "before": before, "latest": _latest(before), "most": CHUNK},
    ).fetchall()
    return [int(str(row[0])) for row in rows]


def _count(db: Connection, *, table: str, number: int, before: int) -> int:
    rows = db.execute(
        f"-- erase.count\nselect count(*) from {table} where site = :site {_condition(table, before)}",
        {"site": number, "before": before, "latest": _latest(before)},
    ).fetchall()
    return int(str(rows[0][0]))


def _condition(table: str, before: int | None) -> str:
    """SQL for a site's rows from before that time. An event goes with its session, by the session's start."""
    if before is None:
        return ""
    if table == IMPORTED:
        return f"and day < {before // DAY}"
    if table == "events":
        return "and time <= :latest and iif(session = 0, time, session_started) < :before"
    return "and time < :before"


def _latest(before: int | None) -> int | None:
    """An event is at most a day younger than the beginning of its session."""
    return None if before is None else before + DAY


def _delete(db: Connection, *, table: str, number: int, found: list[int]) -> None:
    listed = json.dumps(found)
    if table == "events":
        db.execute(
            f"""
            -- erase.delete
            delete from replaced where site = :site and session in (
              select session from {stored_table(table)} where id in (select value from json_each(:ids))
            )
            """,
            {"site": number, "ids": listed},
        )
    db.execute(DELETE[table], (listed, number))


def _delete_some(db: Connection, *, table: str, key: str, number: int) -> int:
    """Remove the next rows of another table by its key; how many there were."""
    db.execute(
        f"""
        -- erase.delete_some
        delete from {table}
        where site = :site and ({key}) in (select {key} from {table} where site = :site limit :most)
        """,
        {"site": number, "most": CHUNK},
    )
    return db.changes()


async def people(events: Db, number: int, before: int, elsewhere: Elsewhere) -> None:
    """Forget who the visitors were of whom no event is left, and the persons of whom nothing is left at all; of a site
    and visitors, `elsewhere` says who has events that are not here."""
    after = (-(2**63), 0)
    while links := await events.read(partial(_old_links, number=number, before=before, after=after)):
        after = links[-1]
        gone = await events.read(
            partial(_without_events, number=number, visitors=sorted({visitor for visitor, _ in links})),
            seconds=_SCAN_SECONDS,
        )
        gone = sorted({*gone} - await elsewhere(number, gone)) if gone else gone
        if gone:
            await events.write(partial(_unlink, number=number, visitors=gone, before=before))
    while await events.write(partial(_forget_people, number=number, before=before)) == CHUNK:
        pass


def _old_links(db: Connection, *, number: int, before: int, after: tuple[int, int]) -> list[tuple[int, int]]:
    """The next links of visitors to persons from before that time."""
    rows = db.execute(
        """
        -- erase.old_links
        select visitor, time from visitor_profiles
        where site = :site and (visitor, time) > (:visitor, :time) and time < :before
        order by visitor, time limit :most
        """,
        {"site": number, "visitor": after[0], "time": after[1], "before": before, "most": CHUNK},
    ).fetchall()
    return [(int(str(visitor)), int(str(time))) for visitor, time in rows]


def _without_events(db: Connection, *, number: int, visitors: list[int]) -> list[int]:
    """The visitors of these who have no event left."""
    rows = db.execute(
        """
        -- erase.without_events
        select value from json_each(:visitors)
        where value not in (
          select visitor from events
          where site = :site and visitor in (select value from json_each(:visitors))
        )
        """,
        {"site": number, "visitors": json.dumps(visitors)},
    ).fetchall()
    return [int(str(row[0])) for row in rows]


def _unlink(db: Connection, *, number: int, visitors: list[int], before: int) -> None:
    db.execute(
        """
        -- erase.unlink
        delete from visitor_profiles
        where site = :site and visitor in (select value from json_each(:visitors)) and time < :before
        """,
        {"site": number, "visitors": json.dumps(visitors), "before": before},
    )


def _forget_people(db: Connection, *, number: int, before: int) -> int:
    """Remove the next batch of inactive people without visitors; return the number removed."""
    db.execute(
        """
        -- erase.forget_people
        delete from profiles
        where site = :site and profile in (
          select profile from profiles as old
          where site = :site and updated_at < :before
            and not exists (
              select 1 from visitor_profiles
              where visitor_profiles.site = old.site and visitor_profiles.profile = old.profile
            )
          limit :most
        )
        """,
        {"site": number, "before": before, "most": CHUNK},
    )
    return db.changes()
