"""Rolling up days in the column replica: what of each UTC day of a website is kept beside its facts (query.rollups).

Days that are rolled up are put together to spans of many, which stand beside them under keys of their own
(query.rollups.span): a long range reads few rows then.

A step of the replica says of a day that it is rolled up no longer in the transaction that brings or takes a row of it
(columns), and forgets the spans with it. A batch of days, or of spans, is rolled up in one transaction of its own,
beside questions and steps, and marked in a step only if none has touched it meanwhile. So a question sees roll-ups in
a snapshot where they are true.
"""

import json
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING

from analytics_box.clock import DAY
from analytics_box.query.engines.duckdb import DIALECT
from analytics_box.query.engines.sql.durations import packed
from analytics_box.query.engines.sql.rolling import SITE_AND_DAY, TABLES, Batch, Day, Kept, Rolling
from analytics_box.query.engines.sql.texts import Values
from analytics_box.query.rollups import FIRST_SPAN, SPANS, TIME, days_in, span, spans_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MOST_EVENTS = 300_000  # between the first and the last day of a batch, or of its spans, unless a single one has more
MOST_DAYS = 400  # from the first to the last of a batch
MOST_SPANS = 64  # of a batch
# Days with a number each, or without, from JSON: as values in the statement thousands take seconds and much memory.
_LISTED = (
    "select (one ->> 0)::bigint as site, (one ->> 1)::bigint as day, (one ->> 2)::bigint as events"
    """ from (select unnest(from_json($1, '["json"]')) as one)"""
)
_ROLLING = Rolling(
    DIALECT,
    _LISTED,
    "events\nwhere true",
    packed(DIALECT.class_of, SITE_AND_DAY),
    ends_beside=True,
)


# Durations by class: a median is looked for in one or two of them, however many there are.
_OWN = dict(TABLES) | {
    "rolled_durations": Kept(
        ("site", "day", "class tinyint", "portion tinyint"), ("ends integer[]", "durations integer[]")
    )
}


def create(connection: "DuckDBPyConnection") -> None:
    """Make the tables of roll-ups in a new replica."""
    for name, kept in _OWN.items():
        connection.execute(f"create table {name} ({kept.columns})")


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
    """Say whether these days are rolled up, or these spans of them. No span has a day that is not."""
    if not days:
        return
    listed = [json.dumps([*days])]
    untrue = set(days)
    if not rolled:
        untrue |= {Day(site, span(*one)) for site, day in days for one in spans_of(day)}
    connection.execute(
        f"delete from days where (site, day) in (select (site, day) from ({_LISTED}))", [json.dumps([*untrue])]
    )
    connection.execute(f"insert into days select site, day, {rolled} from ({_LISTED})", listed)


def complete(connection: "DuckDBPyConnection", over: int) -> list[Day]:
    """The spans of several days that are all rolled up, and end before the day `over`; those that are not there."""
    found = " union all ".join(
        f"select site, {span(days, 0)} + day // {days} * {days} as day from days where day < {FIRST_SPAN} group by all"
        f" having bool_and(rolled) and count(*) > 1 and min(day) // {days} * {days} + {days} <= $1"
        for days in SPANS
    )
    rows = connection.execute(f"select site, day from ({found}) anti join days using (site, day) order by day", [over])
    return [Day(*one) for one in rows.fetchall()]


class Roller:
    """Rolls up batches of days on a connection of its own. `close` waits until one that is under way has stopped."""

    def __init__(self, connection: "DuckDBPyConnection") -> None:
        self._connection = connection
        self._lock = Lock()
        self._closed = False
        self._most_events = MOST_EVENTS  # of the next batch

    def roll(self, days: Collection[Day]) -> list[Day]:
        """Roll up some of these days, or some of these spans, the earliest first; those that were. Once it is closed
        there are none. After a failure, as for want of memory beside questions, a batch is a quarter of the last."""
        with self._lock:
            if self._closed or not days:
                return []
            try:
                rolled = self._roll(days)
                self._most_events = min(2 * self._most_events, MOST_EVENTS)
                return rolled
            except Exception:
                self._most_events = max(self._most_events // 4, 1)
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
        spans = [day for day in days if day.day >= FIRST_SPAN]
        self._connection.execute("begin")
        events = self._batch_of_spans(spans[:MOST_SPANS]) if spans else self._batch(days)
        batch = Batch(self._do, _ROLLING, events)
        if self._finds("from rolled_days semi join wanted_days using (site, day)"):
            batch.forget()
        if spans:
            batch.put_together()
        else:
            batch.roll()
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
            if batch and read >= self._most_events:
                break
            batch[wanted] = numbers.get(wanted, 0)
            read += sum(per_day[day] for day in range(read_to, wanted.day + 1))
            read_to = wanted.day + 1
        return batch

    def _batch_of_spans(self, spans: list[Day]) -> dict[Day, int]:
        """The first of these spans, as many as may be put together at once, with the number of their events."""
        days = [days_in(wanted.day) for wanted in spans]
        found = self._connection.execute(
            f"select site, day, sum(total_events) from rolled_{TIME.name} where day between $1 and $2 group by 1, 2",
            [min(within[0] for within in days), max(within[-1] for within in days)],
        )
        numbers = {Day(site, day): int(number) for site, day, number in found.fetchall()}
        batch: dict[Day, int] = {}
        for wanted, within in zip(spans, days, strict=True):
            if sum(batch.values()) >= self._most_events:
                break
            batch[wanted] = sum(numbers.get(Day(wanted.site, day), 0) for day in within)
        return batch

    def _finds(self, source: str) -> bool:
        return bool(self._connection.execute(f"select 1 {source} limit 1").fetchall())

    def _do(self, statement: str, values: Values | list[str] | None = None) -> int:
        if self._closed:
            raise InterruptedError
        written = self._connection.execute(statement, values or {}).fetchone()
        return int(written[0]) if written else 0
