"""How long a page waits for its parts."""

import asyncio

from analytics_box.figures.late_parts import BUDGET_SECONDS, MOST_PAGES, LateParts, as_they_come
from tests.inprocess import FixedClock


async def _named(name: str, turns: int) -> str:
    """A part that is ready after so many turns of the event loop."""
    for _ in range(turns):
        await asyncio.sleep(0)
    return name


async def _waited(
    *turns: int | None, most: float | None, next_one: float | None, first_one: float | None = None
) -> list[bool]:
    """Which parts are done when the page is made; None is one that never comes."""
    never = asyncio.Event()
    parts = [asyncio.create_task(never.wait() if count is None else _named(str(count), count)) for count in turns]
    await asyncio.wait_for(as_they_come(parts, most, first_one, next_one), timeout=10)
    done = [part.done() for part in parts]
    for part in parts:
        part.cancel()
    return done


def test_a_page_that_is_patient_waits_for_all_of_its_parts() -> None:
    assert asyncio.run(_waited(50, 3, 1, most=None, next_one=None)) == [True, True, True]


def test_a_page_without_a_part_that_comes_soon_does_not_wait_for_longer() -> None:
    assert asyncio.run(_waited(None, None, most=None, next_one=60, first_one=0.001)) == [False, False]
    assert asyncio.run(_waited(1, None, most=None, next_one=0.001, first_one=60)) == [True, False]


def test_a_page_may_wait_longer_for_the_first_part_than_for_the_next() -> None:
    assert asyncio.run(_waited(50, None, most=None, next_one=0, first_one=60)) == [True, False]
    assert asyncio.run(_waited(50, None, most=None, next_one=60, first_one=0)) == [False, False]


def test_a_page_waits_on_while_parts_come_one_after_the_other() -> None:
    assert asyncio.run(_waited(1, 2, 3, None, most=None, next_one=0.05)) == [True, True, True, False]


def test_a_page_waits_no_longer_than_it_may_in_all() -> None:
    assert asyncio.run(_waited(0, None, most=0.001, next_one=60)) == [True, False]


def test_parts_of_changed_facts_are_expected_late_where_they_were_after_the_change_before() -> None:
    async def scene() -> None:
        clock = FixedClock()
        late = LateParts(clock)
        assert not late.are_expected("page", 1), "nobody knows"
        await _measured(late, clock, "page", 1, BUDGET_SECONDS + 0.001)
        assert not late.are_expected("page", 1), "they are kept"
        assert late.are_expected("page", 2)
        assert not late.are_expected("another", 2)
        await _measured(late, clock, "page", 1, 0)
        assert late.are_expected("page", 2), "what was kept says nothing of what is not"
        await _measured(late, clock, "page", 2, BUDGET_SECONDS)
        assert not late.are_expected("page", 3)

    asyncio.run(scene())


def test_only_so_many_pages_are_remembered() -> None:
    async def scene() -> None:
        clock = FixedClock()
        late = LateParts(clock)
        for number in range(MOST_PAGES + 1):
            await _measured(late, clock, number, 1, 1)
        assert not late.are_expected(0, 2)
        assert late.are_expected(1, 2)

    asyncio.run(scene())


async def _measured(late: LateParts, clock: FixedClock, page: object, version: int, seconds: float) -> None:
    """A page of two parts, of which the later one takes so long."""
    goes_on = asyncio.Event()
    parts = [asyncio.create_task(_named("soon", 1)), asyncio.create_task(goes_on.wait())]
    late.measure(page, version, parts)
    await asyncio.wait(parts[:1])
    clock.advance(seconds=seconds)
    goes_on.set()
    await asyncio.wait(parts)
