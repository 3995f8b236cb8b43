"""Monitors that wait to be told: late after their interval and grace, and well again with the next word."""

from typing import Any

import pytest

from analytics_box.base.errors import Unavailable
from analytics_box.base.store.db import Db
from analytics_box.products.monitors.monitor import Options
from tests.products.monitors.running.world import World, monitor


def waiting(interval: int = 300, grace: int = 60) -> object:
    return monitor(kind="push", url="push://", interval=interval, options=Options(grace=grace))


def push(world: World, *, ok: bool = True, message: str = "") -> None:
    world.run(world.engine.pushed(1, world.clock.now(), ok, message))


def test_push_monitor_without_a_heartbeat_is_new_and_not_late(world: World) -> None:
    world.put(waiting())  # type: ignore[arg-type]  # a monitor
    world.watch(7_200)
    assert world.spans() == []
    assert world.engine.state_of(1).state == "new"  # type: ignore[union-attr]  # it is known
    assert world.checked == []


def test_push_monitor_is_late_after_its_interval_and_grace_only(world: World) -> None:
    world.put(waiting())  # type: ignore[arg-type]  # a monitor
    push(world)
    world.watch(359)
    assert world.news() == []
    world.watch(1)
    assert world.news() == ["down"]
    assert world.timeline() == [("up", 0.0), ("down", 360.0)]
    assert world.told[0].detail.reason == "late"
    world.watch(600)
    assert world.news() == ["down"]
    push(world)
    assert world.news() == ["down", "recovered"]
    assert world.rows("select status, count(*) from checks group by 1") == [(0, 3), (1, 2)]


def test_each_word_puts_it_off(world: World) -> None:
    world.put(waiting())  # type: ignore[arg-type]  # a monitor
    for _ in range(10):
        push(world)
        world.watch(350)
    assert world.news() == []
    assert world.timeline() == [("up", 0.0)]


def test_reported_failure_counts_immediately(world: World) -> None:
    world.put(waiting())  # type: ignore[arg-type]  # a monitor
    push(world)
    world.watch(10)
    push(world, ok=False, message="No space left")
    world.watch()
    assert world.news() == ["down"]
    assert world.told[0].detail.error == "No space left"


def test_a_word_is_on_disk_when_it_is_answered(world: World) -> None:
    world.put(waiting())  # type: ignore[arg-type]  # a monitor
    push(world)
    assert world.rows("select status, kind from checks") == [(1, 6)]


def test_while_it_is_paused_nothing_is_late(world: World) -> None:
    world.put(waiting())  # type: ignore[arg-type]  # a monitor
    push(world)
    world.watch(10)
    world.change(1, is_paused=True)
    world.watch(7_200)
    world.change(1, is_paused=False)
    world.watch(355)
    assert world.news() == []
    world.watch(10)
    assert world.news() == ["down"]


def test_a_longer_grace_acts_at_once(world: World) -> None:
    world.put(waiting())  # type: ignore[arg-type]  # a monitor
    push(world)
    world.watch(350)
    world.change(1, options=Options(grace=600))
    world.watch(540)
    assert world.news() == []
    world.watch(20)
    assert world.news() == ["down"]


def test_before_the_box_knows_how_it_was_a_word_is_refused_and_changes_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: Any, **__: Any) -> Any:
        raise Unavailable("The disk is full")

    world.put(waiting())  # type: ignore[arg-type]  # a monitor
    push(world, ok=False, message="No space left")
    world.watch(10)
    world.kill()
    world.clock.advance(seconds=600)
    with monkeypatch.context() as disk:
        disk.setattr(Db, "write", refuse)
        world.open()
    with pytest.raises(Unavailable):
        push(world)
    world.watch()
    push(world)
    assert world.news() == ["down", "recovered"]
    assert [state for state, _ in world.timeline()] == ["down", "unknown", "up"]


def test_word_that_cannot_be_written_is_refused_with_the_reason(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_: Any, **__: Any) -> Any:
        raise Unavailable("events.db is damaged")

    world.put(monitor(kind="push"))
    world.watch()
    with monkeypatch.context() as disk:
        disk.setattr(Db, "write", refuse)
        with pytest.raises(Unavailable, match=r"events\.db is damaged"):
            world.run(world.engine.pushed(1, world.clock.now(), ok=True, message=""))
