"""What happens to those who wait when there are too many of them, or when the box stops."""

import asyncio
import threading
from pathlib import Path

import apsw
import pytest

from analytics_box.base.errors import Unavailable
from analytics_box.base.store.db import Db
from tests.base.store.notes import PATIENCE, Gate, endless, make_file, note, texts, texts_in


def test_a_full_queue_refuses_the_next_write_and_keeps_the_ones_that_wait(path: Path) -> None:
    db = Db(path, readers=1, write_queue=2)

    async def fill() -> None:
        gate = Gate()
        busy = asyncio.create_task(db.write(gate))
        await asyncio.to_thread(gate.wait_until_entered)
        waiting = [asyncio.create_task(db.write(note(text))) for text in ("one", "two")]
        await asyncio.sleep(0)
        with pytest.raises(Unavailable) as refused:
            await db.write(note("three"))
        assert refused.value.headers == {"Retry-After": "1"}
        gate.open()
        await asyncio.gather(busy, *waiting)
        await db.write(note("four"))

    asyncio.run(fill())
    db.close()
    assert texts_in(path) == ["one", "two", "four"]


def test_reads_beyond_the_queue_are_refused_and_others_answered(path: Path) -> None:
    db = Db(path, readers=1, read_queue=2)

    async def fill() -> None:
        gate = Gate()
        busy = asyncio.create_task(db.read(gate))
        await asyncio.to_thread(gate.wait_until_entered)
        waiting = asyncio.create_task(db.read(texts))
        await asyncio.sleep(0)
        with pytest.raises(Unavailable):
            await db.read(texts)
        gate.open()
        await busy
        assert await waiting == []
        assert await db.read(texts) == []

    asyncio.run(fill())
    db.close()


def test_close_finishes_the_writes_that_wait_and_refuses_new_ones(path: Path) -> None:
    db = Db(path, readers=1)
    gate = Gate()
    accepted: list[str] = []

    async def close_under_load() -> None:
        busy = asyncio.create_task(db.write(gate))
        await asyncio.to_thread(gate.wait_until_entered)
        waiting = [asyncio.create_task(db.write(note(f"waiting {number}"))) for number in range(10)]
        await asyncio.sleep(0)
        closing = asyncio.create_task(asyncio.to_thread(db.close))
        refusal = None
        while refusal is None:  # until the close has begun in its thread
            late = asyncio.create_task(db.write(note(f"late {len(waiting)}")))
            await asyncio.sleep(0)
            if late.done():
                refusal = late.exception()
            else:
                waiting.append(late)
        assert isinstance(refusal, Unavailable)
        gate.open()
        await asyncio.gather(busy, *waiting, closing)
        accepted.extend(str(number) for number in range(len(waiting)))

    asyncio.run(close_under_load())
    assert len(texts_in(path)) == len(accepted) >= 10


def test_a_closed_box_refuses_reads_and_writes(path: Path) -> None:
    db = Db(path, readers=1)
    db.close()
    with pytest.raises(Unavailable):
        db.write_now(note("late"))
    with pytest.raises(Unavailable):
        db.read_now(texts)
    with pytest.raises(Unavailable):
        asyncio.run(db.read(texts))


def test_close_breaks_off_a_read_that_would_go_on_for_long(path: Path) -> None:
    db = Db(path, readers=1)
    begun = threading.Event()
    ended: list[BaseException] = []

    def endless_once_begun(connection: apsw.Connection) -> int:
        begun.set()
        return endless(connection)

    def ask() -> None:
        try:
            db.read_now(endless_once_begun, seconds=3_600)
        except Unavailable as stopped:
            ended.append(stopped)

    asking = threading.Thread(target=ask)
    asking.start()
    assert begun.wait(PATIENCE)
    db.close()
    asking.join(PATIENCE)
    assert [str(stopped) for stopped in ended] == ["The server is stopping. Try again in a moment"]


def test_reads_that_still_wait_for_a_connection_at_close_are_refused(path: Path) -> None:
    db = Db(path, readers=1)

    async def close_while_reading() -> list[object]:
        gate = Gate()
        busy = asyncio.create_task(db.read(gate))
        await asyncio.to_thread(gate.wait_until_entered)
        waiting = [asyncio.create_task(db.read(endless, seconds=3_600)) for _ in range(3)]
        await asyncio.sleep(0)
        closing = asyncio.create_task(asyncio.to_thread(db.close))
        while not await refuses_writes(db):
            pass
        gate.open()
        await asyncio.gather(busy, closing)
        return await asyncio.gather(*waiting, return_exceptions=True)

    assert [type(refusal) for refusal in asyncio.run(close_while_reading())] == [Unavailable] * 3


async def refuses_writes(db: Db) -> bool:
    """Whether the close has begun."""
    try:
        await db.write(lambda connection: None)
    except Unavailable:
        return True
    return False


def test_closing_twice_is_harmless(path: Path) -> None:
    db = Db(path)
    db.close()
    db.close()
    assert texts_in(path) == []


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(apsw.CantOpenError):
        Db(tmp_path / "nowhere.db")
    assert list(tmp_path.iterdir()) == []


def test_a_clean_close_leaves_one_file_and_all_that_was_written(tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    make_file(file)
    for number in range(3):
        db = Db(file)
        db.write_now(note(f"run {number}"))
        db.close()
        assert [entry.name for entry in tmp_path.iterdir()] == ["notes.db"]
    assert texts_in(file) == ["run 0", "run 1", "run 2"]
