"""While a file is held nothing is committed to it; a hold that lasts too long is no ground for a copy."""

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from analytics_box.base.errors import Unavailable
from analytics_box.base.store import db as dbs
from analytics_box.base.store import snapshot
from analytics_box.base.store.db import Connection, Db


def add(db: Connection) -> None:
    db.execute("insert into strings (value) values (hex(randomblob(8)))").fetchall()


def count(db: Connection) -> int:
    return int(str(db.execute("select count(*) from strings").fetchall()[0][0]))


@pytest.fixture
def pair(empty_box: Path, tmp_path: Path) -> Iterator[tuple[Path, Db, Db]]:
    """The two files of a box, open."""
    directory = Path(shutil.copytree(empty_box, tmp_path / "box"))
    box, events = Db(directory / "box.db", readers=1), Db(directory / "events.db", readers=1)
    yield directory, box, events
    box.close()
    events.close()


def test_a_write_waits_until_a_hold_ends(pair: tuple[Path, Db, Db]) -> None:
    _, _, events = pair
    before = events.read_now(count)
    with ThreadPoolExecutor(1) as threads:
        with events.held() as hold:
            writing = threads.submit(events.write_now, add)
            assert events.read_now(count) == before
            assert not writing.done()
        writing.result()
    assert (events.read_now(count), hold.lapsed) == (before + 1, False)


def test_a_hold_that_ends_by_itself_says_so_and_is_not_believed(
    pair: tuple[Path, Db, Db], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory, box, events = pair
    monkeypatch.setattr(dbs, "_HOLD_SECONDS", 0)
    with events.held() as hold:
        events.write_now(add)
    assert hold.lapsed
    (tmp_path / "copy").mkdir()

    def now() -> int:
        events.write_now(lambda _: None)  # the writers are past their holds
        box.write_now(lambda _: None)
        return 0

    with pytest.raises(snapshot.SnapshotLapse):
        snapshot.copy_pair(directory, tmp_path / "copy", (box, events), lambda: None, now)
    monkeypatch.undo()
    assert snapshot.copy_pair(directory, tmp_path / "copy", (box, events), lambda: None, lambda: 7) == 7


def test_a_box_that_stops_is_not_held(pair: tuple[Path, Db, Db]) -> None:
    _, _, events = pair
    events.close()
    with pytest.raises(Unavailable), events.held():
        pass
