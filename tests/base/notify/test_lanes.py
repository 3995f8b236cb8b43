"""Working off an outbox, whoever its messages are for."""

import asyncio
from collections.abc import Collection

from analytics_box.base.notify.lanes import Lanes


def test_message_queued_right_after_a_round_is_sent_in_the_same_one() -> None:
    waiting: list[str] = []
    sent: list[str] = []
    looks = 0

    async def due(lanes: Collection[str], groups: Collection[str]) -> list[str]:
        nonlocal looks
        looks += 1
        found = [one for one in waiting if one not in lanes]
        if looks == 1:
            waiting.append("late")
            working.soon()
        return found

    async def attempt(one: str) -> None:
        waiting.remove(one)
        sent.append(one)

    async def work_off() -> None:
        await asyncio.wait_for(working.run(), 10)

    working: Lanes[str] = Lanes(due, attempt, lambda one: one, lambda one: one)
    asyncio.run(work_off())
    assert sent == ["late"]
