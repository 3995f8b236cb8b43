"""Whoever asks a public website from outside never has all readers of the box."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from analytics_box.base.errors import Unavailable
from analytics_box.base.store import schema
from analytics_box.base.store.db import Db
from analytics_box.base.store.writes import Work
from analytics_box.query.access import ReadScope
from analytics_box.query.engines import Engines
from analytics_box.query.request import GivenParameter, GivenQuery, QueryRequest, check
from analytics_box.query.run import QueryRunner
from tests.inprocess import FixedClock
from tests.migrated import migrated

T = TypeVar("T")
STRANGER, MEMBER = ReadScope((1,), public=True), ReadScope((1,))


class Watched(Db):
    """Counts how many reads run at the same time; none is done before `free` is set."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, readers=1)
        self.running = self.most = 0
        self.free = asyncio.Event()

    async def read(self, work: Work[T], *, seconds: float = 0, long: bool = False) -> T:
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await self.free.wait()
        finally:
            self.running -= 1
        return await super().read(work, seconds=30)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    migrated(tmp_path)
    db = Watched(tmp_path / schema.EVENTS_FILE)
    yield db
    db.close()


def question(parameters: int, *, year: int = 2026) -> QueryRequest:
    given = GivenQuery(
        parameters=[
            GivenParameter(
                "top_pages", id=str(number), start_date=f"{year}-05-{number + 1:02}", end_date=f"{year}-06-01"
            )
            for number in range(parameters)
        ],
        preset="today",
    )
    return check(given, zone_name=None, now=1_781_697_600_000)


async def turns() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


@pytest.mark.parametrize(("scope", "most"), [(STRANGER, 2), (MEMBER, 8)])
def test_strangers_run_few_parameters_at_once(watched: Watched, scope: ReadScope, most: int) -> None:
    async def ask() -> None:
        queries = QueryRunner(Engines(watched), FixedClock(), seconds=30, public=2)
        asking = [
            asyncio.ensure_future(queries.answer(question(10, year=2010 + n), scope))
            for n in range(2 if scope.public else 1)
        ]
        await turns()
        watched.free.set()
        for entries in await asyncio.gather(*asking):
            assert [entry.success for entry in entries] == [True] * 10

    asyncio.run(ask())
    assert watched.most == most


def test_anonymous_callers_are_refused_on_a_busy_box_and_members_answered(watched: Watched) -> None:
    async def ask() -> None:
        queries = QueryRunner(Engines(watched), FixedClock(), seconds=30, public=2)
        asking = [asyncio.ensure_future(queries.answer(question(8, year=2010 + n), STRANGER)) for n in range(8)]
        await turns()
        with pytest.raises(Unavailable):
            await queries.answer(question(8), STRANGER)
        member = asyncio.ensure_future(queries.answer(question(1), MEMBER))
        await turns()
        assert watched.running == 3
        watched.free.set()
        assert (await member)[0].success
        for entries in await asyncio.gather(*asking):
            assert [entry.success for entry in entries] == [True] * 8
        assert (await queries.answer(question(1), STRANGER))[0].success

    asyncio.run(ask())


def test_simultaneous_equal_queries_run_once(watched: Watched) -> None:
    async def ask() -> None:
        queries = QueryRunner(Engines(watched), FixedClock(), seconds=30)
        asking = [asyncio.ensure_future(queries.answer(question(1), MEMBER)) for _ in range(5)]
        await turns()
        assert watched.running == 1
        asking[0].cancel()  # whoever asked first may leave; then another one looks
        await turns()
        watched.free.set()
        answers = await asyncio.gather(*asking[1:])
        assert [entries[0].success for entries in answers] == [True] * 4
        assert watched.most == 1

    asyncio.run(ask())
