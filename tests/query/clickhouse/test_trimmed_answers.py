"""A box whose facts have left for ClickHouse answers as one that has all of them."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from analytics_box.base.clock import DAY
from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.base.store import schema
from analytics_box.base.store.db import Db
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog import registry
from analytics_box.query.engines import Engines
from analytics_box.query.engines.clickhouse.engine import ClickHouse
from analytics_box.query.engines.clickhouse.server import ClickHouseTarget
from analytics_box.query.presence import Presence
from analytics_box.query.request import QueryRequest
from analytics_box.query.run import ParameterAnswer, QueryRunner
from tests.cases import each
from tests.examples import some
from tests.query.checks_of_all_kinds import store_a_monitor
from tests.query.clickhouse.served import needs_chdb, serving
from tests.query.clickhouse.world import lines_of_export
from tests.query.facts_of_all_kinds import of_an_agent, visit
from tests.query.test_every_type import ask
from tests.query.world import World as Questions

pytestmark = needs_chdb


class World(Questions):
    """One box has all facts; a copy of it has the newest of each table, and ClickHouse the others."""

    def __init__(self, directory: Path, url: str) -> None:
        super().__init__(directory)
        self._directory, self._url = directory, url

    def trim(self) -> None:
        copy = self._directory / "copy"
        copy.mkdir()
        with closing(apsw.Connection(str(self.db.path))) as db:
            db.execute("vacuum into ?", (str(copy / schema.EVENTS_FILE),))
        self.trimmed = Db(copy / schema.EVENTS_FILE, readers=2, durability="normal")
        far = ClickHouse(self.trimmed, self.clock, ClickHouseTarget(self._url), every=0)
        self._engines[1].close()
        self.engines = Engines(self.trimmed, self.clock, columnar="clickhouse", far=far)
        self._engines = self._engines[0], self.engines
        self.runners[1] = QueryRunner(self.engines, self.clock, seconds=30)

        async def leave() -> None:
            await self.engines.maintain()
            for table in FACT_NAMES:
                while await far.trimming.piece(table, self.clock.now() + DAY):
                    pass

        self._runner.run(leave())

    async def _answers(self, request: QueryRequest, scope: ReadScope) -> list[list[ParameterAnswer]]:
        answers = [await queries.answer(request, scope) for queries in self.runners]
        assert [engines.name for engines in self._engines] == ["sqlite", "clickhouse"]
        return answers

    def archive(self, engines: Engines, site: int) -> dict[str, list[str]]:
        """What this engine's export has."""
        return self.run(lines_of_export(engines, site, until=self.clock.now() + DAY))

    def close(self) -> None:
        self.trimmed.close()
        super().close()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with serving() as served:
        made = World(tmp_path_factory.mktemp("world"), served.new_database())
        (site,) = made.new_sites(1)
        made.store_facts([*visit(site, made.clock.now()), *of_an_agent(site, made.clock.now())])
        store_a_monitor(made.db, site, made.clock.now())
        made.store_facts([*visit(99, made.clock.now()), *of_an_agent(99, made.clock.now())])  # what is newest stays
        made.trim()
        yield made
        made.close()


SITE = 1


@each("name", some(sorted(registry.TYPES), 25))
def test_a_type_has_the_same_answer(world: World, name: str) -> None:
    entry = ask(world, SITE, name)
    assert entry.success, entry.error


def test_nothing_of_the_website_is_left_here_but_what_is_quarantined(world: World) -> None:
    for name in FACT_NAMES:
        counted = " and bot = 0" if name == "events" else ""
        query = f"select count(*) from {name} where site = ?{counted}"
        assert world.db.read_now(lambda db, query=query: db.execute(query, (SITE,)).fetchall()) > [(0,)]  # type: ignore[misc]  # a default
        left = world.trimmed.read_now(lambda db, query=query: db.execute(query, (SITE,)).fetchall())  # type: ignore[misc]  # a default
        assert left == [(0,)], name


def test_an_export_has_the_same_rows(world: World) -> None:
    whole, trimmed = (world.archive(engines, SITE) for engines in world._engines)
    assert whole == trimmed
    assert all(whole.values())


def test_start_of_a_website_is_known_after_trimming(world: World) -> None:
    whole, trimmed = (Presence(db) for db in (world.db, world.trimmed))
    for looks in (whole, trimmed):
        assert world._runner.run(looks.begun((SITE, 5))) == frozenset((SITE,))
        assert world._runner.run(looks.kinds(SITE)) >= {"flags", "errors"}
    first = world._runner.run(whole.beginnings((SITE, 5)))
    assert first.keys() == {SITE}
    assert world._runner.run(trimmed.beginnings((SITE, 5))) == first
