"""A number is the same alone and beside others (semantics 23): in a request with many types, in a scan with many
measures, and in any order of either."""

from random import Random

import pytest

from analytics_box.query.catalog import registry
from analytics_box.query.engines import sqlite
from analytics_box.query.engines.sql.names import DIMENSIONS_OF, MEASURES
from analytics_box.query.plan import OF_SESSIONS, QueryPlan, Source
from analytics_box.query.request import MAX_PARAMETERS
from tests.examples import is_thorough
from tests.query.facts_of_all_kinds import page_view
from tests.query.stories import Story, tell
from tests.query.test_brute import OF_LINKS
from tests.query.world import World


@pytest.fixture(scope="module")
def story(world: World) -> Story:
    return tell(world, 7)


def plan(story: Story, source: Source, measures: tuple[str, ...], group: tuple[str, ...]) -> QueryPlan:
    """Everything of a story."""
    week = 7 * 86_400_000
    return QueryPlan(source, tuple(story.websites), story.around - week, story.around + week, measures, group)


def scanned(world: World, wanted: QueryPlan) -> dict[tuple[object, ...], dict[str, object]]:
    """What each group has, by the names of the measures."""
    rows = world.db.read_now(lambda db: sqlite.run_plan(db, wanted))
    groups = len(wanted.group)
    return {row[:groups]: dict(zip(wanted.measures, row[groups:], strict=True)) for row in rows}


# Sources that need more of a plan, or tell of nothing that a story has.
_OF_PLANS = {"link_clicks", "landings", "monitor_spans", "funnels", "flows"}
_OF_PLANS |= {"activity", "retention", "profile_retention", "activations"}


@pytest.mark.parametrize("source", sorted(set(MEASURES) - _OF_PLANS))
def test_measures_do_not_change_one_another(world: World, story: Story, source: Source) -> None:
    # Those of the latest fact stand alone, and say so (names.PLACE).
    names = [name for name in MEASURES[source] if not name.startswith("latest_")]
    draw = Random(source)
    dimensions = sorted(DIMENSIONS_OF[source] - {"bucket"})
    for group in ((), *((name,) for name in draw.sample(dimensions, min(2, len(dimensions))))):
        alone = {name: scanned(world, plan(story, source, (name,), group)) for name in names}
        for number in (len(names), 3, 5):
            some = tuple(draw.sample(names, min(number, len(names))))
            together = scanned(world, plan(story, source, some, group))
            for key, row in together.items():
                assert row == {name: alone[name][key][name] for name in some}
            assert set(together) == set(alone[some[0]])


def test_a_scan_finds_something_in_every_source(world: World, story: Story) -> None:
    of_facts: tuple[Source, ...] = ("events", "properties", "vitals", "errors", "outgoing_links", "engagement")
    for source in (*OF_SESSIONS, *of_facts):
        name = next(iter(MEASURES[source]))
        assert any(scanned(world, plan(story, source, (name,), ())).values()), source


def test_a_type_answers_beside_others_as_it_does_alone(world: World, story: Story) -> None:
    """Both engines do beside others what SQLite does alone; in an ordinary run DuckDB has some of the types."""
    names = [name for name in registry.TYPES if name not in OF_LINKS]
    Random(1).shuffle(names)
    body: dict[str, object] = {
        "startDate": "2026-10-24",
        "endDate": "2026-10-26",
        "timeZone": story.zone,
        "filters": [{"field": "path", "op": "eq", "value": "/a"}, {"field": "profile_id", "op": "in", "value": "ann"}],
    }
    now = story.around + 3_600_000
    scope = story.scope(2, owner=True)
    world.clock.advance(seconds=(now - world.clock.now()) / 1000)
    for first in range(0, len(names), MAX_PARAMETERS):
        some = names[first : first + MAX_PARAMETERS]
        both = first == 0 or is_thorough()
        found = world.entries(body | {"parameters": some}, scope, now=now, both=both)
        together = {item.parameter: item for item in found}
        forget(world)
        for name in some:
            (alone,) = world.entries(body | {"parameters": [name]}, scope, now=now, both=False)
            assert together[name] == alone


def forget(world: World) -> None:
    """Something happens elsewhere, so that nothing is answered from what is kept of earlier answers."""
    (elsewhere,) = world.new_sites(1)
    world.store_facts([page_view(elsewhere, world.clock.now(), "/", 1)])
