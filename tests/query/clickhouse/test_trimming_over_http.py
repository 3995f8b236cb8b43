"""Over a network of which anything may break, what has left events.db is in ClickHouse once, and goes by order."""

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from analytics_box.base.clock import DAY
from analytics_box.base.errors import InClickHouse
from analytics_box.base.facts import erase, orders, trimmed
from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.base.store.db import Connection
from analytics_box.query.engines import Engines
from analytics_box.query.engines.clickhouse import shipping, upkeep
from analytics_box.query.engines.clickhouse.engine import ClickHouse
from analytics_box.query.engines.clickhouse.server import ClickHouseTarget
from tests.query.clickhouse.served import needs_chdb, serving
from tests.query.clickhouse.test_over_http import World as OverHttp
from tests.query.clickhouse.test_over_http import break_down
from tests.query.replica import SITE

pytestmark = needs_chdb


class World(OverHttp):
    """A box that keeps 35 days."""

    expected: dict[str, int]

    def begin(self) -> None:
        self.far = ClickHouse(self.db, self.clock, ClickHouseTarget(self.url), every=0, keep_days=35)
        self.engines = Engines(self.db, self.clock, columnar="clickhouse", far=self.far)

    def age(self) -> None:
        """All that there is becomes old, and something new comes."""
        self.clock.advance(seconds=60 * DAY // 1000)
        self.visit()

    def visit(self) -> None:
        before = self.counted()
        super().visit()
        for name, count in self.counted().items():
            self.expected[name] = self.expected.get(name, 0) + count - before[name]

    def counted(self) -> dict[str, int]:
        def work(db: Connection) -> dict[str, int]:
            counts = " union all ".join(f"select '{name}', count(*) from {name} where site <> 0" for name in FACT_NAMES)
            return {str(name): int(str(count)) for name, count in db.execute(counts).fetchall()}

        return self.db.read_now(work)

    def floors(self) -> dict[str, int]:
        return self.db.read_now(trimmed.floors)

    def assert_all_there(self) -> None:
        assert self.engines.name == "clickhouse"
        there = self.there()
        assert {name: there[name] for name in FACT_NAMES} == self.expected


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with serving() as served, patch.object(upkeep, "_ROWS", 4), patch.object(upkeep, "_ROWS_AT_ONCE", 2):
        made = World.__new__(World)
        made.expected = {}
        made.__init__(tmp_path, served)  # type: ignore[misc]
        made.visit()
        made.catch_up()
        yield made
        made.close()


@pytest.mark.parametrize(
    ("fault", "of"),
    [
        pytest.param("lost", "insert into events", marks=pytest.mark.thorough),
        ("late", "insert into events"),
        ("lost", "select count() from"),
    ],
)
def test_trimmed_rows_are_stored_once_though_answers_are_lost(world: World, fault: str, of: str) -> None:
    world.age()
    break_down(world, fault, of)
    world.catch_up()
    world.served.fault("none")
    world.catch_up()
    world.served.fault("land")
    world.catch_up()
    world.assert_all_there()
    assert world.floors().keys() == {*FACT_NAMES}


def test_a_position_that_is_lost_costs_nothing(world: World) -> None:
    world.age()
    world.catch_up()
    world.visit()
    (world.directory / shipping.FILE_NAME).unlink()
    world.begin()
    world.catch_up()
    world.assert_all_there()


@pytest.mark.parametrize("fault", ["lost", pytest.param("refused", marks=pytest.mark.thorough)])
def test_a_website_is_removed_by_order_and_looked_for_again(world: World, fault: str) -> None:
    world.age()
    world.catch_up()
    assert world.floors()
    world.runner.run(erase.site(world.db, SITE))
    assert world.db.read_now(orders.count) == 1
    for _ in range(3):
        world.served.fault(fault, "delete from events")
    world.catch_up()
    world.served.fault("none")
    world.catch_up()
    assert world.db.read_now(orders.count) == 0
    assert {world.there()[name] for name in FACT_NAMES} == {0}


def test_while_the_server_is_dead_events_are_taken_and_old_ranges_say_where_they_are(world: World) -> None:
    world.age()
    world.catch_up()
    world.served.kill()
    world.visit()
    with pytest.raises(InClickHouse, match="in ClickHouse only"):
        world.views()
    world.restart_the_server()
    world.catch_up()
    assert world.views() > 0
    world.assert_all_there()
