"""People whose events are in ClickHouse only are exported and removed as everybody else is."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from msgspec.structs import replace

from analytics_box.base.errors import InClickHouse
from analytics_box.base.facts.tables import FACT_NAMES, SPANS
from analytics_box.products.people import pages, unused
from analytics_box.products.people.reading import Profiles
from analytics_box.query.engines import Engines
from analytics_box.query.engines.clickhouse import line
from analytics_box.query.engines.clickhouse.engine import ClickHouse
from analytics_box.query.engines.clickhouse.server import Away, ClickHouseTarget
from tests.inprocess import FixedClock
from tests.products.people.world import ACTOR, Said, event, span
from tests.products.people.world import World as People
from tests.query.clickhouse.fake import Fake

MONTHS = 100 * 86_400  # seconds


class World(People):
    """A box whose facts have left for a server that may be away."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory, FixedClock())
        self.away = ""
        self.server = Fake(lambda: self.away)
        self.engines = Engines(
            self.events,
            self.clock,
            columnar="clickhouse",
            far=ClickHouse(self.events, self.clock, ClickHouseTarget("http://clickhouse.test/"), every=0, keep_days=35),
        )
        self.erasures = replace(self.erasures, beyond=self.engines.beyond)
        self.profiles = Profiles(self.events, self.seal, self.erasures)

    def both(self, visitor: int, text: str) -> None:
        """Somebody does something of every kind."""
        self.add(event(self.shop.site, Said(visitor, path=f"/{text}")))
        for table in SPANS:
            self.add(span(table, self.shop.site, Said(visitor, path=f"/{text}")))

    def trim(self) -> None:
        """Everything but the newest facts leaves."""
        self.both(9, "newest")
        self.clock.advance(seconds=MONTHS)
        for _ in range(2):
            self.run(self.engines.maintain())
        assert {rows[0] > 1 for rows in self.ids().values()} == {True}

    def there(self, text: str) -> int:
        """How many rows of ClickHouse are of this page."""
        numbers = {row["id"] for row in self.server.tables["strings"].rows if row["value"] == f"/{text}"}
        return sum(row["path"] in numbers for name in FACT_NAMES for row in self.server.tables[name].rows)

    def exported(self, profile_id: str) -> bytes:
        async def read() -> bytes:
            person = await self.profiles.find(self.shop, profile_id)
            assert person is not None
            subject = await self.profiles.of_person(self.shop, person)
            website = SimpleNamespace(id="shop", domain="shop.example")
            pieces = pages.pieces(self.profiles, website, person, subject, now=0)  # type: ignore[arg-type]
            return b"".join([piece async for piece in pieces])

        return self.run(read())


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    servers: list[Fake] = []
    with patch.object(line, "Server", lambda _target: servers[0]):
        made = World(tmp_path / "data")
        servers.append(made.server)
        made.identify("ada", 1)
        made.identify("bob", 2)
        made.both(1, "ada-before")
        made.both(2, "bob-before")
        made.trim()
        made.both(1, "ada-after")
        made.run(made.engines.maintain())
        yield made
        made.close()
        made.engines.close()


def test_an_export_has_what_is_in_clickhouse_only(world: World) -> None:
    found = world.exported("ada")
    assert found.count(b'"path":"/ada-before"') == found.count(b'"path":"/ada-after"') == len(FACT_NAMES)
    assert b'"bob"' not in found
    assert b"bob-before" not in found
    assert b"newest" not in found


def test_removed_visitor_is_gone_from_clickhouse_with_all_texts(world: World) -> None:
    assert world.there("ada-before") == world.there("ada-after") == len(FACT_NAMES)
    done = world.run(world.erasures.person(world.shop, "ada", ACTOR))
    assert done is not None
    assert done.complete
    assert done.removed >= 2 * len(FACT_NAMES)
    world.run(world.engines.maintain())
    assert world.there("ada-before") == world.there("ada-after") == 0
    assert world.there("bob-before") == len(FACT_NAMES)
    assert not {text for text in world.texts() if "ada" in text}
    assert not {row["value"] for row in world.server.tables["strings"].rows if "ada" in row["value"]}
    assert {"/bob-before", "/newest", "bob"} <= world.texts()
    assert [entry[1] for entry in world.audit()] == ["deleted"]


def test_while_clickhouse_is_away_an_export_says_so_and_a_removal_waits_for_it(world: World) -> None:
    world.away = "refused"
    with patch.object(world.server, "look", side_effect=Away("it is away")):
        with pytest.raises(InClickHouse, match="is unavailable"):
            world.exported("ada")
        done = world.run(world.erasures.person(world.shop, "ada", ACTOR))
        assert done is not None
        assert not done.complete
        world.run(world.erasures.resume())
    assert not world.audit()
    assert world.there("ada-before") == len(FACT_NAMES)
    world.away = ""
    world.clock.advance(seconds=100)
    world.run(world.engines.maintain())
    world.run(world.erasures.resume())
    world.run(world.engines.maintain())
    assert world.there("ada-before") == 0
    assert not {text for text in world.texts() if "ada" in text}
    assert len(world.audit()) == 1
    assert not world.read("select id from erasures")


def test_texts_that_clickhouse_has_are_not_swept(world: World) -> None:
    before = world.texts()
    world.run(unused.sweep(world.erasures))
    assert "/bob-before" in world.texts() <= before
