"""Small writes of one kind that wait together run together; one that is refused harms none of the others."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw
import pytest

from analytics_box.base.store.db import Db
from analytics_box.base.store.writer import MOST_SHARING
from tests.base.store.notes import Gate, Refusal, note, texts, texts_in


class Notes:
    """Work that is shared: adds notes, and refuses all of them where one is to be refused."""

    def __init__(self) -> None:
        self.runs: list[list[str]] = []

    def add(self, connection: apsw.Connection, given: Sequence[str]) -> list[int]:
        self.runs.append(list(given))
        ids = [note(text)(connection) for text in given]
        if "refused" in given:
            raise Refusal
        return ids


async def together(db: Db, notes: Notes, *given: str, between: int | None = None) -> list[Any]:
    """What becomes of these notes, all queued while the writer is busy; before the one `between` somebody else's."""
    gate = Gate()
    busy = asyncio.create_task(db.write(gate))
    await asyncio.to_thread(gate.wait_until_entered)
    waiting: list[asyncio.Future[Any]] = []
    for number, text in enumerate(given):
        if number == between:
            waiting.append(asyncio.create_task(db.write(note("somebody else's"))))
            await asyncio.sleep(0)
        waiting.append(asyncio.ensure_future(db.write_shared(notes.add, text)))
    gate.open()
    await busy
    return await asyncio.gather(*waiting, return_exceptions=True)


def test_waiting_writes_run_together_and_each_gets_its_own_result(db: Db) -> None:
    notes = Notes()
    assert asyncio.run(together(db, notes, "a", "b", "c")) == [1, 2, 3]
    assert notes.runs == [["a", "b", "c"]]


def test_refused_write_does_not_affect_others_of_its_group(db: Db, path: Path) -> None:
    notes = Notes()
    before, refused, after = asyncio.run(together(db, notes, "before", "refused", "after"))
    assert (before, after) == (1, 2)
    assert isinstance(refused, Refusal)
    assert notes.runs == [["before", "refused", "after"], ["before"], ["refused"], ["after"]]
    db.close()
    assert texts_in(path) == ["before", "after"]


def test_shared_write_does_not_overtake_an_earlier_one(db: Db) -> None:
    notes = Notes()
    asyncio.run(together(db, notes, "a", "b", "c", between=2))
    assert notes.runs == [["a", "b"], ["c"]]
    assert db.read_now(texts) == ["a", "b", "somebody else's", "c"]


def test_so_many_run_together_that_one_refusal_costs_little(db: Db) -> None:
    notes = Notes()
    given = [f"note {number}" for number in range(2 * MOST_SHARING + 1)]
    assert asyncio.run(together(db, notes, *given)) == list(range(1, len(given) + 1))
    assert [len(run) for run in notes.runs] == [MOST_SHARING, MOST_SHARING, 1]


def test_work_that_forgets_a_result_is_refused_and_stores_nothing(db: Db) -> None:
    def forgetful(connection: apsw.Connection, given: Sequence[str]) -> list[int]:
        return [note(text)(connection) for text in given][1:]

    async def one() -> None:
        await db.write_shared(forgetful, "lost")

    with pytest.raises(ValueError, match="shorter"):
        asyncio.run(one())
    assert db.read_now(texts) == []
