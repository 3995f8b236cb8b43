"""Checks that a column is JSON also allow null in older versions of SQLite, where json_valid(null) is 0."""

import re
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
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
        with closing(apsw.Connection(str(directory / file))) as db:
            for table, sql in db.execute("select name, sql from sqlite_schema where type = 'table'").fetchall():
                columns = db.execute('select name, "notnull" from pragma_table_info(?)', (table,)).fetchall()
                nullable = {name for name, not_null in columns if not not_null}
                bare += [
                    f"{table}.{name}" for name, checked in CHECKED.findall(str(sql)) if name == checked in nullable
                ]
    assert bare == []


def test_older_sqlite_finds_a_check_without_data_sound(directory: Path) -> None:
    with closing(apsw.Connection(str(directory / schema.EVENTS_FILE))) as db:
        db.create_scalar_function("json_valid", _is_not_null, 1, deterministic=True)
        columns = db.execute(
            "select name, type from pragma_table_info('checks') where \"notnull\" and not pk"
        ).fetchall()
        names, values = ", ".join(str(name) for name, _ in columns), ", ".join("1" for _ in columns)
        db.execute(f"insert into checks ({names}) values ({values})")
        assert db.execute("pragma integrity_check").fetchall() == [("ok",)]


def _is_not_null(*values: Any) -> int:
    """The value of json_valid in older versions of SQLite, which is 0 for null."""
    return int(values[0] is not None)
