"""The facts of one website in an events.db, and its column replica."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from analytics_box.base.facts.tables import BY_NAME
from analytics_box.base.facts.uptime import DOWN, UP
from analytics_box.base.store import schema
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.strings import Strings
from analytics_box.ingest.ledger import Ledger
from analytics_box.ingest.live import LiveSessions
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.result import CheckResult
from analytics_box.products.monitors.running import rows as check_rows
from analytics_box.products.monitors.running.rows import CheckRow
from analytics_box.products.monitors.running.states import Stroke
from analytics_box.query.engines import Engines
from analytics_box.query.engines.transfer import COPIED
from analytics_box.query.plan import QueryPlan
from tests.inprocess import FixedClock
from tests.migrated import migrated
from tests.query.facts_of_all_kinds import of_an_agent, visit

SITE = 1


class World:
    """An events.db with its replica; `directory` may be used again."""

    def __init__(self, directory: Path, clock: FixedClock | None = None, **given: Any) -> None:
        self.directory = directory
        self.given = {"columnar": "on"} | given
        self.clock = clock or FixedClock()
        self.runner = asyncio.Runner()
        migrated(directory)
        self.open()

    def open(self) -> None:
        self.db = Db(self.directory / schema.EVENTS_FILE, readers=2, durability="normal")
        self.strings = Strings()
        live = LiveSessions()
        self.db.attach(self.strings, live)
        self.ledger = Ledger(self.strings, live)
        self.engines = Engines(self.db, self.clock, **self.given)

    def close(self) -> None:
        self.db.close()
        self.engines.close()

    def reopen(self) -> None:
        self.close()
        self.open()

    def visit(self) -> None:
        """Facts of every kind arrive."""
        self.clock.advance(seconds=1)
        now = self.clock.now()
        facts = [*visit(SITE, now), *of_an_agent(SITE, now)]
        self.db.write_now(lambda db: self.ledger.append(db, facts))
        self.db.write_now(self._check)

    def _check(self, db: Connection) -> None:
        """Two checks of a monitor, which was up and is down, or the other way round."""
        now = self.clock.now()
        monitor = Monitor(number=1, id="monitor", organization_id="organization", url="https://example.com/")
        for number, result in enumerate(
            (
                CheckResult(at=now, outcome="pass", total=1_000, ttfb=900, http_code=200, data='{"a": "b, c"}'),
                CheckResult(at=now, outcome="fail", reason="dns", error="No such name"),
            )
        ):
            check_rows.append(db, self.strings, [CheckRow(monitor, result, 1 - number, 1, number)])
        check_rows.paint(db, [Stroke(1, now, UP if now // 1000 % 2 else DOWN)])

    def write(self, sql: str, *values: Any) -> None:
        def work(db: Connection) -> None:
            db.execute(sql, values)

        self.db.write_now(work)

    def maintain(self) -> None:
        self.runner.run(self.engines.maintain())

    def views(self) -> int:
        """What a query answers."""
        plan = QueryPlan("events", (SITE,), 0, 2 * self.clock.now(), measures=("pageviews",))
        ((found,),) = self.runner.run(self.engines.rows(plan, seconds=30))
        return int(found)

    def ledger_rows(self) -> dict[str, list[tuple[Any, ...]]]:
        def work(db: Connection) -> dict[str, list[tuple[Any, ...]]]:
            shown = {name: ", ".join(("id", *BY_NAME[name].names)) for name, _ in COPIED}
            return {name: db.execute(f"select {shown[name]} from {name} order by id").fetchall() for name in shown} | {
                "event_properties": db.execute(
                    "select events.id, key from events, json_each(properties) where type <> 'null' order by 1, 2"
                ).fetchall()
            }

        return self.db.read_now(work)

    def replica_rows(self) -> dict[str, list[tuple[Any, ...]]]:
        replica = self.engines._columns.opened
        assert replica is not None
        cursor = replica.connection.cursor()
        return {name: cursor.execute(f"select * from {name} order by id").fetchall() for name, _ in COPIED} | {
            "event_properties": cursor.execute("select event, key from event_properties order by 1, 2").fetchall()
        }

    def assert_same(self) -> None:
        assert self.replica_rows() == self.ledger_rows()


@contextmanager
def world_in(directory: Path, **given: Any) -> Iterator[World]:
    """A world until it is not needed any more; `given` are arguments of its engines."""
    world = World(directory, **given)
    try:
        yield world
    finally:
        world.close()
