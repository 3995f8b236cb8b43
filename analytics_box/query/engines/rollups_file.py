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
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple
from weakref import WeakSet

import apsw
from msgspec.structs import replace

from analytics_box.base.clock import DAY, HOUR, MINUTE
from analytics_box.base.store.connecting import BUSY_MS, LOG_KEPT
from analytics_box.base.store.db import Connection
from analytics_box.base.store.readers import PROGRESS_STEPS
from analytics_box.base.store.schema import EVENTS_REWRITTEN
from analytics_box.query.engines import bucket_medians
from analytics_box.query.engines.bucket_medians import BucketMedians
from analytics_box.query.engines.medians import add_functions
from analytics_box.query.engines.sql import visits
from analytics_box.query.engines.sql.rolling import OF_ROLLS, TABLES, RollupBatch, SiteDay
from analytics_box.query.engines.sql.texts import Values
from analytics_box.query.plan import QueryPlan
from analytics_box.query.rollups import (
    BY_DIMENSION,
    SPANS,
    Cut,
    Roll,
    cut,
    days_of,
    reads_visits,
    span,
    spans_of,
)

log = logging.getLogger(__name__)

FILE_NAME: Final = "rollups.db"
VERSION = 5  # of what is made of the rows; a file of another one is made anew
SCHEMA = "rollups"  # how readers of events.db know it
PIECE = 50_000  # events, or changes, that are looked at in one transaction
# A question that would read more new events than this does not use visits.
MOST_BEHIND = 5_000
FAR = 50_000  # events or changes that the file is behind, from which on a question does without it
MOST_EVENTS = 100_000  # of a batch of days, unless a single day has more
MOST_DAYS = 5_000  # that are looked for at once
CLOSED = HOUR  # after its end a day is rolled up: until then sessions go on into the next, and events come late
AGAIN = 10 * MINUTE  # between two roll-ups of a day
# The least time between two rebuilds of an open day's visits.
BEGIN_AGAIN = MINUTE

_OF_PAGES = tuple(f"rolled_{roll.name}" for roll in BY_DIMENSION if roll.group == ("path",))
_DAYS_OF_ROWS = f"site, time / {DAY} as day, iif(session = 0, time, time - since_start) / {DAY} as began"


# What a file that is broken raises, or one that somebody has removed.
_BROKEN: tuple[type[Exception], ...] = (
    *(apsw.CorruptError, apsw.NotADBError, apsw.SQLError, apsw.CantOpenError, apsw.IOError, apsw.ReadOnlyError),
    OSError,
)


class RollupsUnusable(Exception):
    """Raised when the file has to be rebuilt; the message gives the reason."""


@contextmanager
def rebuildable() -> Iterator[None]:
    """Work with the file beside events.db. Raises RollupsUnusable for what may be damage of the file.

    Readers of events.db would take it for damage of events.db, which cannot be rebuilt. If events.db is damaged after
    all, the same question without the file shows it.
    """
    try:
        yield
    except _BROKEN as broken:
        raise RollupsUnusable(str(broken)) from broken


class RollupsState(NamedTuple):
    """Until which event and which change the file is true."""

    last: int
    applied: int

    def is_at_most(self, other: "RollupsState") -> bool:
        """Whether the other one is the same or later, and has lost no newest event."""
        return self.last <= other.last and self.applied <= other.applied


class DayChanges(NamedTuple):
    """The days that came, went or changed from one state to another."""

    since: RollupsState
    until: RollupsState
    touched: "TouchedDays"


class TouchedDays(NamedTuple):
    """The days of events that came, went or changed, and among them the days of those that went or changed."""

    days: frozenset[SiteDay] = frozenset()
    changed: frozenset[SiteDay] = frozenset()


class RollupsFile:
    """An open rollups.db. `open_rollups` makes one. Questions attach it to connections to events.db; `advance` and
    `close` may be called by any thread."""

    def __init__(self, path: Path, connection: Connection) -> None:
        self.path = path
        self.is_well = True  # else it has to be made anew
        self.applied = _state(connection).applied  # the last change that nobody needs any more
        self.behind = 0  # how many events and changes the last question found that are not looked at yet
        self._connection = connection
        self._lock = Lock()
        self._closed = False
        self.medians = BucketMedians()
        self._seen: DayChanges | None = None  # by the last question
        self._attached: WeakSet[Connection] = WeakSet()
        self._rolled_at: dict[SiteDay, int] = {}  # UTC ms, of the last minutes
        self._begun_at: dict[visits.Day, int] = {}
        connection.set_progress_handler(lambda: self._closed, PROGRESS_STEPS)

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
        state = _state(db)
        newest = _newest(db)
        self.behind = _distance(state, newest)
        if self.behind > FAR or not _has_changes(db, state, newest):  # forgotten after the state was looked at
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
        touched = self._touched_since(db, state, newest) if self.behind else TouchedDays()
        unrolled |= {day.day for day in touched.days if day.site in plan.sites}
        made = cut(plan, roll, unrolled, _spans(db, plan, roll))
        if made is None:
            return None
        made = self._with_visits(db, plan, made, state, touched.changed)
        return self.medians.known(db, plan, _counted(db, made, values, self.behind))

    def _with_visits(
        self, db: Connection, plan: QueryPlan, made: Cut, state: RollupsState, changed: Collection[SiteDay]
    ) -> Cut:
        """Return the parts with the open days whose visits are read instead of their events."""
        if not made.pieces or len(plan.sites) != 1 or self.behind > MOST_BEHIND:
            return made
        (site,), days = plan.sites, days_of(plan)
        kept = [day for day in visits.days_with_visits(db, site, *days) if SiteDay(site, day) not in changed]
        return replace(made, open=tuple(day for day in kept if reads_visits(made, day)), after=state.last)

    def _touched_since(self, db: Connection, state: RollupsState, newest: RollupsState) -> TouchedDays:
        """The days that are not as they were at this state: a dozen questions of a page look at what is new once."""
        known = self._seen
        if known is not None and known.since == state and known.until.is_at_most(newest):
            since, touched = known.until, known.touched
        else:
            since, touched = state, TouchedDays()
        if since != newest:
            more = _touched_days(db, since, newest)
            touched = TouchedDays(touched.days | more.days, touched.changed | more.changed)
            self._seen = DayChanges(state, newest, touched)
        return touched

    def advance(self, now: int) -> bool:
        """Look at what is new, and roll up some days that are over (`now` is in UTC ms); whether there is more to do.
        For a thread that may read events.db for a second or two."""
        with self._lock:
            if self._closed:
                return False
            try:
                with self._transaction():
                    goes_on = self._follow() or self._roll(now)
                    self.medians.save(self._connection)
                    return goes_on
            except apsw.InterruptError:
                return False
            finally:
                self.applied = _state(self._connection).applied

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
        """Say which days are not rolled up any more, of a piece of what is new; whether there is more of it."""
        db = self._connection
        newest, state = _newest(db), _state(db)
        if newest == state:
            return False
        until = RollupsState(min(newest.last, state.last + PIECE), min(newest.applied, state.applied + PIECE))
        touched = _touched_days(db, state, until)
        db.execute(
            """
            -- rollups.touch
            insert into days select value ->> 0, value ->> 1, 0, 0 from json_each(?) where true
            on conflict do update set rolled = 0 where rolled
            """,
            (json.dumps([*touched.days]),),
        )
        visits.forget(db, touched.changed)
        visits.add(db, state.last, until.last)
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
        bucket_medians.forget(db, touched.days)
        spans = [[day.site, span(days, first)] for day in touched.days for days, first in spans_of(day.day)]
        _forget_spans(db, json.dumps(spans))
        _set_state(db, until)
        return until != newest

    def _roll(self, now: int) -> bool:
        """Roll up a batch of days that are over, and spans of them that are complete; whether there are more."""
        if self._begin_visits(now):
            return True
        self._rolled_at = {day: then for day, then in self._rolled_at.items() if 0 <= now - then < AGAIN}
        found = self._connection.execute(
            """
            -- rollups.to_roll
            select site, day from days where not rolled and day < ? order by day, site limit ?
            """,
            ((now - CLOSED) // DAY, MOST_DAYS + len(self._rolled_at)),
        ).fetchall()
        waiting = [
            day for day in (SiteDay(int(str(site)), int(str(day))) for site, day in found) if day not in self._rolled_at
        ]
        if not waiting:
            return False
        events = self._batch(waiting)
        batch = RollupBatch(self._do, events)
        batch.forget()
        batch.roll()
        visits.forget(self._connection, events)
        _mark(self._connection, events)
        spans = {SiteDay(site, span(days, first)): 0 for site, days, first in _complete(self._connection, events, now)}
        if spans:
            RollupBatch(self._do, spans).put_together()
            _mark(self._connection, spans)
        self._rolled_at |= dict.fromkeys(events, now)
        return len(events) < len(waiting) or len(found) >= MOST_DAYS

    def _begin_visits(self, now: int) -> bool:
        """Make the visits of some open days. Return whether there may be more such days."""
        self._begun_at = {day: then for day, then in self._begun_at.items() if 0 <= now - then < BEGIN_AGAIN}
        first, last = (now - CLOSED) // DAY, now // DAY
        begun = visits.begin(self._connection, first, last, self._begun_at)
        self._begun_at |= dict.fromkeys(begun, now)
        return bool(begun)

    def _do(self, statement: str, values: Values | list[str] | None = None) -> int:
        before = self._connection.total_changes()
        self._connection.execute(statement, values)
        return self._connection.total_changes() - before

    def _batch(self, days: list[SiteDay]) -> dict[SiteDay, int]:
        """The first of these days, as many as may be read together and no other day between them, with the number of
        their events."""
        batch: dict[SiteDay, int] = {}
        sites: set[int] = set()
        read, before = 0, days[0].day
        for day in sorted({day.day for day in days}):
            if day > before + 1 or read >= MOST_EVENTS:
                break
            wanted = {one.site for one in days if one.day == day}
            sites |= wanted
            counted = self._connection.execute(
                """
                -- rollups.count
                select site, count(*) from stored_events
                where site in (select value from json_each(?)) and time >= ? and time < ? group by site
                """,
                (json.dumps([*sites]), day * DAY, (day + 1) * DAY),
            ).fetchall()
            numbers = {int(str(site)): int(str(number)) for site, number in counted}
            read += sum(numbers.values())
            batch |= {SiteDay(site, day): numbers.get(site, 0) for site in wanted}
            before = day
        return batch


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
            log.info("Roll-ups are made anew: %s", why)
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
    for statement in visits.TABLES:
        db.execute(statement)
    bucket_medians.create(db)
    db.execute("create index days_unrolled on days (day, site) where not rolled")
    db.execute("create table rolled_state (shape text, last integer, applied integer, mark text, roll integer)")
    db.execute("insert into rolled_state values (?, -1, ?, '', 0)", (_shape(), _newest(db).applied))


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
        json.dumps([VERSION, SPANS, TABLES, visits.TABLES, [*_pages()], [*EVENTS_REWRITTEN]]).encode()
    ).hexdigest()


def _check(db: Connection) -> None:
    """Whether it is an earlier state of these facts: all changes since are known, and its last row is theirs."""
    rows = db.execute("-- rollups.check\nselect shape, last, applied, mark from rolled_state").fetchall()
    if len(rows) != 1 or rows[0][0] != _shape():
        raise RollupsUnusable("they have another shape")
    state, newest = RollupsState(int(str(rows[0][1])), int(str(rows[0][2]))), _newest(db)
    if state.applied > newest.applied or not _has_changes(db, state, newest):
        raise RollupsUnusable("they have missed changes")
    changed = db.execute(
        "-- rollups.has_changed\nselect 1 from changes where source = 'events' and row = ? and id > ?", state
    ).fetchall()
    if not changed and _mark_of(db, state.last) != rows[0][3]:
        raise RollupsUnusable("their events are others")


def _mark_of(db: Connection, row: int) -> str:
    """A fingerprint that tells an event from an event with the same id in other facts."""
    found = db.execute(
        "-- rollups.mark\nselect site, time, kind, visitor, session, path from stored_events where id = ?", (row,)
    )
    return json.dumps(found.fetchall()) if row >= 0 else ""


def _state(db: Connection) -> RollupsState:
    ((last, applied),) = db.execute("-- rollups.state\nselect last, applied from rolled_state").fetchall()
    return RollupsState(int(str(last)), int(str(applied)))


def _set_state(db: Connection, state: RollupsState) -> None:
    db.execute(
        "-- rollups.set_state\nupdate rolled_state set last = ?, applied = ?, mark = ?",
        (*state, _mark_of(db, state.last)),
    )


def _newest(db: Connection) -> RollupsState:
    ((last, applied),) = db.execute(
        """
        -- rollups.newest
        select (select coalesce(max(id), -1) from stored_events),
          coalesce((select seq from sqlite_sequence where name = 'changes'), 0)
        """
    ).fetchall()
    return RollupsState(int(str(last)), int(str(applied)))


def _has_changes(db: Connection, state: RollupsState, newest: RollupsState) -> bool:
    """Whether all changes since this state are still known."""
    ((found,),) = db.execute("-- rollups.oldest\nselect coalesce(min(id), 0) from changes").fetchall()
    oldest = int(str(found)) or newest.applied + 1
    return oldest - 1 <= state.applied


def _distance(state: RollupsState, newest: RollupsState) -> int:
    return max(newest.last - state.last, 0) + newest.applied - state.applied


def _touched_days(db: Connection, since: RollupsState, until: RollupsState) -> TouchedDays:
    """The days of events that came, went or changed since, before and after that."""
    found = db.execute(
        f"""
        -- rollups.touched
        with changed as (select * from changes where id > :applied and id <= :until_change and source = 'events')
        select 1, of_site, day, began from changed
        union select 1, {_DAYS_OF_ROWS} from stored_events where id in (select row from changed)
        union select 0, {_DAYS_OF_ROWS} from stored_events where id > :last and id <= :until_row
        """,
        {"applied": since.applied, "until_change": until.applied, "last": since.last, "until_row": until.last},
    ).fetchall()
    days = {(SiteDay(int(str(site)), int(str(day))), changed) for changed, site, *both in found for day in both}
    return TouchedDays(frozenset(day for day, _ in days), frozenset(day for day, changed in days if changed))


def _spans(db: Connection, plan: QueryPlan, roll: Roll) -> set[int]:
    """The spans of days that are rolled up, of a plan of one website."""
    if roll.by_time or len(plan.sites) != 1:
        return set()
    first, last = days_of(plan)
    within = " or ".join(f"day between {span(days, first)} and {span(days, last)}" for days in SPANS)
    found = db.execute(f"-- rollups.spans\nselect day from days where site = ? and ({within})", plan.sites).fetchall()
    return {int(str(key)) for (key,) in found}


def _counted(db: Connection, made: Cut, values: dict[str, str | int], behind: int) -> Cut:
    """The plan with the number of events in its range, and the number on the days of its pieces."""
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


def _mark(db: Connection, days: Mapping[SiteDay, int]) -> None:
    """Say that these days are rolled up, with so many events each, and number this roll-up."""
    db.execute("-- rollups.number\nupdate rolled_state set roll = roll + 1")
    db.execute(
        """
        -- rollups.rolled
        insert or replace into days
        select value ->> 0, value ->> 1, (select roll from rolled_state), value ->> 2 from json_each(?)
        """,
        (json.dumps([(*day, events) for day, events in days.items()]),),
    )


def _complete(db: Connection, days: Collection[SiteDay], now: int) -> set[tuple[int, int, int]]:
    """The spans with one of these days, or right before such a span, that are over and all rolled up: (site, how many
    days, the first of them)."""
    spans = {(day.site, *one) for day in days for one in spans_of(day.day)}
    spans |= {(site, days_, first - days_) for site, days_, first in spans}
    over = [one for one in spans if one[2] + one[1] <= (now - CLOSED) // DAY]
    found = db.execute(
        f"""
        -- rollups.complete
        with span as (
          select value ->> 0 as of_site, value ->> 1 as days, value ->> 2 as first from json_each(?)
        )
        select of_site, days, first from span
        where not exists (select 1 from days where site = of_site and day = span.days * {span(1, 0)} + first)
        and not exists (
          select 1 from days where site = of_site and day >= first and day < first + span.days and not rolled
        )
        """,
        (json.dumps(over),),
    ).fetchall()
    return {(int(str(site)), int(str(many)), int(str(first))) for site, many, first in found}


def _forget_spans(db: Connection, spans: str) -> None:
    """Remove the spans that are there of these, a list of [site, key]."""
    found = db.execute(
        """
        -- rollups.spans_of
        select distinct days.site, days.day from json_each(?) as one
        join days on days.site = one.value ->> 0 and days.day = one.value ->> 1
        """,
        (spans,),
    ).fetchall()
    for table in ("days", *OF_ROLLS) if found else ():
        db.executemany(f"-- rollups.forget_span\ndelete from {table} where site = ? and day = ?", found)
