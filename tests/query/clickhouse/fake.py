"""A server that keeps rows in lists, and on the way to which things go wrong."""

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from analytics_box.query.engines.clickhouse.server import Away

_MADE = re.compile(r"create table if not exists (\w+)")
_DROPPED = re.compile(r"drop table if exists (\w+)")
_LOOKED = re.compile(r"select (distinct )?(.+?) from (\w+)(?: where (.+?))?(?: order by (.+) limit (\d+))?")
_LISTED = re.compile(r"arrayJoin\(\[(.*)\]\)")
# A condition in SQL as Python's.
_AS_PYTHON = ((" <> ", " != "), (" = ", " == "), (" in (", " in (-9, "), ("if(", "chosen("))


def chosen(condition: bool, one: object, other: object) -> object:
    """What `if` is to ClickHouse."""
    return one if condition else other


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
        for sql, python in _AS_PYTHON:
            where = where.replace(sql, python)
        wanted = compile(where, "where", "eval")
        return [row for row in self.rows if eval(wanted, {"chosen": chosen}, row)]


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
            there = self.tables.get(dropped[1])
            self.through(lambda: self._drop(dropped[1], there))
        else:
            assert statement.endswith("apply deleted mask"), statement
            self.through(lambda: None)

    def _drop(self, name: str, there: Stored | None) -> None:
        """What is late drops the table that there was."""
        if self.tables.get(name) is there:
            self.tables.pop(name, None)

    def look(self, statement: str) -> list[tuple[Any, ...]]:
        if " union all " in statement:
            return [row for one in statement.split(" union all ") for row in self.look(one)]
        if " from system.tables " in statement:
            return [(name,) for name in self.tables]
        found = _LOOKED.fullmatch(statement)
        assert found, statement
        distinct, shown, table, where, order, limit = found.groups()
        rows = self.tables[table].of(where) if where else self.tables[table].rows
        if distinct:
            return [(value,) for value in {value for row in rows for value in _values(shown, row)}]
        names = shown.split(", ")
        if any("(" in name for name in names):
            return [tuple(_aggregate(name, rows) for name in names)]
        if order:
            rows = sorted(rows, key=lambda row: tuple(row[name] for name in order.split(", ")))[: int(limit)]
        return [tuple(row[name] for name in names) for row in rows]

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


def _values(shown: str, row: dict[str, Any]) -> list[Any]:
    listed = _LISTED.fullmatch(shown)
    return [row[name] for name in (listed[1].split(", ") if listed else [shown])]


def _aggregate(shown: str, rows: list[dict[str, Any]]) -> Any:
    if shown.startswith("'"):
        return shown.strip("'")
    if shown == "count()":
        return len(rows)
    function, _, name = shown.rstrip(")").partition("(")
    return {"min": min, "max": max}[function]([row[name] for row in rows], default=0)
