"""The box ends and goes on: gaps are unknown, nobody is told of them, and nothing is lost or told twice."""

import asyncio
from typing import Any

import pytest

from analytics_box.base.errors import Unavailable
from analytics_box.base.store.db import Db
from analytics_box.products.monitors.running import rows
from analytics_box.products.monitors.running.rows import Transition
from tests.inprocess import NOON
from tests.products.monitors.running.world import World, monitor


def restart(world: World, seconds: float, *, killed: bool = True) -> None:
    (world.kill if killed else world.stop)()
    world.clock.advance(seconds=seconds)
    world.open()


def test_a_gap_is_unknown_until_the_first_check_after_it(world: World) -> None:
    world.put(monitor())
    world.watch(100)
    ((alive,),) = world.rows("select alive_at from monitor_engine")
    assert NOON + 85_000 <= alive <= NOON + 100_000
    restart(world, 500)
    assert world.timeline() == [("up", 0.0), ("unknown", (alive - NOON) / 1000)]
    assert world.engine.state_of(1).state == "unknown"  # type: ignore[union-attr]  # it is known
    world.watch(60)
    assert [state for state, _ in world.timeline()] == ["up", "unknown", "up"]
    assert world.spans()[-1].start == world.checked[-1][1]
    assert world.news() == []


def test_a_short_restart_is_no_gap(world: World) -> None:
    world.put(monitor())
    world.watch(100)
    restart(world, 10, killed=False)
    world.watch(60)
    assert world.timeline() == [("up", 0.0)]


def test_missed_checks_are_not_replayed_and_the_first_round_is_spread(world: World) -> None:
    for number in range(1, 21):
        world.put(monitor(number, interval=60 if number % 2 else 86_400))
    world.watch(1)
    restart(world, 7_200)
    checked = len(world.checked)
    began = world.clock.now()
    world.watch(60)
    first = world.checked[checked:]
    assert sorted(number for number, _ in first) == list(range(1, 21))
    assert len({(at - began) // 10_000 for _, at in first}) >= 5


def test_no_alert_is_based_on_a_gap(world: World) -> None:
    world.put(monitor())
    world.watch(1)
    world.answers[1] = "fail"
    world.watch(60)
    assert world.engine.state_of(1).state == "verifying"  # type: ignore[union-attr]  # it is known
    restart(world, 600)
    world.watch(59)
    assert world.news() == [], "a failing check before the gap does not count after it"
    world.watch(60)
    assert world.news() == ["down"]
    assert [state for state, _ in world.timeline()] == ["up", "unknown", "down"]
    assert world.spans()[-1].start == next(at for _, at in world.checked if at >= NOON + 661_000)


def test_monitor_that_was_down_stays_down_and_is_not_reported_again(world: World) -> None:
    world.put(monitor())
    world.answers[1] = "fail"
    world.watch(120)
    restart(world, 600)
    world.watch(180)
    assert world.news() == ["down"]
    assert [state for state, _ in world.timeline()] == ["down", "unknown", "down"]
    world.answers[1] = "pass"
    world.watch(120)
    assert world.news() == ["down", "recovered"]


def test_unreported_change_is_reported_after_a_kill_with_its_number(world: World) -> None:
    async def refuse(_: list[Transition]) -> None:
        raise Unavailable("The disk is full")

    world.put(monitor(failures_to_down=1))
    world.answers[1] = "fail"
    world.engine._drain._tell = refuse
    world.watch()
    assert world.told == []
    (waiting,) = world.db.read_now(rows.untold)
    restart(world, 1)
    world.watch()
    assert world.told == [waiting]
    restart(world, 1)
    world.watch()
    assert world.told == [waiting]


def test_reported_but_unrecorded_change_is_sent_again_under_the_same_id(world: World) -> None:
    world.put(monitor(failures_to_down=1))
    world.answers[1] = "fail"
    world.watch()
    world.db.write_now(lambda db: db.execute("update transitions set told = 0").fetchall())
    restart(world, 1)
    world.watch()
    first, again = world.told
    assert first == again


def test_a_kill_before_the_results_are_written_loses_only_them(world: World) -> None:
    async def story() -> None:
        engine, world.gate = world.engine, asyncio.Event()
        await engine.tick()
        world.gate.set()
        await engine._checking.settle()
        assert engine._drain.waiting

    world.put(monitor(failures_to_down=1))
    world.watch()
    world.answers[1] = "fail"
    world.clock.advance(seconds=5)
    world.engine._planning.due.put(1, world.clock.now())
    world.run(story())
    restart(world, 5)
    world.watch()
    assert world.news() == []
    world.watch(60)
    assert world.news() == ["down"]


def test_a_box_that_stood_still_watched_nothing(world: World, caplog: pytest.LogCaptureFixture) -> None:
    world.put(monitor())
    world.watch(100)
    world.clock.advance(seconds=3_600)
    world.watch(60)
    assert [state for state, _ in world.timeline()] == ["up", "unknown", "up"]
    unknown = world.spans()[1]
    assert (unknown.start - NOON, unknown.until) == (100_000, world.checked[-1][1])
    assert "no checks for 3600 s" in caplog.text


def test_a_gap_is_not_lost_where_the_disk_refuses_just_then(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_: Any, **__: Any) -> Any:
        raise Unavailable("The disk is full")

    world.put(monitor())
    world.watch(100)
    with monkeypatch.context() as disk:
        disk.setattr(Db, "write", refuse)
        world.clock.advance(seconds=3_600)
        world.run(world.engine.tick())
        world.run(world.engine._checking.settle())
    world.watch(60)
    assert [state for state, _ in world.timeline()] == ["up", "unknown", "up"]
    assert world.spans()[1].start == NOON + 100_000


def test_a_clock_that_is_set_back_stops_no_check(world: World) -> None:
    world.put(monitor())
    world.watch(100)
    checked = len(world.checked)
    now, monotonic = world.clock.now(), world.clock.monotonic()
    world.clock._now, world.clock._started = now - 7_200_000, now - 7_200_000 - round(monotonic * 1000)
    world.watch(180)
    assert len(world.checked) - checked >= 3
    world.answers[1] = "fail"
    world.watch(120)
    assert world.news() == ["down"]
    world.spans()  # without gaps and overlaps


def test_push_monitor_gets_the_gap_as_extra_time(world: World) -> None:
    world.put(monitor(kind="push", url="push://"))
    world.watch()
    world.run(world.engine.pushed(1, world.clock.now(), True, ""))
    world.watch(30)
    restart(world, 600)
    world.watch(59)
    assert world.news() == [], "what it was told meanwhile is not known"
    restart(world, 5, killed=False)
    world.watch(59)
    assert world.news() == []
    world.watch(10)
    assert world.news() == ["down"]


def test_latest_result_of_a_monitor_is_known_after_a_restart(world: World) -> None:
    world.put(monitor())
    world.watch(1)
    before = world.engine.state_of(1)
    restart(world, 1)
    after = world.engine.state_of(1)
    assert before is not None
    assert after is not None
    assert (after.state, after.since, after.last) == (before.state, before.since, before.last)


def test_a_pause_that_only_box_db_knows_is_shown_after_a_kill(world: World) -> None:
    world.put(monitor())
    world.watch(100)
    world.monitors[1] = monitor(is_paused=True), ()
    restart(world, 5)
    world.watch(10)
    assert [state for state, _ in world.timeline()] == ["up", "paused"]
