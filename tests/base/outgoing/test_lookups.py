"""Look-ups of names by the system: slow ones hold up neither others nor the end, and what they raise arrives."""

import asyncio
import threading

import pytest

from analytics_box.base.outgoing.messages import CANARIES, OTHERS
from analytics_box.base.outgoing.resolve import Found, Lookups

FOUND: Found = [(2, 1, 6, "", ("192.0.2.1", 0))]


class Slow:
    """A system whose look-ups of `slow` names wait until they are let go."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.looked: list[str] = []

    def __call__(self, name: str) -> Found:
        self.looked.append(name)
        if name.startswith("slow"):
            self.go.wait(10)
        if name == "broken":
            raise OSError
        return FOUND


def test_slow_lookups_do_not_delay_others_below_the_limit() -> None:
    async def asked() -> None:
        system = Slow()
        lookups = Lookups(system, own=3)
        slow = [asyncio.ensure_future(lookups.find(f"slow{number}")) for number in range(2)]
        for number in range(20):
            assert await lookups.find(f"quick{number}") == FOUND
        slow.append(asyncio.ensure_future(lookups.find("slow2")))
        late, given_up = (asyncio.ensure_future(lookups.find(name)) for name in ("late", "given-up"))
        await asyncio.sleep(0)
        assert (lookups._threads, late.done()) == (3, False)
        given_up.cancel()
        system.go.set()
        assert await asyncio.gather(*slow, late) == [FOUND] * 4
        assert await lookups.find("after") == FOUND
        assert "given-up" not in system.looked

    asyncio.run(asked())


def test_error_of_a_lookup_is_raised_and_its_thread_is_reused() -> None:
    async def asked() -> None:
        lookups = Lookups(Slow())
        for _ in range(20):
            with pytest.raises(OSError):  # noqa: PT011  whatever the system said
                await lookups.find("broken")
        assert lookups._threads == 1

    asyncio.run(asked())


def test_an_answer_for_a_loop_that_has_ended_is_dropped() -> None:
    system = Slow()
    lookups = Lookups(system, own=1)

    async def given_up() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(lookups.find("slow"), 0.01)

    asyncio.run(given_up())
    system.go.set()
    assert asyncio.run(lookups.find("quick")) == FOUND


def test_a_group_with_slow_names_holds_up_neither_other_groups_nor_what_is_no_group() -> None:
    async def asked() -> None:
        system = Slow()
        lookups = Lookups(system, most=4, per_group=2, own=1)
        slow = [asyncio.ensure_future(lookups.find(f"slow{number}", "one")) for number in range(9)]
        for group in ("two", "three", OTHERS, CANARIES):
            async with asyncio.timeout(5):
                assert await lookups.find("quick", group) == FOUND
        slow += [asyncio.ensure_future(lookups.find(f"slow-{group}", group)) for group in ("two", "three", OTHERS)]
        await asyncio.sleep(0)
        assert lookups._threads == 5
        async with asyncio.timeout(5):
            assert await lookups.find("quick", CANARIES) == FOUND
        system.go.set()
        assert await asyncio.gather(*slow) == [FOUND] * 12

    asyncio.run(asked())
