"""A server that keeps rows in lists, and on the way to which things go wrong."""

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from analytics_box.query.engines.clickhouse import Away

_MADE = re.compile(r"create table if not exists (\w+)")
_DROPPED = re.compile(r"drop table if exists (\w+)")
_LOOKED = re.compile(r"select (.+) from (\w+)(?: where id = (-?\d+))?")
_REMOVED = re.compile(r"(?:id in \(([\d, ]+)\) and shipment < (\d+)|shipment = (\d+)|id = (\d+))")


class Killed(BaseException):
    """The box was killed here."""


class Stored:
    """A table: rows by the columns' names, and the tokens that it has seen."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.tokens: set[str] = set()

    def insert(self, columns: tuple[str, ...], lines: bytes, token: str) -> None:
        if token not in self.tokens:
            self.tokens.add(token)
            self.rows += [dict(zip(columns, json.loads(line), strict=True)) for line in lines.splitlines()]

    def remove(self, where: str) -> None:
        gone = self.of(where)
        self.rows = [row for row in self.rows if row not in gone]

    def of(self, where: str) -> list[dict[str, Any]]:
        """The rows that a condition is about."""
        found = _REMOVED.fullmatch(where)
        assert found, where
        ids, before, shipment, one = found.groups()
        wanted = frozenset(map(int, ids.split(","))) if ids else frozenset()
        return [
            row
            for row in self.rows
            if (ids and row["id"] in wanted and row["shipment"] < int(before))
            or (shipment and row["shipment"] == int(shipment))
            or (one and row["id"] == int(one))
        ]


class Fake:
    """What Server is to its callers. `fault` says what happens to a call that changes something: nothing, `lost` (done,
    but not answered), `refused`, `late` (done when `land` is called), `killed` (before it), `died` (after it)."""

    cluster = ""

    def __init__(self, fault: Callable[[], str]) -> None:
        self._fault = fault
        self.tables: dict[str, Stored] = {}
        self._late: list[Callable[[], object]] = []

    def land(self) -> None:
        """What was late arrives."""
        late, self._late = self._late, []
        for work in late:
            work()

    def forget(self) -> None:
        """A day later: nothing is on its way any more, and no token is known."""
        self._late.clear()
        for table in self.tables.values():
            table.tokens.clear()

    def close(self) -> None:
        pass

    def do(self, statement: str, *, waits: bool = True) -> None:
        made, dropped = _MADE.match(statement), _DROPPED.match(statement)
        if made:
            self.through(lambda: self.tables.setdefault(made[1], Stored()))
        elif dropped:
            self.through(lambda: self.tables.pop(dropped[1], None))
        else:
            assert statement.endswith("apply deleted mask"), statement
            self.through(lambda: None)

    def look(self, statement: str) -> list[tuple[Any, ...]]:
        if " from system.tables " in statement:
            return [(name,) for name in self.tables]
        if statement.startswith("select count() from "):
            table, _, where = statement.removeprefix("select count() from ").partition(" where ")
            return [(len(self.tables[table].of(where)),)]
        found = _LOOKED.fullmatch(statement)
        assert found, statement
        names, rows = found[1].split(", "), self.tables[found[2]].rows
        return [tuple(row[name] for name in names) for row in rows if found[3] is None or row["id"] == int(found[3])]

    def insert(self, table: str, columns: Iterable[str], lines: bytes, token: str) -> None:
        stored, given = self.tables[table], tuple(columns)  # what is late reaches the table that there was
        self.through(lambda: stored.insert(given, lines, token))

    def remove(self, table: str, where: str) -> None:
        stored = self.tables[table]
        self.through(lambda: stored.remove(where), may_be_late=False)

    def through(self, work: Callable[[], object], *, may_be_late: bool = True) -> None:
        """Do something, or what goes wrong with it."""
        fault = self._fault()
        if fault == "killed":
            raise Killed
        if fault == "late" and may_be_late:
            self._late.append(work)
        elif fault != "refused":
            work()
        if fault == "died":
            raise Killed
        if fault:
            raise Away("the network is down")
