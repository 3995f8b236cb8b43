"""Numbers are rounded half up, once, and the same by every engine (semantics 22 and 23)."""

from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.base.clock import MINUTE
from analytics_box.base.facts.event import METRICS, PAGE_EXIT, Event, Fact, FactSpan
from analytics_box.base.facts.tables import ATTRIBUTES
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog.values import quotient
from tests.query.facts_of_all_kinds import ANA, page_view
from tests.query.world import World


def vital(site: int, time: int, value: float, metric: str = "LCP") -> FactSpan:
    return FactSpan("vitals", site, time, ANA, 0, "", "/", "", ("",) * len(ATTRIBUTES), (METRICS[metric], value))


def ask(world: World, site: int, query_type: str) -> dict[str, Any]:
    body: dict[str, object] = {"parameters": [query_type], "preset": "today"}
    (entry,) = world.entries(body, ReadScope((site,)), now=world.clock.now())
    assert entry.success, entry.error
    (row,) = entry.data
    return row


def told(world: World, *facts: Fact) -> int:
    (site,) = world.new_sites(1)
    world.store_facts([replace(fact, site=site) for fact in facts])
    return site


@pytest.mark.parametrize(
    ("values", "field", "wanted"),
    [
        ((92.0, 1802.47, 4007.0), "p75", 2904.74),  # 2904.735
        ((1.0, 1.01), "p50", 1.01),  # 1.005
        ((2.675,), "p99", 2.68),
        ((0.1, 0.2), "p95", 0.2),  # 0.195
        ((1.0, 1.01, 1.005), "avg_value", 1.01),  # 1.005
        ((0.1,) * 10 + (0.15,), "avg_value", 0.1),
        ((86_400_000.0, 86_399_999.99), "p50", 86_400_000.0),  # ….995
    ],
)
def test_measurements_are_interpolated_and_rounded_as_on_paper(
    world: World, values: tuple[float, ...], field: str, wanted: float
) -> None:
    now = world.clock.now() - MINUTE
    site = told(world, *(vital(0, now + number, value) for number, value in enumerate(values)))
    assert ask(world, site, "vitals_overview")[field] == wanted


def test_scores_have_four_digits(world: World) -> None:
    now = world.clock.now() - MINUTE
    site = told(world, *(vital(0, now, value, "CLS") for value in (0.0001, 0.0002)))
    assert ask(world, site, "vitals_overview")["p50"] == 0.0002


def test_seconds_and_shares_are_rounded_half_up(world: World) -> None:
    now = world.clock.now() - MINUTE
    site = told(world, page_view(0, now, "/", ANA), page_view(0, now + 1_005, "/", ANA))
    assert ask(world, site, "session_metrics")["avg_session_duration"] == 1.01
    assert ask(world, site, "summary_totals")["median_session_duration"] == 1.01


def test_a_mean_of_whole_numbers_is_rounded_half_up(world: World) -> None:
    now = world.clock.now() - MINUTE
    first = page_view(0, now, "/", ANA)
    exits: list[Event] = [
        replace(first, kind=PAGE_EXIT, name="page_exit", time=now + number, scroll=int(number == 0))
        for number in range(8)
    ]
    site = told(world, first, *exits)
    assert ask(world, site, "scroll_depth_summary")["avg_scroll_depth"] == 0.13  # 0.125


@pytest.mark.parametrize(
    ("part", "whole", "digits", "wanted"),
    [(1, 8, 2, 0.13), (3, 8, 2, 0.38), (5, 1000, 2, 0.01), (2.5, 1000, 3, 0.003), (1, 3, 2, 0.33), (0, 7, 2, 0.0)],
)
def test_halves_are_rounded_up(part: float, whole: int, digits: int, wanted: float) -> None:
    assert quotient(part, whole, digits) == wanted
