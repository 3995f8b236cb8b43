"""The box and ClickHouse over a network, of which anything may break: nothing is lost, nothing is there twice, and
whoever asks has an answer."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.base.clock import DAY
from analytics_box.base.facts import erase
from analytics_box.base.facts.layout import stored_table
from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.query.engines import Engines
from analytics_box.query.engines.clickhouse import server, shipping
from analytics_box.query.engines.clickhouse.engine import ClickHouse
from analytics_box.query.engines.clickhouse.server import ClickHouseTarget
from analytics_box.query.engines.clickhouse.tables import SHIPPED
from tests.query.clickhouse.served import Served, needs_chdb, serving
from tests.query.replica import SITE
from tests.query.replica import World as Facts

pytestmark = needs_chdb
_VIEWS = "select count(*) from events where kind = 1 and bot = 0"


class World(Facts):
    """An events.db that follows into a database of its own."""

    def __init__(self, directory: Path, served: Served) -> None:
        self.served, self.url = served, served.new_database()
        super().__init__(directory, columnar="clickhouse")

    def open(self) -> None:
        super().open()
        self.begin()

    def begin(self) -> None:
        """The box begins, with what it has on disk."""
        self.far = ClickHouse(self.db, self.clock, ClickHouseTarget(self.url), every=0)
        self.engines = Engines(self.db, self.clock, columnar="clickhouse", far=self.far)

    def restart_the_server(self) -> None:
        """It comes back at another port, and the box begins anew."""
        self.served.restart()
        self.url = f"{self.served.url}/{self.url.rpartition('/')[2]}"
        self.begin()

    def catch_up(self) -> None:
        self.clock.advance(seconds=100)
        self.maintain()

    def there(self) -> dict[str, int]:
        """How many rows each table has."""
        counts = " union all ".join(f"select '{table.name}', count() from {table.name}" for table in SHIPPED)
        lines = self.served.ask(counts, self.url).splitlines()
        return {name: int(count) for name, count in (line.split("\t") for line in lines)}

    def here(self) -> dict[str, int]:
        found = self.ledger_rows()
        return {table.name: len(found[table.name]) for table in SHIPPED}

    def here_views(self) -> int:
        return int(str(self.db.read_now(lambda db: db.execute(_VIEWS).fetchall())[0][0]))

    def assert_arrived(self) -> None:
        assert self.engines.name == "clickhouse"
        assert self.there() == self.here()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with serving() as served:
        made = World(tmp_path_factory.mktemp("world"), served)
        yield made
        made.close()


@pytest.fixture(autouse=True)
def arrived(world: World) -> None:
    """Some facts are there."""
    world.served.fault("none")
    world.visit()
    world.catch_up()


def test_events_are_there_before_an_answer_comes_from_there(world: World) -> None:
    world.visit()
    assert (world.engines.name, world.views()) == ("clickhouse", world.here_views())
    world.assert_arrived()


def break_down(world: World, fault: str, of: str) -> None:
    """This goes wrong once; the client itself asks three times."""
    for _ in range(3):
        world.served.fault(fault, of)


@pytest.mark.parametrize(
    ("fault", "of"),
    [
        ("lost", "insert into events"),
        pytest.param("late", "insert into events", marks=pytest.mark.thorough),
        ("lost", "delete from events"),
    ],
)
def test_failed_requests_lose_and_duplicate_nothing(world: World, fault: str, of: str) -> None:
    world.visit()
    world.write(f"update {stored_table('events')} set session = session + 1 where id % 2")
    break_down(world, fault, of)
    assert (world.views(), world.engines.name) == (world.here_views(), "sqlite")
    world.served.fault("none")
    world.catch_up()
    world.served.fault("land")
    assert world.views() == world.here_views()
    world.assert_arrived()


def test_a_server_that_does_not_answer_in_time_is_asked_again_later(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(server, "_ANSWER_SECONDS", 2)
    world.begin()
    world.catch_up()
    world.visit()
    break_down(world, "hang", "insert into events")
    with caplog.at_level(logging.ERROR):
        assert (world.views(), world.engines.name) == (world.here_views(), "sqlite")
    assert "(it did not answer in time)" in caplog.text
    monkeypatch.undo()
    world.served.fault("none")
    world.catch_up()
    world.served.fault("land")
    world.assert_arrived()


def test_a_server_that_was_killed_and_comes_back_has_each_row_once(world: World) -> None:
    world.visit()
    break_down(world, "lost", "insert into errors")
    world.views()
    world.served.kill()
    world.visit()
    assert (world.views(), world.engines.name) == (world.here_views(), "sqlite")
    world.restart_the_server()
    world.catch_up()
    world.assert_arrived()
    assert world.engines.away_since is None


def test_removed_events_are_gone_there_and_leave_its_disk_a_day_later(world: World) -> None:
    world.write(f"delete from {stored_table('events')} where id % 2 = 1")
    world.catch_up()
    world.assert_arrived()
    whole = "select sum(rows) from system.parts where database = currentDatabase() and table = 'events' and active"
    assert int(world.served.ask(whole, world.url)) > world.here()["events"]
    world.clock.advance(seconds=DAY / 1000 + 1)
    world.catch_up()
    world.served.ask("alter table events apply deleted mask settings mutations_sync = 2", world.url)  # the next waits
    assert int(world.served.ask(whole, world.url)) == world.here()["events"]
    position = shipping.read_position(world.directory)
    assert position is not None
    assert position.removed_at == 0


def test_a_website_that_is_removed_is_gone_there_with_all_that_it_had(world: World) -> None:
    world.runner.run(erase.site(world.db, SITE))
    world.catch_up()
    world.assert_arrived()
    there = world.there()
    assert {there[name] for name in FACT_NAMES} == {0}
    assert there["checks"] > 0, "what is of nobody's website stays"


def test_a_database_that_was_emptied_is_filled_again(world: World) -> None:
    world.served.ask("drop table events sync", world.url)
    assert world.views() == world.here_views()
    world.catch_up()
    world.assert_arrived()


def test_restored_earlier_events_db_is_sent_again(world: World) -> None:
    position = (world.directory / shipping.FILE_NAME).read_bytes()
    for session in (77, 78):
        world.write(f"update {stored_table('events')} set session = ? where id = (select max(id) from events)", session)
        world.catch_up()
    world.write("delete from changes")
    world.begin()
    (world.directory / shipping.FILE_NAME).write_bytes(position)
    world.catch_up()
    world.assert_arrived()
    assert world.served.ask("select count() from events where session in (77, 78)", world.url).strip() == "1"


def test_the_database_of_another_box_is_left_alone(
    world: World, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = world.there()
    other = Facts(tmp_path)
    other.write("update box set id = ?", "b" * 32)
    other.engines = Engines(
        other.db,
        other.clock,
        columnar="clickhouse",
        far=ClickHouse(other.db, other.clock, ClickHouseTarget(world.url), every=0),
    )
    other.visit()
    try:
        with caplog.at_level(logging.ERROR):
            other.maintain()
        assert "the events of another server" in caplog.text
        assert (other.engines.name, world.there()) == ("sqlite", before)
    finally:
        other.close()


def test_while_it_is_away_the_log_says_why_in_a_line_and_how_far_it_was_is_known(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    behind = world.runner.run(world.engines.status()).rows
    world.served.kill()
    world.visit()
    with caplog.at_level(logging.ERROR):
        assert (world.views(), world.engines.name) == (world.here_views(), "sqlite")
    (said,) = (record.getMessage() for record in caplog.records)
    assert said == "ClickHouse is not available (Connection refused). Retrying in 5 seconds"
    assert world.engines.away_since == world.clock.now()
    status = world.runner.run(world.engines.status())
    assert (status.state, status.rows) == ("building", behind)
    assert status.behind > 0
    world.restart_the_server()


def test_changes_are_kept_for_what_was_sent_before_and_forgotten_where_nothing_was(
    world: World, tmp_path: Path
) -> None:
    nowhere = ClickHouseTarget("http://127.0.0.1:9/none")
    world.catch_up()
    begun = ClickHouse(world.db, world.clock, nowhere)
    assert begun.applied == world.far.applied is not None
    begun.close()
    other = Facts(tmp_path)
    other.engines = Engines(
        other.db, other.clock, columnar="clickhouse", far=ClickHouse(other.db, other.clock, nowhere)
    )
    other.visit()
    other.write("delete from stored_events")
    other.maintain()
    assert not other.db.read_now(lambda db: db.execute("select id from changes").fetchall())
    other.close()
