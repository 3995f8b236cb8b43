"""The engine as a whole: checks on time, states, and what is told."""

from itertools import pairwise

from tests.inprocess import NOON
from tests.monitors.running.world import World, monitor


def test_a_new_monitor_is_checked_at_once_and_then_on_its_grid(world: World) -> None:
    world.put(monitor())
    world.watch(200)
    times = [at for _, at in world.checked]
    assert times[0] == NOON
    assert len(times) in (4, 5)
    assert {later - before for before, later in pairwise(times[1:])} == {60_000}
    assert world.timeline() == [("up", 0.0)]


def test_a_monitor_that_fails_is_down_from_its_first_failing_check_on(world: World) -> None:
    world.put(monitor())
    world.watch(1)
    world.answers[1] = "fail"
    world.watch(120)
    assert world.news() == ["down"]
    world.answers[1] = "pass"
    world.watch(120)
    assert world.news() == ["down", "recovered"]
    first = next(at for _, at in world.checked[1:])
    assert [state for state, _ in world.timeline()] == ["up", "down", "up"]
    assert world.spans()[1].start == first
