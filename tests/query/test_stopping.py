"""When a request ends early, whatever still runs for it ends too."""

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


class Overloaded(Db):
    """Reads that never end, but for the last one: that one is refused."""

    def __init__(self, path: Path, *, last: int) -> None:
        super().__init__(path, readers=1)
        self._last = last
        self.begun = self.stopped = 0

    async def read(self, work: Work[T], *, seconds: float = 0, long: bool = False) -> T:
        self.begun += 1
        if self.begun == self._last:
            raise Unavailable("Too many queries are running. Try again in a moment.")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.stopped += 1
            raise
        return await super().read(work)


@pytest.fixture
def overloaded(tmp_path: Path) -> Iterator[Overloaded]:
    migrated(tmp_path)
    db = Overloaded(tmp_path / schema.EVENTS_FILE, last=5)
    yield db
    db.close()


def question(parameters: int) -> QueryRequest:
    given = GivenQuery(
        parameters=[
            GivenParameter("top_pages", id=str(number), start_date=f"2026-05-{number + 1:02}", end_date="2026-06-01")
            for number in range(parameters)
        ],
        preset="today",
    )
    return check(given, zone_name=None, now=1_781_697_600_000)


@pytest.mark.parametrize("scope", [ReadScope((1,)), ReadScope((1,), public=True)])
def test_a_parameter_that_cannot_be_asked_stops_the_others(overloaded: Overloaded, scope: ReadScope) -> None:
    async def ask() -> None:
        queries = QueryRunner(Engines(overloaded), FixedClock(), seconds=30, public=8)
        with pytest.raises(Unavailable):
            await queries.answer(question(20), scope)
        assert overloaded.stopped == overloaded.begun - 1
        assert overloaded.begun < 20  # others never began
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(ask())


def test_abandoned_request_stops_all_of_its_parameters(overloaded: Overloaded) -> None:
    async def ask() -> None:
        queries = QueryRunner(Engines(overloaded), FixedClock(), seconds=30)
        asking = asyncio.create_task(queries.answer(question(4), ReadScope((1,))))
        for _ in range(50):
            await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert overloaded.stopped == 4

    asyncio.run(ask())
