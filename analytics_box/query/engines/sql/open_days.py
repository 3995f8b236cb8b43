"""The roll-ups of open days in rollups.db: those of today, which each new event changes.

A day is rolled up once it is over. Until then the roll-ups that questions ask for are kept up to date here, so that a
question reads what they have and the few events after the file's state. They have the tables of closed days, and tables
that list the visitors already in them. Sessions are kept one by one, because each event can change its session. A day
that loses an event, or has one changed, has none of these roll-ups until they are rebuilt.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from analytics_box.base.clock import DAY
from analytics_box.base.store.db import Connection
from analytics_box.query.engines.sql.open_events import add_events
from analytics_box.query.engines.sql.open_sessions import ONE_EVENT, TOGETHER, add_sessions
from analytics_box.query.engines.sql.open_tables import NUMBERS, SESSIONS, TABLES, TEMPORARY
from analytics_box.query.plan import SESSION_AFTER, SESSION_BEFORE
from analytics_box.query.rollups import OF_EVENTS, OF_SESSIONS, TIME

# Roll-ups of a day with fewer events save nothing.
FEWEST = 1_000
# Visitors of a day with more events would take too much disk.
MOST = 1_000_000
_WITH_VISITORS = {roll.name: roll for roll in (TIME, *OF_EVENTS)}
# Everything that the tables depend on.
SHAPE = (TABLES, [*NUMBERS], [*ONE_EVENT.values()], [*TOGETHER.values()])


class OpenRoll(NamedTuple):
    """A roll-up, by its name, of an open day of a website."""

    site: int
    day: int
    roll: str


def latest_of_days(db: Connection, site: int, first: int, last: int, name: str) -> dict[int, int]:
    """Return the days of a website, from `first` to `last`, on which a roll-up is kept, and the time of their last
    event."""
    found = db.execute(
        "-- open.days\nselect day, latest from open_days where site = ? and day between ? and ? and roll = ?",
        (site, first, last, name),
    )
    return {int(str(day)): int(str(latest)) for day, latest in found}


def kept_rolls(db: Connection) -> frozenset[OpenRoll]:
    """Return everything that is kept."""
    found = db.execute("-- open.rolls\nselect site, day, roll from open_days")
    return frozenset(OpenRoll(int(str(site)), int(str(day)), str(roll)) for site, day, roll in found)


def add(db: Connection, after: int, last: int) -> None:
    """Add new events, by their ids."""
    if kept := kept_rolls(db):
        values = {"after": after, "last": last}
        # Without the unary plus SQLite looks through all events of a website as long as the file has no statistics.
        within = "id > :after and id <= :last and (+site, {day}) in (select site, day from open_days)"
        _add(db, kept, within.format(day=f"time / {DAY}"), within.format(day=f"session_started / {DAY}"), values)


def begin(db: Connection, rolls: Collection[OpenRoll]) -> None:
    """Create these roll-ups. The file must know all events."""
    forget(db, rolls)
    for site, day in sorted({(roll.site, roll.day) for roll in rolls}):
        own = {roll for roll in rolls if (roll.site, roll.day) == (site, day)}
        values = {"site": site, "start": day * DAY, "end": (day + 1) * DAY}
        values |= {"earliest": day * DAY - SESSION_BEFORE, "latest": (day + 1) * DAY + SESSION_AFTER}
        db.executemany("-- open.begin\ninsert into open_days values (?, ?, ?, 0)", own)
        _add(
            db,
            own,
            "site = :site and time >= :start and time < :end",
            "site = :site and time >= :earliest and time < :latest"
            " and session_started >= :start and session_started < :end",
            values,
        )


def forget_days(db: Connection, days: Collection[tuple[int, int]]) -> None:
    """Remove all roll-ups of these days, while they are open."""
    if days:
        forget(db, [roll for roll in kept_rolls(db) if (roll.site, roll.day) in days])


def forget(db: Connection, rolls: Collection[OpenRoll]) -> None:
    """Remove these roll-ups, and what they have in the tables of closed days."""
    for site, day, name in rolls:
        db.execute("-- open.forget\ndelete from open_days where (site, day, roll) = (?, ?, ?)", (site, day, name))
        if name == SESSIONS:
            tables: tuple[str, ...] = ("open_sessions", "open_starts", "open_ends", "rolled_starts", "rolled_durations")
            tables += tuple(f"rolled_{roll.name}{kind}" for roll in OF_SESSIONS for kind in ("", "_ids"))
        else:
            tables = ("open_seen", "open_slots") if name == TIME.name else ()
            db.execute(
                "-- open.forget_ids\ndelete from open_ids where (site, day, roll) = (?, ?, ?)",
                (site, day, NUMBERS[name]),
            )
            for table in (f"rolled_{name}", f"rolled_{name}_ids"):
                db.execute(f"-- open.forget_cells\ndelete from {table} where site = ? and day = ?", (site, day))
        for table in tables:
            db.execute(f"-- open.forget_rows\ndelete from {table} where site = ? and day = ?", (site, day))


def _add(
    db: Connection, rolls: Collection[OpenRoll], of_events: str, of_sessions: str, values: Mapping[str, int]
) -> None:
    """Add the events for which `of_events` holds, and to sessions those for which `of_sessions` does, to these
    roll-ups."""
    for table, columns in TEMPORARY.items():
        db.execute(f"-- open.temporary\ncreate temp table if not exists {table} ({columns})")
    db.executemany("-- open.taken\ninsert into taken_days values (?, ?, ?)", rolls)
    names = {roll.roll for roll in rolls}
    if SESSIONS in names:
        add_sessions(db, of_sessions, values)
    if rolls_of_events := [roll for name, roll in _WITH_VISITORS.items() if name in names]:
        add_events(db, rolls_of_events, of_events, values)
    for table in TEMPORARY:
        db.execute(f"-- open.empty\ndelete from temp.{table}")
