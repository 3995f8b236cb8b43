"""The engine as a whole: checks on time, and everything that people do to a monitor acts at once."""

import asyncio
import tracemalloc
from itertools import pairwise

import pytest
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest, NotFound, Unavailable
from analytics_box.products.monitors.monitor import Options
from analytics_box.products.monitors.result import CheckResult, Outcome
from analytics_box.products.monitors.running import schedule
from analytics_box.products.monitors.running.pool import SLOW
from tests.inprocess import NOON
from tests.products.monitors.running.world import World, monitor


def times(world: World, number: int = 1) -> list[int]:
    """When a monitor was checked, in ms since the beginning."""
    return [at - NOON for one, at in world.checked if one == number]


def test_a_new_monitor_is_checked_at_once_and_then_on_its_grid(world: World) -> None:
    world.put(monitor())
    world.watch(200)
    first, *others = times(world)
    assert first == 0
    assert others[0] == schedule.next_due("monitor1", 60, NOON) - NOON
    assert {later - before for before, later in pairwise(others)} == {60_000}
    assert world.timeline() == [("up", 0.0)]


def test_no_check_is_missed_or_doubled_in_an_hour_of_many_monitors(world: World) -> None:
    for number in range(1, 21):
        world.put(monitor(number, interval=60 if number % 2 else 300))
    world.watch(3_600)
    for number in range(1, 21):
        given, _ = world.monitors[number]
        due = schedule.next_due(given.id, given.interval, NOON) - NOON
        assert times(world, number) == [0, *range(due, 3_600_001, given.interval * 1000)]
    assert world.rows("select count(*) from checks") == [(len(world.checked),)]
    assert world.engine.skipped == 0
    assert set(world.engine.lateness) == {0}


def test_failed_check_is_repeated_soon_and_down_counts_from_the_first_failure(world: World) -> None:
    world.put(monitor(interval=300))
    world.watch(1)
    world.answers[1] = "fail"
    world.watch(400)
    first, again, *_ = times(world)[1:]
    assert again - first == 30_000
    assert world.timeline() == [("up", 0.0), ("down", first / 1000)]
    assert world.news() == ["down"]
    assert world.told[0].detail.error == "It failed"
    world.answers[1] = "pass"
    world.watch(300)
    assert world.news() == ["down", "recovered"]
    statuses = [status for (status,) in world.rows("select status from checks order by id")]
    assert statuses == [1, 0, 0, 1]  # what was pending has failed, as it turned out


def test_a_blip_is_seen_and_lowers_nothing(world: World) -> None:
    world.put(monitor())
    world.watch(1)
    world.answers[1] = "fail"
    world.watch(60)
    live = world.engine.state_of(1)
    assert live is not None
    assert (live.state, live.since) == ("verifying", world.checked[-1][1])
    world.answers[1] = "pass"
    world.watch(60)
    assert world.timeline() == [("up", 0.0)]
    assert world.news() == []
    assert [status for (status,) in world.rows("select status from checks order by id")][:3] == [1, 2, 1]


def test_paused_monitor_is_not_checked_and_its_time_is_paused(world: World) -> None:
    world.put(monitor())
    world.watch(100)
    world.change(1, is_paused=True)
    checked = len(world.checked)
    world.watch(600)
    assert len(world.checked) == checked
    assert world.engine.state_of(1).state == "paused"  # type: ignore[union-attr]  # it is known
    world.change(1, is_paused=False)
    world.watch()
    assert len(world.checked) == checked + 1, "it is checked at once"
    assert world.timeline() == [("up", 0.0), ("paused", 100.0), ("up", 700.0)]
    assert world.news() == []


def test_monitor_down_before_a_pause_recovers_after_it(world: World) -> None:
    world.put(monitor())
    world.answers[1] = "fail"
    world.watch(60)
    world.change(1, is_paused=True)
    world.answers[1] = "pass"
    world.change(1, is_paused=False)
    world.watch()
    assert world.news() == ["down", "recovered"]


def test_changed_settings_apply_immediately_and_results_of_old_ones_are_dropped(world: World) -> None:
    async def story() -> None:
        world.gate = asyncio.Event()
        world.engine.put(monitor())
        await world.engine.tick()
        world.engine.put(monitor(url="https://other.example/"))
        await world.engine.tick()
        world.gate.set()
        await world.engine.settle()

    world.run(story())
    assert len(world.checked) == 2
    shown = "select status, value from checks join strings on strings.id = url"
    assert world.rows(shown) == [(1, "https://other.example/")]


def test_a_new_name_leaves_a_check_under_way_alone_and_a_new_interval_has_its_own_grid(world: World) -> None:
    world.put(monitor())
    world.watch(1)
    world.change(1, name="Another")
    world.watch(1)
    assert len(world.checked) == 1
    world.change(1, interval=300)
    world.watch(900)
    assert times(world)[1:] == [
        at - NOON for at in range(schedule.next_due("monitor1", 300, NOON), NOON + 902_001, 300_000)
    ]


def test_targets_that_hang_do_not_keep_others_waiting(world: World) -> None:
    async def story() -> None:
        world.gate = asyncio.Event()
        for number in range(1, 401):
            world.engine.put(monitor(number, organization_id=f"org{number % 40}"))
        await world.engine.tick()
        world.gate.set()
        await world.engine.settle()
        for number in range(1, 400):
            watched = world.engine._monitors[number]
            watched.draft.last = replace(watched.draft.last, total=60_000_000)  # type: ignore[type-var]  # it has a result
            world.engine._checking.begin(watched, NOON)
        world.gate = asyncio.Event()
        world.checked.clear()
        world.engine._checking.begin(world.engine._monitors[400], NOON)
        await asyncio.sleep(0)
        assert (400, NOON) in world.checked
        assert len(world.checked) == 1 + SLOW
        world.gate.set()
        await world.engine.settle()
        assert len(world.checked) == 400

    world.run(story())


def test_little_is_kept_of_a_monitor_in_memory(world: World) -> None:
    monitors = [monitor(number) for number in range(1, 301)]

    async def put() -> None:
        for given in monitors:
            world.engine.put(given)

    tracemalloc.start()
    world.run(put())
    world.watch()
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken < len(monitors) * 6_000  # 60 MB of 10,000


def test_a_check_now_is_there_before_it_is_answered_and_changes_no_grid(world: World) -> None:
    world.put(monitor())
    world.watch(5)
    planned = world.engine._planning.due.due_at(1)
    result = world.run(world.engine.check_now(1))
    assert result.at == NOON + 5_000
    assert world.rows("select count(*) from checks") == [(2,)]
    assert world.engine.state_of(1).last == result  # type: ignore[union-attr]  # it is known
    assert world.engine._planning.due.due_at(1) == planned


def test_a_check_now_joins_the_one_under_way(world: World) -> None:
    async def story() -> tuple[CheckResult, CheckResult]:
        world.gate = asyncio.Event()
        world.engine.put(monitor())
        await world.engine.tick()
        waiting = [asyncio.ensure_future(world.engine.check_now(1)) for _ in range(2)]
        await asyncio.sleep(0)
        world.gate.set()
        first, second = await asyncio.gather(*waiting)
        return first, second

    first, second = world.run(story())
    assert first is second
    assert world.rows("select count(*) from checks") == [(1,)]


def test_nothing_is_stored_of_a_try_or_of_a_check_of_what_is_paused(world: World) -> None:
    world.put(monitor(is_paused=True))
    assert world.run(world.engine.check_now(1)).outcome == "pass"
    assert world.run(world.engine.try_now(monitor(7))).outcome == "pass"
    world.watch()
    assert world.rows("select count(*) from checks") == [(0,)]


def test_monitor_that_cannot_be_checked_is_refused(world: World) -> None:
    world.put(monitor(kind="push"))
    with pytest.raises(BadRequest):
        world.run(world.engine.check_now(1))
    with pytest.raises(NotFound):
        world.run(world.engine.check_now(2))
    assert world.engine.state_of(2) is None


def test_of_one_that_is_removed_nothing_more_comes(world: World) -> None:
    async def story() -> None:
        world.gate = asyncio.Event()
        world.engine.put(monitor())
        await world.engine.tick()
        waiting = asyncio.ensure_future(world.engine.check_now(1))
        await asyncio.sleep(0)
        world.engine.remove(1)
        with pytest.raises(NotFound):
            await waiting
        world.gate.set()
        await world.engine.settle()

    world.run(story())
    world.watch(200)
    assert world.rows("select count(*) from checks") == [(0,)]
    assert len(world.checked) <= 1


def test_a_check_that_breaks_off_by_itself_says_nothing(world: World, caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: int) -> str:
        raise RuntimeError("a mistake")

    world.put(monitor(failures_to_down=1))
    world.watch()
    world.answers[1] = broken  # type: ignore[assignment]  # it has no answer
    world.watch(120)
    assert world.news() == []
    assert [state for state, _ in world.timeline()] == ["up", "unknown"]
    assert "failed unexpectedly" in caplog.text


def test_a_loop_that_ended_begins_again(world: World, caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        async def ends() -> None:
            raise RuntimeError("a mistake")

        engine = world.engine
        engine._loop = asyncio.get_running_loop().create_task(ends())
        await asyncio.sleep(0)
        await engine.tick()
        assert not engine._loop.done()
        engine._loop.cancel()
        await asyncio.gather(engine._loop, return_exceptions=True)
        engine._loop = None

    world.run(story())
    assert "Restarting it" in caplog.text


def test_the_loop_begins_what_is_due_by_itself(world: World) -> None:
    async def story() -> None:
        engine, was_checked = world.engine, asyncio.Event()

        def answer(_: int) -> Outcome:
            was_checked.set()
            return "pass"

        world.answers[1] = answer
        await engine.start()
        engine.put(monitor())
        await was_checked.wait()  # nothing but the loop lets it check
        await engine.stop(1)

    world.run(story())
    assert world.checked == [(1, NOON)]


def test_a_child_of_one_that_is_down_is_not_told_of_and_its_time_goes_on(world: World) -> None:
    world.put(monitor(1))
    world.put(monitor(2, parent_id="monitor1"))
    world.watch(1)
    world.answers = {1: "fail", 2: "fail"}
    world.watch(180)
    assert world.news(1) == ["down"]
    assert world.news(2) == []
    assert [state for state, _ in world.timeline(2)] == ["up", "down"]
    muted = world.rows("select what, told, detail ->> 'muted' from transitions where monitor = 2")
    assert muted == [("down", 1, "parent")]
    world.answers[1] = "pass"
    world.watch(120)
    assert world.news(1) == ["down", "recovered"]
    assert world.news(2) == ["down"], "it is still down by itself"


def test_a_child_that_recovers_with_its_parent_is_never_told_of(world: World) -> None:
    world.put(monitor(1))
    world.put(monitor(2, parent_id="monitor1"))
    world.watch(1)
    world.answers = {1: "fail", 2: "fail"}
    world.watch(180)
    world.answers = {}
    world.watch(180)
    assert world.news(2) == []
    assert [state for state, _ in world.timeline(2)] == ["up", "down", "up"]


def test_tries_wait_where_many_are_under_way(world: World) -> None:
    async def story() -> tuple[int, int]:
        world.gate = asyncio.Event()
        tries = [
            asyncio.ensure_future(world.engine.try_now(monitor(number, organization_id=f"org{number}")))
            for number in range(20)
        ]
        given_up = asyncio.ensure_future(world.engine.try_now(monitor(99)))
        for _ in range(3):
            await asyncio.sleep(0)
        begun = len(world.checked)
        given_up.cancel()
        world.gate.set()
        await asyncio.gather(*tries)
        await world.engine.settle()
        return begun, len(world.checked)

    assert world.run(story()) == (16, 20)


def test_a_check_takes_no_longer_than_until_the_next_one() -> None:
    assert monitor(interval=60, timeout=120_000).seconds == 60
    assert monitor(interval=300, timeout=120_000).seconds == 120


def test_of_many_that_change_at_once_most_first_checks_are_spread(world: World) -> None:
    for number in range(1, 31):
        world.put(monitor(number, is_paused=True))
    for number in range(1, 31):
        world.change(number, is_paused=False)
    world.change(1, organization_id="other", url="https://other.example/")  # others do not wait for them
    world.watch()
    assert {number for number, _ in world.checked} == {*range(1, 21)}
    world.watch(60)
    late = [at - NOON for number, at in world.checked if number > 20]
    assert len(late) == 10
    assert len({at // 10_000 for at in late}) >= 4


def test_a_check_for_which_the_box_has_no_room_says_nothing(world: World, caplog: pytest.LogCaptureFixture) -> None:
    def crowded(_: int) -> str:
        raise Unavailable("No room")

    world.put(monitor(failures_to_down=1))
    world.watch()
    world.answers[1] = crowded  # type: ignore[assignment]  # it has no answer
    world.watch(120)
    assert world.news() == []
    assert [state for state, _ in world.timeline()] == ["up", "unknown"]
    assert not caplog.records
    with pytest.raises(Unavailable):
        world.run(world.engine.try_now(monitor()))


def test_a_state_holds_for_twice_the_interval_at_most(world: World) -> None:
    world.put(monitor())
    world.watch(1)
    world.engine._planning.due.drop(1)
    world.watch(300)
    assert world.timeline() == [("up", 0.0), ("unknown", 120.0)]
    world.run(world.engine.check_now(1))
    assert [state for state, _ in world.timeline()] == ["up", "unknown", "up"]


def test_a_check_that_takes_longer_than_twice_the_interval_was_a_check(world: World) -> None:
    async def story() -> None:
        world.gate = asyncio.Event()
        for _ in range(24):
            world.clock.advance(seconds=5)
            await world.engine.tick()
        await world.engine._drain.settle()
        assert world.engine.state_of(1).state == "up"  # type: ignore[union-attr]  # it is known
        world.gate.set()
        world.gate = None
        await world.engine.settle()

    world.put(monitor(interval=30, timeout=90_000))
    world.watch(1)
    world.run(story())
    world.watch(30)
    assert world.timeline() == [("up", 0.0)]


def test_paused_or_push_monitors_are_not_missed(world: World) -> None:
    world.put(monitor(is_paused=True))
    world.put(monitor(2, kind="push", url="push://", options=Options(grace=600)))
    world.run(world.engine.pushed(2, world.clock.now(), True, ""))
    world.watch(300)
    assert world.timeline() == [("paused", 0.0)]
    assert world.timeline(2) == [("up", 0.0)]


def test_failures_of_a_changed_target_are_counted_from_zero(world: World) -> None:
    world.put(monitor())
    world.watch(1)
    world.answers[1] = "fail"
    world.run(world.engine.check_now(1))
    assert world.engine.state_of(1).state == "verifying"  # type: ignore[union-attr]  # it is known
    world.watch(4)
    world.change(1, url="https://other.example/")
    world.watch(5)
    assert world.checked[-1][1] == NOON + 5_000
    assert world.news() == []
    world.watch(40)
    assert world.news() == ["down"]
    assert world.timeline() == [("up", 0.0), ("down", 5.0)]


def test_an_interval_that_becomes_short_makes_nothing_unknown_that_was_checked_as_agreed(world: World) -> None:
    world.put(monitor(interval=3_600))
    world.watch(1_000)
    world.change(1, interval=30)
    world.watch(120)
    assert world.timeline() == [("up", 0.0)]


def test_monitors_in_a_network_that_is_not_open_are_counted_and_logged(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    for number in (1, 2, 3):
        world.put(monitor(number, is_paused=number == 3))
    world.watch(60)
    assert world.engine.refused == 0
    world.answers = dict.fromkeys((1, 3), ("fail", "refused"))
    world.watch(300)
    assert world.engine.refused == 1
    assert len([line for line in caplog.messages if "is not allowed" in line]) == 1
    world.answers = {}
    world.watch(60)
    assert world.engine.refused == 0
