"""kill -9 in the middle of a backup, a restore and an upgrade: nothing is lost, and nothing is half."""

import random
import shutil
import subprocess
from contextlib import closing
from pathlib import Path

import apsw
import pytest

import analytics_box.app.cli.backup
import analytics_box.app.cli.box  # noqa: F401  loaded here, or each process that dies would load them
from analytics_box.app.box import open_box
from analytics_box.base.backup import restore, take
from analytics_box.base.backup import upgrade as upgrades
from analytics_box.base.backup.manifest import is_name
from analytics_box.base.settings import Settings
from analytics_box.base.store import schema
from tests.base.backup.world import run
from tests.crash.dying import deaths
from tests.crash.load import Load, stored_names
from tests.running import UNLIMITED, command, environment, serving, set_up
from tests.upgrade.fixtures import BEFORE, add_rewriting_step, load

pytestmark = pytest.mark.crash


def must(*arguments: object) -> None:
    """A command that has to succeed."""
    ended = run(*arguments)
    assert ended.exit_code == 0, ended.output


def names(directory: Path) -> tuple[str, str, bytes]:
    """By what a data directory is known: a word in each of its databases, and its key."""
    found = []
    for file in (schema.BOX_FILE, schema.EVENTS_FILE):
        with closing(apsw.Connection(str(directory / file))) as db:
            assert db.pragma("quick_check") == "ok"
            found.append(str(db.execute("select name from marks").fetchall()[0][0]))
    return found[0], found[1], (directory / "secret.key").read_bytes()


def mark(directory: Path, word: str) -> None:
    for file in (schema.BOX_FILE, schema.EVENTS_FILE):
        with closing(apsw.Connection(str(directory / file))) as db:
            db.execute("create table if not exists marks (name text not null) strict; delete from marks")
            db.execute("insert into marks values (?)", (word,))
    (directory / "secret.key").write_bytes(word[:1].encode() * 32)


def test_a_restore_that_dies_anywhere_is_undone_or_finished(tmp_path: Path) -> None:
    before, data = tmp_path / "before", tmp_path / "data"
    set_up(before)
    mark(before, "old")
    must("backup", "--data-dir", before, tmp_path)
    mark(before, "new")
    for derived in ("columns.duckdb", "rollups.db", "rollups.db-wal"):
        (before / derived).write_bytes(b"derived")
    shutil.copytree(before, data)
    seen = set()
    for _ in deaths(lambda: must("restore", "--data-dir", data, tmp_path, "--yes")):
        restore.complete(data)  # as every start does
        found = names(data)
        assert found in {("old", "old", b"o" * 32), ("new", "new", b"n" * 32)}
        seen.add(found[0])
        asides = list(data.glob("before-restore-*"))
        if found[0] == "old":
            assert names(asides[0]) == ("new", "new", b"n" * 32)
            assert not [*data.glob("columns.*"), *data.glob("rollups.*")]
        else:
            assert asides == []
        assert not (data / restore.NEW).exists()
        assert not (data / restore.JOURNAL).exists()
        shutil.rmtree(data)
        shutil.copytree(before, data)
    assert seen == {"old", "new"}
    assert names(data) == ("old", "old", b"o" * 32)


def test_finishing_a_restore_may_die_as_well(tmp_path: Path) -> None:
    before, data = tmp_path / "before", tmp_path / "data"
    set_up(before)
    mark(before, "old")
    must("backup", "--data-dir", before, tmp_path)
    mark(before, "new")
    shutil.copytree(before, data)
    for _ in deaths(lambda: must("restore", "--data-dir", data, tmp_path, "--yes")):
        if (data / restore.JOURNAL).exists():
            break
    for _ in deaths(lambda: restore.complete(data)):
        pass
    assert names(data) == ("old", "old", b"o" * 32)
    (aside,) = data.glob("before-restore-*")
    assert names(aside) == ("new", "new", b"n" * 32)


def test_a_backup_that_dies_anywhere_leaves_no_half_one(tmp_path: Path) -> None:
    data, folder = tmp_path / "data", tmp_path / "backups"
    set_up(data)
    folder.mkdir()
    for _ in deaths(lambda: must("backup", "--data-dir", data, folder)):
        for name in filter(is_name, [path.name for path in folder.iterdir()]):
            must("backup", "--check", folder / name)
            (folder / name).unlink()
        take.sweep(data, fresh=True)  # as every start does
        assert not (data / take.COPIES).exists()
        must("check", "--data-dir", data)
    assert [is_name(path.name) for path in folder.iterdir()] == [True]


def test_an_upgrade_that_dies_anywhere_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(3)
    data = tmp_path / "data"
    load(BEFORE, data)
    add_rewriting_step(monkeypatch)

    def upgrade() -> None:
        open_box(Settings(data_dir=data)).close()

    for _ in deaths(upgrade, step=chance.randint(7, 15)):
        must("check", "--data-dir", data)
        backups = list((data / "backups").glob("*.tar.gz")) if (data / "backups").exists() else []
        with closing(apsw.Connection(str(data / schema.EVENTS_FILE))) as db:
            assert db.execute("select count(*) from events").get == 10
            rewritten = db.execute("select count(*) from events where name = -1").get
        assert len(backups) <= upgrades.KEPT
        assert rewritten in {0, 10}
        if rewritten:
            assert backups
            for made in backups:
                must("restore", "--data-dir", tmp_path / "back", made, "--yes")
                with closing(apsw.Connection(str(tmp_path / "back" / schema.EVENTS_FILE))) as db:
                    assert db.execute("select count(*) from events where name <> -1").get == 10
                shutil.rmtree(tmp_path / "back")


def test_a_running_box_that_is_killed_while_it_is_backed_up_goes_on(tmp_path: Path) -> None:

    data, folder = tmp_path / "data", tmp_path / "backups"
    account = set_up(data)
    folder.mkdir()
    acknowledged: set[str] = set()
    for turn in range(2):
        with serving(data, **UNLIMITED) as server, Load(server.url, account, f"round {turn}") as clients:
            clients.wait_until_acknowledged(50)
            before = set(clients.acknowledged)
            making = subprocess.Popen(
                command("backup", "--data-dir", str(data), str(folder)),
                env=environment(),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            if turn == 0:
                making.communicate()
            else:
                clients.wait_until_acknowledged(len(before) + 100)
                server.kill()
                making.communicate()
        acknowledged |= clients.acknowledged
        if turn == 0:
            assert making.returncode == 0
            must("restore", "--data-dir", tmp_path / "restored", folder, "--yes")
            stored = stored_names(tmp_path / "restored")
            assert before <= stored <= clients.acknowledged | clients.unanswered
        else:
            assert making.returncode in {0, 1}
    for path in filter(lambda path: is_name(path.name), folder.iterdir()):
        must("backup", "--check", path)
    with serving(data, **UNLIMITED):
        assert not (data / take.COPIES).exists()
    assert acknowledged <= stored_names(data)
