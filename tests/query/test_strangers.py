"""Whoever asks a public website from outside never has all readers of the box."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from analytics_box.errors import Unavailable
from analytics_box.query.access import Scope
from analytics_box.query.request import GivenFilter, GivenParameter, GivenQuery, Request, check
from analytics_box.query.run import Queries
from tests.query.stage import Stage

STRANGER, MEMBER = Scope((1,), stranger=True), Scope((1,))


class Watched:
    """Counts how many parameters run at the same time; none is done before `free` is set."""

    def __init__(self) -> None:
        self.running = self.most = 0
        self.free = asyncio.Event()

    async def having(self, site: int, trait: str, matches: Callable[[str], bool]) -> tuple[str, ...]:
        self.running += 1
        self.most = max(self.most, self.running)
        await self.free.wait()
        self.running -= 1
        return ()


def question(parameters: int) -> Request:
    given = GivenQuery(
        parameters=[GivenParameter("top_pages", id=str(number)) for number in range(parameters)],
        preset="today",
        filters=[GivenFilter("trait:plan", "eq", "pro")],
    )
    return check(given, zone_name=None, now=1_781_697_600_000)


async def turns() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


@pytest.mark.parametrize(("scope", "most"), [(STRANGER, 2), (MEMBER, 8)])
def test_strangers_run_few_parameters_at_once(tmp_path: Path, scope: Scope, most: int) -> None:
    stage, watched = Stage(tmp_path), Watched()

    async def ask() -> None:
        queries = Queries(stage.db, stage.clock, seconds=30, traits=watched, strangers=2)
        asking = [asyncio.ensure_future(queries.answer(question(10), scope)) for _ in range(2 if scope.stranger else 1)]
        await turns()
        watched.free.set()
        for entries in await asyncio.gather(*asking):
            assert [entry.success for entry in entries] == [True] * 10

    asyncio.run(ask())
    assert watched.most == most
    stage.close()


def test_strangers_who_would_wait_too_long_are_told_while_members_are_answered(tmp_path: Path) -> None:
    stage, watched = Stage(tmp_path), Watched()

    async def ask() -> None:
        queries = Queries(stage.db, stage.clock, seconds=30, traits=watched, strangers=2)
        asking = [asyncio.ensure_future(queries.answer(question(8), STRANGER)) for _ in range(10)]
        await turns()
        with pytest.raises(Unavailable):
            await queries.answer(question(1), STRANGER)
        member = asyncio.ensure_future(queries.answer(question(1), MEMBER))
        await turns()
        assert watched.running == 3
        watched.free.set()
        assert (await member)[0].success
        await asyncio.gather(*asking, return_exceptions=True)
        assert (await queries.answer(question(1), STRANGER))[0].success

    asyncio.run(ask())
    stage.close()
