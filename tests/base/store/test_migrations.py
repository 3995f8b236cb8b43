"""Both files are brought to this version's schema before they are opened, or are left as they were."""

import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from analytics_box.base.store import schema
from analytics_box.base.store.migrations import NewerSchema, migrate

FILES = {schema.BOX_FILE: schema.BOX, schema.EVENTS_FILE: schema.EVENTS}


def names(path: Path, kind: str) -> set[str]:
    """The tables, indexes or triggers of a file."""
    statement = "select name from sqlite_schema where type = ? and name not like 'sqlite%'"
    with apsw.Connection(str(path)) as connection:
        found = {str(name) for (name,) in connection.execute(statement, (kind,)).fetchall()}
    connection.close()
    return found


def steps(path: Path) -> list[str]:
    """The steps that a file has on record."""
    with apsw.Connection(str(path)) as connection:
        found = [str(name) for (name,) in connection.execute("select name from _sqlite_migrations").fetchall()]
    connection.close()
    return found


@pytest.fixture
def box(empty_box: Path, tmp_path: Path) -> Path:
    """A directory with both files, of one's own."""
    return Path(shutil.copytree(empty_box, tmp_path / "box"))


def test_a_fresh_directory_gets_both_files_with_every_step(tmp_path: Path) -> None:
    migrate(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FILES)
    for name, wanted in FILES.items():
        assert steps(tmp_path / name) == [step for step, _ in wanted]
    assert {"stored_events", "strings"} <= names(tmp_path / schema.EVENTS_FILE, "table")
    assert {"websites", "api_keys", "audit"} <= names(tmp_path / schema.BOX_FILE, "table")


def test_new_files_have_large_pages_and_give_space_back(box: Path) -> None:
    for name in FILES:
        connection = apsw.Connection(str(box / name))
        assert (connection.pragma("page_size"), connection.pragma("auto_vacuum")) == (8192, 2)
        connection.close()


def test_every_table_of_ours_is_strict(box: Path) -> None:
    for name in FILES:
        connection = apsw.Connection(str(box / name))
        rows = connection.execute(
            "select name, strict from pragma_table_list"
            " where schema = 'main' and type = 'table' and name not like '%sqlite%'"
        ).fetchall()
        connection.close()
        assert rows
        assert [table for table, strict in rows if not strict] == []


def test_a_second_run_changes_nothing_and_never_loads_the_other_sqlite(box: Path) -> None:
    before = {name: (box / name).read_bytes() for name in FILES}
    program = (
        "import sys, pathlib; from analytics_box.base.store.migrations import migrate;"
        "migrate(pathlib.Path(sys.argv[1]));"
        "print(sorted({'sqlite3', 'sqlite_utils'} & set(sys.modules)))"
    )
    ended = subprocess.run((sys.executable, "-c", program, str(box)), capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"
    assert {name: (box / name).read_bytes() for name in FILES} == before
    assert sorted(path.name for path in box.iterdir()) == sorted(FILES)


@pytest.mark.parametrize("name", FILES)
def test_newer_file_leaves_the_other_file_without_its_pending_steps(
    box: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with apsw.Connection(str(box / name)) as connection:
        connection.execute(
            "insert into _sqlite_migrations (migration_set, name, applied_at)"
            " values ('analytics_box', '9999_later', '')"
        )
    connection.close()
    step = ("0002_next", ("create table next (id integer primary key) strict",))
    for file in ("BOX", "EVENTS"):
        monkeypatch.setattr(schema, file, (*getattr(schema, file), step))
    before = {file: (box / file).read_bytes() for file in FILES}
    with pytest.raises(NewerSchema, match="9999_later"):
        migrate(box)
    assert {file: (box / file).read_bytes() for file in FILES} == before


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_a_newer_version_is_refused_and_left_alone(box: Path, name: str) -> None:
    connection = apsw.Connection(str(box / name))
    connection.execute(
        "insert into _sqlite_migrations (migration_set, name, applied_at) values ('analytics_box', '9999_later', '')"
    )
    connection.close()
    before = (box / name).read_bytes()
    with pytest.raises(NewerSchema, match="9999_later"):
        migrate(box)
    assert (box / name).read_bytes() == before


@pytest.mark.parametrize("break_at", [0, 1, 2])
def test_a_step_that_fails_leaves_nothing_and_can_be_run_again(
    box: Path, monkeypatch: pytest.MonkeyPatch, break_at: int
) -> None:
    good = ["create table one (id integer primary key) strict", "insert into one (id) values (1)", "drop table strings"]
    broken = [*good[:break_at], "create table two (", *good[break_at:]]
    before = names(box / schema.EVENTS_FILE, "table")
    monkeypatch.setattr(schema, "EVENTS", (*schema.EVENTS, ("0002_next", tuple(broken))))
    with pytest.raises(Exception, match=r"incomplete|syntax"):
        migrate(box)
    assert names(box / schema.EVENTS_FILE, "table") == before
    assert "0002_next" not in steps(box / schema.EVENTS_FILE)

    monkeypatch.setattr(schema, "EVENTS", (*schema.EVENTS[:-1], ("0002_next", tuple(good))))
    migrate(box)
    assert names(box / schema.EVENTS_FILE, "table") == before - {"strings"} | {"one"}


def test_steps_before_a_failing_one_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "BOX", (*schema.BOX, ("0002_fails", ("insert into nowhere values (1)",))))
    with pytest.raises(Exception, match="nowhere"):
        migrate(tmp_path)
    assert steps(tmp_path / schema.BOX_FILE) == [name for name, _ in schema.BOX[:-1]]
    monkeypatch.undo()
    migrate(tmp_path)
    assert steps(tmp_path / schema.EVENTS_FILE) == [name for name, _ in schema.EVENTS]


def test_a_first_step_that_fails_leaves_an_empty_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, statements = schema.BOX[0]
    monkeypatch.setattr(schema, "BOX", ((name, (*statements, "create table broken (")),))
    with pytest.raises(Exception, match="incomplete"):
        migrate(tmp_path)
    assert names(tmp_path / schema.BOX_FILE, "table") <= {"_sqlite_migrations"}
    monkeypatch.undo()
    migrate(tmp_path)
    assert "websites" in names(tmp_path / schema.BOX_FILE, "table")


def test_an_interrupted_first_start_is_taken_up_again(tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).touch()
    migrate(tmp_path)
    assert "stored_events" in names(tmp_path / schema.EVENTS_FILE, "table")
    connection = apsw.Connection(str(tmp_path / schema.EVENTS_FILE))
    assert connection.pragma("page_size") == 8192
    connection.close()


def test_the_audit_log_can_only_grow(box: Path) -> None:
    connection = apsw.Connection(str(box / schema.BOX_FILE))
    connection.execute(
        "insert into audit (time, actor, action, subject, subject_id) values (1, 'a', 'created', 's', 'i')"
    )
    for statement in ("update audit set time = 2", "delete from audit"):
        with pytest.raises(apsw.ConstraintError, match="append-only"):
            connection.execute(statement)
    connection.close()
