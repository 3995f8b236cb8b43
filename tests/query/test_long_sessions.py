"""A session that a stranger makes long costs what others cost, and hides nothing of them."""

from unittest.mock import patch

from msgspec.structs import replace

from analytics_box.base.facts.event import CUSTOM, Event
from analytics_box.query import compose
from analytics_box.query.catalog.sessions import MOST_LISTED
from analytics_box.query.plan import SESSION_BEFORE
from tests.inprocess import NOON
from tests.query.facts_of_all_kinds import page_view
from tests.query.world import World

ROWS = 2 * MOST_LISTED


def test_session_with_many_events_leaves_other_sessions_their_pages_and_events(world: World) -> None:
    (site,) = world.new_sites(1)
    long = [page_view(site, NOON + number, f"/{number % 150}", 2) for number in range(1_000)]
    events = [replace(view, kind=CUSTOM, name=f"event {number % 150}") for number, view in enumerate(long)]
    short = [page_view(site, NOON + 2_000 + number, path, 4) for number, path in enumerate(("/a", "/b", "/a"))]
    facts: list[Event] = [*long, *events, *short, replace(short[0], kind=CUSTOM, name="buy")]
    world.store_facts(sorted(facts, key=lambda fact: fact.time))
    body: dict[str, object] = {
        "parameters": ["interesting_sessions"],
        "startDate": "2026-06-01",
        "endDate": "2026-06-30",
        "limit": 2,
    }
    with patch.object(compose, "MOST_FOLLOWED", ROWS):
        (entry,) = world.entries(body, (site,), now=NOON + SESSION_BEFORE)
    assert entry.success, entry.error
    first, second = entry.data
    assert first["page_views"] == first["custom_events"] == 1_000
    assert first["paths"] == [f"/{number}" for number in range(MOST_LISTED)]
    assert first["custom_event_names"] == [f"event {number}" for number in range(MOST_LISTED)]
    assert second["paths"] == ["/a", "/b"]
    assert second["custom_event_names"] == ["buy"]
