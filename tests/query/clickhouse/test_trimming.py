"""Facts leave events.db once ClickHouse has them; whatever happens then, each is there once, or removed for good."""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analytics_box.clock import DAY
from analytics_box.errors import InClickHouse
from analytics_box.facts import erase, orders, trimmed
from analytics_box.facts.layout import stored
from analytics_box.facts.tables import FACT_NAMES, SPANS
from analytics_box.query.engines import Engines, changes
from analytics_box.query.engines.clickhouse import shipping, trimming
from analytics_box.query.engines.clickhouse.engine import ClickHouse
from analytics_box.query.engines.clickhouse.tables import PROPERTIES, SHIPPED
from analytics_box.query.plan import RETURNING, Plan
from analytics_box.store.db import Connection
from tests.query.clickhouse.fake import Fake
from tests.query.clickhouse.test_shipping import World as Shipping
from tests.query.clickhouse.world import reached
from tests.query.replica import SITE

KEPT = 35  # days
Known = dict[str, dict[int, tuple[Any, ...]]]  # by table and id


class World(Shipping):
    """A box that keeps 35 days of facts, and what a box that keeps all of them would have."""

    server: Fake

    def begin(self) -> None:
        self.far = ClickHouse(self.db, self.clock, self.target, every=0, keep_days=KEPT)
        self.engines = Engines(self.db, self.clock, columnar="clickhouse", far=self.far)

    def fault(self) -> str:
        """What is late is left to test_shipping."""
        fault = super().fault()
        return "refused" if fault == "late" else fault

    def reset(self, seed: int, faulty: float) -> None:
        super().reset(seed, faulty)
        self.db.write_now(emptied)
        self.known: Known = {name: {} for name in FACT_NAMES}
        self.begin()

    def here(self) -> Known:
        def work(db: Connection) -> Known:
            found = {}
            for table in SHIPPED:
                if table.name in FACT_NAMES:
                    names = _plain(table)
                    rows = db.execute(f"select {', '.join(names)} from {table.name} where site <> 0").fetchall()
                    found[table.name] = {int(str(row[0])): tuple(row) for row in rows}
            return found

        return self.db.read_now(work)

    def there(self) -> dict[str, Counter[tuple[Any, ...]]]:
        return {
            table.name: Counter(
                tuple(row[name] for name in _plain(table)) for row in self.server.tables[table.name].rows
            )
            for table in SHIPPED
            if table.name in FACT_NAMES
        }

    def floors(self) -> dict[str, int]:
        return self.db.read_now(trimmed.floors)

    def learn(self) -> None:
        """What is here now is all that there is above the floors."""
        floors, here = self.floors(), self.here()
        for name in FACT_NAMES:
            self.known[name] = {
                number: row for number, row in self.known[name].items() if number <= floors.get(name, 0)
            } | here[name]

    def lose(self, wanted: Any) -> None:
        """These rows have been removed."""
        for name, rows in self.known.items():
            self.known[name] = {number: row for number, row in rows.items() if not wanted(name, row)}

    def happen(self, what: str) -> None:
        self.learn()
        match what:
            case "older":
                instant = (self.clock.now() // DAY - self.random.randrange(30, 80)) * DAY
                self.runner.run(erase.before(self.db, SITE, instant=instant))
                places = {table.name: _plain(table) for table in SHIPPED}

                def is_older(name: str, row: tuple[Any, ...]) -> bool:
                    fact = dict(zip(places[name], row, strict=True))
                    began: int = fact["session_started" if name == "events" and fact["session"] else "time"]
                    return began < instant

                self.lose(is_older)
            case "site":
                self.runner.run(erase.site(self.db, SITE))
                self.lose(lambda *_: True)
            case "erase" | "erase the newest":  # rows of websites: anchors are nobody's
                events = stored("events")
                some = "id % 3 = 1" if what == "erase" else f"id > (select max(id) - 4 from {events})"
                self.write(f"delete from {events} where site <> 0 and {some}")
            case "visit":  # ids come again; that what had them is gone there before is the replica's assumption, too
                faulty, self.faulty = self.faulty, 0.0
                self.try_to_follow()
                self.faulty = faulty
                super().happen(what)
            case "weeks":
                self.clock.advance(seconds=20 * DAY // 1000)
                self.server.forget()
            case "lost position":
                self.server.forget()
                (self.directory / shipping.FILE_NAME).unlink(missing_ok=True)
                self.begin()
            case _:
                super().happen(what)
        self.learn()

    def settle(self) -> None:
        """All is well, and has been for a day: what was sent in vain has come, or never will."""
        super().settle()
        super().happen("a day")
        self.try_to_follow()
        assert self.far.ready
        self.learn()

    def assert_arrived(self) -> None:
        there = self.there()
        for name in FACT_NAMES:
            assert there[name] == Counter(self.known[name].values()), name
        assert not self.db.read_now(orders.count)
        counted = {name: n for name, n in self.db.read_now(trimmed.counts).items() if n}
        floors = self.floors()
        expected = {name: sum(1 for number in self.known[name] if number <= floors.get(name, 0)) for name in FACT_NAMES}
        assert counted == {name: n for name, n in expected.items() if n}


def _plain(table: Any) -> list[str]:
    return [name for name in table.names if name not in PROPERTIES]


def emptied(db: Connection) -> None:
    for name in FACT_NAMES:
        db.execute(f"delete from {stored(name)}")
    for name in ("trimmed", "trimmed_sites", "removal_orders", "changes"):
        db.execute(f"delete from {name}")


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("facts"))
    with (
        reached(made.server),
        patch.object(trimming, "_ROWS", 7),
        patch.object(trimming, "_ROWS_AT_ONCE", 3),
    ):
        yield made
    made.close()


HAPPENINGS = (
    *("visit", "visit", "weeks", "weeks", "older", "site", "erase", "erase the newest", "move", "land", "a day"),
    "lost position",
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000), story=st.lists(st.sampled_from(HAPPENINGS), min_size=4, max_size=12))
def test_each_fact_is_there_once_though_it_left_events_db(facts: World, seed: int, story: list[str]) -> None:
    facts.reset(seed, faulty=0)
    facts.visit()
    facts.settle()
    facts.faulty = 0.07
    for what in story:
        facts.happen(what)
        facts.try_to_follow()
    facts.settle()
    facts.assert_arrived()


def old(facts: World) -> None:
    """Facts of a website that were trimmed, and new ones."""
    facts.reset(0, faulty=0)
    facts.visit()
    facts.visit()
    facts.settle()
    for _ in range(3):
        facts.happen("weeks")
    facts.visit()
    facts.settle()
    assert facts.floors().keys() == {*FACT_NAMES}


def test_facts_leave_events_db_and_no_id_comes_again(facts: World) -> None:
    old(facts)
    here = facts.here()
    floors = facts.floors()
    assert all(0 < len(rows) < len(facts.known[name]) for name, rows in here.items())
    assert all(min(rows) > floors[name] for name, rows in here.items())
    facts.assert_arrived()
    facts.runner.run(erase.site(facts.db, SITE))
    facts.visit()
    assert all(min(rows) > floors[name] for name, rows in facts.here().items())


def test_nothing_is_trimmed_that_clickhouse_does_not_have(facts: World, caplog: pytest.LogCaptureFixture) -> None:
    facts.reset(0, faulty=0)
    facts.visit()
    facts.settle()
    facts.server.tables["events"].rows.pop(0)
    for _ in range(3):
        facts.happen("weeks")
    facts.visit()
    facts.try_to_follow()
    assert "events" not in facts.floors()
    assert "it gets them again" in caplog.text
    facts.settle()
    facts.assert_arrived()
    assert "events" in facts.floors()


def test_quarantined_events_stay(facts: World) -> None:
    facts.reset(0, faulty=0)
    facts.visit()
    facts.write(f"update {stored('events')} set bot = 1")
    facts.settle()
    for _ in range(3):
        facts.happen("weeks")
    facts.visit()
    facts.settle()
    assert "events" not in facts.floors()
    assert "errors" in facts.floors()


def plan(facts: World, days: int, **given: Any) -> Plan:
    """Page views of the last days."""
    now = facts.clock.now()
    return Plan("events", (SITE,), now - days * DAY, now + DAY, measures=("pageviews",), **given)


def answer(facts: World, wanted: Plan) -> list[tuple[Any, ...]]:
    return facts.runner.run(facts.engines.rows(wanted, seconds=30))


def test_while_clickhouse_is_away_ranges_that_are_whole_are_answered_and_others_say_why(facts: World) -> None:
    old(facts)
    facts.engines = Engines(
        facts.db, facts.clock, columnar="clickhouse", far=ClickHouse(facts.db, facts.clock, facts.target)
    )
    ((views,),) = answer(facts, plan(facts, 30))
    assert views > 0
    for lacking in (plan(facts, 70), plan(facts, 30, group=(RETURNING,))):
        with pytest.raises(InClickHouse, match="in ClickHouse only, which cannot be asked now; ranges from 20"):
            answer(facts, lacking)
        assert facts.engines.engine_of(lacking) == "clickhouse"
    assert facts.engines.engine_of(plan(facts, 30)) == "sqlite"
    other = Plan("events", (SITE + 1,), 0, facts.clock.now(), measures=("pageviews",))
    assert answer(facts, other) == [(0,)]


def test_a_box_that_went_back_refuses_what_it_has_not(facts: World) -> None:
    old(facts)
    facts.engines = Engines(facts.db, facts.clock, columnar="off")
    with pytest.raises(InClickHouse, match="which this box does not use now"):
        answer(facts, plan(facts, 70))
    ((views,),) = answer(facts, plan(facts, 30))
    assert views > 0


@pytest.mark.parametrize("table", ["events", "analytics_box"])
def test_tables_that_wereemptied_are_not_filled_over_what_is_lost(
    facts: World, caplog: pytest.LogCaptureFixture, table: str
) -> None:
    old(facts)
    kept = {name: list(facts.server.tables[name].rows) for name in FACT_NAMES}
    facts.server.tables["events"].rows.clear()
    facts.server.tables[table].rows.clear()
    facts.begin()
    facts.try_to_follow()
    assert not facts.far.ready
    assert "rows of events that are nowhere else" in caplog.text
    assert facts.far.lacks
    assert {name: facts.server.tables[name].rows for name in SPANS} == {name: kept[name] for name in SPANS}
    facts.server.tables["events"].rows = kept["events"]  # their backup is restored
    facts.settle()
    facts.assert_arrived()
    assert not facts.far.lacks


def test_too_many_changes_are_not_kept_and_all_is_well_afterwards(facts: World) -> None:
    old(facts)
    facts.faulty = 1.0
    with patch.object(changes, "MOST", 3):
        facts.happen("erase")
        facts.happen("move")
        facts.visit()
        facts.try_to_follow()
        facts.try_to_follow()
    assert not facts.db.read_now(lambda db: db.execute("select id from changes").fetchall())
    facts.settle()
    facts.assert_arrived()


def test_a_disk_that_refuses_anywhere_while_it_trims_loses_nothing(facts: World) -> None:
    old(facts)
    for _ in range(3):
        facts.happen("weeks")
    facts.visit()
    trim = trimmed.trim
    for deadly in range(4):
        calls = iter(range(100))

        def dies(db: Connection, *given: Any, at: int = deadly, calls: Iterator[int] = calls, **named: Any) -> Any:
            found = trim(db, *given, **named)
            if next(calls) == at:
                raise OSError("the disk refuses")
            return found

        with patch.object(trimmed, "trim", dies):
            facts.try_to_follow()
        facts.begin()
    facts.settle()
    facts.assert_arrived()


@pytest.mark.parametrize("fault", ["lost", "refused", "killed", "died"])
def test_an_order_is_carried_out_whatever_goes_wrong(facts: World, fault: str) -> None:
    old(facts)
    facts.happen("site")
    assert facts.db.read_now(orders.count) == 1
    wanted = facts.server.remove
    failed: list[str] = []

    def fails(table: str, where: str) -> None:
        if "site = " in where and len(failed) < 2:
            failed.append(where)
            with patch.object(facts.server, "_fault", lambda: fault):
                wanted(table, where)
        wanted(table, where)

    with patch.object(facts.server, "remove", fails):
        facts.try_to_follow()
        assert facts.db.read_now(orders.count) == 1
        facts.try_to_follow()
    facts.settle()
    facts.assert_arrived()
    assert all(not rows for rows in facts.there().values())


def test_who_somebody_was_is_known_as_long_as_events_of_theirs_are_in_clickhouse(facts: World) -> None:
    old(facts)
    now = facts.clock.now()
    trimmed_one = next(
        row["visitor"] for row in facts.server.tables["events"].rows if row["visitor"] and row["time"] < now - 40 * DAY
    )
    facts.write("delete from visitor_profiles")
    for number in (trimmed_one, 2_000_002):
        facts.write("insert into visitor_profiles (site, visitor, time, profile) values (?, ?, 1, 5)", SITE, number)
    facts.runner.run(erase.before(facts.db, SITE, instant=(now // DAY - 80) * DAY))
    facts.settle()
    left = facts.db.read_now(lambda db: db.execute("select visitor from visitor_profiles where time = 1").fetchall())
    assert left == [(trimmed_one,)]


def test_rows_that_change_while_they_are_looked_for_are_not_trimmed(facts: World) -> None:
    facts.reset(0, faulty=0)
    facts.visit()
    facts.settle()
    for _ in range(3):
        facts.happen("weeks")
    facts.visit()
    look = facts.server.look

    def changes(statement: str) -> list[tuple[Any, ...]]:
        if statement.startswith("select count() from events where id > "):
            facts.write(f"update {stored('events')} set title = 0 where id = (select min(id) from events)")
        return look(statement)

    with patch.object(facts.server, "look", changes):
        facts.try_to_follow()
    assert "events" not in facts.floors()
    facts.settle()
    assert "events" in facts.floors()
    facts.assert_arrived()


def test_the_operator_sees_what_only_clickhouse_has_and_which_removals_wait(facts: World) -> None:
    old(facts)
    status = facts.runner.run(facts.engines.status())
    assert status.alone == sum(facts.db.read_now(trimmed.counts).values()) > 0
    assert status.orders == 0
    facts.happen("older")
    assert facts.runner.run(facts.engines.status()).orders == 1
    facts.settle()
    assert facts.runner.run(facts.engines.status()).orders == 0


def test_a_backup_that_is_restored_gives_back_its_time_and_nothing_later(facts: World, tmp_path: Path) -> None:
    old(facts)
    facts.visit()
    facts.settle()
    with closing(sqlite3.connect(facts.db.path)) as db:
        db.execute("vacuum into ?", (str(tmp_path / "backup"),))
    known = {name: dict(rows) for name, rows in facts.known.items()}
    floors = facts.floors()
    for _ in range(3):
        facts.happen("weeks")
    facts.visit()
    facts.settle()
    assert sum(facts.floors().values()) > sum(floors.values())
    facts.close()
    (tmp_path / "backup").replace(facts.db.path)
    (facts.directory / shipping.FILE_NAME).unlink()
    facts.open()
    facts.known = known
    assert facts.floors() == floors
    facts.settle()
    facts.assert_arrived()
