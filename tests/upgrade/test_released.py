"""Files of every earlier version become those of this one, with all that was in them, after a backup of them."""

import itertools
import json
import os
import re
import shutil
import signal
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from analytics_box import __version__
from analytics_box.app.box import open_box
from analytics_box.base.backup import upgrade
from analytics_box.base.backup.upgrade import MARK
from analytics_box.base.settings import Settings
from analytics_box.base.store import migrations, schema
from analytics_box.base.store.migrations import BACKUPS, NewerSchema, OutdatedSchema, applied_steps, migrate
from tests.base.backup.world import run
from tests.inprocess import NOON, FixedClock, RunningBox
from tests.upgrade.fixtures import BEFORE, REWRITING, add_rewriting_step, load, names

FILES = (schema.BOX_FILE, schema.EVENTS_FILE)
REPOSITORY = Path(__file__).parents[2]
DETAILS = {
    "table": ("table_xinfo", "foreign_key_list", "index_list", "table_list"),
    "view": ("table_xinfo",),
    "index": ("index_xinfo",),
    "trigger": (),
}
STEPS = [[step for step, _ in steps] for steps in (schema.BOX, schema.EVENTS)]
TOKEN = re.compile(r"'[^']*'|\w+|[^\s\w\"]")  # a quoted name is the same as one without quotes


def shape(path: Path) -> dict[str, list[Any]]:
    """The tables, indexes, triggers and views of a file: their statements in tokens, and what SQLite makes of them."""
    with closing(apsw.Connection(str(path))) as db:
        rows = db.execute(
            "select type, name, sql from sqlite_schema where name not like '%sqlite%migrations%'"
        ).fetchall()
        assert db.pragma("integrity_check") == "ok"
        assert db.pragma("foreign_key_check") is None
        return {
            f"{kind} {name}": [
                TOKEN.findall(str(sql).lower()),
                *(db.execute(f"select * from pragma_{pragma}(?)", (name,)).fetchall() for pragma in DETAILS[str(kind)]),
            ]
            for kind, name, sql in rows
        }


def rows_in(path: Path) -> dict[str, list[Any]]:
    """Every row of every table of a file, but for the recorded steps."""
    with closing(apsw.Connection(str(path))) as db:
        tables = db.execute(
            "select name from sqlite_schema where type = 'table' and name <> '_sqlite_migrations'"
        ).fetchall()
        return {
            str(table): db.execute(f'select * from "{table}"').fetchall()
            for (table,) in tables
            if table != "sqlite_sequence"
        }


def old_part(rows: list[dict[str, list[Any]]], before: list[dict[str, list[Any]]]) -> list[dict[str, list[Any]]]:
    """The tables and columns of both files that were there before; steps only append columns."""
    return [
        {table: [row[: len(was[table][0])] if was[table] else row for row in now[table]] for table in was}
        for now, was in zip(rows, before, strict=True)
    ]


def steps_in(path: Path) -> list[str]:
    with closing(apsw.Connection(str(path))) as db:
        return applied_steps(db)


def state(directory: Path) -> list[Any]:
    """The recorded steps and all rows of both files."""
    return [(steps_in(directory / name), rows_in(directory / name)) for name in FILES]


def count(path: Path, table: str) -> int:
    with closing(apsw.Connection(str(path))) as db:
        return int(str(db.execute(f"select count(*) from {table}").fetchall()[0][0]))


@pytest.fixture(params=names())
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A data directory as an earlier version left it."""
    load(request.param, tmp_path / "data")
    return tmp_path / "data"


def test_the_tables_are_those_of_a_new_box(directory: Path, tmp_path: Path) -> None:
    migrate(directory)
    (tmp_path / "new").mkdir()
    migrate(tmp_path / "new")
    for name in (schema.BOX_FILE, schema.EVENTS_FILE):
        assert shape(directory / name) == shape(tmp_path / "new" / name)


def test_new_box_has_the_rows_of_a_new_box_of_development(tmp_path: Path) -> None:
    """The rows of the schema: the empty text, the empty combinations and the number of the next session."""
    load(BEFORE, tmp_path / "before")
    (tmp_path / "new").mkdir()
    migrate(tmp_path / "new")
    before, new = (rows_in(tmp_path / name / schema.EVENTS_FILE) for name in ("before", "new"))
    first = {table: rows for table, rows in new.items() if rows}
    assert {"strings", "clients", "campaigns", "referrals", "places", "locales", "displays", "session_numbers"} < {
        *first
    }
    for table in ("strings", "clients", "campaigns", "referrals", "places", "locales", "displays"):
        assert first[table] == before[table][:1]


def test_directory_of_the_last_development_version_keeps_every_row(tmp_path: Path) -> None:
    data = tmp_path / "data"
    load(BEFORE, data)
    before = [rows_in(data / name) for name in FILES]
    assert [table for rows in before for table, found in rows.items() if not found] == ["mirror", "outbox"]
    migrate(data)
    assert [steps_in(data / name) for name in FILES] == STEPS
    assert old_part([rows_in(data / name) for name in FILES], before) == before


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("statement", range(len(migrations.TAKE_OVER) + 1))
def test_failure_while_a_directory_is_taken_over_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statement: int, name: str
) -> None:
    data = tmp_path / "data"
    load(BEFORE, data)
    if name == schema.EVENTS_FILE:
        migrations.take_over(data / schema.BOX_FILE)
    before = (steps_in(data / name), rows_in(data / name))
    good = migrations.TAKE_OVER
    with monkeypatch.context() as broken:
        broken.setattr(migrations, "TAKE_OVER", (*good[:statement], "select * from nothing", *good[statement:]))
        with pytest.raises(apsw.SQLError, match="nothing"):
            migrate(data)
    assert (steps_in(data / name), rows_in(data / name)) == before
    migrate(data)
    assert [steps_in(data / file) for file in FILES] == STEPS


def test_kill_while_a_directory_is_taken_over_changes_nothing_or_all(tmp_path: Path) -> None:
    load(BEFORE, tmp_path / "before")
    rows = [rows_in(tmp_path / "before" / name) for name in FILES]
    old = [steps_in(tmp_path / "before" / name) for name in FILES]
    seen = []
    for number in itertools.count(1):
        data = tmp_path / str(number)
        shutil.copytree(tmp_path / "before", data)
        was_killed = _killed_before_statement(number, data)
        now = [steps_in(data / name) for name in FILES]
        assert all(steps in (old[at], STEPS[at][: len(steps)]) for at, steps in enumerate(now))
        assert old_part([rows_in(data / name) for name in FILES], rows) == rows
        seen.append(sum(steps != old[at] for at, steps in enumerate(now)))
        if not was_killed:
            break
        migrate(data)
        assert [steps_in(data / name) for name in FILES] == STEPS
    assert seen == sorted(seen)
    assert {*seen} == {0, 1, 2}


def _killed_before_statement(number: int, data: Path) -> bool:
    """Migrate in a process of its own, which is killed before it runs its nth statement."""
    child = os.fork()
    if child == 0:
        left = itertools.count(1 - number)

        def count(*_: object) -> bool:
            if next(left) == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return True

        apsw.connection_hooks.append(lambda db: db.set_exec_trace(count))
        migrate(data)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


@pytest.mark.parametrize("name", FILES)
def test_older_development_version_is_refused_and_left_alone(tmp_path: Path, name: str) -> None:
    data = tmp_path / "data"
    load(BEFORE, data)
    with closing(apsw.Connection(str(data / name))) as db:
        db.execute("delete from _sqlite_migrations where name = ?", (schema.DEVELOPMENT[name].last,))
    before = state(data)
    refusal = "early development version of Analytics Box.* last development version before 0.1.0"
    with pytest.raises(OutdatedSchema, match=refusal):
        open_box(Settings(data_dir=data))
    with pytest.raises(OutdatedSchema, match=refusal):
        migrate(data)
    assert re.search(refusal, run("check", "--data-dir", data).output)
    assert state(data) == before


def test_backup_of_the_last_development_version_is_restored_and_taken_over(tmp_path: Path) -> None:
    data, new = tmp_path / "data", tmp_path / "new"
    load(BEFORE, data)
    before = [rows_in(data / name) for name in FILES]
    (tmp_path / "backups").mkdir()
    made = run("backup", "--data-dir", data, tmp_path / "backups")
    assert made.exit_code == 0, made.output
    back = run("restore", "--data-dir", new, tmp_path / "backups", "--yes")
    assert back.exit_code == 0, back.output
    migrate(new)
    assert old_part([rows_in(new / name) for name in FILES], before) == before
    assert [steps_in(new / name) for name in FILES] == STEPS


def test_backup_of_an_older_development_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    load(BEFORE, data)
    (tmp_path / "backups").mkdir()
    assert run("backup", "--data-dir", data, tmp_path / "backups").exit_code == 0
    changed = {name: before._replace(length=before.length + 1) for name, before in schema.DEVELOPMENT.items()}
    monkeypatch.setattr(schema, "DEVELOPMENT", changed)
    back = run("restore", "--data-dir", tmp_path / "new", tmp_path / "backups", "--yes")
    assert back.exit_code == 1
    assert "early development version of Analytics Box" in back.stderr
    assert not (tmp_path / "new" / schema.BOX_FILE).exists()


def test_data_of_a_released_version_is_answered(directory: Path) -> None:
    clock = FixedClock(NOON + 3_600_000)
    box = RunningBox(open_box(Settings(data_dir=directory, upgrade_backup="off"), clock), clock, {})
    try:
        events = directory / schema.EVENTS_FILE
        assert (count(events, "stored_events"), count(events, "link_clicks")) == (10, 1)
        box.box.box_db.write_now(lambda db: db.execute("update websites set is_public = 1").fetchall())
        ((shop,),) = box.box.box_db.read_now(
            lambda db: db.execute("select id from websites where name = 'Shop'").fetchall()
        )
        box.reopen()
        asked = {"parameters": ["summary_metrics"], "preset": "today"}
        answer = box.post(f"/v1/query?website_id={shop}", asked)
        assert answer.status == 200, answer.body
        (figures,) = answer.json["data"][0]["data"]
        assert (figures["pageviews"], figures["unique_visitors"], figures["sessions"]) == (5, 2, 2)
    finally:
        box.close()


def test_every_released_version_has_left_its_files() -> None:
    """`python -m tests.upgrade.fixtures VERSION` writes them, once, when a version is released."""
    headings = re.findall(r"^## (\S+) \((.*)\)$", (REPOSITORY / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings
    released = {version for version, when in headings if when != "unreleased"}
    assert released <= set(names())
    assert released or __version__ == headings[0][0]


def test_steps_that_change_rows_say_so() -> None:
    changes = re.compile(r"^\s*(update (?!sqlite_schema)|delete from|drop table)|drop column", re.IGNORECASE)
    for name, statements in (*schema.BOX, *schema.EVENTS):
        own = {word for text in statements for word in re.findall(r"create (?:temp )?table (\w+)", text)}
        changed = [
            text for text in statements if changes.search(text) and not any(f"drop table {t}" in text for t in own)
        ]
        assert bool(changed) <= (name in schema.REWRITES), (name, changed)


def test_backup_before_rewritten_rows_can_be_restored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(BEFORE, tmp_path / "data")
    add_rewriting_step(monkeypatch)
    data = tmp_path / "data"
    told = run("check", "--data-dir", data)
    assert told.exit_code == 0
    assert re.search(rf"{REWRITING}, rewrites 10 rows", told.stdout)
    assert "A backup is created first" in told.stdout
    ahead = json.loads(run("check", "--data-dir", data, "--json").stdout)["upgrade"]
    assert (ahead["backup"], ahead["steps"][0]["file"]) == (True, "box.db")

    open_box(Settings(data_dir=data)).close()
    (made,) = (data / BACKUPS).iterdir()
    assert made.name.endswith("-before-upgrade.tar.gz")
    assert not (data / MARK).exists()
    assert "changes the files" not in run("check", "--data-dir", data).stdout
    with closing(apsw.Connection(str(data / schema.EVENTS_FILE))) as db:
        columns = [
            str(name) for (name,) in db.execute("select name from pragma_table_info('stored_events')").fetchall()
        ]
        rest = ", ".join(columns[1:])
        db.execute(f"insert into stored_events (id, {rest}) select id + 100, {rest} from stored_events limit 3")

    back = run("restore", "--data-dir", data, data / BACKUPS, "--yes", "--json")
    assert back.exit_code == 0, back.output
    said = json.loads(back.stdout)
    assert (said["events"], said["lost"]["events"]) == (10, 3)
    assert count(data / schema.EVENTS_FILE, "events") == 10
    assert count(Path(said["kept"]) / schema.EVENTS_FILE, "stored_events") == 13


def test_upgrade_that_only_adds_says_what_it_adds_and_that_it_makes_no_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "data").mkdir()
    open_box(Settings(data_dir=tmp_path / "data")).close()
    monkeypatch.setattr(schema, "BOX", (*schema.BOX, ("0002_more", ("create table more (id integer) strict",))))
    shutil.copytree(tmp_path / "data", tmp_path / "copy")
    with caplog.at_level("INFO"):
        open_box(Settings(data_dir=tmp_path / "data")).close()
    (line,) = [record.getMessage() for record in caplog.records if "without a backup first" in record.getMessage()]
    assert f"box.db: {schema.BOX[-1][0]}" in line
    caplog.clear()
    with caplog.at_level("INFO"):
        open_box(Settings(data_dir=tmp_path / "data")).close()
    assert "without a backup first" not in caplog.text
    told = run("check", "--data-dir", tmp_path / "copy")
    assert "No backup is created. Create one first" in told.stdout


def test_a_newer_file_is_refused_with_the_way_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(BEFORE, tmp_path / "data")
    data = tmp_path / "data"
    with monkeypatch.context() as newer:
        add_rewriting_step(newer)
        open_box(Settings(data_dir=data)).close()
    with pytest.raises(NewerSchema, match=f"restore --data-dir .*{BACKUPS}"):
        open_box(Settings(data_dir=data))
    back = run("restore", "--data-dir", data, data / BACKUPS, "--yes")
    assert back.exit_code == 0, back.output
    assert "0 events, 0 clicks" in back.stdout
    assert count(data / schema.EVENTS_FILE, "events") == 10


def test_an_upgrade_that_was_broken_off_goes_on_and_keeps_the_backup_of_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    load(BEFORE, data)
    add_rewriting_step(monkeypatch)
    settings = Settings(data_dir=data)
    upgrade.prepare(settings, FixedClock())
    made = [path.name for path in (data / BACKUPS).iterdir()]
    for _ in range(3):  # killed, and started again
        upgrade.prepare(settings, FixedClock())
    assert [path.name for path in (data / BACKUPS).iterdir()] == made
    open_box(settings).close()
    assert not (data / MARK).exists()


def test_without_room_nothing_is_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    load(BEFORE, data)
    add_rewriting_step(monkeypatch)
    total = shutil.disk_usage(data)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: total._replace(free=300_000))
    refused = run("accept-files", "--data-dir", data)
    assert refused.exit_code == 1
    assert "are free. Free some space" in refused.stderr
    assert "upgrade_backup" in refused.stderr
    assert count(data / schema.EVENTS_FILE, "events") == 10
    assert not (data / BACKUPS).exists()


def test_an_upgrade_that_only_adds_makes_no_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_rewriting_step(monkeypatch)
    monkeypatch.setattr(schema, "REWRITES", {})
    load(BEFORE, tmp_path / "data")
    open_box(Settings(data_dir=tmp_path / "data")).close()
    assert not (tmp_path / "data" / BACKUPS).exists()
