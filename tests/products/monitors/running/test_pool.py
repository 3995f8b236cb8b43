"""Checks at once: at most so many, few of one host, and what waits holds up nobody else."""

import asyncio
from collections import Counter
from collections.abc import Coroutine
from random import Random
from typing import Any

from analytics_box.products.monitors.running.pool import Pool


class Work:
    """Pieces of work that end when they are told to."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.running: dict[str, asyncio.Event] = {}
        self.most: Counter[str] = Counter()
        self.began: list[str] = []

    def submit(self, name: str, host: str, **more: Any) -> int:
        return self.pool.submit(host, lambda: self._run(name, host), **more)

    async def _run(self, name: str, host: str) -> None:
        self.began.append(name)
        self.running[name] = asyncio.Event()
        now = Counter(one.partition(" ")[0] for one in self.running) + Counter(all=len(self.running))
        self.most |= now
        try:
            await self.running[name].wait()
        finally:
            del self.running[name]

    async def end(self, name: str) -> None:
        self.running[name].set()
        await moment()


async def moment() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


def run(story: Coroutine[Any, Any, None]) -> None:
    asyncio.run(story)


def test_no_more_run_at_once_than_may_and_the_others_follow_in_order() -> None:
    async def story() -> None:
        work = Work(Pool(most=2, per_host=9))
        for number in range(4):
            work.submit(f"host{number} a", f"host{number}")
        await moment()
        assert work.began == ["host0 a", "host1 a"]
        await work.end("host1 a")
        assert work.began == ["host0 a", "host1 a", "host2 a"]
        for name in ("host0 a", "host2 a", "host3 a"):
            await work.end(name)
        assert work.pool.running == 0

    run(story())


def test_few_of_one_host_run_at_once_and_others_do_not_wait_for_them() -> None:
    async def story() -> None:
        work = Work(Pool(most=10, per_host=2))
        for name in ("slow a", "slow b", "slow c", "quick a"):
            work.submit(name, name.split()[0])
        await moment()
        assert work.began == ["slow a", "slow b", "quick a"]
        await work.end("slow a")
        assert work.began[-1] == "slow c"
        for name in list(work.running):
            await work.end(name)

    run(story())


def test_dropped_check_never_starts_or_is_canceled() -> None:
    async def story() -> None:
        work = Work(Pool(most=1, per_host=1))
        first, *waiting = [work.submit(name, name.split()[0]) for name in ("a 1", "a 2", "a 3", "b 1", "b 2")]
        await moment()
        work.pool.drop(waiting[0])  # waits for its host
        work.pool.drop(waiting[2])  # waits for room
        work.pool.drop(first)  # runs
        await moment()
        for name in ("a 3", "b 2"):
            assert list(work.running) == [name]
            await work.end(name)
        assert work.began == ["a 1", "a 3", "b 2"]
        assert not work.pool._hosts
        assert not work.pool._waiting

    run(story())


def test_urgent_check_has_reserved_capacity_and_waits_beyond_it() -> None:
    async def story() -> None:
        work = Work(Pool(most=1, per_host=1, at_once=2, at_once_per_group=1))
        work.submit("a 1", "a")
        work.submit("a 2", "a", at_once=True)
        work.submit("a 3", "a", at_once=True)
        work.submit("b 1", "b", group="other", at_once=True)
        await moment()
        assert work.began == ["a 1", "a 2", "b 1"]
        await work.end("a 2")
        assert work.began[3:] == ["a 3"]
        for name in list(work.running):
            await work.end(name)
        assert not work.pool._hosts

    run(story())


def test_a_group_has_its_share_and_groups_that_wait_come_in_turn() -> None:
    async def story() -> None:
        work = Work(Pool(most=3, per_host=1, per_group=2))
        for number in range(4):
            work.submit(f"slow{number} a", f"slow{number}", group="one")
        work.submit("slow0 b", "slow0", group="one")
        work.submit("slow0 c", "slow0", group="two")  # what others ask of the same host holds it up no more
        work.submit("quick a", "quick", group="two")
        await moment()
        assert work.began == ["slow0 a", "slow1 a", "slow0 c"]
        await work.end("slow0 c")
        assert work.began[3:] == ["quick a"]
        await work.end("quick a")
        assert len(work.running) == 2, "the rest of the room is for others"
        while work.running:
            await work.end(next(iter(work.running)))
        assert len(work.began) == 7
        assert not work.pool._due

    run(story())


def test_in_any_disorder_nothing_is_lost_and_no_bound_is_passed() -> None:
    async def story() -> None:
        chance, work = Random(7), Work(Pool(most=5, per_host=2))
        names = [f"host{chance.randrange(6)} {number}" for number in range(300)]
        for name in names:
            work.submit(name, name.split()[0])
            await moment()
            if work.running and chance.random() < 0.7:
                await work.end(chance.choice(list(work.running)))
        while work.running:
            await work.end(chance.choice(list(work.running)))
        assert sorted(work.began) == sorted(names)
        assert work.most.pop("all") == 5
        assert max(work.most.values()) == 2

    run(story())


def test_an_end_gives_what_runs_a_moment_and_breaks_off_the_rest() -> None:
    async def story() -> None:
        work = Work(Pool(most=1))
        work.submit("a 1", "a")
        work.submit("b 1", "b")
        await moment()
        await work.pool.stop(0)
        assert (work.began, work.running) == (["a 1"], {})

    run(story())
