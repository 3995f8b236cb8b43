"""The visits of open days in rollups.db: what events have in common, so that a question reads a third of the rows.

A day is rolled up once it is over; until then all questions of a dashboard read its events. Visits are events of one
kind, visitor, quarter of an hour and set of attributes, with their number. If a day has visits, they include each event
up to the file's state, and questions read the few events after that. A day that loses an event, or of which one has
changed, has no visits until they are rebuilt.
"""

import json
from collections.abc import Collection

from analytics_box.base.clock import DAY
from analytics_box.base.facts.tables import COMBINATIONS
from analytics_box.base.store.db import Connection
from analytics_box.query.rollups import SLOT

# Visits of a day with fewer events save nothing.
FEWEST = 1_000
# Days whose visits are made in one transaction.
MOST = 4

_COMBINED = ", ".join(one.column for one in COMBINATIONS)
_KEY = f"site, day, slot, kind, visitor, {_COMBINED}"
_GROUPED = ", ".join(str(number) for number in range(1, 6 + len(COMBINATIONS)))
# A website and a UTC day.
Day = tuple[int, int]

_ADD = f"""
insert into visits
select site, time / {DAY}, time % {DAY} / {SLOT}, kind, visitor, {_COMBINED}, count(*)
from stored_events where bot = 0 and {{which}}
group by {_GROUPED}
on conflict do update set number = number + excluded.number
"""
TABLES = (
    "create table visit_days (site integer, day integer, primary key (site, day)) without rowid",
    f"create table visits ({_KEY}, number integer, primary key ({_KEY})) without rowid",
)
_PARTS = (
    f"coalesce((select {part} from {one.table} where id = visits.{one.column}), 0) as {part}"
    for one in COMBINATIONS
    for part in one.parts
)
# Rows that stand for `number` events each. A plan asks for the time of an event no closer than that of its slot.
AS_EVENTS = (
    f"(select site, day * {DAY} + slot * {SLOT} as time, kind, visitor, 0 as bot, number, {', '.join(_PARTS)}"
    f" from visits where site = :site and day = :start / {DAY})"
)
# Events after those. With a limit SQLite looks for them by their ids, not by time.
AFTER = "(select *, 1 as number from events where id > :after limit -1)"


def days_with_visits(db: Connection, site: int, first: int, last: int) -> list[int]:
    """Return the days of a website, from `first` to `last`, that have visits."""
    found = db.execute(
        "-- visits.kept\nselect day from visit_days where site = ? and day between ? and ?", (site, first, last)
    )
    return [int(str(day)) for (day,) in found]


def add(db: Connection, after: int, last: int) -> None:
    """Add new events, by their ids, to the days that have visits."""
    which = f"id > ? and id <= ? and (site, time / {DAY}) in (select site, day from visit_days)"
    if db.execute("-- visits.any\nselect 1 from visit_days limit 1").fetchall():
        db.execute(f"-- visits.add\n{_ADD.format(which=which)}", (after, last))


def begin(db: Connection, first: int, last: int, without: Collection[Day]) -> set[Day]:
    """Make the visits of some days with many events, from `first` to `last`, and return these days. The file must know
    all events."""
    found = db.execute(
        """
        -- visits.to_begin
        select site, day from days where not rolled and day between ? and ? and events >= ?
        and (site, day) not in (select site, day from visit_days)
        and (site, day) not in (select value ->> 0, value ->> 1 from json_each(?)) limit ?
        """,
        (first, last, FEWEST, json.dumps([*without]), MOST),
    ).fetchall()
    begun = {(int(str(site)), int(str(day))) for site, day in found}
    for site, day in begun:
        which = "site = ? and time >= ? and time < ?"
        db.execute(f"-- visits.begin\n{_ADD.format(which=which)}", (site, day * DAY, (day + 1) * DAY))
    db.executemany("-- visits.begun\ninsert into visit_days values (?, ?)", begun)
    return begun


def forget(db: Connection, days: Collection[Day]) -> None:
    """Remove the visits of these days."""
    for table in ("visit_days", "visits"):
        db.executemany(f"-- visits.forget\ndelete from {table} where site = ? and day = ?", days)
