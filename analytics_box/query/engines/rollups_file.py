"""The roll-ups: what of each UTC day of a website is kept in rollups.db, beside events.db.

The file is derived and can be deleted while the box does not run. At any time it is true of events.db as far as the id
of an event and the number of a change, `rolled_state`, say: until then every event that came or went has made its days
unrolled, and a day that is rolled up has what its rows then were. A question looks at this file first and at events.db
afterwards, so it sees in one snapshot of events.db what happened since, and reads those days from their rows. Whatever
is written here is written in one transaction, so a crash leaves it at an earlier state that is true as well.
"""

import hashlib
import json
import logging
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Final
from weakref import WeakSet

import apsw
from msgspec.structs import replace

from analytics_box.base.clock import DAY, HOUR, MINUTE
from analytics_box.base.store.db import Connection
from analytics_box.base.store.readers import BUSY_MS, LOG_KEPT, PROGRESS_STEPS
from analytics_box.base.store.schema import EVENTS_REWRITTEN
from analytics_box.query.engines import medians
from analytics_box.query.engines.day_batches import CLOSED, DayBatches, forget_spans
from analytics_box.query.engines.medians import BucketMedians, add_functions
from analytics_box.query.engines.rollups_state import (
    DayChanges,
    RollupsState,
    TouchedDays,
    has_changes,
    mark_of,
    newest,
    set_state,
    state_of,
    touched_days,
)
from analytics_box.query.engines.sql import open_days, open_tables
from analytics_box.query.engines.sql.open_days import OpenRoll
from analytics_box.query.engines.sql.rolling import TABLES, SiteDay
from analytics_box.query.plan import QueryPlan
from analytics_box.query.rollups import BY_DIMENSION, OF_SESSIONS, SPANS, Cut, Roll, cut, days_of, span

log = logging.getLogger(__name__)

FILE_NAME: Final = "rollups.db"
VERSION = 7  # of the derived tables; a file of another version is rebuilt
SCHEMA = "rollups"  # how readers of events.db know it
# A question asks for the roll-ups of its newest open days.
MOST_OPEN = 3
PIECE = 50_000  # events, or changes, that are looked at in one transaction
# A question that would read more new events than this does without the roll-ups of open days.
MOST_BEHIND = 20_000
# With more new events questions start the next round early. Each question reads these events, some 2 to 6 µs each, and
# a round takes 30 µs an event, so longer rounds make both slow.
SOON = 500
FAR = 50_000  # events or changes that the file is behind, from which on a question does without it
# Roll-ups of open days are dropped when no question asks for them any longer.
FORGOTTEN = HOUR
# The least time between two rebuilds of a roll-up of an open day.
BEGIN_AGAIN = MINUTE
# Rebuilds take at most one part in this number of the time.
BEGIN_SHARE = 20

_OF_PAGES = tuple(f"rolled_{roll.name}" for roll in BY_DIMENSION if roll.group == ("path",))


# What a file that is broken raises, or one that someone has removed.
_BROKEN: tuple[type[Exception], ...] = (
    *(apsw.CorruptError, apsw.NotADBError, apsw.CantOpenError, apsw.IOError, apsw.ReadOnlyError),
    OSError,
)
_OBJECTS = "-- rollups.objects\nselect name from {}.sqlite_schema"


class RollupsUnusable(Exception):
    """Raised when the file has to be rebuilt; the message gives the reason."""


@contextmanager
def rebuildable(file: "RollupsFile | None" = None, db: Connection | None = None) -> Iterator[None]:
    """Work with the file beside events.db, attached to a connection. Raises RollupsUnusable for what may be damage of
    the file.

    Readers of events.db would take it for damage of events.db, which cannot be rebuilt. If events.db is damaged after
    all, the same question without the file shows it. A statement that SQLite refuses is no damage, unless the file has
    lost a table: callers can cause it with a query, and must not cause the roll-ups to be rebuilt.
    """
    try:
        yield
    except apsw.SQLError as refused:
        if file is not None and file.is_whole(db):
            raise
        raise RollupsUnusable(str(refused)) from refused
    except _BROKEN as broken:
        raise RollupsUnusable(str(broken)) from broken


class RollupsFile:
    """An open rollups.db. `open_rollups` makes one. Questions attach it to connections to events.db; `advance` and
    `close` may be called by any thread."""

    def __init__(self, path: Path, connection: Connection) -> None:
        self.path = path
        self.is_well = True  # else it has to be rebuilt
        self.applied = state_of(connection).applied  # the last change that is no longer needed
        self.behind = 0  # how many events and changes the last question found that are not looked at yet
        self._connection = connection
        self._lock = Lock()
        self._closed = False
        self.medians = BucketMedians()
        self._batches = DayBatches(connection)
        self._seen: DayChanges | None = None  # by the last question
        self._attached: WeakSet[Connection] = WeakSet()
        # Roll-ups of open days that questions asked for since the last look, and when (UTC ms) before that.
        self._asked = open_days.kept_rolls(connection)
        self._asked_at: dict[OpenRoll, int] = {}
        self._begin_after: dict[OpenRoll, int] = {}
        self._objects = {name for (name,) in connection.execute(_OBJECTS.format("main"))}
        connection.set_progress_handler(lambda: self._closed, PROGRESS_STEPS)

    @property
    def is_late(self) -> bool:
        """Whether the next questions would be quicker if this file were brought up to date."""
        return self.behind >= SOON or not self._asked <= self._asked_at.keys()

    def is_whole(self, db: Connection | None) -> bool:
        """Whether the file has all its tables: as a connection to events.db sees it, or its own if there is none. A
        connection that has not attached the file cannot tell, and its statement did not read it."""
        connection, schema = (self._connection, "main") if db is None else (db, SCHEMA)
        if schema not in connection.db_names():
            return True
        try:
            return self._objects <= {name for (name,) in connection.execute(_OBJECTS.format(schema))}
        except apsw.Error:
            return False

    def attach(self, db: Connection) -> None:
        """Make the file known to a connection to events.db that is in no transaction."""
        if db not in self._attached:
            let_go(db)
            db.execute(f"-- rollups.attach\nattach ? as {SCHEMA}", (str(self.path),))
            db.pragma(f"{SCHEMA}.cache_size", -2_000)
            add_functions(db)
            self._attached.add(db)

    def cut(self, db: Connection, plan: QueryPlan, roll: Roll) -> Cut | None:
        """The plan in parts, in the transaction of a connection that has not looked at events.db yet."""
        state = state_of(db)
        latest_state = newest(db)
        self.behind = max(latest_state.last - state.last, 0) + latest_state.applied - state.applied
        if self.behind > FAR or not has_changes(db, state, latest_state):  # forgotten after the state was looked at
            return None
        first, last = days_of(plan)
        values: dict[str, str | int] = {
            "sites": json.dumps(plan.sites),
            "first": first,
            "last": last,
            "roll": roll.name,
        }
        within = "site in (select value from json_each(:sites)) and day between :first and :last"
        found = db.execute(
            f"""
            -- rollups.unrolled
            select day from days where not rolled and {within}
            union all select day from not_rolled where roll = :roll and {within}
            """,
            values,
        ).fetchall()
        unrolled = {int(str(day)) for (day,) in found}
        latest = self._latest_of_open_days(db, plan, roll, unrolled) if unrolled else {}
        touched = self._touched_since(db, state, latest_state) if self.behind else TouchedDays()
        unrolled |= {day.day for day in touched.days if day.site in plan.sites}
        latest = {day: last for day, last in latest.items() if SiteDay(plan.sites[0], day) not in touched.changed}
        made = cut(plan, roll, unrolled, _spans(db, plan, roll), latest)
        if made is None:
            return None
        made = replace(made, after=state.last)
        return self.medians.known(db, plan, _counted(db, made, values, self.behind))

    def _latest_of_open_days(
        self, db: Connection, plan: QueryPlan, roll: Roll, unrolled: Collection[int]
    ) -> dict[int, int]:
        """Return the days of which this roll-up is kept, and the time of their last event. Note what was asked for."""
        counts_sessions = roll not in OF_SESSIONS or "sessions" in plan.measures  # a page may have none any longer
        if len(plan.sites) != 1 or self.behind > MOST_BEHIND or not counts_sessions:
            return {}
        (site,), name = plan.sites, roll.name if roll.source == "events" else open_tables.SESSIONS
        self._asked = self._asked.union(OpenRoll(site, day, name) for day in sorted(unrolled)[-MOST_OPEN:])
        return open_days.latest_of_days(db, site, min(unrolled), max(unrolled), name)

    def _touched_since(self, db: Connection, state: RollupsState, until: RollupsState) -> TouchedDays:
        """The days that are not as they were at this state: a dozen questions of a page look at what is new once."""
        known = self._seen
        if known is not None and known.since == state and known.until.is_at_most(until):
            since, touched = known.until, known.touched
        else:
            since, touched = state, TouchedDays()
        if since != until:
            more = touched_days(db, since, until)
            touched = TouchedDays(touched.days | more.days, touched.changed | more.changed)
            self._seen = DayChanges(state, until, touched)
        return touched

    def advance(self, now: int) -> bool:
        """Look at what is new, and roll up some days that are over (`now` is in UTC ms); whether there is more to do.
        For a thread that may read events.db for a second or two."""
        with self._lock:
            if self._closed:
                return False
            try:
                with self._transaction():
                    goes_on = self._follow() or self._begin_open(now) or self._batches.roll(now)
                    self.medians.save(self._connection)
                    return goes_on
            except apsw.InterruptError:
                return False
            finally:
                self.applied = state_of(self._connection).applied

    def size(self) -> int:
        """Bytes on disk."""
        return sum(file.stat().st_size for file in _files(self.path) if file.exists())

    def close(self) -> None:
        """Close it, after what is under way has stopped."""
        self._closed = True
        with self._lock:
            self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("begin")
        try:
            yield
            self._connection.execute("commit")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("rollback")
            raise

    def _follow(self) -> bool:
        """Invalidate the roll-ups of days with new events, one batch at a time; return whether more remain."""
        db = self._connection
        latest, state = newest(db), state_of(db)
        if latest == state:
            return False
        until = RollupsState(min(latest.last, state.last + PIECE), min(latest.applied, state.applied + PIECE))
        touched = touched_days(db, state, until)
        db.execute(
            """
            -- rollups.touch
            insert into days select value ->> 0, value ->> 1, 0, 0 from json_each(?) where true
            on conflict do update set rolled = 0 where rolled
            """,
            (json.dumps([*touched.days]),),
        )
        open_days.forget_days(db, touched.changed)
        open_days.add(db, state.last, until.last)
        db.execute(
            f"""
            -- rollups.count_new
            update days set events = days.events + new.events from (
              select site, time / {DAY} as day, count(*) as events from stored_events
              where id > ? and id <= ? group by 1, 2
            ) as new where days.site = new.site and days.day = new.day
            """,
            (state.last, until.last),
        )
        medians.forget(db, touched.days)
        forget_spans(db, touched.days)
        set_state(db, until)
        return until != latest

    def _begin_open(self, now: int) -> bool:
        """Make the roll-ups of an open day that questions ask for, and forget those that none does. Return whether
        there may be more such days."""
        db, (asked, self._asked) = self._connection, (self._asked, frozenset())
        self._asked_at = {roll: at for roll, at in self._asked_at.items() if abs(now - at) < FORGOTTEN}
        self._asked_at |= dict.fromkeys(asked, now)
        self._begin_after = {roll: at for roll, at in self._begin_after.items() if now < at <= now + DAY}
        kept = open_days.kept_rolls(db)
        open_days.forget(db, kept - self._asked_at.keys())
        first, last = (now - CLOSED) // DAY, now // DAY
        wanted = [
            roll
            for roll in self._asked_at.keys() - kept - self._begin_after.keys()
            if first <= roll.day <= last and self._may_be_kept(roll)
        ]
        if not wanted:
            return False
        began, day = time.monotonic(), wanted[0][:2]
        begun = [roll for roll in wanted if roll[:2] == day]
        open_days.begin(db, begun)
        pause = max(BEGIN_AGAIN, BEGIN_SHARE * int(1_000 * (time.monotonic() - began)))
        self._begin_after |= dict.fromkeys(begun, now + pause)
        return True

    def _may_be_kept(self, roll: OpenRoll) -> bool:
        """Whether a day is not rolled up, and has enough events and not too many."""
        found = self._connection.execute(
            "-- rollups.may_be_kept\nselect 1 from days where site = ? and day = ? and not rolled"
            " and events between ? and ?",
            (roll.site, roll.day, open_days.FEWEST, open_days.MOST),
        )
        return bool(found.fetchall())


def open_rollups(path: Path, events: Path) -> RollupsFile:
    """Open the roll-ups of these facts, or begin new ones where there are none that could go on."""
    if path.exists():
        connection = None
        try:
            connection = _connect(path, events)
            _check(connection)
            return RollupsFile(path, connection)
        except (RollupsUnusable, apsw.Error) as why:
            if connection is not None:
                connection.close()
            log.info("Rebuilding the roll-ups: %s", why)
    forget_rollups(path)
    connection = _connect(path, events)
    with connection:
        _create(connection)
    return RollupsFile(path, connection)


def forget_rollups(path: Path) -> None:
    """Remove the file."""
    for file in _files(path):
        file.unlink(missing_ok=True)


def let_go(db: Connection) -> None:
    """Detach the roll-ups from a connection that has some."""
    if any(name == SCHEMA for name in db.db_names()):
        db.execute(f"-- rollups.let_go\ndetach {SCHEMA}")


def _files(path: Path) -> tuple[Path, ...]:
    return (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm"))


def _connect(path: Path, events: Path) -> Connection:
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(str(path), flags=flags)
    connection.set_busy_timeout(BUSY_MS)
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "normal")  # a file that has lost its last moments is true of an earlier one
    connection.pragma("cache_size", -4_000)
    connection.pragma("secure_delete", True)  # ids of people whose events were removed
    connection.pragma("journal_size_limit", LOG_KEPT)
    connection.pragma("temp_store", "file")
    connection.execute("attach ? as facts", (f"{events.absolute().as_uri()}?mode=ro",))
    connection.pragma("facts.cache_size", -4_000)
    add_functions(connection)
    return connection


def _create(db: Connection) -> None:
    for name, kept in TABLES.items():
        key = ", ".join(column.split()[0] for column in kept.key)
        if name not in _OF_PAGES:
            db.execute(f"create table {name} ({kept.columns}, primary key ({key})) without rowid")
    for statement in _pages():
        db.execute(statement)
    for statement in open_tables.TABLES:
        db.execute(statement)
    medians.create(db)
    db.execute("create index days_unrolled on days (day, site) where not rolled")
    db.execute("create table rolled_state (shape text, last integer, applied integer, mark text, roll integer)")
    db.execute("insert into rolled_state values (?, -1, ?, '', 0)", (_shape(), newest(db).applied))


def _pages() -> Iterator[str]:
    """The roll-ups by page as one table, which takes half the space of three: a view of it for each."""
    own = {name: {measure: f"{name}_{measure}" for measure in TABLES[name].others} for name in _OF_PAGES}
    counts = [column for columns in own.values() for column in columns.values()]
    yield (
        "create table rolled_pages (site integer, day integer, path integer, "
        + ", ".join(f"{column} integer not null default 0" for column in counts)
        + ", primary key (site, day, path)) without rowid"
    )
    here = "site = old.site and day = old.day and path = old.path"
    for name, columns in own.items():
        shown = ", ".join(f"{column} as {measure}" for measure, column in columns.items())
        counted = next(iter(columns.values()))
        yield f"create view {name} as select site, day, path, {shown} from rolled_pages where {counted} <> 0"
        yield (
            f"create trigger {name}_insert instead of insert on {name} begin"
            f" insert into rolled_pages (site, day, path, {', '.join(columns.values())})"
            f" values (new.site, new.day, new.path, {', '.join(f'new.{measure}' for measure in columns)})"
            f" on conflict do update set {', '.join(f'{one} = excluded.{one}' for one in columns.values())}; end"
        )
        yield (
            f"create trigger {name}_delete instead of delete on {name} begin"
            f" update rolled_pages set {', '.join(f'{column} = 0' for column in columns.values())} where {here};"
            f" delete from rolled_pages where {here} and {' + '.join(counts)} = 0; end"
        )


def _shape() -> str:
    """A hash of everything that the file depends on; migrations of events.db that rewrite rows do not record the
    affected days.
    """
    return hashlib.sha256(
        json.dumps([VERSION, SPANS, TABLES, *open_days.SHAPE, [*_pages()], [*EVENTS_REWRITTEN]]).encode()
    ).hexdigest()


def _check(db: Connection) -> None:
    """Whether it is an earlier state of these facts: all changes since are known, and its last row is theirs."""
    rows = db.execute("-- rollups.check\nselect shape, last, applied, mark from rolled_state").fetchall()
    if len(rows) != 1 or rows[0][0] != _shape():
        raise RollupsUnusable("they have another shape")
    state, latest = RollupsState(int(str(rows[0][1])), int(str(rows[0][2]))), newest(db)
    if state.applied > latest.applied or not has_changes(db, state, latest):
        raise RollupsUnusable("they have missed changes")
    changed = db.execute(
        "-- rollups.has_changed\nselect 1 from changes where source = 'events' and row = ? and id > ?", state
    ).fetchall()
    if not changed and mark_of(db, state.last) != rows[0][3]:
        raise RollupsUnusable("their events are others")


def _spans(db: Connection, plan: QueryPlan, roll: Roll) -> set[int]:
    """The spans of days that are rolled up, of a plan of one website."""
    if roll.by_time or len(plan.sites) != 1:
        return set()
    first, last = days_of(plan)
    within = " or ".join(f"day between {span(days, first)} and {span(days, last)}" for days in SPANS)
    found = db.execute(f"-- rollups.spans\nselect day from days where site = ? and ({within})", plan.sites).fetchall()
    return {int(str(key)) for (key,) in found}


def _counted(db: Connection, made: Cut, values: dict[str, str | int], behind: int) -> Cut:
    """The plan with the number of events in its range, and about how many rows its pieces read."""
    of_pieces = {day for start, end in made.pieces for day in range(start // DAY, -(-end // DAY))}
    ((events, read),) = db.execute(
        """
        -- rollups.counted
        select coalesce(sum(events), 0), coalesce(sum(iif(day in (select value from json_each(:pieces)), events, 0)), 0)
        from days where site in (select value from json_each(:sites)) and day between :first and :last
        """,
        values | {"pieces": json.dumps([*of_pieces])},
    ).fetchall()
    return replace(made, events=int(str(events)) + behind, read=int(str(read)) + behind)
