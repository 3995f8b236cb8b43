"""Writes that wait together are committed together, and none can harm its neighbours."""

import asyncio
import itertools
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from analytics_box.base.store.db import Db
from tests.base.store.notes import Gate, Refusal, behind_gate, note, refused, texts, texts_in


def count_commits(db: Db) -> list[None]:
    """A list that gets one element per commit from now on."""
    commits: list[None] = []

    def committed() -> bool:
        commits.append(None)
        return False

    db.write_now(lambda connection: connection.set_commit_hook(committed))
    commits.clear()
    return commits


def test_writes_that_wait_while_the_writer_is_busy_share_one_commit(db: Db) -> None:
    commits = count_commits(db)
    results = asyncio.run(behind_gate(db, *(note(f"note {number}") for number in range(50))))
    assert results == list(range(1, 51))
    assert len(commits) == 2, "one for the busy writer, one for all that waited"


def test_an_acknowledged_write_can_be_read_at_once(db: Db) -> None:
    async def write_then_read() -> list[str]:
        await db.write(note("first"))
        return await db.read(texts)

    assert asyncio.run(write_then_read()) == ["first"]


def test_a_refused_write_leaves_its_neighbours_in_the_group_untouched(db: Db, path: Path) -> None:
    results = asyncio.run(behind_gate(db, note("before"), refused("never"), note("after")))
    assert results[0] == 1
    assert isinstance(results[1], Refusal)
    assert results[2] == 2
    db.close()
    assert texts_in(path) == ["before", "after"]


def test_every_exception_reaches_the_caller_that_caused_it(db: Db) -> None:
    works = [refused(f"refused {number}") if number % 3 == 0 else note(f"note {number}") for number in range(30)]
    for number, result in enumerate(asyncio.run(behind_gate(db, *works))):
        if number % 3 == 0:
            assert isinstance(result, Refusal)
            assert str(result) == f"refused {number}"
        else:
            assert isinstance(result, int)


def test_a_broken_constraint_is_the_callers_own_error(db: Db) -> None:
    first, second, third = asyncio.run(behind_gate(db, note("same"), note("same"), note("other")))
    assert (first, third) == (1, 2)
    assert isinstance(second, apsw.ConstraintError)


def test_write_that_raises_stop_iteration_does_not_block_its_caller(db: Db) -> None:
    def exhausted(_connection: apsw.Connection) -> None:
        next(iter(()))

    before, broken, after = asyncio.run(behind_gate(db, note("before"), exhausted, note("after")))
    assert (before, after) == (1, 2)
    assert isinstance(broken, RuntimeError)


def test_a_caller_that_gave_up_does_not_stop_its_write_or_its_neighbours(db: Db) -> None:
    async def give_up() -> list[str]:
        gate = Gate()
        busy = asyncio.create_task(db.write(gate))
        await asyncio.to_thread(gate.wait_until_entered)
        impatient = asyncio.create_task(db.write(note("impatient")))
        patient = asyncio.create_task(db.write(note("patient")))
        await asyncio.sleep(0)
        impatient.cancel()
        await asyncio.gather(impatient, return_exceptions=True)
        gate.open()
        assert await patient == 2
        await busy
        return await db.read(texts)

    assert asyncio.run(give_up()) == ["impatient", "patient"]


def test_threads_without_an_event_loop_write_side_by_side(db: Db) -> None:
    with ThreadPoolExecutor(8) as threads:
        ids = list(threads.map(lambda number: db.write_now(note(f"note {number}")), range(200)))
    assert sorted(ids) == list(range(1, 201))


def test_an_exception_reaches_a_caller_without_an_event_loop(db: Db) -> None:
    with pytest.raises(Refusal):
        db.write_now(refused("never"))
    assert db.read_now(texts) == []


def test_callers_with_and_without_an_event_loop_write_side_by_side(db: Db) -> None:
    async def mixed() -> tuple[int, int]:
        gate = Gate()
        busy = asyncio.create_task(db.write(gate))
        await asyncio.to_thread(gate.wait_until_entered)
        in_loop = asyncio.create_task(db.write(note("in loop")))
        await asyncio.sleep(0)
        in_thread = asyncio.create_task(asyncio.to_thread(db.write_now, note("in thread")))
        gate.open()
        await busy
        return await in_loop, await in_thread

    assert asyncio.run(mixed()) == (1, 2)


def test_nested_writes_in_one_work_stand_or_fall_together(db: Db) -> None:
    counter = itertools.count()

    def several(connection: apsw.Connection) -> None:
        for _ in range(3):
            note(f"note {next(counter)}")(connection)
        note("note 0")(connection)

    with pytest.raises(apsw.ConstraintError):
        db.write_now(several)
    assert db.read_now(texts) == []
