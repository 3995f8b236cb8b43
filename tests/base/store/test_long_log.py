"""The write-ahead log starts again although reads overlap without a gap, and nobody waits for that for long."""

import logging
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import apsw
import pytest

from analytics_box.base.store.db import Db
from analytics_box.base.store.gate import ReadGate
from tests.base.store.notes import PATIENCE, note, texts, texts_in

PAGE = 4_096
LONG = "x" * PAGE
CHECKPOINT = 20  # pages


class Reader:
    """A read that sees what is there when it begins, and goes on until it is told to end."""

    def __init__(self, db: Db) -> None:
        self.begun, self._end = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._read, args=(db,))
        self._thread.start()

    def _read(self, db: Db) -> None:
        db.read_now(self._hold, seconds=3_600)

    def _hold(self, connection: apsw.Connection) -> None:
        connection.execute("begin")
        seen = texts(connection)
        self.begun.set()
        assert self._end.wait(PATIENCE)
        assert texts(connection) == seen
        connection.execute("rollback")

    def end(self) -> None:
        self._end.set()
        self._thread.join(PATIENCE)


def wait_until(happened: Callable[[], bool]) -> None:
    """Return once it has; other threads run meanwhile."""
    while not happened():
        threading.Event().wait(0)


def has_come(db: Db, reader: Reader) -> bool:
    """Whether it reads, or waits for the log to start again."""
    return reader.begun.is_set() or db.queues.held > 0


def test_the_log_starts_again_although_there_is_always_a_read(path: Path) -> None:
    db = Db(path, readers=3, checkpoint_pages=CHECKPOINT)
    longest = held_back = number = 0
    running = Reader(db)
    for _ in range(40):
        next_one = Reader(db)
        wait_until(partial(has_come, db, next_one))
        held_back += not next_one.begun.is_set()
        for _ in range(5):
            number += 1
            db.write_now(note(f"{number} {LONG}"))
        longest = max(longest, db.log_bytes)
        running.end()
        assert next_one.begun.wait(PATIENCE)
        running = next_one
    running.end()
    assert longest < 6 * CHECKPOINT * PAGE, f"{longest / PAGE:.0f} pages"
    assert 0 < held_back < 20, "most reads began at once"
    db.close()
    assert len(texts_in(path)) == number


def make_long(db: Db, *, pages: int = 60) -> None:
    """Write until the log is longer than its bound; returns once the writer has noticed."""
    for number in range(pages):
        db.write_now(note(f"{db.version} {number} {LONG}"))
    db.write_now(lambda _: None)


def test_reads_that_wait_go_on_without_another_write(path: Path) -> None:
    db = Db(path, readers=2, checkpoint_pages=CHECKPOINT)
    running = Reader(db)
    assert running.begun.wait(PATIENCE)
    make_long(db)
    held_back = Reader(db)
    wait_until(lambda: db.queues.held == 1)
    assert not held_back.begun.is_set()
    running.end()
    assert held_back.begun.wait(PATIENCE)
    held_back.end()
    before = db.log_bytes
    make_long(db, pages=10)
    assert db.log_bytes <= before, "the log began again from its start"
    db.close()


def test_a_box_that_stops_keeps_no_read_waiting(path: Path) -> None:
    db = Db(path, readers=2, checkpoint_pages=CHECKPOINT)
    running = Reader(db)
    assert running.begun.wait(PATIENCE)
    make_long(db)
    held_back = Reader(db)
    wait_until(lambda: db.queues.held == 1)
    closing = threading.Thread(target=db.close)
    closing.start()
    assert held_back.begun.wait(PATIENCE)
    held_back.end()
    running.end()
    closing.join(PATIENCE)
    assert not closing.is_alive()


def test_a_reader_outside_the_box_is_said_now_and_then_and_holds_up_no_read(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    db = Db(path, readers=2, checkpoint_pages=CHECKPOINT)
    outside = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    outside.execute("begin")
    assert texts(outside) == []
    with caplog.at_level(logging.WARNING):
        make_long(db, pages=300)
    assert len(db.read_now(texts)) == 300
    warnings = [record.getMessage() for record in caplog.records if "another program reads" in record.getMessage()]
    assert 1 <= len(warnings) <= 6, "one each time that the log is twice as long"
    assert path.name in warnings[0]
    outside.execute("rollback")
    outside.close()
    make_long(db)
    longest = db.log_bytes
    make_long(db)
    assert db.log_bytes <= longest
    db.close()


# The gate by itself


def test_writers_wait_once_and_briefly_for_a_long_read() -> None:
    drained: list[str] = []
    gate = ReadGate(lambda: drained.append("drained"), patience=0)
    with gate.passed():
        gate.close()
        with gate.passed():  # its patience is over: it opens again
            pass
        gate.close()
        assert not gate.is_drained
        gate_is_open_to_all(gate)
    assert drained == []
    gate.close()
    assert gate.is_drained


def test_the_last_read_to_leave_a_closed_gate_says_so() -> None:
    drained: list[str] = []
    gate = ReadGate(lambda: drained.append("drained"), patience=3_600)
    with gate.passed():
        with gate.passed():
            gate.close()
        assert drained == []
    assert drained == ["drained"]
    assert gate.is_drained
    gate.open()
    gate_is_open_to_all(gate)


def gate_is_open_to_all(gate: ReadGate) -> None:
    with gate.passed():
        assert not gate.is_drained
