"""Kept pages of shares: for how long, and how often a crowd has them made."""

import asyncio
from collections.abc import Awaitable, Callable

from analytics_box.products.shares.served import SharedPages
from tests.inprocess import FixedClock


def making(made: list[int], *, is_whole: bool) -> Callable[[], Awaitable[tuple[str, bool]]]:
    async def make() -> tuple[str, bool]:
        made.append(1)
        await asyncio.sleep(0)
        return f"page {len(made)}", is_whole

    return make


def crowd(pages: SharedPages, make: Callable[[], Awaitable[tuple[str, bool]]]) -> list[str]:
    async def come() -> list[str]:
        return await asyncio.gather(*(pages.find("key", make) for _visitor in range(50)))

    return asyncio.run(come())


def test_crowd_has_a_page_made_once_in_ten_seconds() -> None:
    clock, made = FixedClock(), list[int]()
    pages, make = SharedPages(clock), making(made, is_whole=True)
    assert {*crowd(pages, make), *crowd(pages, make)} == {"page 1"}
    clock.advance(seconds=9)
    assert {*crowd(pages, make)} == {"page 1"}
    clock.advance(seconds=2)
    assert {*crowd(pages, make)} == {"page 2"}


def test_page_with_parts_to_come_is_kept_for_a_second_only() -> None:
    clock, made = FixedClock(), list[int]()
    pages, make = SharedPages(clock), making(made, is_whole=False)
    assert {*crowd(pages, make), *crowd(pages, make)} == {"page 1"}
    assert pages.has("key")
    clock.advance(seconds=1.1)
    assert not pages.has("key")
    assert {*crowd(pages, make)} == {"page 2"}
