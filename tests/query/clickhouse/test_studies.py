"""ClickHouse finds the same visitors who come back, and the same journeys, as SQLite."""

import random
from collections.abc import Iterator
from itertools import pairwise

import pytest

from analytics_box.base.clock import DAY
from analytics_box.query.filters import Filter, FunnelSteps
from tests.cases import each
from tests.query import test_funnels as of_funnels
from tests.query import test_journeys as of_journeys
from tests.query import test_retention as of_retention
from tests.query.clickhouse.served import needs_chdb, serving
from tests.query.clickhouse.world import World

pytestmark = needs_chdb


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The first website has visitors who come back, the second one sessions of several pages."""
    with serving() as served:
        made = World(tmp_path_factory.mktemp("world"), served.new_database())
        made.new_sites(2)
        made.clock.advance(seconds=(of_retention.NOON - made.clock.now()) / 1000)
        for site, events in ((1, of_retention.events), (2, of_journeys.events)):
            made.store_facts(sorted(events(site, random.Random(5)), key=lambda event: event.time))
        made.send()
        yield made
        made.close()


@each("name", of_journeys.ASKING)
def test_journeys_are_the_same_in_clickhouse(world: World, name: str) -> None:
    assert of_journeys.ask(world, 2, **of_journeys.ASKING[name][0])


@each("width", ("day", "week", "month"))
def test_retention_is_the_same_in_clickhouse(world: World, width: str) -> None:
    for name in ("retention", "lifecycle"):
        assert of_retention.ask(world, 1, name, "America/New_York", period=width)
    assert of_retention.ask(world, 1, "stickiness")
    assert of_retention.ask(world, 1, "retention", period=width, activation_event="sign up", return_event="buy")


def test_people_are_the_same_in_clickhouse(world: World) -> None:
    settings = {"activation_event": "sign up", "return_event": "buy", "horizon_days": "7"}
    assert of_retention.ask(world, 1, "identified_profile_retention", **settings, observation_end="2026-06-20")


@each("people", [False, True])
def test_dropoffs_are_the_same_in_clickhouse(world: World, monkeypatch: pytest.MonkeyPatch, *, people: bool) -> None:
    for queries in world.runners:
        monkeypatch.setattr(queries, "_funnels", of_funnels.KNOWN)
    site = of_funnels.with_visits(world, seed=9)
    world.send()
    steps = tuple(one for one, _ in of_funnels.STEPS["properties"])
    own = (Filter("viewed_page", "in", ("/a", "/b", "/c")),)
    funnel = FunnelSteps(("1", "2", "3"), steps, within=DAY if people else 0, people=people, filters=own)
    counted = of_funnels.users(world, site, funnel)
    assert of_funnels.dropped(world, site, funnel) == [before - after for before, after in pairwise(counted)]
    assert counted[0] > counted[1]
