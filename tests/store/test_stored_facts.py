"""Facts of an earlier version are read as before when they are stored anew, but for the shorter ids of visitors."""

import shutil
from pathlib import Path
from random import Random
from typing import Any

import apsw
import pytest

from analytics_box.ingest.facts import TABLES
from analytics_box.store import schema
from analytics_box.store.migrations import migrate

ROWS = 200
Rows = list[dict[str, Any]]


def _rows(connection: apsw.Connection, table: str) -> Rows:
    cursor = connection.execute(f"select * from {table} order by 1")
    names = [str(name) for name, *_ in connection.execute(f"select name from pragma_table_info('{table}')").fetchall()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _row(chance: Random, columns: list[tuple[str, str]]) -> dict[str, Any]:
    row: dict[str, Any] = {name: chance.choice((0, 0, 1, chance.randrange(100))) for name, _ in columns}
    row |= {"time": 1_800_000_000_000 + chance.randrange(10**9), "visitor": chance.choice((0, chance.getrandbits(62)))}
    if "kind" in row:
        row |= {"kind": chance.randint(1, 3), "properties": chance.choice((None, '{"a":1}'))}
        row["session"] = chance.choice((0, chance.getrandbits(62)))
        row["session_started"] = row["time"] - chance.randrange(-10_000, 10**7) if row["session"] else 0
    if "value" in row:
        row["value"] = chance.random() * 1_000
    del row["id"]
    return row


@pytest.fixture
def earlier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory as the version before has left it."""
    with monkeypatch.context() as before:
        before.setattr(schema, "EVENTS", tuple(step for step in schema.EVENTS if step[0] < "0007"))
        migrate(tmp_path)
    chance = Random(7)
    with apsw.Connection(str(tmp_path / schema.EVENTS_FILE)) as connection:
        connection.executemany(
            "insert into strings values (?, ?)", [(number, f"text {number}") for number in range(1, 101)]
        )
        for table in (*TABLES, "visitor_profiles"):
            columns = connection.execute(f"select name, type from pragma_table_info('{table}')").fetchall()
            for _ in range(ROWS):
                row = _row(chance, [(str(name), str(type_)) for name, type_ in columns])
                connection.execute(
                    f"insert or ignore into {table} ({', '.join(row)}) values ({', '.join('?' * len(row))})",
                    tuple(row.values()),
                )
        connection.execute(
            "insert into erasures (id, site, website_id, organization_id, actor, profile, visitors, created_at)"
            " values ('an-erasure', 1, 'w', 'o', 'a', 0, ?, 0)",
            (f"[[{5 << 15}, {-(2**62)}, {2**62}], [{(6 << 15) + 3}, 1, 2]]",),
        )
        connection.execute("insert into erasure_strings (erasure, string) values ('an-erasure', 17)")
    connection.close()
    return tmp_path


def test_every_row_is_read_as_before(earlier: Path, tmp_path: Path) -> None:
    path = earlier / schema.EVENTS_FILE
    with apsw.Connection(str(path)) as connection:
        before = {table: _rows(connection, table) for table in (*TABLES, "visitor_profiles")}
    connection.close()
    migrate(earlier)
    with apsw.Connection(str(path)) as connection:
        after = {table: _rows(connection, table) for table in before}
        ((visitors,),) = connection.execute("select visitors from erasures").fetchall()
        assert connection.execute("select * from erasure_numbers").fetchall() == [("an-erasure", "strings", 17)]
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    connection.close()
    for rows in before.values():
        assert len(rows) == ROWS
        for row in rows:
            row["visitor"] >>= 15
    assert after == before
    assert visitors == f"[[5,{-(2**62)},{2**62}],[6,1,2]]"


def test_a_crash_in_the_middle_changes_nothing(earlier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = earlier / schema.EVENTS_FILE
    copied = shutil.copy(path, tmp_path / "copy.db")
    *before, (name, statements) = (step for step in schema.EVENTS if step[0] < "0008")
    with monkeypatch.context() as broken:
        broken.setattr(schema, "EVENTS", (*before, (name, (*statements[:-1], "select * from nothing"))))
        with pytest.raises(Exception, match="nothing"):
            migrate(earlier)
    with apsw.Connection(str(path)) as connection, apsw.Connection(str(copied)) as other:
        assert [_rows(connection, table) for table in TABLES] == [_rows(other, table) for table in TABLES]
    migrate(earlier)
