"""Facts leave events.db once ClickHouse has them; whatever happens then, each is there once, or removed for good."""

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from analytics_box.base.clock import DAY
from analytics_box.base.facts import erase, trimmed
from analytics_box.base.facts.layout import stored_table
from analytics_box.base.store.db import Connection
from tests.examples import examples
from tests.query.clickhouse.trimming_world import World, old
from tests.query.replica import SITE

HAPPENINGS = (
    *("visit", "visit", "weeks", "weeks", "older", "site", "erase", "erase the newest", "move", "land", "a day"),
    "lost position",
)


@examples(36, anew=True, unchecked=[HealthCheck.function_scoped_fixture])
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
    facts.write(f"update {stored_table('events')} set bot = 1")
    facts.settle()
    for _ in range(3):
        facts.happen("weeks")
    facts.visit()
    facts.settle()
    assert "events" not in facts.floors()
    assert "errors" in facts.floors()


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


def test_identity_is_kept_while_clickhouse_has_events_of_the_visitor(facts: World) -> None:
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
            facts.write(f"update {stored_table('events')} set title = 0 where id = (select min(id) from events)")
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
