"""After an unclean stop both databases are looked through; a look that is cut short is taken again."""

import shutil
from pathlib import Path

import apsw
import pytest

from analytics_box.app.box import Box, open_box
from analytics_box.app.server import check_after_crash
from analytics_box.base.settings import Settings
from analytics_box.base.store import schema
from analytics_box.base.store.running import RUNNING_FILE, UNCHECKED_FILE
from tests.inprocess import FixedClock, fill


def opened(directory: Path) -> Box:
    return open_box(Settings(data_dir=directory), FixedClock())


def left_by_a_crash(folder: Path) -> Path:
    """A data directory whose logs were never folded back."""
    fill(folder / "running", FixedClock().now())
    box = opened(folder / "running")
    box.events.db.write_now(lambda db: [*db.execute("insert into strings (value) values ('x')")])
    left = Path(shutil.copytree(folder / "running", folder / "left", ignore=shutil.ignore_patterns("*.sock")))
    box.close()
    return left


def test_a_clean_stop_needs_no_look(tmp_path: Path) -> None:
    fill(tmp_path / "data", FixedClock().now())
    for _ in range(2):
        box = opened(tmp_path / "data")
        assert not box.unclean
        box.close()


def test_a_look_that_was_cut_short_is_taken_again(tmp_path: Path) -> None:
    directory = left_by_a_crash(tmp_path)
    for _ in range(2):  # nobody looks; the second time the logs are gone, too
        box = opened(directory)
        assert box.unclean
        box.close()
    box = opened(directory)
    check_after_crash(box)
    box.close()
    assert not (directory / UNCHECKED_FILE).exists()
    box = opened(directory)
    assert not box.unclean
    box.close()


def test_a_look_while_the_box_stops_does_not_count(tmp_path: Path) -> None:
    directory = left_by_a_crash(tmp_path)
    box = opened(directory)
    box.close()
    check_after_crash(box)
    box = opened(directory)
    assert box.unclean
    box.close()


def test_damaged_file_is_checked_at_every_start(tmp_path: Path) -> None:
    directory = left_by_a_crash(tmp_path)
    opened(directory).close()
    events = directory / schema.EVENTS_FILE
    connection = apsw.Connection(str(events))
    page = int(
        str(connection.execute("select rootpage from sqlite_master where name = 'vitals_by_time'").fetchall()[0][0])
    )
    size = int(str(connection.pragma("page_size")))
    connection.close()
    content = bytearray(events.read_bytes())
    content[(page - 1) * size : page * size] = b"\xff" * size
    events.write_bytes(content)
    box = opened(directory)
    check_after_crash(box)
    box.close()
    assert (directory / UNCHECKED_FILE).exists()


def test_a_log_that_is_there_after_a_clean_stop_needs_no_look(tmp_path: Path) -> None:
    fill(tmp_path / "data", FixedClock().now())
    opened(tmp_path / "data").close()
    (tmp_path / "data" / f"{schema.EVENTS_FILE}-wal").write_bytes(b"left by another program")
    box = opened(tmp_path / "data")
    assert not box.unclean
    box.close()
    assert not (tmp_path / "data" / RUNNING_FILE).exists()


@pytest.mark.parametrize("name", [schema.BOX_FILE, schema.EVENTS_FILE])
def test_a_log_that_was_deleted_after_a_crash_is_missed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    directory = left_by_a_crash(tmp_path)
    (directory / f"{name}-wal").unlink()
    box = opened(directory)
    assert box.unclean
    assert [record.levelname for record in caplog.records if f"{name}-wal) is gone" in record.message] == ["ERROR"]
    assert "The most recent writes are lost" in caplog.text
    box.close()


def test_after_a_crash_with_its_logs_nothing_is_missed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    opened(left_by_a_crash(tmp_path)).close()
    assert "writes are lost" not in caplog.text
