"""Reads: under a deadline, on connections that cannot write, beside a busy writer."""

import asyncio
import os
import sys
from pathlib import Path

import apsw
import pytest

from analytics_box.base import log
from analytics_box.base.errors import DeadlineExceeded, OverBudget, Unavailable
from analytics_box.base.store.db import Db
from analytics_box.base.store.reserve import Reserve
from tests.base.store.notes import Gate, Refusal, endless, note, texts


def test_a_read_past_its_deadline_is_broken_off_and_the_next_one_works(path: Path) -> None:
    db = Db(path, readers=1)

    async def overrun_then_read() -> list[str]:
        await db.write(note("there"))
        with pytest.raises(DeadlineExceeded, match=r"0\.01 seconds"):
            await db.read(endless, seconds=0.01)
        return await db.read(texts)

    assert asyncio.run(overrun_then_read()) == ["there"]
    db.close()


def test_the_connection_that_read_last_reads_next_and_another_only_beside_it(db: Db) -> None:
    beside = db.read_now(lambda first: db.read_now(lambda second: [first, second]))
    assert beside[0] is not beside[1]
    last = db.read_now(lambda connection: connection)
    assert [db.read_now(lambda connection: connection) for _ in range(3)] == [last] * 3


def test_each_connection_has_its_room_for_pages_from_its_first_read(db: Db) -> None:
    sizes = db.read_now(lambda first: db.read_now(lambda second: [one.pragma("cache_size") for one in (first, second)]))
    assert sizes == [-8_000, -8_000]


def test_the_deadline_of_one_read_does_not_follow_its_connection(path: Path) -> None:
    db = Db(path, readers=1)
    with pytest.raises(DeadlineExceeded):
        db.read_now(endless, seconds=0)
    long = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000) select count(*) from n"
    assert db.read_now(lambda connection: connection.execute(long).get, seconds=60) == 100_000
    db.close()


def test_abandoned_read_is_interrupted_and_a_queued_one_never_starts(path: Path) -> None:
    db = Db(path, readers=1)
    begun: list[object] = []

    async def lose_interest() -> list[str]:
        gate = Gate()

        def long(connection: apsw.Connection) -> None:
            gate(connection)
            endless(connection)

        running = asyncio.create_task(db.read(long, seconds=3_600))
        await asyncio.to_thread(gate.wait_until_entered)
        waiting = asyncio.create_task(db.read(begun.append, seconds=3_600))
        await asyncio.sleep(0)
        for task in (running, waiting):
            task.cancel()
        assert all(
            isinstance(end, BaseException) for end in await asyncio.gather(running, waiting, return_exceptions=True)
        )
        gate.open()
        return await db.read(texts)

    assert asyncio.run(lose_interest()) == []
    assert begun == []
    db.close()


@pytest.mark.parametrize(
    "statement",
    ["insert into notes (text) values ('x')", "delete from notes", "drop table notes", "create table more (id)"],
)
def test_a_reader_cannot_write(db: Db, statement: str) -> None:
    db.write_now(note("there"))
    with pytest.raises(apsw.ReadOnlyError):
        db.read_now(lambda connection: connection.execute(statement).fetchall())
    assert db.read_now(texts) == ["there"]


def test_error_of_a_read_reaches_its_caller_and_frees_the_connection(path: Path) -> None:
    db = Db(path, readers=1)

    def broken(_connection: apsw.Connection) -> None:
        raise Refusal("broken")

    for _ in range(3):
        with pytest.raises(Refusal):
            asyncio.run(db.read(broken))
    assert db.read_now(texts) == []
    db.close()


def test_reads_go_on_while_a_write_is_under_way_and_do_not_see_it(db: Db) -> None:
    gate = Gate()

    def slow(connection: apsw.Connection) -> None:
        note("half done")(connection)
        gate(connection)

    async def read_beside() -> tuple[list[str], list[str]]:
        writing = asyncio.create_task(db.write(slow))
        await asyncio.to_thread(gate.wait_until_entered)
        during = await db.read(texts)
        gate.open()
        await writing
        return during, await db.read(texts)

    assert asyncio.run(read_beside()) == ([], ["half done"])


def test_a_read_belongs_to_the_request_that_asks(db: Db) -> None:
    async def ask(request_id: str) -> str:
        log.REQUEST_ID.set(request_id)
        return await db.read(lambda _: log.REQUEST_ID.get())

    async def ask_twice() -> list[str]:
        return [*await asyncio.gather(ask("one"), ask("another"))]

    assert asyncio.run(ask_twice()) == ["one", "another"]


def test_reads_run_side_by_side_up_to_the_number_of_readers(path: Path) -> None:
    db = Db(path, readers=2)

    async def two_at_once() -> None:
        first, second = Gate(), Gate()
        reading = [asyncio.create_task(db.read(gate)) for gate in (first, second)]
        await asyncio.to_thread(first.wait_until_entered)
        await asyncio.to_thread(second.wait_until_entered)
        second.open()
        first.open()
        await asyncio.gather(*reading)

    asyncio.run(two_at_once())
    db.close()


def test_long_reads_never_have_all_readers(path: Path) -> None:
    db = Db(path, readers=3)

    async def ask() -> None:
        gates = [Gate() for _ in range(4)]
        reading = [asyncio.create_task(db.read(gate, long=True)) for gate in gates]
        for gate in gates[:2]:
            await asyncio.to_thread(gate.wait_until_entered)
        assert await db.read(texts) == []  # though two more wait
        for gate in gates:
            gate.open()
        await asyncio.gather(*reading)

    asyncio.run(ask())
    db.close()


def test_long_reads_beyond_their_share_do_not_block_short_ones(path: Path) -> None:
    db = Db(path, readers=2, read_queue=2)

    async def ask() -> None:
        gates = [Gate() for _ in range(2)]
        reading = [asyncio.create_task(db.read(gate, long=True)) for gate in gates]
        await asyncio.to_thread(gates[0].wait_until_entered)
        with pytest.raises(Unavailable):
            await db.read(texts, long=True)
        assert await db.read(texts) == []
        for gate in gates:
            gate.open()
        await asyncio.gather(*reading)

    asyncio.run(ask())
    db.close()


LONG_SORT = """
with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000),
sorted as materialized (select hex(randomblob(50)) as text from n order by text)
select files() from sorted limit 1
"""


def _files_of_a_sort(db: apsw.Connection) -> list[str]:
    """The files without a name that are open while some 20 MB are sorted."""

    def files(*_: object) -> str:
        return "\n".join(name for name in map(_opened, os.listdir("/proc/self/fd")) if name.endswith("(deleted)"))

    db.create_scalar_function("files", files, 0)
    return str(db.execute(LONG_SORT).get).splitlines()


def _opened(number: str) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{number}")
    except OSError:  # the listing itself
        return ""


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc which files are open")
def test_sorting_read_uses_a_nameless_file_instead_of_memory(db: Db) -> None:
    assert any(name.startswith(str(db.path.parent)) for name in db.read_now(_files_of_a_sort))
    assert not [name for name in os.listdir(db.path.parent) if "etilqs" in name]


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc which files are open")
def test_while_the_disk_is_full_reads_sort_in_memory(path: Path) -> None:
    reserve = Reserve(path.parent)
    db = Db(path, readers=1, reserve=reserve)
    reserve.give_up()
    assert not any(name.startswith(str(path.parent)) for name in db.read_now(_files_of_a_sort))
    db.close()


def test_a_sort_for_which_the_disk_has_no_room_is_refused_in_words(db: Db) -> None:
    def full(_connection: apsw.Connection) -> None:
        raise apsw.FullError("database or disk is full")

    with pytest.raises(OverBudget, match="shorter range"):
        db.read_now(full)
