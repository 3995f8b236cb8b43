"""No text of a request becomes part of a statement (security: SQL)."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from analytics_box.base.errors import DeadlineExceeded, InvalidQuery
from analytics_box.query.catalog import registry
from analytics_box.query.compose import compose
from analytics_box.query.engines import sqlite
from analytics_box.query.engines.sqlite import render
from analytics_box.query.filters import COLUMNS, Filter, FilterCondition, FunnelPlan, Op, conditions
from analytics_box.query.happened import LIMITS
from analytics_box.query.plan import BucketRun, FlowPlan, PeriodPlan, QueryPlan
from analytics_box.query.ranges import TimeBucket, TimeWindow
from analytics_box.query.request import GivenQuery, QueryFilterInput, check, check_filters
from tests.cases import each
from tests.examples import examples
from tests.query.happenings import Happening, at
from tests.query.world import World, is_for_both

OPERATORS: tuple[Op, ...] = Op.__args__  # type: ignore[attr-defined]  # the arguments of a Literal
HOSTILE = (
    "'",
    '"',
    "';drop table events;--",
    "%",
    "_",
    "\\",
    "*",
    "[a-z]",
    ":f0",
    "?1",
    "\x00",
    "\u202e",
    "1 or 1=1",
    "😀" * 50,
)
# What plans of funnels, of periods and of journeys need.
FUNNEL = FunnelPlan((FilterCondition("session_page", "is", ("/a",), negated=False),) * 2)
PERIODS = PeriodPlan(shown=0, previous=-86_400_000, finished=1)
RUNS = (BucketRun(0, 86_400_000, 0),)
FLOW = FlowPlan(steps=3, nodes=8)
DAY = ["2026-06-17", "2026-06-17"]


def statement(name: str, field: str, operator: Op, values: tuple[str, ...]) -> str:
    """What the engine would run for this filter on this type, plan by plan."""
    query_type = registry.TYPES[name]
    where, _ = conditions((Filter(field, operator, values),), query_type.filters)
    asked = check(GivenQuery(parameters=[name], preset="today"), zone_name=None, now=at(2026, 6, 17))
    window = TimeWindow(0, 86_400_000, (TimeBucket("a day", 0),))
    plans = compose(query_type, asked, window, (1,), where).plans
    return "\n".join(
        render(replace(plan, funnel=FUNNEL, periods=PERIODS, flow=FLOW, runs=plan.runs or RUNS)).sql for plan in plans
    )


@examples(150)
@given(
    name=st.sampled_from(sorted(registry.TYPES)),
    data=st.data(),
    operator=st.sampled_from(OPERATORS),
    value=st.one_of(st.text(min_size=1), st.sampled_from(HOSTILE)),
)
def test_a_value_does_not_change_the_statement(name: str, data: st.DataObject, operator: Op, value: str) -> None:
    known = registry.TYPES[name]
    settings = {*known.alone, *(known.needs if known.study else ())}  # no conditions on facts
    fields = [field for field in known.filters if field not in settings]
    allowed = [field for field in fields if COLUMNS[field] != "site" and field not in LIMITS]
    if allowed:
        field = data.draw(st.sampled_from(allowed))
        assert statement(name, field, operator, (value,)) == statement(name, field, operator, ("plain",))


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_text_is_stored_and_found_as_itself_only(world: World, value: str) -> None:
    (site,) = world.new_sites(1)
    noon = at(2026, 6, 17, 12)
    for name in (value, "other", f"-{value}-"):
        world.store([Happening(site, noon, noon, "custom", person=1, name=name)])
    for operator, found in (
        ("eq", {value}),
        ("ne", {"other", f"-{value}-"}),
        ("contains", {value, f"-{value}-"}),
        ("starts_with", {value}),
    ):
        body: dict[str, object] = {
            "parameters": ["custom_events"],
            "startDate": DAY[0],
            "endDate": DAY[1],
            "filters": [{"field": "event_name", "op": operator, "value": value}],
        }
        (entry,) = world.entries(body, (site,))
        assert {row["name"] for row in entry.data} == found, operator


@each("field", [*HOSTILE, "visitor", "site", "id", "PATH", "path ", "events.path", "href"])
def test_a_field_that_is_not_allowed_is_dropped_and_said(world: World, field: str) -> None:
    filters = [{"field": field, "op": "eq", "value": "x"}]
    body: dict[str, object] = {
        "parameters": ["summary_totals"],
        "startDate": DAY[0],
        "endDate": DAY[1],
        "filters": filters,
    }
    (entry,) = world.entries(body, world.new_sites(1))
    assert entry.success
    assert entry.ignoredFilters == (field,)


@each("sort_by", [text[:64] for text in HOSTILE] + ["bucket", "m_visitors", "random()", "1"])
def test_only_named_fields_can_be_sorted_by(world: World, sort_by: str) -> None:
    body: dict[str, object] = {"parameters": ["top_pages"], "startDate": DAY[0], "endDate": DAY[1], "sortBy": sort_by}
    (entry,) = world.entries(json.loads(json.dumps(body)), world.new_sites(1))
    assert not entry.success
    assert entry.data == []
    assert str(entry.error).startswith("Cannot sort by")


@pytest.mark.parametrize(
    ("operator", "wanted", "found"),
    [
        ("contains", "ow", True),
        ("starts_with", "sho", True),
        ("ends_with", "show", True),
        ("ends_with", "", True),
        ("regex", "^s.ow$", True),
        ("contains", "value", False),
        ("not_contains", "ow", False),
    ],
)
def test_long_lists_find_the_same_as_short_ones(world: World, operator: str, wanted: str, *, found: bool) -> None:
    """However many they are, the statement stays within what SQLite takes: 1,000 deep and 32,766 parameters."""
    (site,) = world.new_sites(1)
    noon = at(2026, 6, 17, 12)
    world.store([Happening(site, noon, noon, "custom", person=1, name="show")])
    others = [f"other{number}" for number in range(10 if operator == "regex" else 900)]
    for values in ([wanted], [*others, wanted]):
        body: dict[str, object] = {
            "parameters": ["custom_events"],
            "startDate": DAY[0],
            "endDate": DAY[1],
            "filters": [{"field": "event_name", "op": operator, "value": values}] * (1 if operator == "regex" else 45),
        }
        (entry,) = world.entries(body, (site,), both=is_for_both(body))
        assert entry.success
        assert bool(entry.data) == found


@pytest.mark.parametrize(
    "filters",
    [
        [{"field": "path", "op": "regex", "value": r"\pL{300}"}],  # 5 MB, and 150 ms to compile
        [{"field": "path", "op": "regex", "value": [str(number) for number in range(21)]}],
        [{"any": [{"field": "path", "op": "regex", "value": "a"}] * 11}] * 2,
        [{"any": [{"all": [{"field": "path", "op": "is_set"}] * 50}] * 3}],
        [{"all": [{"any": [{"field": "path", "op": "is_set"}] * 50}, {"field": "path", "op": "is_set"}]}] * 2,
    ],
)
def test_filters_that_cost_much_are_refused(filters: list[dict[str, object]]) -> None:
    with pytest.raises(InvalidQuery):
        check_filters(msgspec.convert(filters, list[QueryFilterInput]), "")


def test_patterns_are_part_of_the_question_for_which_they_are_compiled_once() -> None:
    """A pattern that came out of a list would be compiled for each text that it is held against."""
    many = tuple(str(number) for number in range(20))
    assert "exists (" not in statement("top_pages", "path", "regex", many)
    assert "exists (" in statement("top_pages", "path", "contains", many)


def test_a_search_for_patterns_ends_in_time_whatever_each_of_them_takes(world: World) -> None:
    (site,) = world.new_sites(1)
    noon = at(2026, 6, 17, 12)
    world.store([Happening(site, noon, noon, "custom", person=1, name="show")])
    wanted = FilterCondition("name", "regex", ("o",), negated=False)
    plan = QueryPlan("events", (site,), 0, 2 * noon, measures=("pageviews",), where=(wanted,))
    assert world.db.read_now(lambda db: sqlite.run_plan(db, plan, seconds=30))
    with pytest.raises(DeadlineExceeded):
        world.db.read_now(lambda db: sqlite.run_plan(db, plan, seconds=-1))
