"""Traces of a person in events.db: rows of events and spans, the strings that they refer to, and which no row needs.

There is no index on visitors, so rows are walked through by id, a piece at a time: each piece is a short read.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from msgspec import Struct

from analytics_box.base.facts.layout import stored_table
from analytics_box.base.facts.tables import BY_NAME, COMBINATIONS, FACT_NAMES, TABLES
from analytics_box.base.store.db import Connection
from analytics_box.products.people.rules import Stay

PIECE = 50_000  # rows that one read looks at
UNKNOWN = -1  # the number of a profile id that no text here has


class TraceSubject(Struct, frozen=True):
    """The subject of traces: a person, by the number of the profile id and the stays in visitors; or, with the number
    0, a device, whatever person it was then.

    A row that names another profile is not the person's, even if it is of the same visitor.
    """

    site: int
    profile: int
    stays: tuple[Stay, ...]

    def has(self, visitor: int, time: int, profile: int) -> bool:
        """Whether a row of this visitor at this time (UTC ms), which names this profile or none, is theirs."""
        if self.profile and profile:
            return profile == self.profile
        return any(stay.visitor == visitor and stay.since <= time < stay.until for stay in self.stays)


class TraceRow(NamedTuple):
    """A row. `values` are in the order of the columns (facts.tables)."""

    id: int
    session: int
    values: tuple[Any, ...]


def newest(db: Connection, table: str) -> int:
    """The largest id in a table; 0 where it is empty."""
    row = db.execute(f"-- traces.newest\nselect coalesce(max(id), 0) from {table}").fetchone()
    return int(str(row[0])) if row else 0


def find(db: Connection, table: str, subject: TraceSubject, after: int, until: int | None = None) -> list[TraceRow]:
    """The subject's rows with ids above `after`, up to `until`, oldest first."""
    names = BY_NAME[table].names
    limit = "" if until is None else "and id <= :until"
    rows = db.execute(
        f"""
        -- traces.find
        select id, session, {", ".join(names)} from {table}
        where id > :after {limit} and site = :site
          and (
            (profile <> 0 and profile = :profile)
            or visitor in (select value from json_each(:visitors))
          )
        order by id
        """,
        {
            "after": after,
            "until": until,
            "site": subject.site,
            "profile": subject.profile,
            "visitors": json.dumps(sorted({stay.visitor for stay in subject.stays})),
        },
    )
    visitor, time, profile = (names.index(name) + 2 for name in ("visitor", "time", "profile"))
    return [
        TraceRow(int(str(row[0])), int(str(row[1])), tuple(row[2:]))
        for row in rows.fetchall()
        if subject.has(int(str(row[visitor])), int(str(row[time])), int(str(row[profile])))
    ]


def strings_of(table: str, traces: Iterable[TraceRow]) -> set[int]:
    """The numbers of all strings that these rows refer to."""
    places = [BY_NAME[table].names.index(name) for name in BY_NAME[table].strings]
    return {trace.values[place] for trace in traces for place in places} - {0}


def remove(db: Connection, table: str, traces: Iterable[TraceRow]) -> None:
    """Delete these rows; SQLite overwrites them with zeros."""
    with zero_deleted(db):
        db.execute(
            f"-- traces.remove\ndelete from {stored_table(table)} where id in (select value from json_each(?))",
            (json.dumps([trace.id for trace in traces]),),
        )


def strings_numbered(db: Connection, strings: Iterable[int]) -> dict[int, str]:
    """The strings with these numbers."""
    rows = db.execute(
        "-- traces.named\nselect id, value from strings where id in (select value from json_each(?))",
        (json.dumps(sorted(strings)),),
    )
    return {int(str(number)): str(value) for number, value in rows.fetchall()}


@contextmanager
def zero_deleted(db: Connection) -> Iterator[None]:
    """Overwrite deleted rows with zeros inside this block."""
    db.pragma("secure_delete", True)
    try:
        yield
    finally:
        db.pragma("secure_delete", False)


STRINGS = "strings"
_COLUMNS = {one.table: one.column for one in COMBINATIONS}
# The tables of what rows refer to. Strings come last, for combinations have them too.
KINDS = (*_COLUMNS, STRINGS)
# Strings in other tables than the long ones, which are walked through: these are read in one go.
_ELSEWHERE = tuple(
    (table.name, name)
    for table in TABLES
    if not table.appended and table.name not in _COLUMNS
    for name in table.strings
)


def tables_of(kind: str) -> tuple[str, ...]:
    """The long tables whose rows refer to such."""
    return tuple(table.name for table in TABLES if table.appended and table.strings) if kind == STRINGS else FACT_NAMES


def references_of(db: Connection, table: str, found: Sequence[TraceRow]) -> dict[str, set[int]]:
    """The numbers of all that these rows refer to, by kind. To be asked before they are removed."""
    columns = ", ".join(_COLUMNS.values())
    rows = db.execute(
        f"-- traces.of\nselect {columns} from {stored_table(table)} where id in (select value from json_each(?))",
        (json.dumps([trace.id for trace in found]),),
    ).fetchall()
    numbers = {kind: {int(str(row[place])) for row in rows} - {0} for place, kind in enumerate(_COLUMNS)}
    return numbers | {STRINGS: strings_of(table, found)}


def take_replaced(db: Connection, site: int, sessions: Collection[int]) -> dict[str, set[int]]:
    """Find and forget what rows of these sessions had before."""
    found: dict[str, set[int]] = {kind: set() for kind in KINDS}
    rows = db.execute(
        """
        -- traces.replaced
        delete from replaced where site = ? and session in (select value from json_each(?)) returning kind, number
        """,
        (site, json.dumps(sorted(sessions))),
    )
    for kind, number in rows.fetchall():
        found[str(kind)].add(int(str(number)))
    for table, _, parts, *_ in COMBINATIONS:
        columns, listed = ", ".join(parts), json.dumps(sorted(found[table]))
        rows = db.execute(
            f"-- traces.replaced\nselect {columns} from {table} where id in (select value from json_each(?))",
            (listed,),
        )
        found[STRINGS] |= {int(str(number)) for row in rows.fetchall() for number in row} - {0}
    return found


def used(
    db: Connection, kind: str, table: str, numbers: Collection[int], after: int, until: int | None = None
) -> set[int]:
    """The numbers that rows with ids above `after`, up to `until`, refer to."""
    relation, names = _referring(kind, table)
    limit = "" if until is None else "and id <= :until"
    conditions = " or ".join(f"{name} in (select value from json_each(:numbers))" for name in names)
    rows = db.execute(
        f"""
        -- traces.used
        select distinct {", ".join(names)} from {relation} where id > :after {limit} and ({conditions})
        """,
        {"after": after, "until": until, "numbers": json.dumps(sorted(numbers))},
    ).fetchall()
    return {int(str(number)) for row in rows for number in row} & {*numbers}


def used_elsewhere(db: Connection, numbers: Collection[int]) -> set[int]:
    """The strings that shorter tables use, such as the ids of known people."""
    has_one = " or ".join(f"value in (select {name} from {table})" for table, name in _ELSEWHERE)
    rows = db.execute(
        f"-- traces.used_elsewhere\nselect value from json_each(?) where {has_one}", (json.dumps(sorted(numbers)),)
    )
    return {int(str(row[0])) for row in rows.fetchall()}


def _referring(kind: str, table: str) -> tuple[str, tuple[str, ...]]:
    """The source and the columns of a table's numbers of this kind."""
    if kind != STRINGS:
        return stored_table(table), (_COLUMNS[kind],)
    return table, BY_NAME[table].strings


def remove_unused(db: Connection, kind: str, numbers: Collection[int]) -> None:
    """Delete these strings or combinations, and with strings the combinations that have them, which no row has any
    more either; SQLite overwrites them with zeros."""
    listed = json.dumps(sorted(numbers))
    with zero_deleted(db):
        db.executemany(f"-- traces.remove\ndelete from {kind} where id = ?", [(number,) for number in numbers])
        for table, _, parts, *_ in COMBINATIONS if kind == STRINGS else ():
            has_one = " or ".join(f"{part} in (select value from json_each(:numbers))" for part in parts)
            db.execute(f"-- traces.remove\ndelete from {table} where {has_one}", {"numbers": listed})
