"""Declared tables: each has the columns of the schema, and no other."""

from functools import partial
from typing import Any

import pytest

from analytics_box.base.store.db import Connection
from analytics_box.resource.table import Table
from tests.resources.derived import declared_tables
from tests.resources.world import World

TABLES = {table.name: table for table in declared_tables()}


def columns(db: Connection, table: str) -> set[str]:
    found = db.execute("select name from pragma_table_info(?)", (table,)).fetchall()
    return {str(name) for (name,) in found}


def test_tables_of_resources_are_declared() -> None:
    assert {"links", "link_folders", "annotations", "goals", "alarms", "flags", "target_groups"} <= {*TABLES}


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda one: one.name)
def test_declared_table_has_the_columns_of_the_schema(world: World, table: Table[Any]) -> None:
    box_db = world.rooms.box.box.box_db
    assert {*table.stored_columns} == box_db.read_now(lambda db: columns(db, table.name))
    for child in table.lists.values():
        found = box_db.read_now(partial(columns, table=child.table))
        assert {child.owner, child.value, *child.marks} == found
