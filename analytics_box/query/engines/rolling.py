"""Rolling up days in the column replica: what of each UTC day of a website is kept beside its facts (query.rollups).

The table `days` has every UTC day on which a website has an event, or a session began, and whether it is rolled up:
a step of the replica says so no longer in the transaction that brings or takes such a row (columns). A day that is not
there has nothing. A batch of days is rolled up in one transaction of its own, beside questions and steps, and marked
in a step only if none has touched it meanwhile. So a question sees a day's roll-ups in a snapshot where they are true.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from analytics_box.clock import DAY
from analytics_box.facts.event import LASTS, PAGE_VIEW, VISITOR_BITS
from analytics_box.query.engines import sql
from analytics_box.query.engines.duckdb import DIALECT
from analytics_box.query.engines.sql.names import BOUNCED
from analytics_box.query.engines.sql.relations import relation
from analytics_box.query.engines.sql.texts import Values
from analytics_box.query.plan import Plan
from analytics_box.query.rollups import BY_DIMENSION, OF_EVENTS, OF_SESSIONS, SLOT, STARTS, TIME, Roll

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MOST_EVENTS = 300_000  # between the first and the last day of a batch, unless a single day has more
MOST_DAYS = 400  # from the first to the last of a batch
ALWAYS_PAYS = 1_000  # rows that a roll-up of a day may have whatever the day has
PAYS = 4  # events of a day for each row of a roll-up of it

# Days with a number each, or without, from JSON: as values in the statement thousands take seconds and much memory.
_LISTED = (
    "select (one ->> 0)::bigint as site, (one ->> 1)::bigint as day, (one ->> 2)::bigint as events"
    """ from (select unnest(from_json($1, '["json"]')) as one)"""
)
_ALIKE = f"visitor & {LASTS} = 0"
# The id of a session's start, which is of its day unless that row was erased (names.STARTER).
_OF_THE_START = f"{_ALIKE} and (starter >> {VISITOR_BITS}) in (0, 2, 6)"
_VISITOR = f"starter % {1 << VISITOR_BITS}"


class Day(NamedTuple):
    """A UTC day of a website."""

    site: int
    day: int


def _tables() -> Iterator[tuple[str, str]]:
    day = "site bigint, day bigint"
    yield "days", f"{day}, rolled boolean"
    yield "rolled_days", day  # that have rows in the tables below, whether or not they are true
    yield "not_rolled", f"{day}, roll varchar"  # what did not pay on a day that is rolled
    yield f"rolled_{TIME.name}", f"{day}, slot integer, {_integers('pageviews total_events firsts lasts')}"
    yield f"rolled_{TIME.name}_ids", f"{day}, visitor bigint, first_slot integer, last_slot integer"
    yield f"rolled_{STARTS.name}", f"{day}, slot integer, {_integers('sessions bounces total_events duration_total')}"
    yield "rolled_durations", f"{day}, slot integer, duration bigint"
    for roll in BY_DIMENSION:
        group = ", ".join(f"{name} integer" for name in roll.group)
        yield f"rolled_{roll.name}", f"{day}, {group}, {_integers(' '.join(sorted(roll.measures)))}"
        yield f"rolled_{roll.name}_ids", f"{day}, {group}, visitor bigint"


def _integers(names: str) -> str:
    return ", ".join(f"{name} bigint" for name in names.split())


TABLES = dict(_tables())
_OF_ROLLS = tuple(name for name in TABLES if name.startswith("rolled_"))


def create(connection: "DuckDBPyConnection") -> None:
    """Make the tables of roll-ups in a new replica."""
    for name, columns in TABLES.items():
        connection.execute(f"create table {name} ({columns})")


def unrolled(connection: "DuckDBPyConnection") -> set[Day]:
    """The days that are not rolled up."""
    return {Day(*found) for found in connection.execute("select site, day from days where not rolled").fetchall()}


def days_of(connection: "DuckDBPyConnection", ids: str) -> set[Day]:
    """The days of these events as the replica has them, by a list of ids, and those on which their sessions began."""
    rows = "from events where id in (select value from numbers_in($1))"
    found = connection.execute(
        f"select site, time // {DAY} {rows} union select site, session_started // {DAY} {rows} and session <> 0", [ids]
    )
    return {Day(*day) for day in found.fetchall()}


def mark(connection: "DuckDBPyConnection", days: Collection[Day], *, rolled: bool) -> None:
    """Say whether these days are rolled up."""
    if not days:
        return
    listed = [json.dumps([*days])]
    connection.execute(f"delete from days where (site, day) in (select (site, day) from ({_LISTED}))", listed)
    connection.execute(f"insert into days select site, day, {rolled} from ({_LISTED})", listed)


class Roller:
    """Rolls up batches of days on a connection of its own. `close` waits until one that is under way has stopped."""

    def __init__(self, connection: "DuckDBPyConnection") -> None:
        self._connection = connection
        self._lock = Lock()
        self._closed = False

    def roll(self, days: Collection[Day]) -> list[Day]:
        """Roll up some of these days, the earliest first; those that were. Once it is closed there are none."""
        with self._lock:
            if self._closed or not days:
                return []
            try:
                return self._roll(days)
            except Exception:
                with suppress(Exception):  # it is the first one that counts
                    self._connection.execute("rollback")
                if self._closed:
                    return []
                raise

    def close(self) -> None:
        self._closed = True
        self._connection.interrupt()
        with self._lock:
            self._connection.close()

    def _roll(self, days: Collection[Day]) -> list[Day]:
        self._connection.execute("begin")
        events = self._batch(days)
        batch = _Batch(self._do, events)
        if self._finds("from rolled_days semi join wanted_days using (site, day)"):
            batch.forget()
        batch.roll_events()
        batch.roll_sessions()
        if any(number > ALWAYS_PAYS for number in events.values()):
            batch.check_that_it_pays()
        self._do("insert into rolled_days select site, day from wanted_days")
        for table in ("wanted_days", "wanted_events", "wanted_visits", "wanted_sessions"):
            self._do(f"drop table {table}")
        self._connection.execute("commit")
        return list(events)

    def _batch(self, days: Collection[Day]) -> dict[Day, int]:
        """The first of these days, as many as may be read together, with the number of their events."""
        earliest = min(day.day for day in days)
        near = sorted((day for day in days if day.day < earliest + MOST_DAYS), key=lambda day: (day.day, day.site))
        found = self._connection.execute(
            f"select site, time // {DAY}, count(*) from events where time >= $1 and time < $2 group by 1, 2",
            [earliest * DAY, (near[-1].day + 1) * DAY],
        )
        numbers = {Day(site, day): number for site, day, number in found.fetchall()}
        per_day: Counter[int] = Counter()
        for (_, day), number in numbers.items():
            per_day[day] += number
        batch: dict[Day, int] = {}
        read_to, read = earliest, 0  # the events of all days between are read, also of those that are rolled up
        for wanted in near:
            if batch and read >= MOST_EVENTS:
                break
            batch[wanted] = numbers.get(wanted, 0)
            read += sum(per_day[day] for day in range(read_to, wanted.day + 1))
            read_to = wanted.day + 1
        return batch

    def _finds(self, source: str) -> bool:
        return bool(self._connection.execute(f"select 1 {source} limit 1").fetchall())

    def _do(self, statement: str, values: Values | list[str] | None = None) -> None:
        if self._closed:
            raise InterruptedError
        self._connection.execute(statement, values or {})


class _Batch:
    """Days that are rolled up together: their statements, in their order."""

    def __init__(self, do: Callable[..., None], events: dict[Day, int]) -> None:
        self._do = do
        self._sites = tuple(sorted({day.site for day in events}))
        self._start = min(day.day for day in events) * DAY
        self._end = (max(day.day for day in events) + 1) * DAY
        listed = json.dumps([[*day, number] for day, number in events.items()])
        do("create temp table wanted_days (site bigint, day bigint, events bigint)")
        do(f"insert into wanted_days {_LISTED}", [listed])

    def forget(self) -> None:
        """Remove what was rolled up of these days before."""
        for table in ("not_rolled", *_OF_ROLLS):
            self._do(f"delete from {table} where (site, day) in (select (site, day) from wanted_days)")

    def roll_events(self) -> None:
        self._of_events("wanted_events", f"time % {DAY} // {SLOT} as slot, kind, visitor, path")
        self._roll_time()
        attributes = sorted({name for roll in OF_EVENTS for name in roll.group} - {"path"})
        shown = f"visitor, {', '.join(attributes)}, count(case when kind = 1 then 1 end) as views"
        self._of_events("wanted_visits", shown, "and kind <> 3 group by all")
        for roll in OF_EVENTS:
            if roll.kinds == (PAGE_VIEW,):
                self._cells(roll, f"wanted_events where kind = {PAGE_VIEW}", "count(*)", _ALIKE)
            else:
                self._cells(roll, "wanted_visits where true", "sum(views)", _ALIKE)

    def _of_events(self, table: str, shown: str, more: str = "") -> None:
        """A table of what events of these days have."""
        self._do(
            f"create temp table {table} as select site, time // {DAY} as day, {shown} from events"
            f" where time >= {self._start} and time < {self._end} and bot = 0"
            f" and (site, time // {DAY}) in (select (site, day) from wanted_days) {more}"
        )

    def _roll_time(self) -> None:
        self._do(
            "create temp table seen as select site, day, visitor, min(slot) as first_slot, max(slot) as last_slot"
            " from wanted_events where kind <> 3 and visitor <> 0 group by all"
        )
        self._do(f"insert into rolled_{TIME.name}_ids by name select * from seen where not ({_ALIKE})")
        self._do(
            f"insert into rolled_{TIME.name}"
            " select site, day, slot, sum(views), sum(events), sum(firsts), sum(lasts) from ("
            " select site, day, slot, count(case when kind = 1 then 1 end) as views,"
            " count(case when kind <> 3 then 1 end) as events, 0 as firsts, 0 as lasts from wanted_events group by all"
            f" union all select site, day, first_slot, 0, 0, count(*), 0 from seen where {_ALIKE} group by all"
            f" union all select site, day, last_slot, 0, 0, 0, count(*) from seen where {_ALIKE} group by all"
            ") group by all"
        )
        self._do("drop table seen")

    def roll_sessions(self) -> None:
        plan = Plan("sessions", self._sites, self._start, self._end)
        shown = f"started % {DAY} / {SLOT} as slot, duration, events, case when {BOUNCED} then 1 else 0 end as bounced"
        self._sessions(plan, shown)
        self._do(
            f"insert into rolled_{STARTS.name} select site, day, slot, count(*), sum(bounced), sum(events),"
            " sum(duration) from wanted_sessions group by all"
        )
        self._do("insert into rolled_durations select site, day, slot, duration from wanted_sessions order by all")
        for roll in OF_SESSIONS:
            self._do("drop table wanted_sessions")
            self._sessions(
                Plan(roll.source, self._sites, self._start, self._end), f"path, starter, {_VISITOR} as visitor"
            )
            self._cells(roll, "wanted_sessions where true", "count(*)", _OF_THE_START)

    def _sessions(self, plan: Plan, shown: str) -> None:
        """The sessions that begin on these days, one by one."""
        values: Values = {}
        columns = f"site, started / {DAY} as day, {shown}"
        found = f"select {columns} from {relation(plan, columns, DIALECT, values)}"
        wanted = f"select * from ({found}) where (site, day) in (select (site, day) from wanted_days)"
        self._do(*sql.finished(f"create temp table wanted_sessions as {wanted}", "roll", DIALECT, values))

    def _cells(self, roll: Roll, source: str, counted: str, alike: str) -> None:
        """What a roll-up by dimensions has of these rows, which `counted` counts, and one by one the ids that are not
        `alike`."""
        group = ", ".join(roll.group)
        self._do(
            f"insert into rolled_{roll.name} select site, day, {group}, {counted},"
            f" count(distinct case when {alike} then nullif(visitor, 0) end) from {source} group by all"
        )
        self._do(
            f"insert into rolled_{roll.name}_ids select distinct site, day, {group}, visitor"
            f" from {source} and not ({alike})"
        )

    def check_that_it_pays(self) -> None:
        """Leave out what takes too many rows of a day for what it saves."""
        self._do(
            "create temp table taken as select roll, site, day, count(*) as rows from ("
            + " union all ".join(
                f"select '{roll.name}' as roll, site, day from rolled_{roll.name}{kind}"
                " where (site, day) in (select (site, day) from wanted_days)"
                for roll in BY_DIMENSION
                for kind in ("", "_ids")
            )
            + ") group by all"
        )
        self._do(
            "insert into not_rolled select site, day, roll from taken join wanted_days using (site, day)"
            f" where rows > greatest({ALWAYS_PAYS}, events // {PAYS})"
        )
        for roll in BY_DIMENSION:
            found = "from not_rolled semi join wanted_days using (site, day)"
            gone = f"(site, day) in (select (site, day) {found} where roll = '{roll.name}')"
            self._do(f"delete from rolled_{roll.name} where {gone}")
            self._do(f"delete from rolled_{roll.name}_ids where {gone}")
        self._do("drop table taken")
