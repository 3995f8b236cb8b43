"""The write-ahead log is folded back into the file before it grows long, and whole at the end."""

from pathlib import Path

import apsw

from analytics_box.base.store.db import Db
from analytics_box.base.store.wal import CHECKPOINT_PAGES
from tests.base.store.notes import note, texts, texts_in

PAGE = 4_096
LONG = "x" * PAGE


def log_of(path: Path) -> int:
    """Bytes of the file's log."""
    return path.with_name(path.name + "-wal").stat().st_size


def test_the_log_is_folded_back_between_writes_once_it_is_long(path: Path) -> None:
    db = Db(path, checkpoint_pages=20)
    sizes = []
    for number in range(200):
        db.write_now(note(f"{number} {LONG}"))
        sizes.append(log_of(path))
    db.write_now(lambda connection: None)  # the last checkpoint has ended when this runs
    assert path.stat().st_size > 100 * 2 * PAGE, "most of it is in the file"
    assert max(sizes) < 40 * PAGE, "the log began again from its start"
    db.close()
    assert len(texts_in(path)) == 200


def test_a_short_log_is_left_alone(path: Path) -> None:
    before = path.stat().st_size
    db = Db(path)
    for number in range(50):
        db.write_now(note(f"{number} {LONG}"))
    assert CHECKPOINT_PAGES > 50
    assert path.stat().st_size == before
    db.close()
    assert path.stat().st_size > 50 * PAGE


def test_a_reader_that_holds_the_log_delays_the_fold_but_loses_nothing(path: Path) -> None:
    db = Db(path, checkpoint_pages=20)
    db.write_now(note("first"))
    holder = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    holder.execute("begin")
    assert texts(holder) == ["first"]
    for number in range(100):
        db.write_now(note(f"{number} {LONG}"))
    assert log_of(path) > 100 * PAGE, "nothing that the reader may need was overwritten"
    assert texts(holder) == ["first"]
    holder.execute("commit")
    holder.close()
    for number in range(100, 130):
        db.write_now(note(f"{number} {LONG}"))
    db.close()
    assert not path.with_name(path.name + "-wal").exists()
    assert len(texts_in(path)) == 131
