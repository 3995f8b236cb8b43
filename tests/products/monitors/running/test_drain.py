"""Results on their way to the disk: together, in order, none lost while the disk refuses, and told after the commit."""

import asyncio
from typing import Any

import pytest

from analytics_box.base.errors import Unavailable
from analytics_box.base.store.db import Db
from analytics_box.products.monitors.result import CheckResult
from analytics_box.products.monitors.running import drain
from analytics_box.products.monitors.running.batch import FinishedCheck
from analytics_box.products.monitors.running.rows import Transition
from tests.inprocess import NOON
from tests.products.monitors.running.world import World, monitor


def full(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on the disk refuses what adds to the data."""
    write = world.db.write

    async def refuse(work: Any, *, adds: bool = False) -> Any:
        if adds:
            raise Unavailable("The disk is full")
        return await write(work)

    monkeypatch.setattr(world.db, "write", refuse)


def test_simultaneous_results_are_one_commit(world: World) -> None:
    for number in range(1, 101):
        world.put(monitor(number, organization_id=f"org{number % 10}"))
    before = world.db.version
    world.watch()
    assert world.rows("select count(*) from checks") == [(100,)]
    assert world.db.version - before <= 3


def test_while_the_disk_is_full_checks_go_on_and_nothing_is_lost(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.put(monitor())
    world.watch(60)
    full(world, monkeypatch)
    world.answers[1] = "fail"

    async def story() -> None:
        for _ in range(60):
            world.clock.advance(seconds=5)
            await world.engine.tick()
            await world.engine._checking.settle()

    checked = len(world.checked)
    world.run(story())
    assert len(world.checked) - checked == 5
    assert world.engine.state_of(1).state == "up"  # type: ignore[union-attr]  # what is in memory follows commits
    assert world.told == []
    monkeypatch.undo()
    world.watch()
    assert world.rows("select count(*) from checks") == [(len(world.checked),)]
    assert world.news() == ["down"]
    assert world.spans()[-1].start == world.checked[checked][1]


def test_a_disk_that_refuses_for_long_fills_no_memory_and_what_is_lost_is_unknown(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drain, "MOST_WAITING", 3)
    world.put(monitor())
    world.watch()
    full(world, monkeypatch)

    async def story() -> None:
        for second in range(1, 11):
            world.engine._drain.add(FinishedCheck(1, CheckResult(at=NOON + second * 1000, outcome="pass"), NOON))
            await world.engine._drain.flush()

    world.run(story())
    assert world.engine._drain.waiting == 3
    monkeypatch.undo()
    world.run(world.engine._drain.settle())
    assert world.timeline() == [("up", 0.0), ("unknown", 1.0), ("up", 8.0)]


def test_a_result_that_cannot_be_written_takes_no_other_with_it(world: World, caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        for number in (1, 2, 3):
            code = 5_000 if number == 2 else 200
            result = CheckResult(at=NOON, outcome="pass", http_code=code)
            world.engine._drain.add(FinishedCheck(number, result, NOON))
        await world.engine._drain.settle()

    for number in (1, 2, 3):
        world.put(monitor(number))
    world.run(story())
    assert world.rows("select monitor from checks order by 1") == [(1,), (3,)]
    assert "A check result of monitor 2 could not be written" in caplog.text


def test_a_caller_that_goes_away_leaves_no_result_twice(world: World) -> None:
    async def story() -> None:
        for _ in range(5):
            asking = asyncio.ensure_future(world.engine.check_now(1))
            await asyncio.sleep(0)  # it has begun
            await asyncio.sleep(0)  # it has ended and is on its way
            await asyncio.sleep(0)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
        await world.engine.settle()

    world.put(monitor())
    world.watch()
    world.run(story())
    assert world.rows("select count(*) from checks") == [(len(world.checked),)]
    assert world.engine._drain.waiting == 0


def test_failing_consequence_does_not_repeat_a_write(world: World, caplog: pytest.LogCaptureFixture) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a mistake")

    world.put(monitor())
    world.engine._drain._committed = broken
    world.watch()
    assert world.rows("select count(*) from checks") == [(1,)]
    assert "are left out" in caplog.text


def test_people_are_told_after_the_commit_and_again_until_they_were(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    tries: list[int] = []

    async def tell(transitions: list[Transition]) -> None:
        tries.append(len(transitions))
        assert world.rows("select count(*) from transitions where told = 0") == [(len(transitions),)]
        if len(tries) < 3:
            raise Unavailable("Too many writes are waiting")

    world.put(monitor(failures_to_down=1))
    world.answers[1] = "fail"
    world.engine._drain._tell = tell
    world.watch(20)
    assert tries == [1, 1, 1]
    assert world.rows("select told from transitions") == [(1,)]


def test_the_box_says_that_it_watches_at_least_every_15_seconds(world: World) -> None:
    world.put(monitor(interval=86_400))
    for _ in range(20):
        world.watch(5)
        ((alive,),) = world.rows("select alive_at from monitor_engine")
        assert world.clock.now() - alive <= 15_000


def test_without_monitors_nothing_is_written(world: World) -> None:
    before = world.db.version
    world.watch(100)
    assert world.db.version == before


def test_a_disk_that_is_full_at_the_start_puts_checks_off(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_: Any, **__: Any) -> Any:
        raise Unavailable("The disk is full")

    world.put(monitor())
    world.watch()
    world.stop()
    with monkeypatch.context() as disk:
        disk.setattr(Db, "write", refuse)
        world.open()
        with pytest.raises(Unavailable):
            world.watch()
    world.watch(60)
    assert len(world.checked) == 2


def test_an_end_writes_what_there_is(world: World) -> None:
    async def story() -> None:
        world.gate = asyncio.Event()
        await world.engine.tick()
        world.gate.set()
        await world.engine._checking.settle()
        assert world.engine._drain.waiting

    world.put(monitor())
    world.run(story())
    world.clock.advance(seconds=3)
    world.stop()
    world.open()
    assert world.rows("select count(*) from checks") == [(1,)]
    assert world.timeline() == [("up", 0.0)]


def test_canceled_write_is_not_repeated(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    write, began, go_on = world.db.write, asyncio.Event(), asyncio.Event()

    async def slow(*given: Any, **named: Any) -> Any:
        found = await write(*given, **named)
        began.set()
        await go_on.wait()
        return found

    async def story() -> None:
        task = asyncio.create_task(world.engine.pushed(1, world.clock.now(), False, "No space left"))
        await began.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        go_on.set()
        await world.engine._drain.settle()

    world.put(monitor(kind="push", url="push://"))
    world.watch()
    monkeypatch.setattr(world.db, "write", slow)
    world.run(story())
    assert world.rows("select count(*) from checks") == [(1,)]
    assert world.news() == ["down"]


def test_failing_alert_delays_only_its_own_monitor(world: World, caplog: pytest.LogCaptureFixture) -> None:
    told: list[tuple[int, str]] = []
    is_mended = False

    async def tell(transitions: list[Transition]) -> None:
        if not is_mended and any(one.number == 2 for one in transitions):
            raise ValueError("An odd name")
        told.extend((one.number, one.what) for one in transitions)

    world.engine._drain._tell = tell
    for number in (1, 2, 3):
        world.put(monitor(number, failures_to_down=1))
        world.answers[number] = "fail"
    world.watch(1)
    assert sorted(told) == [(1, "down"), (3, "down")]
    world.answers[2] = "pass"
    world.watch(240)
    assert caplog.text.count("The alert of monitor 2 cannot be queued yet") == 1
    assert world.rows("select count(*) from transitions where told = 0") == [(2,)]
    is_mended = True
    world.watch(3_600)
    assert told[2:] == [(2, "down"), (2, "recovered")]
    assert world.rows("select count(*) from transitions where told = 0") == [(0,)]


def test_permanently_failing_alert_is_given_up(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def tell(_: list[Transition]) -> None:
        raise ValueError("An odd name")

    monkeypatch.setattr(drain, "TRIES", 3)
    world.engine._drain._tell = tell
    world.put(monitor(failures_to_down=1))
    world.answers[1] = "fail"
    world.watch(170)
    assert world.rows("select told from transitions") == [(0,)]
    world.watch(20)
    assert world.rows("select told from transitions") == [(1,)]


def test_a_disk_that_fills_up_while_results_are_written_one_by_one_loses_none(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, tries = world.db.write, 0

    async def refuse(work: Any, *, adds: bool = False) -> Any:
        nonlocal tries
        tries += adds
        if adds and tries != 2:
            raise ValueError("Odd") if tries == 1 else Unavailable("The disk is full")
        return await write(work)

    async def story() -> None:
        for number in (1, 2, 3):
            world.engine._drain.add(FinishedCheck(number, CheckResult(at=NOON, outcome="pass"), NOON))
        assert not await world.engine._drain.flush()

    for number in (1, 2, 3):
        world.put(monitor(number))
    world.run(world.engine._drain.settle())
    monkeypatch.setattr(world.db, "write", refuse)
    world.run(story())
    assert world.engine._drain.waiting == 2
    monkeypatch.undo()
    world.run(world.engine._drain.settle())
    assert world.rows("select monitor from checks order by 1") == [(1,), (2,), (3,)]
