"""What is in ClickHouse only while that is away, was emptied, or has a backup of the box beside it."""

from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

import apsw
import pytest

from analytics_box.base.clock import DAY
from analytics_box.base.errors import InClickHouse
from analytics_box.base.facts import orders
from analytics_box.base.facts.tables import FACT_NAMES, SPANS
from analytics_box.query.engines import Engines, copies
from analytics_box.query.engines.clickhouse import shipping
from analytics_box.query.engines.clickhouse.engine import ClickHouse
from analytics_box.query.plan import RETURNING, QueryPlan
from tests.query.clickhouse.trimming_world import World, old
from tests.query.replica import SITE


def plan(facts: World, days: int, **given: Any) -> QueryPlan:
    """Page views of the last days."""
    now = facts.clock.now()
    return QueryPlan("events", (SITE,), now - days * DAY, now + DAY, measures=("pageviews",), **given)


def answer(facts: World, wanted: QueryPlan) -> list[tuple[Any, ...]]:
    return facts.runner.run(facts.engines.rows(wanted, seconds=30))


def test_while_clickhouse_is_away_ranges_that_are_whole_are_answered_and_others_say_why(facts: World) -> None:
    old(facts)
    facts.engines = Engines(
        facts.db, facts.clock, columnar="clickhouse", far=ClickHouse(facts.db, facts.clock, facts.target)
    )
    ((views,),) = answer(facts, plan(facts, 30))
    assert views > 0
    for lacking in (plan(facts, 70), plan(facts, 30, group=(RETURNING,))):
        with pytest.raises(InClickHouse, match="in ClickHouse only, which is unavailable; ranges from 20"):
            answer(facts, lacking)
        assert facts.engines.choice(lacking).engine == "clickhouse"
    assert facts.engines.choice(plan(facts, 30)).engine == "sqlite"
    other = QueryPlan("events", (SITE + 1,), 0, facts.clock.now(), measures=("pageviews",))
    assert answer(facts, other) == [(0,)]


def test_a_box_that_went_back_refuses_what_it_has_not(facts: World) -> None:
    old(facts)
    facts.engines = Engines(facts.db, facts.clock, columnar="off")
    with pytest.raises(InClickHouse, match="which this server does not use now"):
        answer(facts, plan(facts, 70))
    ((views,),) = answer(facts, plan(facts, 30))
    assert views > 0


@pytest.mark.parametrize("table", ["events", "analytics_box"])
def test_tables_that_were_emptied_are_not_filled_over_what_is_lost(
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


def test_pending_changes_beyond_the_limit_are_dropped_and_sent_again_later(facts: World) -> None:
    old(facts)
    with patch.object(copies, "MOST", 3), patch.object(facts.server, "_fault", lambda: "refused"):
        facts.happen("erase")
        facts.happen("move")
        facts.visit()
        facts.try_to_follow()
        facts.try_to_follow()
    assert not facts.db.read_now(lambda db: db.execute("select id from changes").fetchall())
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


def test_a_backup_that_is_restored_gives_back_its_time_and_nothing_later(facts: World, tmp_path: Path) -> None:
    old(facts)
    facts.visit()
    facts.settle()
    with closing(apsw.Connection(str(facts.db.path))) as db:
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
