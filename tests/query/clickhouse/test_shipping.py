"""Whatever happens between the box and ClickHouse, each row is there once, and as it is in events.db."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from analytics_box.base.clock import DAY
from analytics_box.base.facts.layout import stored_table
from analytics_box.query.engines import Engines
from analytics_box.query.engines.clickhouse import shipping
from analytics_box.query.engines.clickhouse.engine import ClickHouse
from analytics_box.query.engines.clickhouse.server import Away, ClickHouseTarget
from analytics_box.query.engines.clickhouse.tables import PROPERTIES, SHIPPED
from tests.examples import examples
from tests.query.clickhouse.fake import Fake, Killed
from tests.query.clickhouse.world import reached
from tests.query.replica import World as Facts

FAULTS = ("lost", "refused", "late", "killed", "died")


class World(Facts):
    """An events.db, a server that outlives the box, and what goes wrong between them."""

    def __init__(self, directory: Path) -> None:
        self.random, self.faulty, self.calls = Random(0), 0.0, 0
        self.server = Fake(self.fault)
        self.target = ClickHouseTarget("http://clickhouse.test/")
        super().__init__(directory, columnar="clickhouse")

    def open(self) -> None:
        super().open()
        self.begin()

    def begin(self) -> None:
        """The box begins, with what it has on disk."""
        self.far = ClickHouse(self.db, self.clock, self.target, every=0)
        self.engines = Engines(self.db, self.clock, columnar="clickhouse", far=self.far)

    def fault(self) -> str:
        self.calls += 1
        return self.random.choice(FAULTS) if self.random.random() < self.faulty else ""

    def reset(self, seed: int, faulty: float) -> None:
        self.engines.close()
        (self.directory / shipping.FILE_NAME).unlink(missing_ok=True)
        self.server.tables.clear()
        self.server.forget()
        self.random, self.faulty = Random(seed), faulty
        self.begin()

    def try_to_follow(self) -> None:
        """Catch up, as far as what goes wrong lets it; whoever is killed begins again."""
        self.clock.advance(seconds=100)
        try:
            self.maintain()
        except Killed:
            self.begin()

    def happen(self, what: str) -> None:
        events = stored_table("events")
        match what:
            case "visit":
                self.visit()
            case "erase":
                self.write(f"delete from {events} where id % 3 = ? and id < (select max(id) - 5 from {events})", 1)
            case "erase the newest":  # whose ids come again
                self.write(f"delete from {events} where id > (select max(id) - 4 from {events})")
            case "move":
                self.write(f"update {events} set session = session + 1 where id % 4 = 2")
            case "forget texts":
                self.write("delete from strings where id = (select max(id) from strings where value = 'never')")
                self.write("insert into strings (value) values ('never')")
            case "land":
                self.server.land()
            case _:
                self.clock.advance(seconds=DAY // 1000 + 1)
                self.server.forget()

    def settle(self) -> None:
        self.faulty = 0.0
        for _ in range(3):
            self.server.land()
            self.try_to_follow()
        assert self.far.ready

    def assert_arrived(self) -> None:
        there = self.ledger_rows()
        for table in SHIPPED:
            names = [name for name in table.names if name not in PROPERTIES]
            rows = sorted(tuple(row[name] for name in names) for row in self.server.tables[table.name].rows)
            expected = self.db.read_now(
                lambda db, table=table, names=names: db.execute(  # type: ignore[misc]
                    f"select {', '.join(names)} from {table.name} order by id"
                ).fetchall()
            )
            assert rows == [tuple(row) for row in expected], table.name
        keys = [(row["id"], key) for row in self.server.tables["events"].rows for key in row["property_keys"]]
        assert sorted(keys) == there["event_properties"]


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("facts"))
    with reached(made.server):
        yield made
    made.close()


HAPPENINGS = ("visit", "erase", "erase the newest", "move", "forget texts", "land", "a day")


@examples(24, anew=True, unchecked=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 10_000),
    story=st.lists(st.sampled_from(HAPPENINGS), min_size=3, max_size=9),
    piece=st.sampled_from((5, shipping.PIECE)),
)
def test_each_row_arrives_once_whatever_goes_wrong_between_two_steps(
    facts: World, seed: int, story: list[str], piece: int
) -> None:
    with patch.object(shipping, "PIECE", piece):  # small ones are read ahead
        facts.reset(seed, faulty=0)
        facts.visit()
        facts.settle()
        facts.faulty = 0.1
        for what in story:
            facts.happen(what)
            facts.try_to_follow()
        facts.settle()
        facts.assert_arrived()


def follow(facts: World, *faults: str) -> None:
    """Catch up, while this goes wrong with the first calls; an empty text is a call that goes well."""
    waiting = list(faults)
    with patch.object(facts.server, "_fault", lambda: waiting.pop(0) if waiting else ""):
        facts.try_to_follow()


@pytest.mark.parametrize("fault", ["lost", "late", "died"])
def test_shipment_that_failed_a_week_ago_is_stored_once(facts: World, fault: str) -> None:
    facts.reset(0, faulty=0)
    facts.visit()
    facts.settle()
    facts.visit()
    follow(facts, "", fault)  # the position is written, then the first rows go
    assert not facts.far.ready or fault == "died"
    facts.happen("land")
    facts.happen("a day")
    facts.settle()
    facts.assert_arrived()


@pytest.mark.parametrize("moved", [False, True])
def test_late_rows_of_a_removed_shipment_are_found_and_removed(facts: World, moved: bool) -> None:
    facts.reset(0, faulty=0)
    facts.visit()
    facts.settle()
    facts.visit()
    late: list[Callable[[], None]] = []
    insert = facts.server.insert

    def comes_late(table: str, columns: Iterable[str], lines: bytes, token: str) -> None:
        if table != "events":
            return insert(table, columns, lines, token)
        stored_there, given_columns = facts.server.tables[table], tuple(columns)
        late.append(lambda: stored_there.insert(given_columns, lines, token))
        raise Away("the network is down")

    with patch.object(facts.server, "insert", comes_late):
        facts.try_to_follow()
    newest = max(row["id"] for row in facts.server.tables["events"].rows)
    facts.write(f"delete from {stored_table('events')} where id > ?", newest)
    facts.settle()
    if moved:
        facts.visit()  # ids come again
    facts.settle()
    facts.assert_arrived()
    late[0]()
    with pytest.raises(AssertionError):
        facts.assert_arrived()
    facts.settle()
    facts.assert_arrived()
    position = shipping.read_position(facts.directory)
    assert position is not None
    assert position.doubted
    facts.happen("a day")
    facts.settle()
    position = shipping.read_position(facts.directory)
    assert position is not None
    assert not position.doubted


def test_ids_of_removed_rows_that_come_again_arrive(facts: World) -> None:
    facts.reset(0, faulty=0)
    facts.visit()
    facts.settle()
    facts.happen("erase the newest")
    facts.settle()
    facts.visit()
    facts.settle()
    facts.assert_arrived()


def test_ids_come_again_beside_one_that_went_long_before(facts: World) -> None:
    newest = "(select max(id) from stored_events)"
    facts.reset(0, faulty=0)
    facts.visit()
    facts.write(f"delete from stored_events where id = {newest} - 1")
    facts.settle()
    facts.write(f"delete from stored_events where id = {newest}")  # now two ids are free
    facts.visit()
    facts.settle()
    facts.assert_arrived()


def test_rows_that_are_still_there_after_they_were_removed_are_no_success(
    facts: World, caplog: pytest.LogCaptureFixture
) -> None:
    facts.reset(0, faulty=0)
    facts.visit()
    facts.settle()
    facts.happen("erase the newest")
    with patch.object(facts.server, "remove", lambda _table, _where: None):
        facts.try_to_follow()
    assert not facts.far.ready
    assert "rows of events that were removed are still there" in caplog.text
    facts.settle()
    facts.assert_arrived()
