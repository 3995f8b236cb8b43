"""Killed before or after any write, the box sends each period to each recipient: once, or again under the same id."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.clock import DAY
from analytics_box.products.reports import sending
from analytics_box.products.reports.sending import ReportDeliveries
from tests.inprocess import EMAIL
from tests.products.reports.world import World, world_in


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world_in(tmp_path) as world:
        yield world


async def make_and_send(here: World) -> None:
    await sending.tick(here.box.box.parts)
    await here.box.box.parts[ReportDeliveries].run()


async def run_until_death(
    here: World, number: int, *, after: bool, life: Callable[[World], Awaitable[None]] = make_and_send
) -> bool:
    """Do what is due; the nth write never returns, before or after its commit. Whether it came so far."""
    box_db, death, left = here.box.box.box_db, asyncio.Event(), number
    write = box_db.write

    async def mortal(work: Any, **given: Any) -> Any:
        nonlocal left
        left -= 1
        is_last = left == 0
        if is_last and not after:
            death.set()
            await asyncio.Event().wait()
        done = await write(work, **given)
        if is_last:
            death.set()
            await asyncio.Event().wait()
        return done

    box_db.write = mortal  # type: ignore[method-assign]  # until the box is opened again
    living, dying = asyncio.ensure_future(life(here)), asyncio.ensure_future(death.wait())
    await asyncio.wait({living, dying}, return_when=asyncio.FIRST_COMPLETED)
    died = not living.done()
    tasks = [task for lanes in here.box.box.parts[ReportDeliveries].lanes for task in lanes._tasks]
    for task in (living, dying, *tasks):
        task.cancel()
    await asyncio.gather(living, dying, *tasks, return_exceptions=True)
    return died


def test_every_recipient_gets_each_period_under_one_id_after_any_kill(here: World) -> None:
    here.report(frequency="daily", hour=0)
    here.box.clock.advance(seconds=DAY / 2_000)
    here.tick()
    here.send()
    here.server.messages.clear()
    deaths = 0
    for number in range(1, 5):
        for after in (False, True):
            here.box.clock.advance(seconds=DAY / 1000)
            died = here.box.run(run_until_death(here, number, after=after))
            deaths += died
            here.box.reopen()
            here.tick()
            here.send()
            ids = Counter(str(mail["Message-ID"]) for mail in here.mails() if mail["To"] == EMAIL)
            assert len(ids) == 1, (number, after, ids)
            assert ids.total() <= 1 + died, (number, after, ids)
            here.server.messages.clear()
    assert deaths >= 4, "the claim is a write, and so is the result of the mail"
    assert here.rows("select count(*) from report_deliveries where due_at is not null or error <> ''") == [(0,)]
