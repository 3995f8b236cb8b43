"""Facts of an earlier version are read as before when they are stored anew, but for the ids of visitors."""

import shutil
from pathlib import Path
from random import Random
from typing import Any

import apsw
import pytest

from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.base.store import schema
from analytics_box.base.store.migrations import migrate

ROWS = 200
EARLIER = tuple(name for name in FACT_NAMES if name != "flag_exposures")  # it came later
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
        for table in (*EARLIER, "visitor_profiles"):
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
        before = {table: _rows(connection, table) for table in (*EARLIER, "visitor_profiles")}
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
            row["visitor"] = row["visitor"] >> 15 & ~1
            if row.get("first_interaction") == 0:
                row["first_interaction"] = None
    assert after == before
    assert visitors == f"[[4,{-(2**62)},{2**62}],[6,1,2]]"


def test_a_crash_in_the_middle_changes_nothing(earlier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = earlier / schema.EVENTS_FILE
    copied = shutil.copy(path, tmp_path / "copy.db")
    place = [name for name, _ in schema.EVENTS].index("0007_stored_facts")
    name, statements = schema.EVENTS[place]
    with monkeypatch.context() as broken:
        broken.setattr(schema, "EVENTS", (*schema.EVENTS[:place], (name, (*statements[:-1], "select * from nothing"))))
        with pytest.raises(Exception, match="nothing"):
            migrate(earlier)
    with apsw.Connection(str(path)) as connection, apsw.Connection(str(copied)) as other:
        assert [_rows(connection, table) for table in EARLIER] == [_rows(other, table) for table in EARLIER]
    migrate(earlier)


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory as the step before has left it, with rows in which everything is 0."""
    with monkeypatch.context() as before:
        before.setattr(schema, "EVENTS", tuple(step for step in schema.EVENTS if step[0] < "0008"))
        migrate(tmp_path)
    with apsw.Connection(str(tmp_path / schema.EVENTS_FILE)) as connection:
        for table in ("events", "engagement"):
            names = connection.execute(f"select name from pragma_table_info('stored_{table}')").fetchall()
            row = {str(name): 0 for (name,) in names} | {"id": 1} | ({"kind": 3} if table == "events" else {})
            connection.execute(f"insert into stored_{table} values ({', '.join(map(str, row.values()))})")
    connection.close()
    return tmp_path


def test_what_is_not_measured_can_be_stored_and_earlier_zeros_stay(stored: Path) -> None:
    migrate(stored)
    with apsw.Connection(str(stored / schema.EVENTS_FILE)) as connection:
        assert [(row["scroll"], row["interactions"]) for row in _rows(connection, "events")] == [(0, 0)]
        (visit,) = _rows(connection, "engagement")
        assert (visit["scroll"], visit["time_on_page"], visit["first_interaction"]) == (0, 0, None)
        connection.execute("update stored_events set scroll = null, interactions = null")
        with pytest.raises(apsw.ConstraintError):
            connection.execute("update stored_events set scroll = 101")
        with pytest.raises(apsw.ConstraintError):
            connection.execute("update stored_events set engaged = null")
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    connection.close()


def test_a_crash_before_the_end_of_it_leaves_the_table_as_it_was(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def shape() -> list[Any]:
        with apsw.Connection(str(stored / schema.EVENTS_FILE)) as connection:
            found = connection.execute("select name, sql from sqlite_schema order by name").fetchall()
            assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
        connection.close()
        return found

    before = shape()
    name, statements = next(step for step in schema.EVENTS if step[0] == "0008_not_measured")
    with monkeypatch.context() as broken:
        steps = tuple(step for step in schema.EVENTS if step[0] < name)
        broken.setattr(schema, "EVENTS", (*steps, (name, (*statements, "select * from nothing"))))
        with pytest.raises(Exception, match="nothing"):
            migrate(stored)
    assert shape() == before
    migrate(stored)
    assert shape() != before


def test_ids_that_were_there_on_several_days_last_and_all_others_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(schema, "EVENTS", tuple(step for step in schema.EVENTS if step[0] < "0009"))
        migrate(tmp_path)
    day = 86_400_000
    seen = [(1, 8, 0), (2, 8, day), (3, 11, 0), (4, 11, day - 1), (5, 21, 0), (6, 21, 9 * day), (7, 0, 0), (8, 30, 5)]
    with apsw.Connection(str(tmp_path / schema.EVENTS_FILE)) as connection:
        names = connection.execute("select name from pragma_table_info('stored_events')").fetchall()
        for number, visitor, time in seen:
            row = {str(name): 0 for (name,) in names} | {"id": number, "kind": 1, "visitor": visitor, "time": time}
            connection.execute(f"insert into stored_events values ({', '.join(map(str, row.values()))})")
        connection.execute(
            "insert into visitor_profiles (site, visitor, time, profile) values (1, 8, 0, 1), (1, 11, 0, 1)"
        )
    connection.close()
    migrate(tmp_path)
    with apsw.Connection(str(tmp_path / schema.EVENTS_FILE)) as connection:
        assert [row["visitor"] for row in _rows(connection, "events")] == [9, 9, 10, 10, 21, 21, 0, 30]
        assert [row["visitor"] for row in _rows(connection, "visitor_profiles")] == [9, 10]
        assert _rows(connection, "changes") == []
        connection.execute("update stored_events set title = 1 where id = 3")
        assert [(row["source"], row["row"]) for row in _rows(connection, "changes")] == [("events", 3)]
    connection.close()


@pytest.fixture
def separate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory before referrals, places, locales and displays were combined."""
    with monkeypatch.context() as before:
        before.setattr(schema, "EVENTS", tuple(step for step in schema.EVENTS if step[0] < "0041"))
        migrate(tmp_path)
    chance = Random(11)
    with apsw.Connection(str(tmp_path / schema.EVENTS_FILE)) as connection:
        connection.execute("insert into clients values (1, 1, 2, 3, 4, 5)")
        for table in FACT_NAMES:
            found = connection.execute(f"select name, \"notnull\" from pragma_table_info('stored_{table}')").fetchall()
            may_be_null = {str(name) for name, required in found if not required} - {"id", "properties"}
            for number in range(1, ROWS + 1):
                row: dict[str, Any] = {str(name): chance.choice((0, 0, 1, chance.randrange(100))) for name, _ in found}
                row |= {"id": 3 * number, "time": 1_800_000_000_000 + number, "client": chance.choice((0, 1))}
                row |= {name: None for name in may_be_null if chance.random() < 0.5}
                row |= {"kind": chance.randint(1, 4), "properties": '{"a":1}'} if table == "events" else {}
                names, places = ", ".join(row), ", ".join("?" * len(row))
                connection.execute(f"insert into stored_{table} ({names}) values ({places})", tuple(row.values()))
        connection.execute("insert into trimmed (source, until) values ('events', 30)")
    connection.close()
    return tmp_path


def _around(connection: apsw.Connection) -> set[Any]:
    rows = connection.execute("select name, tbl_name from sqlite_schema where type in ('index', 'trigger')")
    return set(rows.fetchall())


def test_facts_read_the_same_after_their_attributes_are_combined(separate: Path) -> None:
    path = str(separate / schema.EVENTS_FILE)
    with apsw.Connection(path) as connection:
        before, around = {table: _rows(connection, table) for table in FACT_NAMES}, _around(connection)
    connection.close()
    migrate(separate)
    with apsw.Connection(path) as connection:
        assert {table: _rows(connection, table) for table in FACT_NAMES} == before
        assert around <= _around(connection)
        assert _rows(connection, "changes") == []
        connection.execute("delete from stored_events where id in (30, 33)")
        assert [(row["source"], row["row"]) for row in _rows(connection, "changes")] == [("events", 33)]
        for wrong in ("kind = 5", "scroll = 101", "visitor = -1", "engaged = null", "place = null"):
            with pytest.raises(apsw.ConstraintError):
                connection.execute(f"update stored_events set {wrong}")
        connection.execute("update stored_events set scroll = null, interactions = null")
        connection.execute("insert into replaced values (1, 1, 'referrals', 1)")
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    connection.close()


def test_a_crash_while_attributes_are_combined_changes_nothing(separate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def state() -> list[Any]:
        with apsw.Connection(str(separate / schema.EVENTS_FILE)) as connection:
            found: list[Any] = connection.execute("select name, sql from sqlite_schema order by name").fetchall()
            found += [_rows(connection, f"stored_{table}") for table in FACT_NAMES]
        connection.close()
        return found

    before = state()
    name, statements = next(step for step in schema.EVENTS if step[0] == "0041_more_combinations")
    with monkeypatch.context() as broken:
        steps = tuple(step for step in schema.EVENTS if step[0] < name)
        broken.setattr(schema, "EVENTS", (*steps, (name, (*statements, "select * from nothing"))))
        with pytest.raises(Exception, match="nothing"):
            migrate(separate)
    assert state() == before
    migrate(separate)
