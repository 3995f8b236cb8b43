"""A string that any row of any table still has is never deleted, whatever table or column is added later."""

from typing import Any

from analytics_box.base.facts.layout import STORED_AS, STORED_COLUMNS, stored_table
from analytics_box.base.facts.tables import BY_NAME, COMBINATIONS, FACT_NAMES, TABLES
from analytics_box.base.store.db import Connection
from tests.products.people.world import ACTOR, Said, World, event

# Combinations go once no row has them: their parts are tried in the rows that do.
COLUMNS = [
    (table.name, column)
    for table in TABLES
    if table.name not in {one.table for one in COMBINATIONS}
    for column in table.strings
]
_LEAST: dict[str, Any] = {"id": "an erasure", "kind": 1, "count": 1, "email": None}
_EMPTY: dict[str, Any] = {"text": "[]", "blob": b""}


def _insert(db: Connection, table: str, row: dict[str, Any]) -> None:
    names, places = ", ".join(row), ", ".join("?" * len(row))
    db.execute(f"insert into {table} ({names}) values ({places})", tuple(row.values()))


def _insert_having(db: Connection, table: str, column: str, number: int) -> None:
    """A row with this string in this column, and nothing else of which there is a string."""
    kinds = {one.name: one.kind for one in BY_NAME[table].columns}
    names = (*STORED_COLUMNS.get(table, kinds), *(("id",) if table == "erasures" else ()))
    row = {name: _LEAST.get(name, _EMPTY.get(kinds.get(name, ""), 0)) for name in names}
    combination = next((one for one in COMBINATIONS if column in one.parts and table in FACT_NAMES), None)
    if combination is None:
        row[STORED_AS.get(column, column)] = number
    else:
        _insert(db, combination.table, {part: number if part == column else 0 for part in combination.parts})
        row[combination.column] = db.last_insert_rowid()
    _insert(db, stored_table(table), row)


def test_string_used_by_one_remaining_row_survives_a_removal(world: World) -> None:
    texts = {text: f"/{text[0]} {text[1]}" for text in COLUMNS}
    world.identify("ada", 5)
    world.add(*(event(world.shop.site, Said(5, path=path)) for path in (*texts.values(), "/of nobody else")))
    numbers = {str(text): int(str(number)) for number, text in world.read("select id, value from strings")}

    def write(db: Connection) -> None:
        for (table, column), text in texts.items():
            _insert_having(db, table, column, numbers[text])

    world.events.write_now(write)
    world.run(world.erasures.person(world.shop, "ada", ACTOR))
    assert {*texts.values()} - world.texts() == set()
    assert "/of nobody else" not in world.texts()
