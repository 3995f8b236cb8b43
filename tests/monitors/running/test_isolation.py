"""A box that is cut off knows nothing of what it checks; well-known hosts tell it from targets that fail."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.monitors.result import Result
from analytics_box.monitors.running.batch import Finished
from analytics_box.monitors.running.isolation import Isolation
from tests.inprocess import NOON, FixedClock
from tests.monitors.running.world import Answer, World, monitor

CANARIES = ("one.example:443", "two.example:443")
CUT: Answer = ("fail", "timeout")


class Net(World):
    """A world with canaries: monitors of the number 0."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory, canaries=CANARIES)
        for number in (1, 2, 3):
            self.put(monitor(number))
        self.watch(1)

    def asked(self) -> int:
        """How often canaries were asked."""
        return sum(number == 0 for number, _ in self.checked)

    def cut(self, *numbers: int) -> None:
        self.answers |= dict.fromkeys(numbers, CUT)


@pytest.fixture
def net(tmp_path: Path) -> Iterator[Net]:
    made = Net(tmp_path)
    yield made
    made.close()


def test_while_the_box_is_cut_off_results_say_nothing_and_nobody_is_told(net: Net) -> None:
    net.watch(60)
    net.cut(0, 1, 2, 3)
    net.watch(300)
    assert net.engine.isolated_since is not None
    assert net.told == []
    for number in (1, 2, 3):
        assert [state for state, _ in net.timeline(number)] == ["up", "unknown"]
    net.answers = {}
    net.watch(120)
    assert net.engine.isolated_since is None
    assert net.told == []
    for number in (1, 2, 3):
        assert [state for state, _ in net.timeline(number)] == ["up", "unknown", "up"]
    assert net.rows("select count(*) from checks where status = 0") == [(0,)]


def test_targets_that_all_fail_are_down_where_the_canaries_answer(net: Net) -> None:
    net.cut(1, 2, 3)
    net.watch(180)
    assert net.engine.isolated_since is None
    assert sorted(one.what for one in net.told) == ["down"] * 3


def test_what_fails_soon_after_the_canaries_answered_waits_until_they_are_asked_again(net: Net) -> None:
    def check() -> None:
        for number in (1, 2, 3):
            net.run(net.engine.check_now(number))

    net.watch(60)
    net.cut(1, 2, 3)
    check()
    net.run(net.engine.settle())
    net.clock.advance(seconds=5)
    net.cut(0)
    check()
    net.watch(30)
    assert net.engine.isolated_since is not None
    assert net.told == []
    assert [state for state, _ in net.timeline()] == ["up", "unknown"]


def test_a_box_that_stops_while_results_are_held_says_nothing_by_them(net: Net) -> None:
    net.watch(60)
    net.cut(1, 2, 3)
    net.run(net.engine.check_now(1))
    net.run(net.engine.check_now(2))
    net.run(net.engine.settle())
    before = net.rows("select count(*) from checks")
    net.run(net.engine.check_now(3))
    net.stop()
    net.open()
    assert net.rows("select count(*) from checks") == [(before[0][0] + 1,)]
    assert net.told == []


def test_one_of_many_that_fails_asks_nobody(net: Net) -> None:
    asked = net.asked()
    net.watch(60)
    net.cut(2)
    net.watch(600)
    assert net.news(2) == ["down"]
    assert net.asked() - asked <= 2 * len(CANARIES)  # in a moment in which no other was checked


def test_answers_that_are_wrong_are_answers(net: Net) -> None:
    net.answers = {0: CUT, 1: "fail", 2: "fail", 3: ("fail", "tls")}
    net.watch(180)
    assert sorted(one.what for one in net.told) == ["down"] * 3


def test_what_still_answers_while_the_box_is_cut_off_goes_on(net: Net) -> None:
    net.cut(0, 1, 2)
    net.watch(300)
    net.answers[3] = "fail"
    net.watch(120)
    assert net.news(3) == ["down"]
    assert net.news(1) == net.news(2) == []


def test_what_was_down_before_is_unknown_and_not_told_again(net: Net) -> None:
    net.cut(1)
    net.watch(300)
    net.cut(0, 2, 3)
    net.watch(300)
    net.answers = {1: CUT}
    net.watch(300)
    assert net.news(1) == ["down"]
    assert [state for state, _ in net.timeline(1)] == ["up", "down", "unknown", "down"]


def test_canaries_that_never_answered_are_no_evidence(tmp_path: Path) -> None:
    world = World(tmp_path, canaries=CANARIES)
    world.answers[0] = CUT
    world.put(monitor())
    world.watch(1)
    world.answers[1] = CUT
    world.watch(180)
    assert world.news() == ["down"]
    assert world.engine.isolated_since is None
    world.close()


def test_that_they_answered_once_is_known_after_a_restart(net: Net) -> None:
    net.kill()
    net.cut(0, 1, 2, 3)
    net.open()
    net.watch(180)
    assert net.engine.isolated_since is not None
    assert net.told == []


def test_without_canaries_what_fails_is_down(world: World) -> None:
    world.answers = {0: CUT, 1: CUT}
    world.put(monitor())
    world.watch(180)
    assert world.news() == ["down"]
    assert all(number == 1 for number, _ in world.checked)


def test_one_organization_whose_monitors_all_fail_says_nothing_about_the_box() -> None:
    clock = FixedClock(NOON)
    released: list[Finished] = []

    async def silent(_: str) -> bool:
        return False

    async def story() -> None:
        isolation = Isolation(CANARIES, silent, clock, released.append)
        isolation.answered_at = NOON

        async def ends(number: int, group: str, *, fails: bool = True) -> bool:
            result = Result(at=NOON, outcome="fail" if fails else "pass", reason="timeout" if fails else "")
            isolation.take(Finished(number, result, clock.now()), is_down=False, group=group)
            await isolation.settle()
            return isolation.since is not None

        assert not await ends(1, "other", fails=False)
        for number in range(2, 20):
            assert not await ends(number, "slow"), "most monitors fail, and they are one organization's"
        assert await ends(1, "other"), "nobody finds anything any more"

    asyncio.run(story())
    assert [one.is_conclusive for one in released] == [True] * 19 + [False]
