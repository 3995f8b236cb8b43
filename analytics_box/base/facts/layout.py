"""The layout of facts on disk, and how their rows are written: the tables behind the views that all readers use.

Strings that occur together in few combinations are stored as one number, and the start of a session as `since_start`,
the time since then in ms.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

from analytics_box.base.facts.tables import (
    ATTRIBUTES,
    BY_NAME,
    CLOSED,
    COMBINATION_OF,
    FACT_NAMES,
    FACTS,
    TABLES,
    FactTable,
)
from analytics_box.base.store.db import Connection
from analytics_box.base.store.strings import EMPTY, Combination, Strings


def _parts() -> Iterator[tuple[Combination | None, int]]:
    for place, name in enumerate(ATTRIBUTES):
        combination = COMBINATION_OF.get(name)
        if combination is None or name == combination.parts[0]:
            yield combination, place


def _places() -> Iterator[tuple[Combination | None, int, int, bool]]:
    for combination, place in _parts():
        end = place + (1 if combination is None else len(combination.parts))
        yield combination, place, end, ATTRIBUTES[place] not in CLOSED


_PLACES = tuple(_places())  # of each stored attribute: its combination, where its texts begin and end, whether it folds
STORED_ATTRIBUTES = tuple(ATTRIBUTES[place] if one is None else one.column for one, place in _parts())
# What the number in each of these columns is of: the table of strings, or that of a combination.
KINDS = tuple("strings" if one is None else one.table for one, _ in _parts())


def stored_table(table: str) -> str:
    """The table in which rows are written and removed; a table of facts itself is a view for all who read."""
    return f"stored_{table}" if table in FACT_NAMES else table


# Columns of views that are stored under another name, and how views show them. Errors without a group, which earlier
# versions stored, are grouped by their message.
STORED_AS = {"session_started": "since_start", "fingerprint": "error_group"}
SHOWN_AS = {
    "events": ("iif(session = 0, 0, time - since_start) as session_started",),
    "errors": ("iif(error_group = 0, message, error_group) as fingerprint",),
}


def _columns(table: FactTable) -> tuple[str, ...]:
    if table not in FACTS:
        return table.names
    beside = [name for name in table.names if name not in ATTRIBUTES]
    before = beside[: table.names.index(ATTRIBUTES[0])]
    own = (STORED_AS.get(name, name) for name in before)
    return (*own, *STORED_ATTRIBUTES, *beside[len(before) :])


def _insert(table: str, columns: tuple[str, ...], rows: int = 1) -> str:
    row = f"({', '.join('?' * len(columns))})"
    return f"""
    -- facts.insert
    insert into {table} ({", ".join(columns)})
    values {", ".join([row] * rows)}
    """


# By table: the columns of a row as it is stored, and the statement that writes one.
STORED_COLUMNS = {table.name: _columns(table) for table in TABLES if table.appended}
INSERT = {table: _insert(stored_table(table), columns) for table, columns in STORED_COLUMNS.items()}
_TOGETHER = (32, 8)  # rows of one statement


@lru_cache
def _insert_many(table: str, rows: int) -> str:
    return _insert(stored_table(table), _columns(BY_NAME[table]), rows)


def insert(db: Connection, table: str, rows: Sequence[Sequence[object]]) -> None:
    """Write rows in few statements: the thread that writes hands the interpreter over at each of them."""
    done = 0
    for size in _TOGETHER:
        while len(rows) - done >= size:
            values = tuple(chain.from_iterable(rows[done : done + size]))
            db.execute(_insert_many(table, size), values)
            done += size
    if done < len(rows):
        db.executemany(_insert_many(table, 1), rows[done:])


def stored_attributes(db: Connection, strings: Strings, texts: tuple[str, ...]) -> tuple[int, ...]:
    """Attributes as they are stored, in the order of STORED_ATTRIBUTES. They are given in the order of ATTRIBUTES."""
    known = strings.recent.get
    numbers = []
    for combination, place, end, folds in _PLACES:
        if combination is None:
            text = texts[place]
            numbers.append(known(text) or (strings.folded if folds else strings.number)(db, text))
            continue
        parts = texts[place:end]
        if any(parts):
            numbers.append(known((combination.table, *parts)) or strings.together(db, combination, parts))
        else:
            numbers.append(EMPTY)
    return tuple(numbers)
