"""Several machines in one ClickHouse: whatever happens to any of them on the way, each row is there once, under the
number of its machine, and a text has one number on all of them."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from analytics_box.base.clock import DAY
from analytics_box.base.facts.layout import stored_table
from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.base.store import text_numbers
from analytics_box.base.store.text_numbers import number_of
from analytics_box.query.engines import Engines
from analytics_box.query.engines.clickhouse import shipping
from analytics_box.query.engines.clickhouse.engine import ClickHouse
from analytics_box.query.engines.clickhouse.machines import SHIFT, ClickHouseMachine
from analytics_box.query.engines.clickhouse.server import Away, ClickHouseTarget
from analytics_box.query.engines.clickhouse.tables import SHIPPED
from tests.examples import examples
from tests.query.clickhouse.fake import Fake, Killed, Stored
from tests.query.clickhouse.world import reached
from tests.query.replica import World as Facts

FAULTS = ("lost", "refused", "late", "killed", "died")
_LOOKED = re.compile(r"select .+? from (?!system\.)(\w+)")


class Shared(Fake):
    """The server of all machines."""

    def look(self, statement: str) -> list[tuple[Any, ...]]:
        if found := _LOOKED.match(statement):
            self._table(found[1])
        return super().look(statement)

    def insert(self, table: str, columns: Iterable[str], lines: bytes, token: str) -> None:
        self._table(table)
        super().insert(table, columns, lines, token)

    def remove(self, table: str, where: str) -> None:
        self._table(table)
        super().remove(table, where)

    def _table(self, name: str) -> Stored:
        if name not in self.tables:
            raise Away(f"Unknown table {name}")
        return self.tables[name]


class Taking(Facts):
    """The events.db of one machine, and its way to the server."""

    def __init__(self, directory: Path, machine: ClickHouseMachine, server: Shared) -> None:
        self.machine, self.server = machine, server
        directory.mkdir(exist_ok=True)
        super().__init__(directory, columnar="clickhouse")

    def open(self) -> None:
        super().open()
        self.begin()

    def begin(self) -> None:
        """The machine begins, with what it has on disk."""
        target = ClickHouseTarget("http://clickhouse.test/", several=True)
        self.far = ClickHouse(self.db, self.clock, target, every=0, among=lambda: self.machine)
        self.engines = Engines(self.db, self.clock, columnar="clickhouse", far=self.far)

    def try_to_follow(self) -> None:
        """Catch up, as far as what goes wrong lets it; whoever is killed begins again."""
        while self.db.write_now(text_numbers.catch_up):
            pass
        self.clock.advance(seconds=100)
        try:
            self.maintain()
        except Killed:
            self.begin()

    def read(self, select: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self.db.read_now(lambda db: db.execute(select).fetchall())]

    def forget_position(self) -> None:
        self.begin()
        (self.directory / shipping.FILE_NAME).unlink(missing_ok=True)
        self.begin()


class World:
    """A primary and two machines that take events."""

    def __init__(self, directory: Path, kind: type[Taking] = Taking) -> None:
        self.random, self.faulty = Random(0), 0.0
        self.server = Shared(self.fault)
        made = (ClickHouseMachine(number, f"box{number}", "box0") for number in range(3))
        self.machines = [kind(directory / str(one.number), one, self.server) for one in made]

    def fault(self) -> str:
        return self.random.choice(FAULTS) if self.random.random() < self.faulty else ""

    def reset(self, seed: int) -> None:
        self.random, self.faulty = Random(seed), 0.0
        self.server.forget()
        self.server.tables.clear()
        for machine in self.machines:
            machine.forget_position()

    def happen(self, number: int, what: str) -> None:
        one, events = self.machines[number], stored_table("events")
        match what:
            case "visit":
                one.visit()
            case "erase":
                one.write(f"delete from {events} where id % 3 = 1 and id < (select max(id) - 5 from {events})")
            case "move":
                one.write(f"update {events} set session = session + 1 where id % 4 = 2 and session <> 0")
            case "forget a text":
                one.write("delete from strings where id = (select max(id) from strings where value = 'never')")
                one.write("insert into strings (value) values ('never')")
            case "land":
                self.server.land()
            case "lose the position":
                self.server.land()
                one.forget_position()
            case "empty the tables":
                self.server.land()
                self.server.tables.clear()
            case _:
                for machine in self.machines:  # what the server knows of a shipment it knows for as long for all
                    machine.clock.advance(seconds=DAY // 1000 + 1)
                self.server.forget()
        one.try_to_follow()

    def settle(self) -> None:
        self.faulty = 0.0
        for _ in range(4):
            self.server.land()
            for machine in self.machines:
                machine.try_to_follow()
        assert all(machine.far.ready for machine in self.machines)

    def assert_arrived(self) -> None:
        for table in SHIPPED:
            expected: list[tuple[Any, ...]] = []
            shown = _SHOWN.get(table.name, _FACT if table.name in FACT_NAMES else ("id",))
            for one in self.machines:
                texts = {int(str(row)): str(text) for row, text in one.read("select id, value from strings")}
                for row in one.read(f"select {', '.join(shown)} from {table.name}"):
                    expected.append(as_there(table.name, row, one.machine.number << SHIFT, texts))
            names = (
                ("row", "id", "value") if table.name == "strings" else _FACT if table.name in FACT_NAMES else ("id",)
            )
            there = [tuple(row[name] for name in names) for row in self.server.tables[table.name].rows]
            assert sorted(there) == sorted(expected), table.name


_FACT = ("id", "site", "time", "session", "path")
_SHOWN = {"strings": ("id", "value")}


def as_there(table: str, row: tuple[Any, ...], first: int, texts: dict[int, str]) -> tuple[Any, ...]:
    """A row as it has to be in ClickHouse, told plainly."""
    if table == "strings":
        return (row[0] + first, number_of(row[1]), row[1])
    if len(row) == 1:
        return (row[0] + first,)
    number, site, time, session, path = row
    return (number + first, site, time, session + first if session else 0, number_of(texts[path]))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("machines"))
    with reached(made.server):
        yield made
    for machine in made.machines:
        machine.close()


HAPPENINGS = (
    *("visit", "visit", "erase", "move", "forget a text", "land", "a day"),
    *("lose the position", "empty the tables"),
)


@examples(12, anew=True, unchecked=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 10_000),
    story=st.lists(st.tuples(st.integers(0, 2), st.sampled_from(HAPPENINGS)), min_size=4, max_size=12),
)
def test_each_row_of_each_machine_is_there_once_whatever_goes_wrong(
    world: World, seed: int, story: list[tuple[int, str]]
) -> None:
    world.reset(seed)
    for number in range(3):
        world.happen(number, "visit")
    world.settle()
    world.faulty = 0.08
    for number, what in story:
        world.happen(number, what)
    world.settle()
    world.assert_arrived()
