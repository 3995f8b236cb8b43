"""What an operator is told when the data directory cannot be used: one line that says what and what to do."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from analytics_box.base.store import schema
from analytics_box.base.store.db import Db
from analytics_box.base.store.integrity import integrity
from analytics_box.base.store.trouble import words
from tests.base.store.failing_disk import FailingDisk
from tests.base.store.notes import make_file, note
from tests.running import environment, run, serving, set_up

STRANGER = 12_345  # a user whom this machine does not know


def told(data_dir: Path) -> str:
    """The last line of a server that is expected to give up, which says no more than lines."""
    ended = run("serve", data_dir=data_dir, port=0)
    assert ended.returncode == 1, ended.stderr
    assert "Traceback" not in ended.stderr
    return ended.stderr.splitlines()[-1]


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """A box that is set up."""
    set_up(tmp_path / "data")
    return tmp_path / "data"


as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away, and mounts")


@pytest.mark.crash
@pytest.mark.parametrize("name", [schema.BOX_FILE, schema.EVENTS_FILE])
@pytest.mark.parametrize("from_page", [0, 1])
def test_a_damaged_database_is_said_to_be_damaged(data_dir: Path, name: str, from_page: int) -> None:
    content = (data_dir / name).read_bytes()
    first = from_page * 8192
    (data_dir / name).write_bytes(content[:first] + b"\xff" * (len(content) - first))
    line = told(data_dir)
    assert line.startswith("Error: ")
    assert "restore a backup" in line
    assert name in line
    assert integrity(data_dir / name).startswith("damaged")


@as_root
@pytest.mark.parametrize("name", [".", schema.EVENTS_FILE, "salts"])
def test_files_of_another_owner_are_named_with_both_users(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = data_dir / name
    os.chown(path, STRANGER, STRANGER)
    access = os.access
    monkeypatch.setattr(os, "access", lambda asked, mode: Path(asked) != path and access(asked, mode))
    for broken in (
        PermissionError(errno.EACCES, "Permission denied", str(path)),
        apsw.CantOpenError(),
        apsw.PermissionsError(),
    ):
        broken.__dict__.setdefault("result", apsw.SQLITE_CANTOPEN)
        assert words(broken, data_dir) == (
            f"{path} belongs to {STRANGER}, but this runs as root: run it as {STRANGER}, "
            f"or hand the files over with chown -R root {data_dir}"
        )


@pytest.mark.crash
@as_root
def test_box_whose_disk_becomes_read_only_is_checked_and_stopped_in_an_orderly_way(
    data_dir: Path, tmp_path: Path
) -> None:
    image, disk = tmp_path / "image", tmp_path / "disk"
    disk.mkdir()
    with image.open("wb") as file:
        file.truncate(64 << 20)
    for line in (("mkfs.ext4", "-q", "-F", str(image)), ("mount", "-o", "loop", str(image), str(disk))):
        if shutil.which(line[0]) is None or subprocess.run(line, check=False, capture_output=True).returncode:
            pytest.skip("this machine makes no file system in a file")
    try:
        shutil.copytree(data_dir, disk, dirs_exist_ok=True)
        with serving(disk, ready_free_mb=1, least_free_mb=1) as server:
            subprocess.run(("mount", "-o", "remount,abort", str(disk)), check=True)  # as after an error of the disk
            checked = run("check", data_dir=disk)
            assert checked.returncode == 0, checked.stderr
            assert "events.db: ok" in checked.stdout
            assert server.stop() == 0
    finally:
        subprocess.run(("umount", "-l", str(disk)), check=True)


@pytest.mark.crash
@as_root
def test_a_read_only_disk_is_said_to_be_read_only(data_dir: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ("mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", str(disk))
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("this machine mounts nothing")
    try:
        shutil.copytree(data_dir, disk / "data")
        subprocess.run(("mount", "-o", "remount,ro", str(disk)), check=True)
        assert told(disk / "data") == (
            f"Error: {disk / 'data'} is on a read-only file system; mount it writable, or choose another --data-dir"
        )
    finally:
        subprocess.run(("umount", "-l", str(disk)), check=True)


@pytest.mark.crash
@pytest.mark.parametrize("given", [(), ("--data-dir", "~/box")])
def test_a_user_without_a_home_is_told_to_name_a_place(tmp_path: Path, given: tuple[str, ...]) -> None:
    program = (
        "import os, pwd, sys\n"
        "def unknown(user): raise KeyError(user)\n"
        "pwd.getpwuid = unknown\n"
        "from analytics_box.app.cli.main import main\n"
        "main(['serve', *sys.argv[1:]])\n"
    )
    without = {name: value for name, value in environment().items() if name not in {"HOME", "XDG_DATA_HOME"}}
    ended = subprocess.run(
        (sys.executable, "-c", program, *given), env=without, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (ended.returncode, list(tmp_path.iterdir())) == (1, [])
    (line,) = ended.stderr.splitlines()
    assert "no home directory" in line
    assert "--data-dir" in line or "full path" in line


@pytest.mark.crash
def test_a_database_that_another_program_holds_is_said_to_be_held(data_dir: Path) -> None:
    holder = apsw.Connection(str(data_dir / schema.BOX_FILE))
    holder.pragma("journal_mode", "delete")
    holder.execute("begin exclusive")
    try:
        assert "Another program holds box.db or events.db" in told(data_dir)
    finally:
        holder.close()


def test_an_error_of_the_program_has_no_such_words(tmp_path: Path) -> None:
    assert words(ValueError("a bug"), tmp_path) == ""
    assert words(FileNotFoundError(2, "No such file", "/elsewhere"), tmp_path) == ""


def test_a_disk_that_refuses_fills_no_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    make_file(tmp_path / "notes.db")
    with FailingDisk() as disk:
        db = Db(tmp_path / "notes.db", readers=1, vfs=disk.name)
        disk.failure = apsw.FullError
        for _ in range(50):
            with pytest.raises(Exception, match="cannot write to its disk"):
                db.write_now(note("never"))
        disk.failure = None
        db.close()
    assert caplog.text.count("cannot be written") == 1
    assert len(caplog.records) <= 2
