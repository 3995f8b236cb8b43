"""Strings and their combinations that removed rows referred to, and whether any other row still does."""

import json
from collections.abc import Collection, Sequence

from analytics_box.base.facts.layout import stored_table
from analytics_box.base.facts.tables import BY_NAME, COMBINATIONS, FACT_NAMES, TABLES
from analytics_box.base.store.db import Connection
from analytics_box.products.people.traces import TraceRow, strings_of, zero_deleted

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


def tables(kind: str) -> tuple[str, ...]:
    """The long tables whose rows refer to such."""
    return tuple(table.name for table in TABLES if table.appended and table.strings) if kind == STRINGS else FACT_NAMES


def of(db: Connection, table: str, found: Sequence[TraceRow]) -> dict[str, set[int]]:
    """The numbers of all that these rows refer to, by kind. To be asked before they are removed."""
    columns = ", ".join(_COLUMNS.values())
    rows = db.execute(
        f"-- leftovers.of\nselect {columns} from {stored_table(table)} where id in (select value from json_each(?))",
        (json.dumps([trace.id for trace in found]),),
    ).fetchall()
    numbers = {kind: {int(str(row[place])) for row in rows} - {0} for place, kind in enumerate(_COLUMNS)}
    return numbers | {STRINGS: strings_of(table, found)}


def take_replaced(db: Connection, site: int, sessions: Collection[int]) -> dict[str, set[int]]:
    """Find and forget what rows of these sessions had before."""
    found: dict[str, set[int]] = {kind: set() for kind in KINDS}
    rows = db.execute(
        """
        -- leftovers.replaced
        delete from replaced where site = ? and session in (select value from json_each(?)) returning kind, number
        """,
        (site, json.dumps(sorted(sessions))),
    )
    for kind, number in rows.fetchall():
        found[str(kind)].add(int(str(number)))
    for table, _, parts, *_ in COMBINATIONS:
        columns, listed = ", ".join(parts), json.dumps(sorted(found[table]))
        rows = db.execute(
            f"-- leftovers.replaced\nselect {columns} from {table} where id in (select value from json_each(?))",
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
        -- leftovers.used
        select distinct {", ".join(names)} from {relation} where id > :after {limit} and ({conditions})
        """,
        {"after": after, "until": until, "numbers": json.dumps(sorted(numbers))},
    ).fetchall()
    return {int(str(number)) for row in rows for number in row} & {*numbers}


def used_elsewhere(db: Connection, numbers: Collection[int]) -> set[int]:
    """The strings that shorter tables use, such as the ids of known people."""
    has_one = " or ".join(f"value in (select {name} from {table})" for table, name in _ELSEWHERE)
    rows = db.execute(
        f"-- leftovers.used_elsewhere\nselect value from json_each(?) where {has_one}", (json.dumps(sorted(numbers)),)
    )
    return {int(str(row[0])) for row in rows.fetchall()}


def _referring(kind: str, table: str) -> tuple[str, tuple[str, ...]]:
    """The source and the columns of a table's numbers of this kind."""
    if kind != STRINGS:
        return stored_table(table), (_COLUMNS[kind],)
    return table, BY_NAME[table].strings


def remove(db: Connection, kind: str, numbers: Collection[int]) -> None:
    """Delete these strings or combinations, and with strings the combinations that have them, which no row has any
    more either; SQLite overwrites them with zeros."""
    listed = json.dumps(sorted(numbers))
    with zero_deleted(db):
        db.executemany(f"-- leftovers.remove\ndelete from {kind} where id = ?", [(number,) for number in numbers])
        for table, _, parts, *_ in COMBINATIONS if kind == STRINGS else ():
            has_one = " or ".join(f"{part} in (select value from json_each(:numbers))" for part in parts)
            db.execute(f"-- leftovers.remove\ndelete from {table} where {has_one}", {"numbers": listed})
