"""A filter and its opposite part what there is: every fact, or session, is in one of the two answers, in no other."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from analytics_box.query.catalog import registry
from analytics_box.query.plan import OF_SESSIONS
from tests.examples import examples
from tests.query.brute.facts import Filter
from tests.query.questions import Asked, ask, filters, questions
from tests.query.questions import given as as_given
from tests.query.stories import Story, tell
from tests.query.world import World, is_for_both

OPPOSITE = {
    "eq": "ne",
    "in": "not_in",
    "contains": "not_contains",
    "starts_with": "not_starts_with",
    "is_set": "is_not_set",
}
OPPOSITE |= {other: one for one, other in OPPOSITE.items()}
# What is counted one by one, so that parts add up to the whole.
OF_FACTS = {
    *("pageviews", "total_events", "events", "count", "errors", "totalErrors", "samples", "measurements"),
    *("total_clicks", "page_views", "occurrences", "events_with_properties", "form_starts", "form_submits"),
    *("requests", "training", "search_index", "on_demand"),
    *("transactions", "total_transactions", "sale_count", "subscription_count", "refund_count", "attempts"),
    *("attributed_transactions", "failed_payment_attempts", "canceled_payment_attempts"),
    *("error_occurrences", "exposures", "clicks", "total", "total_checks", "checks"),
}
OF_EACH_SESSION = {"sessions", "total_sessions", "interactive_sessions", "transitions", "pageviews", "total_events"}
# What is counted once however often it is there, so that both parts may have it.
ONCE = {
    *("visitors", "unique_visitors", "users", "active_users", "unique_users", "affectedUsers", "sessions"),
    *("sessions_with_time", "total_sessions", "active_sessions", "pages_viewed", "affected_visitor_identifiers"),
    *("linked_visitor_identifiers", "unique_sessions", "value"),
    *("daily", "weekly", "monthly", "activation_events"),
}
# Both ask for one event or one page view that has both, and their opposites for none with either.
OF_ONE = ({"event", "event_property"}, {"path", "query_string"})
# Of types that also count something once, what adds up.
COUNTED = {
    "link_landings": {"clicks"},
    "profile_list": {"total_events"},
}
# Types whose texts say more than which row it is.
KEYS: dict[str, tuple[str, ...]] = {
    "profile_list": ("visitor_id",),
    "link_top_bots": ("name",),
    "error_fingerprints": ("fingerprint",),
    "mcp_clients": ("client",),
}
# Fields that say what is special about a row, but not which row it is.
BESIDE = {
    *("path", "stack", "inferred_type", "render_strategy", "top_abandoned_field", "url"),
    *("top_payment_failure_reason", "top_payment_cancellation_reason"),
}
# Types with a row for each fact or session.
LISTED = {
    *("recent_errors", "custom_events_recent", "session_events", "session_list", "interesting_sessions"),
    *("profile_sessions", "uptime_recent_checks", "realtime_feed"),
    *("recent_transactions", "profile_revenue"),
}
# Types whose parts may be more or less than the whole, and why.
NOT_PARTED = {
    "ai_products": "filters select either requests or visitors, so the other numbers are in both parts",
    "ai_agent_pages": "filters select either requests or visitors, so the other numbers are in both parts",
    "ai_content_formats": "filters on visitors do not select requests",
    "ai_crawlers": "filters on visitors do not select requests",
    "ai_summary": "filters select either requests or visitors, so the other numbers are in both parts",
    "ai_visitor_outcomes": "its rates are of sessions, and it counts nothing else that adds up",
    "frustration_by_page": "pages with few views are left out, so a page may be in the whole alone",
    "custom_events_property_top_values": "only the most frequent values are listed",
    "custom_events_property_distribution": "properties with many values are left out",
    "custom_events_property_classification": "it describes values, and counts the whole of each in both parts",
    "custom_events_discovery": "only the first events and properties are listed",
    "error_route_continuation_comparison": "sessions without an error are compared with those that met one",
    "flag_exposures": "a visitor belongs to the variant of the first exposure that is selected",
    "profile_detail": "of all ids and profiles that are selected, it describes the latest",
    "uptime_response_time_trends": "it has averages and percentiles, and counts nothing",
}


def counts_of(name: str) -> set[str]:
    """The fields of a type whose numbers add up."""
    known = registry.TYPES[name]
    if name in COUNTED:
        return COUNTED[name]
    of_sessions = any(item.source in OF_SESSIONS for item in known.asks)
    return {output.name for output in known.outputs} & (OF_EACH_SESSION if of_sessions else OF_FACTS)


ASKED = sorted(name for name, known in registry.TYPES.items() if known.filters and name not in NOT_PARTED)
PARTED = [name for name in ASKED if counts_of(name) or name in LISTED]
# Of all others it can be said that no part has more than the whole, and both together no less.
COUNTED_ONCE = [name for name in ASKED if name not in PARTED]


def test_each_type_with_filters_is_parted_or_says_why_not() -> None:
    assert len(PARTED) > 115
    assert all(ONCE & {output.name for output in registry.TYPES[name].outputs} for name in COUNTED_ONCE)
    assert all(registry.TYPES[name].filters for name in NOT_PARTED)


@pytest.fixture(scope="module")
def stories(world: World) -> tuple[Story, ...]:
    return tuple(tell(world, seed) for seed in range(50, 62))


@pytest.mark.parametrize("name", PARTED)
@examples(6, unchecked=HealthCheck)
@given(data=st.data())
def test_a_filter_and_its_opposite_part_the_whole(stories: tuple[Story, ...], name: str, data: st.DataObject) -> None:
    story = data.draw(st.sampled_from(stories))
    asked = replace(data.draw(questions(story, name)), sort_by=None, limit=10_000, page=1)
    pair = data.draw(st.lists(filters(story, name).filter(lambda item: item[1] in OPPOSITE), min_size=1, max_size=2))
    if any({field for field, _, _ in pair} == fields for fields in OF_ONE):
        return
    whole = counted(name, ask(story, asked).data)
    # Not one and the other is not the one, or not the other.
    parts = [counted(name, answer(story, asked, group).data) for group in ({"all": pair}, {"any": opposites(pair)})]
    assert parts[0] + parts[1] == whole, (asked, pair)


def opposites(pair: Sequence[Filter]) -> list[Filter]:
    return [(field, OPPOSITE[operator], values) for field, operator, values in pair]


def answer(story: Story, asked: Asked, group: Mapping[str, Sequence[Filter]]) -> Any:
    """The answer with a group of filters besides those of the question."""
    body = asked.body()
    body["filters"] += [{name: [as_given(item) for item in items]} for name, items in group.items()]
    (entry,) = story.world.entries(body, asked.scope, now=asked.question.now, both=is_for_both(body))
    assert entry.success, entry.error
    return entry


def counted(name: str, rows: Sequence[dict[str, Any]]) -> Counter[str]:
    """How much there is of what; nothing of it is the same as no row."""
    if name in LISTED:
        return Counter(json.dumps(row, sort_keys=True, default=str) for row in rows)
    return sums_of(name, rows, counts_of(name))


def sums_of(name: str, rows: Sequence[dict[str, Any]], counts: set[str]) -> Counter[str]:
    """The sums of these fields, by what the rows are about."""
    outputs = registry.TYPES[name].outputs
    counts = counts & {output.name for output in outputs if output.type == "number"}
    texts = [output.name for output in outputs if output.type in {"string", "date"}]
    numbered = [output.name for output in outputs if output.name in {"hour", "day", "line"}]
    usual = tuple(item for item in (*texts, *numbered) if item not in BESIDE or name.startswith("top_"))
    keys = KEYS.get(name, usual)
    found: Counter[str] = Counter()
    for row in rows:
        for field in counts:
            if row[field]:
                found[json.dumps([field, *(row[key] for key in keys)])] += row[field]
    return found
