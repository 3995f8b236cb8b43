"""A box that is cut off knows nothing of what it checks; well-known hosts tell it from targets that fail."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.result import CheckResult
from analytics_box.products.monitors.running.batch import FinishedCheck
from analytics_box.products.monitors.running.isolation import AGAIN, Isolation
from analytics_box.products.monitors.running.networks import network_of
from tests.cases import each
from tests.inprocess import NOON, FixedClock
from tests.products.monitors.running.world import Answer, World, monitor

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


def test_results_are_unknown_and_alerts_silent_while_the_box_is_cut_off(net: Net) -> None:
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


def test_failure_soon_after_a_canary_answered_waits_for_the_next_canary_check(net: Net) -> None:
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
    net.run(net.engine.settle())
    before = net.rows("select count(*) from checks")
    net.run(net.engine.check_now(2))
    net.run(net.engine.check_now(3))
    net.stop()
    net.open()
    assert net.rows("select count(*) from checks") == [(before[0][0] + 2,)]
    assert net.told == []


@pytest.mark.parametrize("count", [1, 30])
def test_monitor_that_is_down_at_the_first_failure_stays_silent_while_the_box_is_cut_off(
    tmp_path: Path, count: int
) -> None:
    world = World(tmp_path, canaries=CANARIES)
    numbers = range(1, count + 1)
    for number in numbers:
        world.put(monitor(number, failures_to_down=1))
    world.watch(120)
    world.answers = dict.fromkeys((0, *numbers), CUT)
    world.watch(600)
    assert world.engine.isolated_since is not None
    world.answers = {}
    world.watch(300)
    assert world.told == []
    assert [state for state, _ in world.timeline()] == ["up", "unknown", "up"]
    world.close()


def test_single_failing_monitor_is_down_and_asks_no_more_canaries(net: Net) -> None:
    net.watch(60)
    asked = net.asked()
    net.cut(2)
    net.watch(600)
    assert net.news(2) == ["down"]
    assert net.asked() - asked <= 2 * len(CANARIES), "one look for each failure that made it so"


def test_hosts_that_no_longer_answer_while_most_monitors_do_are_no_evidence(net: Net) -> None:
    net.watch(60)
    net.cut(0, 2)
    net.watch(300)
    assert net.engine.isolated_since is None
    assert net.news(2) == ["down"]


def test_answers_that_are_wrong_are_answers(net: Net) -> None:
    net.answers = {0: CUT, 1: "fail", 2: "fail", 3: ("fail", "tls")}
    net.watch(180)
    assert sorted(one.what for one in net.told) == ["down"] * 3


def test_monitor_that_still_answers_continues_while_the_box_is_cut_off(net: Net) -> None:
    net.cut(0, 1, 2)
    net.watch(300)
    net.answers[3] = "fail"
    net.watch(120)
    assert net.news(3) == ["down"]
    assert net.news(1) == net.news(2) == []


def test_monitor_that_was_down_is_unknown_while_cut_off_and_not_reported_again(net: Net) -> None:
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


def test_lost_internet_with_many_private_monitors_sends_no_alerts(tmp_path: Path) -> None:
    world = mixed(tmp_path)
    world.answers = {0: CUT, 1: CUT}
    for host in range(2, 8):
        world.answers[f"tcp://192.168.0.{host}:80"] = "pass"
    world.watch(900)
    assert world.engine.isolated_since is not None
    assert world.told == []
    assert [state for state, _ in world.timeline(1)] == ["up", "unknown"]
    assert [state for state, _ in world.timeline(2)] == ["up"]
    world.answers = {}
    world.watch(60)
    assert world.engine.isolated_since is None
    world.close()


def test_lost_private_network_with_working_internet_sends_no_alerts(tmp_path: Path) -> None:
    world = mixed(tmp_path)
    cut_private(world)
    world.watch(240)
    assert world.engine.isolated_since is not None
    assert world.told == []
    assert [state for state, _ in world.timeline(2)] == ["up", "unknown"]
    assert [state for state, _ in world.timeline(1)] == ["up"]
    world.answers = {}
    world.watch(60)
    assert world.engine.isolated_since is None
    assert [state for state, _ in world.timeline(2)] == ["up", "unknown", "up"]
    world.close()


def test_private_network_that_stays_away_is_an_outage_of_its_monitors(tmp_path: Path) -> None:
    world = mixed(tmp_path)
    cut_private(world)
    world.watch(900)
    assert world.engine.isolated_since is None
    assert {one.number for one in world.told if one.what == "down"} == set(range(2, 8))
    world.close()


def test_private_monitor_that_fails_alone_is_down(tmp_path: Path) -> None:
    world = mixed(tmp_path)
    asked = len(world.checked)
    world.answers = {2: CUT}
    world.watch(120)
    assert world.news(2) == ["down"]
    assert sum(number == 0 for number, _ in world.checked[asked:]) <= 6, "three hosts for each failure"
    world.close()


def test_only_private_monitor_has_no_canary_and_is_down(tmp_path: Path) -> None:
    world = World(tmp_path, canaries=CANARIES)
    world.put(monitor(1, url="http://192.168.0.1/"))
    world.watch(120)
    world.answers = {0: CUT, 1: CUT}
    world.watch(120)
    assert world.news(1) == ["down"]
    world.close()


@each(
    ("url", "address", "network"),
    (
        ("https://example.com/", "", "internet"),
        ("https://example.com/", "93.184.215.14", "internet"),
        ("https://example.com/", "10.0.0.7", "private"),
        ("https://[2606:4700::1]/", "", "internet"),
        ("tcp://192.168.1.2:22", "", "private"),
        ("ping://[fd00::1]", "", "private"),
        ("http://nas/", "", "private"),
        ("http://nas.home.arpa/", "", "private"),
        ("http://100.101.102.103/", "", "private"),
        ("http://[::ffff:10.0.0.1]/", "", "private"),
    ),
)
def test_network_of_a_monitor_is_that_of_its_address_or_its_name(url: str, address: str, network: str) -> None:
    assert network_of(monitor(url=url), address) == network


def mixed(directory: Path) -> World:
    """A monitor in the internet, and six in a private network."""
    world = World(directory, canaries=CANARIES)
    world.put(monitor(1, failures_to_down=1))
    for number in range(2, 8):
        world.put(monitor(number, url=f"http://192.168.0.{number}/", failures_to_down=1))
    world.watch(120)
    return world


def cut_private(world: World) -> None:
    for host in range(2, 8):
        world.answers[host] = world.answers[f"tcp://192.168.0.{host}:80"] = CUT


class Story:
    """The isolation by itself: canaries that answer as they are told, and what was released."""

    def __init__(self) -> None:
        self.clock, self.released = FixedClock(NOON), list[FinishedCheck]()
        self.answers, self.meanwhile = False, list[tuple[int, str]]()
        canaries = [monitor(0)]
        self.isolation = Isolation("the internet", lambda _: canaries, self._ask, self.clock, self.released.append)
        self.isolation.answered_at = NOON

    async def _ask(self, _: Monitor) -> bool:
        while self.meanwhile:
            self.take(*self.meanwhile.pop())
        return self.answers

    def take(self, number: int, group: str = "org", *, fails: bool = True) -> None:
        at = self.clock.now()
        result = CheckResult(at=at, outcome="fail" if fails else "pass", reason="timeout" if fails else "")
        self.isolation.take(FinishedCheck(number, result, at), is_down=False, group=group)

    def conclusive(self) -> dict[int, bool]:
        return {one.number: one.is_conclusive for one in self.released}


def test_failing_monitors_of_one_organization_do_not_mean_the_box_is_cut_off() -> None:
    async def tell(story: Story) -> None:
        for number in range(2, 20):
            story.take(number, "slow")
        story.take(1, "other", fails=False)
        await story.isolation.settle()
        story.clock.advance(seconds=10)
        story.isolation.look()
        await story.isolation.settle()

    story = Story()
    asyncio.run(tell(story))
    assert story.isolation.since is None
    assert story.conclusive() == dict.fromkeys(range(1, 20), True)


def test_failure_that_comes_while_canaries_are_asked_waits_for_the_next_answer() -> None:
    async def tell(story: Story) -> None:
        story.answers, story.meanwhile = True, [(2, "org")]
        story.take(1)
        await story.isolation.settle()
        assert story.conclusive() == {1: True}
        story.isolation.look()
        assert story.isolation.due_at() == NOON + AGAIN, "one look in ten seconds"
        story.answers = False
        story.clock.advance(seconds=AGAIN / 1000)
        story.isolation.look()
        await story.isolation.settle()

    story = Story()
    asyncio.run(tell(story))
    assert story.conclusive() == {1: True, 2: False}
    assert story.isolation.since is not None
