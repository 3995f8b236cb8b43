"""Facts leave the disks of machines once ClickHouse has them; whatever happens to any machine then, each fact of each
machine is there once, or removed for good."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.base.facts import erase, orders, trimmed
from analytics_box.base.facts.layout import stored_table
from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.query.engines import Engines
from analytics_box.query.engines.clickhouse import upkeep
from analytics_box.query.engines.clickhouse.engine import ClickHouse
from analytics_box.query.engines.clickhouse.machines import SHIFT, ClickHouseMachine
from analytics_box.query.engines.clickhouse.server import ClickHouseTarget
from tests.examples import examples
from tests.query.clickhouse.test_machines import Shared, Taking, as_there
from tests.query.clickhouse.test_machines import World as Machines
from tests.query.clickhouse.trimming_world import emptied
from tests.query.clickhouse.world import reached
from tests.query.replica import SITE

KEPT = 35  # days
_FACT = ("id", "site", "time", "session", "path")


class Trimmed(Taking):
    """A machine that keeps 35 days of facts, and what one that keeps all of them would have: by table and id, the row
    as it is in ClickHouse, and when it, or its session, began."""

    known: dict[str, dict[int, tuple[tuple[Any, ...], int]]]

    def __init__(self, directory: Path, machine: ClickHouseMachine, server: Shared) -> None:
        super().__init__(directory, replace(machine, may_trim=machine.number > 0), server)

    def begin(self) -> None:
        far = ClickHouse(
            self.db,
            self.clock,
            ClickHouseTarget("http://clickhouse.test/", several=True),
            every=0,
            keep_days=KEPT,
            among=lambda: self.machine,
        )
        self.far, self.engines = far, Engines(self.db, self.clock, columnar="clickhouse", far=far)

    def reset(self) -> None:
        self.forget_position()
        self.db.write_now(emptied)
        self.known = {name: {} for name in FACT_NAMES}

    def floors(self) -> dict[str, int]:
        return self.db.read_now(trimmed.floors)

    def learn(self) -> None:
        """What is here now is all that there is above the floors."""
        texts = {int(str(row)): str(text) for row, text in self.read("select id, value from strings")}
        floors, first = self.floors(), self.machine.number << SHIFT
        for name in FACT_NAMES:
            began = "iif(session = 0, time, session_started)" if name == "events" else "time"
            rows = self.read(f"select {', '.join(_FACT)}, {began} from {name} where site <> 0")
            here = {row[0]: (as_there(name, row[:-1], first, texts), row[-1]) for row in rows}
            left = {number: row for number, row in self.known[name].items() if number <= floors.get(name, 0)}
            self.known[name] = left | here

    def lose(self, is_lost: Callable[[int], bool]) -> None:
        """What began at such times has been removed."""
        for name, rows in self.known.items():
            self.known[name] = {number: row for number, row in rows.items() if not is_lost(row[1])}


class World(Machines):
    """A primary that keeps everything, and two machines that do not."""

    machines: list[Trimmed]  # type: ignore[assignment]  # of this kind

    def __init__(self, directory: Path) -> None:
        super().__init__(directory, Trimmed)

    def fault(self) -> str:
        """What is late is left to test_shipping."""
        fault = super().fault()
        return "refused" if fault == "late" else fault

    def reset(self, seed: int) -> None:
        super().reset(seed)
        for one in self.machines:
            one.reset()

    def happen(self, number: int, what: str) -> None:
        one, events = self.machines[number], stored_table("events")
        one.learn()
        match what:
            case "older":
                instant = (one.clock.now() // DAY - self.random.randrange(30, 80)) * DAY
                one.runner.run(erase.before(one.db, SITE, instant=instant))
                one.lose(lambda began: began < instant)
            case "site":
                one.runner.run(erase.site(one.db, SITE))
                one.lose(lambda _: True)
            case "erase" | "erase the newest":  # rows of websites: anchors are nobody's
                some = "id % 3 = 1" if what == "erase" else f"id > (select max(id) - 4 from {events})"
                one.write(f"delete from {events} where site <> 0 and {some}")
            case "move":
                one.write(f"update {events} set session = session + 1 where id % 4 = 2 and session <> 0")
            case "weeks":
                for machine in self.machines:
                    machine.clock.advance(seconds=20 * DAY // 1000)
                self.server.forget()
            case "visit":  # ids come again; that what had them is gone there before is the replica's assumption, too
                faulty, self.faulty = self.faulty, 0.0
                one.try_to_follow()
                self.faulty = faulty
                one.visit()
            case _:
                super().happen(number, what)
        one.learn()
        one.try_to_follow()

    def settle(self) -> None:
        """All is well, and has been for a day: what was sent in vain has come, or never will."""
        super().settle()
        for machine in self.machines:
            machine.clock.advance(seconds=DAY // 1000 + 1)
        super().settle()
        for machine in self.machines:
            machine.learn()

    def assert_arrived(self) -> None:
        for name in FACT_NAMES:
            wanted = Counter(row for one in self.machines for row, _ in one.known[name].values())
            found = Counter(tuple(row[column] for column in _FACT) for row in self.server.tables[name].rows)
            assert found == wanted, name
        for one in self.machines:
            assert not one.db.read_now(orders.count)
            floors = one.floors()
            left = {name: sum(number <= floors.get(name, 0) for number in one.known[name]) for name in FACT_NAMES}
            counted = one.db.read_now(trimmed.counts)
            assert {name: count for name, count in counted.items() if count} == {
                name: count for name, count in left.items() if count
            }
        texts = Counter((row["row"], row["value"]) for row in self.server.tables["strings"].rows)
        assert texts == Counter(
            (number + (one.machine.number << SHIFT), text)
            for one in self.machines
            for number, text in one.read("select id, value from strings")
        )


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("machines"))
    with reached(made.server), patch.object(upkeep, "_ROWS", 7), patch.object(upkeep, "_ROWS_AT_ONCE", 3):
        yield made
    for machine in made.machines:
        machine.close()


HAPPENINGS = (
    *("visit", "visit", "weeks", "weeks", "older", "site", "erase", "erase the newest", "move", "a day"),
    "lose the position",
)


@examples(18, anew=True, unchecked=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 10_000),
    story=st.lists(st.tuples(st.integers(0, 2), st.sampled_from(HAPPENINGS)), min_size=6, max_size=16),
)
def test_each_fact_of_each_machine_is_there_once_though_it_left_its_disk(
    world: World, seed: int, story: list[tuple[int, str]]
) -> None:
    world.reset(seed)
    for number in range(3):
        world.happen(number, "visit")
    world.settle()
    world.faulty = 0.06
    for number, what in story:
        world.happen(number, what)
    world.settle()
    world.assert_arrived()


def old(world: World) -> None:
    """Facts that left two machines, and new ones."""
    world.reset(0)
    for number in range(3):
        world.happen(number, "visit")
    world.settle()
    for _ in range(3):
        world.happen(0, "weeks")
    for number in range(3):
        world.happen(number, "visit")
    world.settle()


def test_facts_leave_machines_that_take_events_and_stay_on_the_primary(world: World) -> None:
    old(world)
    assert [one.floors().keys() == {*FACT_NAMES} for one in world.machines] == [False, True, True]
    assert not world.machines[0].floors()
    world.assert_arrived()


def test_late_rows_are_removed_and_rows_only_in_clickhouse_stay(world: World) -> None:
    old(world)
    late = [dict(row) for row in world.server.tables["events"].rows]
    for number in range(3):
        world.happen(number, "lose the position")
    world.settle()
    kept = world.machines[1].floors()["events"] + (1 << SHIFT)
    again = [row for row in late if kept < row["id"] < 2 << SHIFT]
    world.server.tables["events"].rows += again
    assert again
    world.settle()
    world.assert_arrived()


def test_rows_only_in_clickhouse_stay_after_removed_bytes_left_its_disk(world: World) -> None:
    old(world)
    one = world.machines[1]
    world.happen(1, "lose the position")
    world.happen(1, "erase")
    one.clock.advance(seconds=DAY // 1000 + 1)
    for _ in range(2):
        one.try_to_follow()
    world.assert_arrived()


def test_rows_that_clickhouse_lost_are_reported_and_not_overwritten(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    old(world)
    one, table = world.machines[1], world.server.tables["events"]
    kept = list(table.rows)
    table.rows = [row for row in kept if row["id"] >> SHIFT != 1]
    one.begin()
    one.visit()
    one.try_to_follow()
    assert "rows of events that are nowhere else" in caplog.text
    assert one.far.lacks
    table.rows = kept
    world.settle()
    world.assert_arrived()


def test_an_order_removes_the_rows_of_its_own_machine_alone(world: World) -> None:
    old(world)
    world.happen(1, "site")
    world.settle()
    world.assert_arrived()
    machines = {row["id"] >> SHIFT for row in world.server.tables["events"].rows}
    assert machines == {0, 2}
