"""Checks that a column is JSON also allow null in older versions of SQLite, where json_valid(null) is 0."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from analytics_box.base.store import schema
from analytics_box.base.store.migrations import migrate

CHECKED = re.compile(r"(\w+)\s+text[^,]*?check \(json_valid\((\w+)\)")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    migrate(tmp_path)
    return tmp_path


def test_every_check_for_json_of_a_column_that_may_be_null_allows_null(directory: Path) -> None:
    bare = []
    for file in (schema.BOX_FILE, schema.EVENTS_FILE):
        with closing(sqlite3.connect(directory / file)) as db:
            for table, sql in db.execute("select name, sql from sqlite_schema where type = 'table'").fetchall():
                columns = db.execute('select name, "notnull" from pragma_table_info(?)', (table,)).fetchall()
                nullable = {name for name, not_null in columns if not not_null}
                bare += [f"{table}.{name}" for name, checked in CHECKED.findall(sql) if name == checked in nullable]
    assert bare == []


def test_older_sqlite_finds_a_check_without_data_sound(directory: Path) -> None:
    with closing(sqlite3.connect(directory / schema.EVENTS_FILE)) as db:
        db.create_function(
            "json_valid", 1, lambda value: int(value is not None), deterministic=True
        )  # as older versions have it
        columns = db.execute(
            "select name, type from pragma_table_info('checks') where \"notnull\" and not pk"
        ).fetchall()
        names, values = ", ".join(name for name, _ in columns), ", ".join("1" for _ in columns)
        db.execute(f"insert into checks ({names}) values ({values})")
        assert db.execute("pragma integrity_check").fetchall() == [("ok",)]
