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
    "error_occurrences",
}
OF_EACH_SESSION = {"sessions", "total_sessions", "interactive_sessions", "transitions", "pageviews", "total_events"}
# Of these a session may have one and another, so that they part its events but not sessions.
OF_AN_EVENT = {"path", "query_string", "event_name", "profile_id", "anonymous_id", "flag"}
ONE_EVENT = {
    "event",
    "event_property",
}  # both ask for one event that has both, and their opposites for none with either
# Fields that say what is special about a row, but not which row it is.
BESIDE = {"path", "stack", "inferred_type", "render_strategy", "top_abandoned_field"}
# Types that leave out what is rare, so that of two parts neither may be enough, or say something more than once.
NOT_PARTED = {
    *("frustration_by_page", "custom_events_property_top_values", "custom_events_property_distribution"),
    *("error_route_continuation_comparison", "profile_detail", "custom_events_discovery"),
}


def counts_of(name: str) -> set[str]:
    """The fields of a type whose numbers add up."""
    known = registry.TYPES[name]
    of_sessions = any(item.source in OF_SESSIONS for item in known.asks)
    return {output.name for output in known.outputs} & (OF_EACH_SESSION if of_sessions else OF_FACTS)


def is_listed(name: str) -> bool:
    """Whether it has a row for each fact."""
    return name in {"recent_errors", "custom_events_recent", "session_events"}


PARTED = sorted(
    name
    for name, known in registry.TYPES.items()
    if known.filters and name not in NOT_PARTED and not name.startswith(("link_", "uptime_"))
    if counts_of(name) or is_listed(name)
    if not known.follows and not known.recent
)


def test_most_types_are_parted() -> None:
    assert len(PARTED) > 80


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
    if any(item.source in OF_SESSIONS for item in registry.TYPES[name].asks) and (
        OF_AN_EVENT & {field for field, _, _ in pair}
    ):
        return
    if len(ONE_EVENT & {field for field, _, _ in pair}) == 2:
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
    if is_listed(name):
        return Counter(json.dumps(row, sort_keys=True) for row in rows)
    counts = counts_of(name)
    texts = [output.name for output in registry.TYPES[name].outputs if output.type in {"string", "date"}]
    numbered = [output.name for output in registry.TYPES[name].outputs if output.name in {"hour", "day", "line"}]
    keys = [item for item in (*texts, *numbered) if item not in BESIDE or name.startswith("top_")]
    found: Counter[str] = Counter()
    for row in rows:
        for field in counts:
            if row[field]:
                found[json.dumps([field, *(row[key] for key in keys)])] += row[field]
    return found
