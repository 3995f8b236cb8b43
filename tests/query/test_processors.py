"""How many threads statements of the column replica have."""

import asyncio
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from analytics_box.query.engines import column_replica
from analytics_box.query.engines.column_replica import Processors
from analytics_box.query.plan import QueryPlan
from tests.query.replica import SITE, World, world_in


class Said:
    """A connection that is told things."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def execute(self, statement: str) -> None:
        self.told.append(statement)


@pytest.mark.parametrize(("processors", "fewer"), [(2, 1), (4, 3)])
def test_single_query_uses_all_processors_and_several_share_them(processors: int, fewer: int) -> None:
    said: Any = Said()
    shared = Processors(processors, at_once=2)
    for alone in (True, False, False, True, True):
        with shared.taken(said, alone=alone):
            pass
    assert said.told == [f"set threads = {fewer}", f"set threads = {processors}"]


def test_nothing_is_said_where_there_is_one_processor() -> None:
    said: Any = Said()
    shared = Processors(1, at_once=2)
    for alone in (True, False):
        with shared.taken(said, alone=alone):
            pass
    assert said.told == []


def test_a_thread_is_not_ended_while_something_runs() -> None:
    said: Any = Said()
    shared = Processors(2, at_once=2)
    with shared.taken(said, alone=True), shared.taken(said, alone=False):
        assert said.told == []
    with ExitStack() as running:
        running.enter_context(shared.taken(said, alone=False))
        assert said.told == ["set threads = 1"]
        running.enter_context(shared.taken(said, alone=True))
        assert said.told == ["set threads = 1", "set threads = 2"]


def test_a_statement_runs_where_no_thread_is_to_be_had() -> None:
    class Refused(Said):
        def execute(self, statement: str) -> None:
            super().execute(statement)
            raise RuntimeError("can't start new thread")

    said: Any = Refused()
    shared = Processors(2, at_once=2)
    for _ in range(2):
        with shared.taken(said, alone=False):
            pass
    assert said.told == ["set threads = 1"] * 2  # it is tried again


def test_the_replica_may_be_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    monkeypatch.setattr(column_replica, "MOST_THREADS", 3)
    plan = QueryPlan("events", (SITE,), 0, 2**53, measures=("pageviews",))
    told: list[bool] = []
    taken = Processors.taken

    def noted(self: Processors, connection: Any, *, alone: bool) -> Any:
        told.append(alone)
        return taken(self, connection, alone=alone)

    monkeypatch.setattr(Processors, "taken", noted)
    with world_in(tmp_path) as world:
        world.visit()
        world.maintain()

        async def asked(times: int) -> Any:
            return await asyncio.gather(*(world.engines.rows(plan, seconds=30) for _ in range(times)))

        assert world.runner.run(asked(1)) == [[(world.views(),)]]
        told.clear()
        world.runner.run(asked(5))
        assert told == [False] * 5
        assert threads(world) == 2
        told.clear()
        world.runner.run(asked(1))
        assert told == [True]
        assert threads(world) == 3
        assert world.engines.name == "duckdb"


def threads(world: World) -> int:
    replica = world.engines._columns.opened
    assert replica is not None
    return int(replica.connection.execute("select current_setting('threads')").fetchall()[0][0])
