"""Which engine answers, and that a query which the column replica cannot answer harms no other."""

import asyncio
import shutil
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb as library
import pytest

from analytics_box.base.errors import DeadlineExceeded, OverBudget
from analytics_box.base.store.db import Connection
from analytics_box.query import engines as choice
from analytics_box.query.engines import columns, duckdb, memory, sqlite
from analytics_box.query.engines.columns import FILE_NAME
from analytics_box.query.engines.counting import Take
from analytics_box.query.filters import ConditionGroup, FilterCondition
from analytics_box.query.plan import PlanOrder, QueryPlan
from tests.query.replica import SITE, World, world_in


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with world_in(tmp_path) as made:
        yield made


def test_a_question_waits_a_moment_for_a_replica_that_is_being_opened(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.visit()
    world.maintain()
    views = world.views()
    world.reopen()
    by_sqlite: list[QueryPlan] = []
    run = sqlite.run_plan

    def noted(db: Connection, plan: QueryPlan, take: Take, **given: Any) -> Any:
        by_sqlite.append(plan)
        return run(db, plan, take, **given)

    monkeypatch.setattr(sqlite, "run_plan", noted)
    opening, may_open = threading.Event(), threading.Event()
    opened = columns.open_replica

    def open_late(*given: Any, **more: Any) -> Any:
        opening.set()
        assert may_open.wait(30)
        return opened(*given, **more)

    monkeypatch.setattr(columns, "open_replica", open_late)
    plan = QueryPlan("events", (SITE,), 0, 2 * world.clock.now(), measures=("pageviews",))

    async def ask_meanwhile(seconds: float) -> Any:
        asking = asyncio.ensure_future(world.engines.rows(plan, seconds=30))
        await asyncio.to_thread(opening.wait, 30)
        await asyncio.wait((asking,), timeout=seconds)
        may_open.set()
        await world.engines.maintain()
        return await asking

    assert world.runner.run(ask_meanwhile(0)) == [(views,)]
    assert not by_sqlite
    world.reopen()
    may_open.clear()
    monkeypatch.setattr(choice, "_COMING_SECONDS", 0)
    assert world.runner.run(ask_meanwhile(30)) == [(views,)]
    assert by_sqlite


def test_many_conditions_on_people_are_for_sqlite(world: World) -> None:
    world.visit()
    world.maintain()
    nobody = FilterCondition("person", "contains", ("a",), negated=True)
    few, many = (nobody,) * 4, (nobody, ConditionGroup(any=True, items=(nobody,) * 4))
    for where, mark, engine in ((few, "$start", "duckdb"), (many, ":start", "sqlite")):
        plan = QueryPlan("events", (SITE,), 0, 2 * world.clock.now(), measures=("pageviews",), where=where)
        choice = world.engines.choice(plan)
        assert mark in choice.statement.sql
        assert choice.engine == engine
        assert world.runner.run(world.engines.rows(plan, seconds=30)) == [(world.views(),)]


def test_until_it_is_ready_sqlite_answers(world: World) -> None:
    world.visit()
    assert world.engines.name == "sqlite"
    assert world.views() == 3
    assert not (world.directory / FILE_NAME).exists()


def test_replica_that_took_many_rows_is_reopened_before_it_answers(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "PIECE", 2)
    opened: list[columns.Replica] = []
    open_replica = columns.open_replica

    def noted(*given: Any, **more: Any) -> columns.Replica:
        opened.append(open_replica(*given, **more))
        return opened[-1]

    monkeypatch.setattr(columns, "open_replica", noted)
    for _ in range(5):
        world.visit()
    world.maintain()
    world.assert_same()
    built, answering = opened
    assert (built.added > 2, answering.added) == (True, 0)
    world.visit()
    world.maintain()
    assert len(opened) == 2


def test_auto_waits_until_there_are_many_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "MANY", 30)
    world = World(tmp_path, columnar="auto")
    try:
        world.visit()
        world.maintain()
        assert (world.engines.name, world.runner.run(world.engines.status()).state) == ("sqlite", "off")
        world.visit()
        world.maintain()
        assert (world.engines.name, world.runner.run(world.engines.status()).state) == ("duckdb", "ready")
    finally:
        world.close()


def test_failing_replica_is_left_out_and_rebuilt(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    world.visit()
    world.maintain()

    def broken(*_: Any, **__: Any) -> None:
        raise library.IOException("the disk is gone")

    with monkeypatch.context() as patch:
        patch.setattr(duckdb, "run_plan", broken)
        assert world.views() == 3
    assert "the disk is gone" in caplog.text
    assert world.engines.name == "sqlite"
    world.clock.advance(seconds=30)
    world.maintain()
    assert world.engines.name == "duckdb"
    assert world.views() == 3


def test_questions_that_find_it_broken_together_are_one_failure(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    world.visit()
    world.maintain()
    plan = QueryPlan("events", (SITE,), 0, 2 * world.clock.now(), measures=("pageviews",))

    def broken(*_: Any, **__: Any) -> None:
        raise library.IOException("the disk is gone")

    async def ask() -> Any:
        return await asyncio.gather(*(world.engines.rows(plan, seconds=30) for _ in range(12)))

    with monkeypatch.context() as patch:
        patch.setattr(duckdb, "run_plan", broken)
        assert world.runner.run(ask()) == [[(3,)]] * 12
    assert caplog.text.count("The column replica is not available") == 1
    world.clock.advance(seconds=30)
    world.maintain()
    assert world.engines.name == "duckdb"


# A plan that takes memory and time: a group of each of many visitors.
HEAVY = QueryPlan(
    "events",
    (SITE,),
    0,
    2**53,
    measures=("pageviews", "unique_sessions", "unique_pages"),
    group=("visitor", "path"),
    order=(PlanOrder("pageviews"),),
)


def crowd(world: World, rows: int) -> None:
    """Many rows in the replica alone."""
    replica = world.engines._columns.opened
    assert replica is not None
    (found,) = replica.connection.execute("select * from events limit 1").fetchall()
    names = [column[0] for column in replica.connection.description or ()]
    values = {**dict(zip(names, found, strict=True)), "properties": None}
    own = {"id": "i + 1000", "visitor": "hash(i) // 4", "session": "hash(i + 1) // 4", "path": "i % 1000"}
    shown = ", ".join(own.get(name, "null" if value is None else str(value)) for name, value in values.items())
    replica.connection.execute(f"insert into events select {shown} from range({rows}) as t(i)")


def test_a_query_over_its_budget_fails_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MOST_SPILLED", "1MB")
    world = World(tmp_path, memory="16MB")
    try:
        world.visit()
        world.maintain()
        crowd(world, 400_000)
        with pytest.raises(OverBudget, match="more memory"):
            world.runner.run(world.engines.rows(HEAVY, seconds=60))
        assert world.engines.name == "duckdb"
        assert world.views() > 400_000
    finally:
        world.close()


def test_a_query_past_its_deadline_fails_alone(world: World) -> None:
    world.visit()
    world.maintain()
    crowd(world, 400_000)
    with pytest.raises(DeadlineExceeded):
        world.runner.run(world.engines.rows(HEAVY, seconds=0.001))
    assert world.engines.name == "duckdb"
    assert world.views() > 400_000


def test_abandoned_query_is_stopped(world: World) -> None:
    world.visit()
    world.maintain()
    crowd(world, 400_000)

    async def ask_and_leave() -> None:
        asking = asyncio.create_task(world.engines.rows(HEAVY, seconds=60))
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    world.runner.run(ask_and_leave())
    assert world.views() > 400_000


def test_a_replica_that_cannot_be_made_is_tried_less_and_less_often(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tries: list[float] = []

    def fail(*_: Any, **__: Any) -> None:
        tries.append(world.clock.monotonic())
        raise library.IOException("Could not write file: No space left on device\nmore")

    world.visit()
    with monkeypatch.context() as patch:
        patch.setattr(columns, "open_replica", fail)
        for _ in range(2_000):
            world.maintain()
            world.clock.advance(seconds=5)
        assert world.views() == 3
    waits = [later - earlier for earlier, later in pairwise(tries)]
    assert waits == [30, 60, 120, 240, 480, 960, 1_920, 3_600]
    assert [record.levelname for record in caplog.records].count("ERROR") == len(tries)
    assert "No space left on device). SQLite answers queries until it is rebuilt, in 30 seconds" in caplog.text
    assert "Traceback" not in caplog.text
    world.clock.advance(seconds=3_600)
    world.maintain()
    assert world.engines.name == "duckdb"


def test_a_replica_that_the_disk_has_no_room_for_is_not_begun(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    world.visit()
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=50 << 20))
        world.maintain()
    assert world.engines.name == "sqlite"
    assert "it may take 64 MB, and 50 MB are free" in caplog.text
    assert not list(world.directory.glob(f"{FILE_NAME}*"))
    world.clock.advance(seconds=30)
    world.maintain()
    assert world.engines.name == "duckdb"


@pytest.mark.parametrize(
    ("columnar", "limit", "name"),
    [("auto", 250_000_000, "sqlite"), ("on", 250_000_000, "duckdb"), ("auto", 500_000_000, "duckdb")],
)
def test_in_a_small_container_there_is_a_replica_only_where_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columnar: str, limit: int, name: str
) -> None:
    monkeypatch.setattr(choice, "MANY", 1)
    monkeypatch.setattr(memory, "limit", lambda: limit)
    world = World(tmp_path, columnar=columnar)
    try:
        world.visit()
        world.maintain()
        assert world.engines.name == name
    finally:
        world.close()
