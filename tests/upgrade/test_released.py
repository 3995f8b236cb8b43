"""Files of every earlier version become those of this one, with all that was in them, after a backup of them."""

import json
import re
import shutil
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from analytics_box import __version__
from analytics_box.app.box import open_box
from analytics_box.base.backup import upgrade
from analytics_box.base.backup.upgrade import MARK
from analytics_box.base.settings import Settings
from analytics_box.base.store import schema
from analytics_box.base.store.migrations import BACKUPS, NewerSchema, migrate
from tests.base.backup.world import run
from tests.inprocess import NOON, FixedClock, RunningBox
from tests.upgrade.fixtures import load, names

REPOSITORY = Path(__file__).parents[2]
EARLY = "early-1"


def shape(path: Path) -> list[tuple[str, str, str]]:
    """The tables, indexes, triggers and views of a file."""
    with closing(apsw.Connection(str(path))) as db:
        rows = db.execute(
            "select type, name, coalesce(sql, '') from sqlite_schema where name not like '%sqlite%'"
        ).fetchall()
        assert db.pragma("integrity_check") == "ok"
        assert db.pragma("foreign_key_check") is None
    return sorted((str(kind), str(name), re.sub(r'[\s"]+', " ", str(sql))) for kind, name, sql in rows)


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


def test_what_was_there_is_there_and_is_answered(directory: Path) -> None:
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


def test_a_backup_is_made_before_rows_are_written_anew_and_leads_back(tmp_path: Path) -> None:
    load(EARLY, tmp_path / "data")
    data = tmp_path / "data"
    told = run("check", "--data-dir", data)
    assert told.exit_code == 0
    assert re.search(r"0007_stored_facts, writes 1\d rows anew", told.stdout)
    assert "It makes a backup first" in told.stdout
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
    with monkeypatch.context() as before:
        before.setattr(schema, "BOX", schema.BOX[:-1])
        open_box(Settings(data_dir=tmp_path / "data")).close()
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
    assert "It does not create a backup. Create one first" in told.stdout


def test_a_newer_file_is_refused_with_the_way_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(EARLY, tmp_path / "data")
    data = tmp_path / "data"
    open_box(Settings(data_dir=data)).close()
    monkeypatch.setattr(schema, "EVENTS", schema.EVENTS[:6])  # the version of before
    monkeypatch.setattr(schema, "BOX", schema.BOX[:12])
    with pytest.raises(NewerSchema, match=f"restore --data-dir .*{BACKUPS}"):
        open_box(Settings(data_dir=data))
    back = run("restore", "--data-dir", data, data / BACKUPS, "--yes")
    assert back.exit_code == 0, back.output
    assert "0 events, 0 clicks" in back.stdout
    assert count(data / schema.EVENTS_FILE, "events") == 10


def test_an_upgrade_that_was_broken_off_goes_on_and_keeps_the_backup_of_before(tmp_path: Path) -> None:
    data = tmp_path / "data"
    load(EARLY, data)
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
    load(EARLY, data)
    total = shutil.disk_usage(data)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: total._replace(free=300_000))
    refused = run("accept-files", "--data-dir", data)
    assert refused.exit_code == 1
    assert "are free. Make room" in refused.stderr
    assert "upgrade_backup" in refused.stderr
    assert count(data / schema.EVENTS_FILE, "events") == 10
    assert not (data / BACKUPS).exists()


def test_an_upgrade_that_only_adds_makes_no_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "REWRITES", {})
    load("early-3", tmp_path / "data")
    open_box(Settings(data_dir=tmp_path / "data")).close()
    assert not (tmp_path / "data" / BACKUPS).exists()
