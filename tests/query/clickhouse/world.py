"""The world of questions, with ClickHouse as its second engine, over its own HTTP interface; and how boxes reach a
server that is none."""

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from analytics_box.base.clock import DAY
from analytics_box.base.store import text_numbers
from analytics_box.query.access import ReadScope
from analytics_box.query.engines import Engines
from analytics_box.query.engines.clickhouse import line, shipping
from analytics_box.query.engines.clickhouse.engine import ClickHouse
from analytics_box.query.engines.clickhouse.machines import ClickHouseMachine
from analytics_box.query.engines.clickhouse.server import ClickHouseTarget
from analytics_box.query.engines.clickhouse.shipping import Position
from analytics_box.query.exported import FactExport, archive
from analytics_box.query.request import QueryRequest
from analytics_box.query.run import ParameterAnswer, QueryRunner
from tests.query.clickhouse.fake import Fake
from tests.query.oracle import Asked, Row
from tests.query.world import PageThenEvent
from tests.query.world import World as Questions


async def lines_of_export(engines: Engines, site: int, until: int) -> dict[str, list[str]]:
    """The lines of an export of all that a website has, by file, sorted."""
    part = FactExport(site, 0, until, "ndjson", people=True)
    content = b"".join([piece async for piece in archive(engines, part, seconds=10)])
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: sorted(file.read(name).decode().splitlines()) for name in file.namelist()}


class World(Questions):
    """SQLite and ClickHouse have to agree. `other` is another machine with the same ClickHouse, where there is one."""

    other: "World | None" = None

    def __init__(self, directory: Path, url: str, machine: ClickHouseMachine | None = None) -> None:
        """ClickHouse for itself alone, or as one of several machines."""
        super().__init__(directory)
        self._engines[1].close()
        several = machine is not None
        among = (lambda: machine) if several else None
        far = ClickHouse(self.db, self.clock, ClickHouseTarget(url, several=several), every=0, among=among)
        self.engines = Engines(self.db, self.clock, columnar="clickhouse", far=far)
        self._engines = self._engines[0], self.engines
        self.runners[1] = QueryRunner(self.engines, self.clock, seconds=30, funnels=PageThenEvent())

    def send(self) -> None:
        """ClickHouse gets what there is, whose texts have numbers for all machines."""
        while self.db.write_now(text_numbers.catch_up):
            pass
        self._runner.run(self.engines.maintain())
        assert self.engines.name == "clickhouse"

    def drawn(self, asked: Asked) -> list[Row]:
        """All are asked of both."""
        return self.rows(asked)

    def archive(self, engines: Engines, site: int) -> dict[str, list[str]]:
        """What this engine's export has."""

        return self.run(lines_of_export(engines, site, until=self.clock.now() + DAY))

    async def _answers(self, request: QueryRequest, scope: ReadScope) -> list[list[ParameterAnswer]]:
        if self.engines.name == "sqlite":
            await self.engines.maintain()
        answers = [await queries.answer(request, scope) for queries in self.runners]
        assert [engines.name for engines in self._engines] == ["sqlite", "clickhouse"]
        return answers


@contextmanager
def reached(server: Fake) -> Iterator[None]:
    """Boxes reach this server; what they write down of it goes wrong as what they do there does."""
    write = shipping.write_position

    def written(directory: Path, position: Position) -> None:
        server.through(lambda: write(directory, position), may_be_late=False)

    with patch.object(line, "Server", lambda _target: server), patch.object(shipping, "write_position", written):
        yield
