"""What was not measured is null and in no average; 0 is a measurement (semantics 22)."""

from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.base.clock import MINUTE
from analytics_box.base.facts.event import PAGE_EXIT, Event, FactSpan
from analytics_box.base.facts.tables import ATTRIBUTES, SPANS
from analytics_box.query.access import ReadScope
from tests.query.facts_of_all_kinds import ANA, page_view
from tests.query.world import World


def left(site: int, time: int, scroll: int | None, interactions: int | None = None) -> Event:
    view = page_view(site, time, "/", ANA)
    return replace(view, kind=PAGE_EXIT, name="page_exit", scroll=scroll, interactions=interactions)


def visit(site: int, time: int, **measured: int) -> FactSpan:
    texts = {"exit_type", "rage_target", "dead_target", "last_field"}
    not_said = {"time_on_page", "active_time", "first_interaction", "scroll", "interactions"}
    given: dict[str, Any] = {
        name: "" if name in texts else None if name in not_said else 0 for name in SPANS["engagement"]
    }
    own = tuple((given | measured).values())
    return FactSpan("engagement", site, time, ANA, 0, "", "/", "", ("",) * len(ATTRIBUTES), own)


def ask(world: World, site: int, query_type: str) -> list[dict[str, Any]]:
    body: dict[str, object] = {"parameters": [query_type], "preset": "today"}
    (entry,) = world.entries(body, ReadScope((site,)), now=world.clock.now())
    assert entry.success, entry.error
    return entry.data


@pytest.mark.parametrize(
    ("depths", "mean", "classes"),
    [
        ((None, 80, 40), 60.0, [0, 1, 0, 1, 0]),
        ((0, 80), 40.0, [1, 0, 0, 1, 0]),
        ((None,), None, [0] * 5),
        ((), None, [0] * 5),
    ],
)
def test_a_depth_that_was_not_sent_is_in_no_mean_and_no_class(
    world: World, depths: tuple[int | None, ...], mean: float | None, classes: list[int]
) -> None:
    (site,) = world.new_sites(1)
    now = world.clock.now() - MINUTE
    world.store_facts([page_view(site, now, "/", ANA), *(left(site, now, depth) for depth in depths)])
    assert ask(world, site, "scroll_depth_summary")[0]["avg_scroll_depth"] == mean
    assert ask(world, site, "page_scroll_performance")[0]["avg_scroll_depth"] == mean
    assert [row["sessions"] for row in ask(world, site, "scroll_depth_distribution")] == classes


def test_interactions_that_no_page_counted_are_in_no_mean(world: World) -> None:
    (site,) = world.new_sites(1)
    now = world.clock.now() - MINUTE
    people = [(8, 4), (10, None), (12, 0)]
    for visitor, interactions in people:
        told = (page_view(site, now, "/", ANA), left(site, now, None, interactions))
        world.store_facts([replace(fact, visitor=visitor) for fact in told])
    (row,) = ask(world, site, "interaction_summary")
    assert row == {"avg_interactions": 2.0, "interactive_sessions": 1, "interaction_rate": 50.0, "total_sessions": 3}


def test_missing_measurements_are_excluded_from_means(world: World) -> None:
    (site,) = world.new_sites(1)
    now = world.clock.now() - MINUTE
    said = {"time_on_page": 4_000, "active_time": 1_000, "first_interaction": 0, "scroll": 50, "interactions": 4}
    world.store_facts([page_view(site, now, "/", ANA), visit(site, now, **said), visit(site, now)])
    (row,) = ask(world, site, "engagement_quality_by_page")
    assert row == {
        "name": "/",
        "page_views": 2,
        "avg_time_on_page": 4.0,
        "avg_active_time": 1.0,
        "attention_ratio": 25.0,
        "avg_scroll_depth": 50.0,
        "avg_interactions": 4.0,
        "median_time_to_first_interaction": 0.0,
    }


def test_a_page_that_measured_nothing_says_so(world: World) -> None:
    (site,) = world.new_sites(1)
    now = world.clock.now() - MINUTE
    world.store_facts([page_view(site, now, "/", ANA), visit(site, now)])
    (row,) = ask(world, site, "engagement_quality_by_page")
    assert {value for name, value in row.items() if name not in {"name", "page_views"}} == {None}
