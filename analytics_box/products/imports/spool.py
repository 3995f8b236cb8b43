"""The spool of an import: what its reader found, in a separate file, in the order of time. It is made by a check."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from analytics_box.base.clock import DAY
from analytics_box.base.store.db import Connection
from analytics_box.products.imports.records import DayTotal, HistoryEvent

# Rows that are inserted, or read, together.
TOGETHER: Final = 5_000
_TABLES: Final = (
    "create table events (id integer primary key, time integer, visitor integer, is_view integer, body blob) strict",
    "create table totals (id integer primary key, day integer, body blob) strict",
)
_BODY: Final = msgspec.msgpack.Encoder()
_EVENT: Final = msgspec.msgpack.Decoder(HistoryEvent)
_TOTAL: Final = msgspec.msgpack.Decoder(DayTotal)


class SpooledEvent(NamedTuple):
    """An event with its place in the spool."""

    id: int
    event: HistoryEvent


class SpooledDay(Struct, frozen=True):
    """The contents of a day (days since 1970-01-01)."""

    day: int
    rows: int
    pageviews: int
    visitors: int


class Spool:
    """An open spool. `close` it at the end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db = Connection(str(path))
        self._db.execute("pragma cache_size = -16000; pragma temp_store = file")

    @classmethod
    def create(cls, path: Path) -> "Spool":
        """Begin an empty one."""
        path.unlink(missing_ok=True)
        spool = cls(path)
        spool._db.execute("pragma journal_mode = off; pragma synchronous = off")
        for table in _TABLES:
            spool._db.execute(table)
        return spool

    def add(self, records: Iterable[HistoryEvent | DayTotal]) -> None:
        """Add records."""
        events, totals = [], []
        for one in records:
            if isinstance(one, HistoryEvent):
                visitor, is_view = (None, False) if one.ai_agent else (one.visitor, not one.name)
                events.append((one.time, visitor, is_view, _BODY.encode(one)))
            else:
                totals.append((one.day, _BODY.encode(one)))
        with self._db:
            if events:
                self._db.executemany("insert into events (time, visitor, is_view, body) values (?, ?, ?, ?)", events)
            if totals:
                self._db.executemany("insert into totals (day, body) values (?, ?)", totals)

    def finish(self) -> None:
        """Order what was added, and have it on disk."""
        self._db.execute("create index by_time on events (time, id)")
        with self.path.open("rb") as opened:
            os.fsync(opened.fileno())

    def days(self) -> list[SpooledDay]:
        """The days with data, in their order."""
        rows = self._all(
            f"select time / {DAY} as day, count(*), sum(is_view), count(distinct visitor) from events group by day"
        )
        found = {int(row[0]): SpooledDay(*(int(value) for value in row)) for row in rows}
        for day, total in self._totals_by_day():
            found[day] = total
        return [found[day] for day in sorted(found)]

    def _totals_by_day(self) -> Iterator[tuple[int, SpooledDay]]:
        counts: dict[int, list[int]] = {}
        for _id, one in self.totals(0):
            rows = counts.setdefault(one.day, [0, 0, 0])
            rows[0] += 1
            if one.roll == "total":
                rows[1] += one.pageviews
                rows[2] += one.visitors
        return ((day, SpooledDay(day, *rows)) for day, rows in counts.items())

    def count(self) -> int:
        """The number of rows."""
        rows = self._all("select (select count(*) from events) + (select count(*) from totals)")
        return int(rows[0][0])

    def events(self) -> Iterator[SpooledEvent]:
        """All events in the order of their times."""
        after = (-1, 0)
        while rows := self._all(
            "select time, id, body from events where (time, id) > (?, ?) order by time, id limit ?", *after, TOGETHER
        ):
            after = (rows[-1][0], rows[-1][1])
            for _time, id_, body in rows:
                yield SpooledEvent(id_, _EVENT.decode(body))

    def totals(self, after: int) -> Iterator[tuple[int, DayTotal]]:
        """The totals behind the place `after`, with their places."""
        while rows := self._all("select id, body from totals where id > ? order by id limit ?", after, TOGETHER):
            after = rows[-1][0]
            yield from ((id_, _TOTAL.decode(body)) for id_, body in rows)

    def _all(self, statement: str, *values: object) -> list[Any]:
        return self._db.execute(statement, values).fetchall()

    def close(self) -> None:
        """Close the file."""
        self._db.close()
