"""The queue of files to import: turns, deadline, and files whose owner has left."""

import asyncio
import itertools
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.errors import BadRequest, Unavailable
from analytics_box.base.file_queue import MOST_WAITING, FileQueue, keep_going
from tests.inprocess import whole_box
from tests.tenants.keys.world import cookie_of


def together(work: Callable[[], Coroutine[None, None, None]]) -> None:
    asyncio.run(asyncio.wait_for(work(), 60))


def test_caller_with_many_files_lets_others_in_between() -> None:
    order: list[str] = []

    async def work() -> None:
        queue, gate = FileQueue(), threading.Event()
        first = asyncio.create_task(queue.run("many", gate.wait, 60))
        await asyncio.sleep(0)
        tasks = [asyncio.create_task(queue.run(name, order.append, name)) for name in ("many", "many", "few", "other")]
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(first, *tasks)

    together(work)
    assert order == ["few", "other", "many", "many"]


def test_slow_file_is_canceled_and_the_next_one_is_read() -> None:
    ticks = itertools.count()

    def endless() -> None:
        while True:
            keep_going()

    async def work() -> None:
        queue = FileQueue(seconds=100, clock=lambda: float(next(ticks)))
        with pytest.raises(BadRequest, match="takes too long"):
            await queue.run("one", endless)
        assert await queue.run("one", lambda: 7) == 7

    together(work)


def test_without_a_deadline_reading_goes_on() -> None:
    keep_going()


def test_a_file_whose_owner_left_while_it_waited_is_passed_over() -> None:
    order: list[str] = []

    async def work() -> None:
        queue, gate = FileQueue(), threading.Event()
        first = asyncio.create_task(queue.run("a", gate.wait, 60))
        await asyncio.sleep(0)
        left, stays = (asyncio.create_task(queue.run(name, order.append, name)) for name in ("left", "stays"))
        await asyncio.sleep(0)
        left.cancel()
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(first, stays)
        await queue.run("left", order.append, "later")

    together(work)
    assert order == ["stays", "later"]


def test_the_files_of_a_caller_that_wait_are_bounded() -> None:
    async def work() -> None:
        queue, gate = FileQueue(), threading.Event()
        tasks = [asyncio.create_task(queue.run("one", gate.wait, 60)) for _ in range(MOST_WAITING)]
        await asyncio.sleep(0)
        with pytest.raises(Unavailable):
            await queue.run("one", gate.wait, 60)
        other = asyncio.create_task(queue.run("other", lambda: 1))
        gate.set()
        await asyncio.gather(*tasks)
        assert await other == 1

    together(work)


def test_user_with_two_organizations_has_one_turn_for_every_kind_of_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holders: list[str] = []
    run = FileQueue.run

    async def noted(self: FileQueue, holder: str, *work: Any) -> Any:
        holders.append(holder)
        return await run(self, holder, *work)

    monkeypatch.setattr(FileQueue, "run", noted)
    with whole_box(tmp_path / "data") as box:
        organizations = (box.organization_id, box.foreign_organization_id)
        cookie = cookie_of(box, "member", also_in=box.foreign_organization_id)
        for organization in organizations:
            for procedure, content in (
                ("links/import", "targetUrl\nhttps://example.com/\n"),
                ("uptime/import", '{"monitors": []}'),
                ("flags/import", '{"flags": []}'),
            ):
                before = len(holders)
                given = {"json": {"content": content, "organizationId": organization}}
                box.post(f"/rpc/{procedure}", given, cookie=cookie, sec_fetch_site="same-origin")
                assert len(holders) > before, procedure
        assert len(set(holders)) == 1
        assert holders[0].startswith("user:")
        box.post("/rpc/links/import", {"json": {"content": "targetUrl\nhttps://example.com/\n"}}, key="all")
        assert holders[-1] == f"organization:{box.organization_id}"
