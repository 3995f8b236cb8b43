"""A full or broken disk: nothing is acknowledged that is not stored, and all goes on when there is room again."""

import asyncio
import errno
import os
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from analytics_box.base.errors import Unavailable
from analytics_box.base.store.db import Db
from analytics_box.base.store.reserve import Reserve
from tests.base.store.failing_disk import FailingDisk, Operation
from tests.base.store.notes import behind_gate, note, texts, texts_in

FAILURES = [apsw.FullError, apsw.IOError, apsw.ReadOnlyError]


@pytest.fixture
def disk() -> Iterator[FailingDisk]:
    with FailingDisk() as failing:
        yield failing


@pytest.mark.parametrize("operation", ["write", "sync"])
@pytest.mark.parametrize("failure", FAILURES)
def test_writes_fail_while_the_disk_refuses_and_work_again_after_that(
    path: Path, disk: FailingDisk, failure: type[apsw.Error], operation: Operation
) -> None:
    db = Db(path, readers=1, vfs=disk.name)
    db.write_now(note("before"))
    disk.failure, disk.at = failure, operation
    for number in range(3):
        with pytest.raises(Unavailable) as refused:
            db.write_now(note(f"never {number}"))
        assert refused.value.headers["Retry-After"]
    assert db.read_now(texts) == ["before"], "reads go on"
    disk.failure = None
    assert db.write_now(note("after")) == 2
    db.close()
    assert texts_in(path) == ["before", "after"]


def test_failed_group_commit_raises_for_every_write(path: Path, disk: FailingDisk) -> None:
    db = Db(path, readers=1, vfs=disk.name)
    disk.failure = apsw.FullError
    results = asyncio.run(behind_gate(db, *(note(f"note {number}") for number in range(5))))
    assert [type(result) for result in results] == [Unavailable] * 5
    disk.failure = None
    db.close()
    assert texts_in(path) == []


@pytest.mark.parametrize("failure", [*FAILURES, apsw.CantOpenError, apsw.CorruptError, apsw.BusyError])
def test_a_disk_error_in_one_write_is_everybodys_in_its_group(db: Db, failure: type[apsw.Error]) -> None:
    def struck(connection: apsw.Connection) -> None:
        note("struck")(connection)
        raise failure("the disk refuses")

    results = asyncio.run(behind_gate(db, note("before"), struck, note("after")))
    assert [type(result) for result in results] == [Unavailable] * 3
    assert db.read_now(texts) == []
    assert db.write_now(note("again")) == 1


def test_writes_go_on_after_a_full_disk_whose_reserve_cannot_be_given_up(
    path: Path, disk: FailingDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    reserve = Reserve(path.parent)
    reserve.keep()
    db = Db(path, readers=1, vfs=disk.name, reserve=reserve)
    disk.failure = apsw.FullError

    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(os, "truncate", refuse)
        with pytest.raises(Unavailable):
            db.write_now(note("never"))
    disk.failure = None
    assert db.write_now(note("after")) == 1
    db.close()


def test_writes_go_on_after_a_fault_of_the_writer_itself(db: Db, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("nobody expected this")

    with monkeypatch.context() as patched:
        patched.setattr(db._writer, "_commit", fail)
        with pytest.raises(RuntimeError, match="nobody expected this"):
            db.write_now(note("never"))
    assert db.write_now(note("after")) == 1


def test_a_file_that_may_not_grow_takes_small_writes_again_once_it_may(path: Path) -> None:
    db = Db(path, readers=1)
    pages = db.write_now(lambda connection: int(str(connection.pragma("page_count"))))
    db.write_now(lambda connection: connection.pragma("max_page_count", pages + 4))
    with pytest.raises(Unavailable):
        db.write_now(note("x" * 100_000))
    db.write_now(note("small"))
    db.write_now(lambda connection: connection.pragma("max_page_count", 1 << 30))
    db.write_now(note("x" * 100_000))
    db.close()
    assert [len(text) for text in texts_in(path)] == [5, 100_000]


def test_writes_are_taken_while_the_log_cannot_be_folded_back(path: Path, disk: FailingDisk) -> None:
    db = Db(path, readers=1, checkpoint_pages=5, vfs=disk.name)
    disk.failure, disk.at = apsw.IOError, "fold"
    for number in range(10):
        db.write_now(note(f"{number} {'x' * 20_000}"))
    assert len(db.read_now(texts)) == 10
    disk.failure = None
    db.close()
    assert len(texts_in(path)) == 10
