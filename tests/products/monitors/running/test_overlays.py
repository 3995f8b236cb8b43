"""Maintenance: checks go on, nobody is told, and its time is in no ratio."""

from analytics_box.base.facts.uptime import uptime
from analytics_box.products.monitors.window import Covers, MaintenanceWindow
from tests.inprocess import NOON
from tests.products.monitors.running.world import World, monitor


def window(start: float, end: float, **more: object) -> MaintenanceWindow:
    """From when until when, in seconds since the beginning."""
    plain = {"id": "window", "organization_id": "org", "name": "Window", "covers": Covers(all=True)}
    return MaintenanceWindow(**(plain | more), starts_at=NOON + round(start * 1000), ends_at=NOON + round(end * 1000))  # type: ignore[arg-type]  # as they are


def test_checks_go_on_and_the_timeline_says_maintenance_to_the_millisecond(world: World) -> None:
    world.put(monitor(), [window(100.5, 400.25)])
    world.watch(600)
    assert world.timeline() == [("up", 0.0), ("maintenance", 100.5), ("up", 400.25)]
    assert any(NOON + 101_000 < at < NOON + 400_000 for _, at in world.checked)


def test_outage_inside_a_maintenance_is_silent_and_counts_nowhere(world: World) -> None:
    world.put(monitor(), [window(100, 700)])
    world.watch(110)
    world.answers[1] = "fail"
    world.watch(300)
    world.answers[1] = "pass"
    world.watch(600)
    assert world.news() == []
    found = uptime(world.spans(), NOON, NOON + 1_000_000, NOON + 1_000_000)
    assert (found.down, found.maintenance, found.ratio) == (0, 600_000, 1)
    assert world.rows("select count(*) from checks where status = 0") == [(0,)], "in no ratio"
    inside = "select distinct status from checks where time between ? and ?"
    assert world.rows(inside, NOON + 100_000, NOON + 699_999) == [(2,)], "neither are those that passed"


def test_outage_that_outlasts_a_maintenance_is_reported_immediately(world: World) -> None:
    world.put(monitor(interval=3_600), [window(100, 700)])
    world.watch(100)
    world.answers[1] = "fail"
    world.run(world.engine.check_now(1))
    world.watch(590)
    assert world.news() == []
    world.watch(12)
    assert world.news() == ["down"]
    assert world.timeline() == [("up", 0.0), ("maintenance", 100.0), ("down", 700.0)]


def test_failures_before_a_maintenance_count_from_their_first(world: World) -> None:
    world.put(monitor(interval=3_600), [window(100, 700)])
    world.watch(90)
    world.answers[1] = "fail"
    world.run(world.engine.check_now(1))
    world.watch(800)
    assert world.timeline() == [("up", 0.0), ("down", 90.0), ("maintenance", 100.0), ("down", 700.0)]


def test_a_window_that_is_made_or_ended_acts_at_once(world: World) -> None:
    world.put(monitor())
    world.watch(50)
    world.put(monitor(), [window(0, 400)])
    world.watch(50)
    assert world.engine.state_of(1).state == "maintenance"  # type: ignore[union-attr]  # it is known
    world.put(monitor())
    world.watch(50)
    assert world.timeline() == [("up", 0.0), ("maintenance", 50.0), ("up", 100.0)]


def test_a_window_of_others_is_none(world: World) -> None:
    world.put(monitor(), [window(10, 400, covers=Covers(groups=("others",)))])
    world.watch(60)
    assert world.timeline() == [("up", 0.0)]


def test_a_pause_inside_a_window_is_a_pause(world: World) -> None:
    world.put(monitor(), [window(100, 400)])
    world.watch(200)
    world.change(1, is_paused=True)
    world.watch(100)
    world.change(1, is_paused=False)
    world.watch(200)
    assert world.timeline() == [
        ("up", 0.0),
        ("maintenance", 100.0),
        ("paused", 200.0),
        ("maintenance", 300.0),
        ("up", 400.0),
    ]


def test_a_window_that_began_in_a_short_restart_begins_when_it_did(world: World) -> None:
    world.put(monitor(), [window(104, 400)])
    world.watch(100)
    world.stop()
    world.clock.advance(seconds=10)
    world.open()
    world.watch(30)
    assert world.timeline() == [("up", 0.0), ("maintenance", 104.0)]


def test_results_inside_a_maintenance_are_known_after_a_restart(world: World) -> None:
    world.put(monitor(), [window(10, 700)])
    world.put(monitor(2), [window(10, 700)])
    world.answers[2] = "fail"
    world.watch(100)
    world.stop()
    world.open()
    outcomes = [world.engine.state_of(number).last.outcome for number in (1, 2)]  # type: ignore[union-attr]  # known
    assert outcomes == ["pass", "fail"]
