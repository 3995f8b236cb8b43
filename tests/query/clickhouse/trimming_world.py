"""A box whose facts leave events.db once ClickHouse has them, and what a box that keeps all of them would have."""

from collections import Counter
from typing import Any

from analytics_box.base.clock import DAY
from analytics_box.base.facts import erase, orders, trimmed
from analytics_box.base.facts.layout import stored_table
from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.base.store.db import Connection
from analytics_box.query.engines import Engines
from analytics_box.query.engines.clickhouse import shipping
from analytics_box.query.engines.clickhouse.engine import ClickHouse
from analytics_box.query.engines.clickhouse.tables import PROPERTIES, SHIPPED
from tests.query.clickhouse.fake import Fake
from tests.query.clickhouse.test_shipping import World as Shipping
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
                events = stored_table("events")
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
        db.execute(f"delete from {stored_table(name)}")
    for name in ("trimmed", "trimmed_sites", "removal_orders", "changes"):
        db.execute(f"delete from {name}")


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
