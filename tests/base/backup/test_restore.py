"""A restore looks first, takes both files or none, keeps what was there, and refuses what is not a backup."""

import gzip
import hashlib
import io
import json
import shutil
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

import apsw
import pytest

from analytics_box.base.backup import manifest, restore
from analytics_box.base.store import data_lock, schema
from tests.base.backup.world import run
from tests.cases import each
from tests.running import set_up

Members = dict[str, bytes]


WRITTEN = Path(gettempdir()) / "written-by-a-backup"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stopped box in `data`, and a backup of it beside."""
    folder = tmp_path_factory.mktemp("made")
    set_up(folder / "data")
    (folder / "data" / "secret.key").write_bytes(b"k" * 32)
    (folder / "data" / "analytics-box.toml").write_text("port = 8001\n")
    assert run("backup", "--data-dir", folder / "data", folder).exit_code == 0
    return folder


@pytest.fixture
def data(made: Path, tmp_path: Path) -> Path:
    """The stopped box, of one's own."""
    return Path(shutil.copytree(made / "data", tmp_path / "data"))


def members(backup: Path) -> Members:
    with tarfile.open(backup) as tar:
        return {one.name: content.read() for one in tar if (content := tar.extractfile(one))}


def packed(path: Path, found: Members) -> Path:
    """A backup of these files, whether its manifest tells of them or not."""
    with gzip.open(path, "wb") as target, tarfile.open(fileobj=target, mode="w|") as tar:
        for name, content in found.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return path


def told(change: Callable[[Any], None]) -> Callable[[Members], None]:
    """A change of what the manifest says."""

    def changed(found: Members) -> None:
        content = json.loads(found[manifest.NAME])
        change(content)
        found[manifest.NAME] = json.dumps(content).encode()

    return changed


def again(found: Members, name: str, content: bytes) -> None:
    """Another file in the place of one, with the right sum."""
    found[name] = content
    said = json.loads(found[manifest.NAME])
    for part in said["parts"]:
        if part["name"] == name:
            part |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    found[manifest.NAME] = json.dumps(said).encode()


def another_box(found: Members) -> None:
    """events.db of another box."""
    with TemporaryDirectory() as name:
        path = Path(name) / "events.db"
        path.write_bytes(found["events.db"])
        with closing(apsw.Connection(str(path))) as db:
            db.pragma("journal_mode", "delete")
            db.execute("update box set id = ?", ("0" * 32,))
        again(found, "events.db", path.read_bytes())


def evil_name(found: Members) -> None:
    """A table whose name goes on as a statement that writes a file."""
    with TemporaryDirectory() as name:
        path = Path(name) / "events.db"
        path.write_bytes(found["events.db"])
        with closing(apsw.Connection(str(path))) as db:
            db.pragma("journal_mode", "delete")
            table = f"x\"; vacuum into '{WRITTEN}'; --".replace('"', '""')
            db.execute(f'create table "{table}" (id integer primary key)')
        again(found, "events.db", path.read_bytes())


DAMAGES: tuple[tuple[str, Callable[[Members], Any], str], ...] = (
    (
        "a byte of a database",
        lambda found: found.update({"box.db": b"x" + found["box.db"][1:]}),
        "does not match",
    ),
    ("no events", lambda found: found.pop("events.db"), "events.db is missing or misplaced"),
    ("a file more", lambda found: found.update({"more": b"x"}), "files that are not in its manifest"),
    ("a way out", told(lambda said: said["parts"][0].update(name="../box.db")), "manifest cannot be read"),
    ("one database told of", told(lambda said: said["parts"].pop(1)), "files are missing"),
    (
        "another file told of",
        told(lambda said: said["parts"].append({**said["parts"][0], "name": "lock"})),
        "files are missing or unexpected",
    ),
    ("a newer format", told(lambda said: said.update(format=2)), "made by a newer version"),
    ("a newer step", told(lambda said: said["steps"]["events.db"].append("9999_later")), "newer version"),
    ("steps that are not there", told(lambda said: said["steps"]["events.db"].pop()), "do not match its manifest"),
    ("an empty manifest", told(lambda said: said.clear()), "manifest cannot be read"),
    ("no manifest", lambda found: found.pop(manifest.NAME), "does not begin with a manifest"),
    ("a damaged database", lambda found: again(found, "events.db", b"SQLite format 3\0" + b"\1" * 9_000), "damaged"),
    ("an empty database", lambda found: again(found, "events.db", b""), "missing or empty"),
    ("files of two boxes", another_box, "belong to different servers"),
)


@each(("name", "damage", "said"), DAMAGES, ids=lambda name, *_: name)
def test_damaged_backup_is_refused_and_changes_nothing(
    made: Path, tmp_path_factory: pytest.TempPathFactory, name: str, damage: Callable[[Members], Any], said: str
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    data = Path(shutil.copytree(made / "data", folder / "data"))
    before = {path.name: path.read_bytes() for path in data.iterdir()}
    found = members(next(made.glob("*.tar.gz")))
    damage(found)
    source = packed(folder / "backup.tar.gz", found)
    for words in (("backup", "--check", source), ("restore", "--data-dir", data, source, "--yes")):
        refused = run(*words)
        assert (refused.exit_code, said in refused.stderr) == (1, True), (name, refused.output)
    assert {path.name: path.read_bytes() for path in data.iterdir()} == before


def test_a_table_may_have_any_name_and_none_is_a_statement(made: Path, tmp_path: Path) -> None:
    WRITTEN.unlink(missing_ok=True)
    found = members(next(made.glob("*.tar.gz")))
    evil_name(found)
    run("backup", "--check", packed(tmp_path / "backup.tar.gz", found))
    assert not WRITTEN.exists()


def test_a_header_that_would_fill_memory_is_refused(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "backup.tar.gz", "wb") as target, tarfile.open(fileobj=target, mode="w|") as tar:
        info = tarfile.TarInfo(manifest.NAME)
        info.pax_headers = {"comment": "x" * 1_000_000}
        tar.addfile(info)
    refused = run("backup", "--check", tmp_path / "backup.tar.gz")
    assert refused.exit_code == 1
    assert "a header is too long" in refused.stderr


def test_cut_off_backups_are_refused(made: Path, tmp_path: Path) -> None:
    content = next(made.glob("*.tar.gz")).read_bytes()
    for size in (0, 1, 10, 1_000, len(content) // 2, len(content) - 9, len(content) - 1):
        (tmp_path / "cut.tar.gz").write_bytes(content[:size])
        refused = run("backup", "--check", tmp_path / "cut.tar.gz")
        assert (refused.exit_code, "Traceback" in refused.output) == (1, False), size


def test_the_key_comes_back_and_the_settings_of_this_machine_stay(made: Path, data: Path) -> None:
    (data / "secret.key").write_bytes(b"n" * 32)
    (data / "analytics-box.toml").write_text("port = 8002\n")
    (data / "columns.duckdb").write_bytes(b"old")
    ended = run("restore", "--data-dir", data, made, "--yes", "--json")
    assert ended.exit_code == 0, ended.output
    kept = Path(json.loads(ended.stdout)["kept"])
    assert ((data / "secret.key").read_bytes(), (kept / "secret.key").read_bytes()) == (b"k" * 32, b"n" * 32)
    assert (data / "analytics-box.toml").read_text() == "port = 8002\n"
    assert not (data / "columns.duckdb").exists()
    new = data.parent / "elsewhere"
    assert run("restore", "--data-dir", new, made, "--yes").exit_code == 0
    assert (new / "analytics-box.toml").read_text() == "port = 8001\n"
    assert new.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in new.iterdir()} == {0o600}


def test_a_backup_without_the_key_says_so(data: Path, tmp_path: Path) -> None:
    made = tmp_path / "without"
    made.mkdir()
    assert run("backup", "--data-dir", data, made, "--without-key").exit_code == 0
    assert "without its secret.key" in run("backup", "--check", made).stdout
    assert not (tmp_path / "new" / "secret.key").exists()
    assert run("restore", "--data-dir", tmp_path / "new", made, "--yes").exit_code == 0
    assert run("restore", "--data-dir", data, made, "--yes").exit_code == 0
    assert (data / "secret.key").read_bytes() == b"k" * 32


def test_a_sealed_backup_needs_its_passphrase(data: Path, tmp_path: Path) -> None:
    (tmp_path / "right").write_text("correct horse\n")
    (tmp_path / "wrong").write_text("wrong horse battery\n")
    (tmp_path / "short").write_text("horse\n")
    folder = tmp_path / "sealed"
    folder.mkdir()
    assert run("backup", "--data-dir", data, folder, "--passphrase-file", tmp_path / "short").exit_code == 1
    assert run("backup", "--data-dir", data, folder, "--passphrase-file", tmp_path / "right").exit_code == 0
    (made,) = folder.iterdir()
    assert made.name.endswith(".sealed")
    assert b"SQLite" not in made.read_bytes()
    for file, code in (("right", 0), ("wrong", 1)):
        assert run("backup", "--check", folder, "--passphrase-file", tmp_path / file).exit_code == code
    assert "--passphrase-file" in run("backup", "--check", folder).stderr


def test_a_running_box_is_not_restored_into(made: Path, data: Path) -> None:
    with data_lock.lock(data):
        refused = run("restore", "--data-dir", data, made, "--yes")
    assert (refused.exit_code, "Stop it before you restore" in refused.stderr) == (1, True)
    assert not (data / restore.NEW).exists()


def test_restore_without_a_terminal_is_refused_and_no_means_no(made: Path, data: Path) -> None:
    refused = run("restore", "--data-dir", data, made)
    assert (refused.exit_code, "Add --yes" in refused.stderr) == (1, True)
    assert not (data / restore.NEW).exists()
    assert list(data.glob("before-restore-*")) == []


def test_losses_are_counted_and_another_box_is_named(made: Path, data: Path, tmp_path: Path) -> None:
    with closing(apsw.Connection(str(data / schema.BOX_FILE))) as db:
        statement = "insert into audit (time, actor, action, subject, subject_id) values (1, 'a', 'created', 's', 'i')"
        for _ in range(3):
            db.execute(statement)
    said = json.loads(run("restore", "--data-dir", data, made, "--yes", "--json").stdout)
    assert (said["lost"], said["otherBox"]) == ({"events": 0, "clicks": 0, "changes": 3}, False)
    with closing(apsw.Connection(str(data / schema.BOX_FILE))) as db:
        db.execute("update box set id = ?", ("f" * 32,))
    assert json.loads(run("restore", "--data-dir", data, made, "--yes", "--json").stdout)["otherBox"]


def test_damaged_files_are_no_hindrance_and_kept(made: Path, data: Path) -> None:
    (data / schema.EVENTS_FILE).write_bytes(b"nonsense" * 999)
    said = run("restore", "--data-dir", data, made, "--yes", "--json")
    assert said.exit_code == 0, said.output
    kept = Path(json.loads(said.stdout)["kept"])
    assert (kept / schema.EVENTS_FILE).read_bytes().startswith(b"nonsense")
    assert run("check", "--data-dir", data).exit_code == 0


def test_half_a_box_is_not_backed_up(data: Path, tmp_path: Path) -> None:
    (data / schema.EVENTS_FILE).rename(tmp_path / "elsewhere.db")
    refused = run("backup", "--data-dir", data, tmp_path)
    assert (refused.exit_code, "needs both files" in refused.stderr) == (1, True)
