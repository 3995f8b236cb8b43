"""No text of a request becomes part of a statement (security: SQL)."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics_box.query import catalog
from analytics_box.query.engines.sqlite import render
from analytics_box.query.filters import COLUMNS, Filter, Op, conditions
from analytics_box.query.plan import Plan
from tests.query.happenings import Happening, at
from tests.query.stage import Stage

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
DAY = ["2026-06-17", "2026-06-17"]


def statement(field: str, operator: Op, values: tuple[str, ...], grain: str) -> str:
    query_type = catalog.TYPES[
        "summary_totals" if field in catalog.TYPES["summary_totals"].filters else "custom_events"
    ]
    wanted, _ = conditions((Filter(field, operator, values),), query_type.filters)
    measures = query_type.sessions if grain == "sessions" else query_type.events
    dimension = query_type.dimension if grain == "events" else ""
    plan = Plan(
        grain="sessions" if grain == "sessions" else "events",
        sites=(1,),
        start=0,
        end=1,
        measures=measures or ("sessions",),
        dimension=dimension,
        order=query_type.order,
        conditions=wanted,
    )
    return render(plan).sql


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    field=st.sampled_from(sorted(COLUMNS)),
    operator=st.sampled_from(OPERATORS),
    value=st.one_of(st.text(), st.sampled_from(HOSTILE)),
    grain=st.sampled_from(("events", "sessions")),
)
def test_a_value_does_not_change_the_statement(field: str, operator: Op, value: str, grain: str) -> None:
    assert statement(field, operator, (value,), grain) == statement(field, operator, ("plain",), grain)


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_text_is_stored_and_found_as_itself_only(stage: Stage, value: str) -> None:
    (site,) = stage.new_sites(1)
    noon = at(2026, 6, 17, 12)
    for name in (value, "other", f"-{value}-"):
        stage.store([Happening(site, noon, noon, "custom", person=1, name=name)])
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
        (entry,) = stage.entries(body, (site,))
        assert {row["name"] for row in entry.data} == found, operator


@pytest.mark.parametrize("field", [*HOSTILE, "visitor", "site", "id", "PATH", "path ", "events.path", "profile_id"])
def test_a_field_that_is_not_allowed_is_dropped_and_said(stage: Stage, field: str) -> None:
    filters = [{"field": field, "op": "eq", "value": "x"}]
    body: dict[str, object] = {
        "parameters": ["summary_totals"],
        "startDate": DAY[0],
        "endDate": DAY[1],
        "filters": filters,
    }
    (entry,) = stage.entries(body, stage.new_sites(1))
    assert entry.success
    assert entry.ignoredFilters == (field,)


@pytest.mark.parametrize("sort_by", [text[:64] for text in HOSTILE] + ["bucket", "m_visitors", "random()", "1"])
def test_only_named_fields_can_be_sorted_by(stage: Stage, sort_by: str) -> None:
    body: dict[str, object] = {"parameters": ["top_pages"], "startDate": DAY[0], "endDate": DAY[1], "sortBy": sort_by}
    (entry,) = stage.entries(json.loads(json.dumps(body)), stage.new_sites(1))
    assert not entry.success
    assert entry.data == []
    assert str(entry.error).startswith("Cannot sort by")
