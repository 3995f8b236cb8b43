"""Imports in events.db: their progress, their events by the numbers of their sessions, and totals of days.

All functions run in a transaction of events.db, in its writer thread unless they only read.
"""

import json
from collections.abc import Collection, Sequence
from typing import Final

from msgspec import Struct

from analytics_box.base.clock import DAY
from analytics_box.base.facts import erase, orders
from analytics_box.base.facts.event import Event, Fact, FactSpan, describe_attributes
from analytics_box.base.facts.layout import insert, stored_attributes, stored_table
from analytics_box.base.store.db import Connection
from analytics_box.base.store.strings import EMPTY, Strings
from analytics_box.products.imports.records import DayTotal

# Rows that one transaction removes.
REMOVED_TOGETHER: Final = 2_000
# The facts that imports bring.
_TABLES: Final = ("events", "ai_requests")


class ImportProgress(Struct, frozen=True):
    """The progress of an import in events.db. Its sessions have the numbers [first_session, first_session + sessions),
    and its rows up to the place `cursor` of its spool are stored. Days since 1970-01-01."""

    id: int
    site: int
    first_session: int
    sessions: int
    cursor: int
    written: int
    first_day: int
    last_day: int


class PlacedFact(Struct, gc=False):
    """An event with its session, or a request of an AI agent with the number of a session that has nothing else."""

    fact: Fact
    session: "PlacedSession"


class PlacedSession(Struct, gc=False):
    """A session of an import, and the attributes that its rows repeat once it is stored. Times are UTC ms."""

    number: int
    started: int
    last: int
    first: Fact
    attributes: tuple[int, ...] = ()


_COLUMNS: Final = "id, site, first_session, sessions, cursor, written, first_day, last_day"


def progress_of(db: Connection, import_id: str) -> ImportProgress | None:
    """The progress of an import; None if it has stored nothing."""
    row = db.execute(
        f"-- imports.progress\nselect {_COLUMNS} from import_progress where import_id = ?", (import_id,)
    ).fetchone()
    return None if row is None else ImportProgress(*(int(str(value)) for value in row))


def begin(db: Connection, import_id: str, site: int, sessions: int, first_day: int, last_day: int) -> ImportProgress:
    """Reserve numbers of sessions for an import, none for totals. A second call finds those of the first."""
    known = progress_of(db, import_id)
    if known is not None:
        return known
    rows = db.execute(
        "-- imports.begin\nupdate session_numbers set next = next + ? returning next - ?", (sessions, sessions)
    ).fetchall()
    db.execute(
        """
        -- imports.begin
        insert into import_progress (import_id, site, first_session, sessions, cursor, written, first_day, last_day)
        values (?, ?, ?, ?, 0, 0, ?, ?)
        """,
        (import_id, site, int(str(rows[0][0])), sessions, first_day, last_day),
    )
    stored = progress_of(db, import_id)
    assert stored is not None  # noqa: S101  it was inserted above
    return stored


def store_events(
    db: Connection, strings: Strings, known: ImportProgress, placed: Sequence[PlacedFact], at: int
) -> None:
    """Store events and requests of AI agents, and that the import is at the place `at`. What they repeat is theirs
    whatever the budget is."""
    strings.charge(lambda: None)
    rows: dict[str, list[tuple[int | float | str | None, ...]]] = {table: [] for table in _TABLES}
    for one in placed:
        rows["events" if isinstance(one.fact, Event) else one.fact.table].append(_row(db, strings, one))
    for table, of_table in rows.items():
        insert(db, table, of_table)
    _advance(db, known, len(placed), at)


def _row(db: Connection, strings: Strings, one: PlacedFact) -> tuple[int | float | str | None, ...]:
    """The row of a fact, in the order of its stored columns (facts.layout)."""
    event, session, number = one.fact, one.session, strings.number
    if not session.attributes:
        session.attributes = stored_attributes(db, strings, describe_attributes(session.first))
    if isinstance(event, FactSpan):
        return (
            *(event.site, event.time, event.visitor, session.number, EMPTY, EMPTY),
            *(number(db, event.path), EMPTY),
            *(number(db, value) if isinstance(value, str) else value for value in event.own),
            *session.attributes,
        )
    return (
        event.site,
        event.time,
        event.kind,
        number(db, event.name),
        EMPTY,
        event.visitor,
        session.number,
        EMPTY,
        number(db, event.path),
        number(db, event.query_string),
        number(db, event.title),
        event.engaged,
        event.scroll,
        event.interactions,
        EMPTY,
        EMPTY,
        number(db, event.origin),
        event.time - session.started,
        EMPTY,
        *session.attributes,
        event.properties,
    )


def store_totals(db: Connection, known: ImportProgress, totals: Sequence[DayTotal], at: int) -> None:
    """Add totals of days, and that the import is at the place `at`."""
    db.executemany(
        """
        -- imports.totals
        insert into imported_days
          (site, roll, day, value, second, import, visitors, visits, pageviews, bounces, seconds, events)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict do update set
          visitors = visitors + excluded.visitors, visits = visits + excluded.visits,
          pageviews = pageviews + excluded.pageviews, bounces = bounces + excluded.bounces,
          seconds = seconds + excluded.seconds, events = events + excluded.events
        """,
        [
            (
                *(known.site, one.roll, one.day, one.value, one.second, known.id),
                *(one.visitors, one.visits, one.pageviews, one.bounces, one.seconds, one.events),
            )
            for one in totals
        ],
    )
    _advance(db, known, len(totals), at)


def _advance(db: Connection, known: ImportProgress, rows: int, at: int) -> None:
    db.execute(
        "-- imports.advance\nupdate import_progress set cursor = ?, written = written + ? where id = ?",
        (at, rows, known.id),
    )


def remove_some(db: Connection, known: ImportProgress) -> bool:
    """Remove some rows of an import; whether there may be more. Its sessions are its own, so nothing else goes."""
    for table in _TABLES:
        rows = db.execute(
            f"""
            -- imports.remove
            select id from {stored_table(table)}
            where site = ? and time >= ? and time < ? and session >= ? and session < ? limit ?
            """,
            (
                *(known.site, known.first_day * DAY, (known.last_day + 1) * DAY),
                *(known.first_session, known.first_session + known.sessions, REMOVED_TOGETHER),
            ),
        ).fetchall()
        if rows:
            db.execute(erase.DELETE[table], (json.dumps([row[0] for row in rows]), known.site))
            return True
    db.execute("-- imports.remove\ndelete from imported_days where site = ? and import = ?", (known.site, known.id))
    orders.note(db, orders.OfSessions(known.site, known.first_session, known.sessions))
    db.execute("-- imports.remove\ndelete from import_progress where id = ?", (known.id,))
    return False


def busy_days(
    db: Connection, site: int, days: Collection[int], own: ImportProgress | None
) -> tuple[set[int], set[int]]:
    """The days of these with events that no import brought, and those with data of another import than `own`."""
    others = db.execute(
        "-- imports.days\nselect id, first_session, sessions, first_day, last_day from import_progress where site = ?",
        (site,),
    ).fetchall()
    ranges = [(int(str(row[1])), int(str(row[1])) + int(str(row[2]))) for row in others]
    measured: set[int] = set()
    taken: set[int] = set()
    number = own.id if own is not None else 0
    outside = " and ".join(f"not (session >= {first} and session < {end})" for first, end in ranges) or "true"
    foreign = [(first, end) for (first, end), row in zip(ranges, others, strict=True) if row[0] != number]
    within = " or ".join(f"(session >= {first} and session < {end})" for first, end in foreign) or "false"
    for day in days:
        bounds = (site, day * DAY, (day + 1) * DAY)
        for condition, found in ((outside, measured), (within, taken)):
            if (
                condition != "false"
                and db.execute(
                    "-- imports.days\nselect 1 from stored_events indexed by events_by_time"
                    f" where site = ? and time >= ? and time < ? and bot = 0 and ({condition}) limit 1",
                    bounds,
                ).fetchone()
            ):
                found.add(day)
    rows = db.execute(
        """
        -- imports.days
        select distinct day from imported_days
        where site = ? and import <> ? and day in (select value from json_each(?))
        """,
        (site, number, json.dumps(sorted(days))),
    ).fetchall()
    return measured, taken | {int(str(row[0])) for row in rows}
