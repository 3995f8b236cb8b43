"""Removing strings and combinations that no row refers to: the rest of facts that were removed.

One walk through all facts marks what they have. What nothing marks is checked again inside the write that
removes it, because new rows may have come to use it.
"""

from functools import partial
from typing import NamedTuple

from analytics_box.base.facts import trimmed
from analytics_box.base.facts.layout import stored_table
from analytics_box.base.facts.tables import BY_NAME, COMBINATIONS, FACT_NAMES
from analytics_box.base.store.db import Connection
from analytics_box.base.store.strings import Combination
from analytics_box.products.people import traces
from analytics_box.products.people.erasure import Erasures
from analytics_box.products.people.traces import STRINGS

_AT_ONCE = 1_000  # that one write removes
_SECONDS = 60.0  # for a piece of the walk


class NumberWalk(NamedTuple):
    """A table, and which of its columns have numbers of a kind."""

    relation: str
    columns: tuple[str, ...]


class Marks:
    """Numbers that are in use, a bit each."""

    def __init__(self) -> None:
        self._bits = bytearray()

    def add(self, number: int) -> None:
        """This one is in use."""
        place = number >> 3
        if place >= len(self._bits):
            self._bits.extend(bytes(place + 1 - len(self._bits)))
        self._bits[place] |= 1 << (number & 7)

    def __contains__(self, number: int) -> bool:
        place = number >> 3
        return place < len(self._bits) and bool(self._bits[place] & 1 << (number & 7))


async def sweep(erasures: Erasures) -> int:
    """Remove the strings and combinations that nothing has; how many there were. Waits while a person is erased.

    Strings stay where facts are in ClickHouse only, which may have them.
    """
    async with erasures.lock:
        removed = 0
        has_all = not await erasures.events.read(trimmed.floors)
        for kind in traces.KINDS if has_all else traces.KINDS[:-1]:  # combinations before the strings they have
            removed += await _sweep_kind(erasures, kind)
        return removed


async def _sweep_kind(erasures: Erasures, kind: str) -> int:
    events = erasures.events
    # The last number stays: another string would get it, and the column replica takes what has a number for known.
    highest = await events.read(partial(traces.newest, table=kind)) - 1
    marks, tops = Marks(), {}
    for walk in _walks(kind):
        top = await events.read(partial(_newest, relation=walk.relation))
        tops[walk.relation] = top
        for after in range(0, top, traces.PIECE):
            found = await events.read(
                partial(_numbers, walk=walk, after=after, until=after + traces.PIECE), seconds=_SECONDS
            )
            for number in found:
                marks.add(number)
    removed, after = 0, 0
    while after < highest:
        ids, after = await events.read(partial(_ids, kind=kind, after=after, until=highest))
        unused = {number for number in ids if number not in marks}
        if unused:
            removed += await events.write(partial(_remove, erasures=erasures, kind=kind, numbers=unused, tops=tops))
    return removed


def _walks(kind: str) -> list[NumberWalk]:
    if kind != STRINGS:
        column = next(one.column for one in COMBINATIONS if one.table == kind)
        return [NumberWalk(stored_table(table), (column,)) for table in FACT_NAMES]
    tables = traces.tables_of(STRINGS)
    return [
        *(NumberWalk(table, BY_NAME[table].strings) for table in tables),
        *(NumberWalk(one.table, one.parts) for one in COMBINATIONS),
    ]


def _newest(db: Connection, *, relation: str) -> int:
    return int(str(db.execute(f"-- unused.newest\nselect coalesce(max(id), 0) from {relation}").fetchall()[0][0]))


def _numbers(db: Connection, *, walk: NumberWalk, after: int, until: int) -> set[int]:
    names = ", ".join(walk.columns)
    rows = db.execute(
        f"-- unused.numbers\nselect distinct {names} from {walk.relation} where id > ? and id <= ?", (after, until)
    )
    return {int(str(number)) for row in rows for number in row}


def _ids(db: Connection, *, kind: str, after: int, until: int) -> tuple[list[int], int]:
    """The next numbers that were given, and after which the others come."""
    rows = db.execute(
        f"-- unused.ids\nselect id from {kind} where id > ? and id <= ? order by id limit ?", (after, until, _AT_ONCE)
    ).fetchall()
    ids = [int(str(number)) for (number,) in rows]
    return ids, ids[-1] if len(ids) == _AT_ONCE else until


def _remove(db: Connection, *, erasures: Erasures, kind: str, numbers: set[int], tops: dict[str, int]) -> int:
    """Remove those of these that no row added in the meantime uses."""
    for table in traces.tables_of(kind):
        relation = stored_table(table) if kind != STRINGS else table
        numbers = numbers - traces.used(db, kind, table, numbers, tops[relation])
    numbers = numbers - _replaced_numbers(db, kind)
    if kind == STRINGS:
        numbers = numbers - traces.used_elsewhere(db, numbers)
        for one in COMBINATIONS:
            numbers = numbers - _in_new_combinations(db, one, tops[one.table])
        erasures.strings.forget({*traces.strings_numbered(db, numbers).values()})
    else:
        erasures.strings.forget_together(kind, numbers)
    traces.remove_unused(db, kind, numbers)
    return len(numbers)


def _replaced_numbers(db: Connection, kind: str) -> set[int]:
    """Numbers that rows of a session had recently: during the walk one may have moved from one row to another."""
    rows = db.execute("-- unused.replaced\nselect distinct number from replaced where kind = ?", (kind,)).fetchall()
    return {int(str(number)) for (number,) in rows}


def _in_new_combinations(db: Connection, one: Combination, top: int) -> set[int]:
    names = ", ".join(one.parts)
    rows = db.execute(f"-- unused.in_new_combinations\nselect {names} from {one.table} where id > ?", (top,)).fetchall()
    return {int(str(number)) for row in rows for number in row}
