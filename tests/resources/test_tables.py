"""Declared tables: each has the columns of the schema, and no other."""

import importlib
import pkgutil
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

import analytics_box
from analytics_box.base.store.db import Connection
from analytics_box.resource.table import Table
from tests.resources.world import World


def declared() -> Iterator[Table[Any]]:
    """Every table that a module of the box declares."""
    for one in pkgutil.walk_packages(analytics_box.__path__, "analytics_box."):
        if one.name.endswith((".rows", "_rows")):
            yield from (value for value in vars(importlib.import_module(one.name)).values() if isinstance(value, Table))


TABLES = {table.name: table for table in declared()}


def columns(db: Connection, table: str) -> set[str]:
    found = db.execute("select name from pragma_table_info(?)", (table,)).fetchall()
    return {str(name) for (name,) in found}


def test_tables_of_resources_are_declared() -> None:
    assert {"links", "link_folders", "annotations", "goals", "alarms"} <= {*TABLES}


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda one: one.name)
def test_declared_table_has_the_columns_of_the_schema(world: World, table: Table[Any]) -> None:
    box_db = world.rooms.box.box.box_db
    assert {*table.stored_columns} == box_db.read_now(lambda db: columns(db, table.name))
    for child in table.lists.values():
        found = box_db.read_now(partial(columns, table=child.table))
        assert {child.owner, child.value, *child.marks} == found
