"""The world of questions, with ClickHouse as its second engine, over its own HTTP interface."""

from pathlib import Path

from analytics_box.query.access import Scope
from analytics_box.query.engines import Engines
from analytics_box.query.engines.clickhouse import ClickHouse, Target
from analytics_box.query.request import Request
from analytics_box.query.run import Entry, Queries
from tests.query.world import World as Questions


class World(Questions):
    """SQLite and ClickHouse have to agree."""

    def __init__(self, directory: Path, url: str) -> None:
        super().__init__(directory)
        self._engines[1].close()
        far = ClickHouse(self.db, self.clock, Target(url), every=0)
        self.engines = Engines(self.db, self.clock, columnar="clickhouse", far=far)
        self._engines = self._engines[0], self.engines
        self._queries[1] = Queries(self.engines, self.clock, seconds=30)

    async def _answers(self, request: Request, scope: Scope) -> list[list[Entry]]:
        if self.engines.name == "sqlite":
            await self.engines.maintain()
        answers = [await queries.answer(request, scope) for queries in self._queries]
        assert [engines.name for engines in self._engines] == ["sqlite", "clickhouse"]
        return answers
