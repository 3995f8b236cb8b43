"""Killed before or after any of its writes, the box loses no alert, tells none twice, and its timeline has no hole."""

import asyncio
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from analytics_box.base.facts.uptime import uptime
from tests.inprocess import NOON
from tests.products.monitors.running.world import Answer, World, monitor

FAILS = range(95, 400)  # seconds since the beginning
ENDS = 560


class Death(BaseException):
    """As kill -9: nothing after it happens."""


class Mortal(World):
    """A world that dies before or after its nth write, once."""

    def __init__(self, directory: Path, dies_at: int, *, after: bool) -> None:
        self.left, self.after = dies_at, after
        self.news_at: list[int] = []  # the writes that changed what was told, or is to be
        super().__init__(directory)

    def open(self) -> None:
        super().open()
        write = self.db.write

        async def mortal(work: Any, **given: Any) -> Any:
            self.left -= 1
            if self.left == 0 and not self.after:
                await self._die()
            before = self.transitions()
            result = await write(work, **given)
            if self.transitions() != before:
                self.news_at.append(self.left)
            if self.left == 0:
                await self._die()
            return result

        self.db.write = mortal  # type: ignore[method-assign]  # the real one, until the box dies

    def transitions(self) -> list[tuple[Any, ...]]:
        return self.rows("select count(*), sum(told) from transitions")

    async def _die(self) -> None:
        self.death.set()
        await asyncio.Event().wait()  # whoever waits for this write waits for ever

    def live(self, seconds: float) -> bool:
        """Let time go by; whether the box lives."""
        return self.run(self._live(seconds))

    async def _live(self, seconds: float) -> bool:
        self.death = asyncio.Event()
        watching = asyncio.ensure_future(self._watch(self.clock.now() + round(seconds * 1000)))
        dying = asyncio.ensure_future(self.death.wait())
        await asyncio.wait({watching, dying}, return_when=asyncio.FIRST_COMPLETED)
        died = not watching.done()
        for task in (watching, dying):
            task.cancel()
        await asyncio.gather(watching, dying, return_exceptions=True)
        if not died:
            watching.result()
        return not died


def answer(now: int) -> Answer:
    return "fail" if (now - NOON) // 1000 in FAILS else "pass"


def left(world: World) -> float:
    return ENDS - (world.clock.now() - NOON) / 1000


def story(world: Mortal, off: float) -> None:
    """The whole story with one death at most."""
    world.answers = {1: answer, 2: answer}
    world.put(monitor(1))
    world.put(monitor(2, interval=300, failures_to_down=1))
    if not world.live(left(world)):
        world.kill()
        world.clock.advance(seconds=off)
        world.open()
        world.watch(left(world))


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("empty")
    World(directory).close()
    return directory


def deaths(directory: Path) -> list[int]:
    """The writes at which it dies: those that matter most, and some of all others."""
    most = 10**6
    world = Mortal(directory, most, after=False)
    story(world, 0)
    world.close()
    writes, news = most - world.left, {most - left for left in world.news_at}
    assert len(news) == 8  # two monitors go down and recover, and each is told
    return sorted({*news, *range(2, writes, 16)})


def test_killed_at_any_write_it_tells_each_thing_once(empty: Path, tmp_path: Path) -> None:
    copytree(empty, tmp_path / "never")
    for place, dies_at in enumerate(deaths(tmp_path / "never")):
        for after in (False, True):
            off = (3, 60)[(place + after) % 2]  # seconds: none that count, and a gap
            name = tmp_path / f"{dies_at} {after}"
            copytree(empty, name)
            world = Mortal(name, dies_at, after=after)
            story(world, off)
            for number in (1, 2):
                heard = {one.id: one.what for one in world.told if one.number == number}
                assert list(heard.values()) == ["down", "recovered"], name
                spans = world.spans(number)
                found = uptime(spans, NOON, NOON + ENDS * 1000, NOON + ENDS * 1000)
                covered = sum((found.up, found.degraded, found.down, found.unknown))
                assert covered == NOON + ENDS * 1000 - spans[0].start, name
                assert found.unknown == 0 if off < 15 else found.unknown <= 200_000, name
            assert world.rows("select count(*) from transitions where told = 0") == [(0,)], name
            world.close()
