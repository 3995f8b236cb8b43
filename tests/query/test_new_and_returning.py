"""New, returning and unknown visitors make all visitors (semantics 9)."""

import pytest

from analytics_box.base.clock import DAY, MINUTE
from analytics_box.ingest.visitors import by_client_id, cookieless
from analytics_box.query.access import ReadScope
from tests.query.facts_of_all_kinds import page_view
from tests.query.world import World

SALT, YESTERDAY = b"a" * 32, b"b" * 32


def ask(world: World, query_type: str, site: int) -> dict[str, tuple[int, int]]:
    body: dict[str, object] = {"parameters": [query_type], "preset": "today"}
    (entry,) = world.entries(body, ReadScope((site,)), now=world.clock.now())
    assert entry.success, entry.error
    return {row.get("name", "all"): (row["pageviews"], row["visitors"]) for row in entry.data}


@pytest.mark.parametrize("query_type", ["new_vs_returning", "returning_visitors"])
def test_visitors_whose_ids_last_are_new_or_returning_and_all_others_unknown(world: World, query_type: str) -> None:
    (site,) = world.new_sites(1)
    now = world.clock.now() - MINUTE
    back, fresh = (by_client_id(b"", site, name) for name in ("back", "fresh"))
    named = by_client_id(SALT, site, "named each day")
    world.store_facts(
        [
            page_view(site, now - 3 * DAY, "/", back),
            page_view(site, now - DAY, "/", by_client_id(YESTERDAY, site, "named each day")),
            *(page_view(site, now, "/", visitor) for visitor in (back, fresh, fresh, named)),
            page_view(site, now, "/", cookieless(SALT, site, "203.0.113.7", "Firefox")),
        ]
    )
    assert ask(world, query_type, site) == {"new": (2, 1), "returning": (1, 1), "unknown": (2, 2)}
    assert ask(world, "summary_totals", site) == {"all": (5, 4)}


def test_all_three_rows_are_there_without_a_visitor(world: World) -> None:
    (site,) = world.new_sites(1)
    assert ask(world, "new_vs_returning", site) == {"new": (0, 0), "returning": (0, 0), "unknown": (0, 0)}
