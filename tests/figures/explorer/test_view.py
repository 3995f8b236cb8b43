"""The query in an address: what it reads, what it writes, and the body that asks the same."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics_box.figures.explorer.view import TypedFilter, TypedQuery, address, body, parameters, read_query
from analytics_box.query.request import GivenQuery

PATH = "/sites/x/queries"
NAMES = (
    *("type", "range", "from", "to", "granularity", "zone", "match", "sort", "order", "limit", "page", "comparison"),
    *(f"{name}{at}" for name in ("field", "op", "value") for at in range(1, 12)),
)
ADDRESSES = st.dictionaries(
    st.sampled_from(NAMES), st.text(max_size=20) | st.sampled_from(["custom", "any", "asc", "1"])
)


@given(ADDRESSES)
def test_an_address_read_and_written_again_stays_the_same(query: dict[str, str]) -> None:
    tried = read_query(PATH, query)
    again = read_query(PATH, dict(parse_qsl(urlsplit(address(tried)).query)))
    assert again == tried
    assert parameters(again) == dict(parse_qsl(urlsplit(address(tried)).query))


@given(ADDRESSES)
def test_whatever_an_address_holds_the_body_is_json(query: dict[str, str]) -> None:
    msgspec.json.encode(body(read_query(PATH, query), "UTC"))


def test_the_address_of_nothing_is_the_page_itself() -> None:
    assert (
        address(read_query(PATH, {"range": "last_7d", "op1": "eq", "limit": "100", "page": "1", "order": "desc"}))
        == PATH
    )


def test_filters_without_field_and_value_are_left_out_and_the_rest_moves_up() -> None:
    tried = read_query(PATH, {"op1": "ne", "field3": "path", "op3": "contains", "value3": "a"})
    assert tried.filters == (TypedFilter("path", "contains", "a"),)
    assert parameters(tried) == {"field1": "path", "op1": "contains", "value1": "a"}


def test_own_dates_count_only_with_their_range() -> None:
    assert read_query(PATH, {"from": "2026-01-01", "to": "2026-01-02"}).first == ""
    assert read_query(PATH, {"range": "custom", "from": "2026-01-01", "to": "2026-01-02"}).last == "2026-01-02"


BODIES: list[tuple[dict[str, str], dict[str, Any]]] = [
    ({}, {"preset": "last_7d", "timeZone": "Europe/Berlin"}),
    ({"zone": "UTC", "range": "today"}, {"preset": "today", "timeZone": "UTC"}),
    (
        {"range": "custom", "from": "2026-01-01", "to": "2026-01-31", "granularity": "hourly"},
        {
            "startDate": "2026-01-01",
            "endDate": "2026-01-31",
            "granularity": "hourly",
            "timeZone": "Europe/Berlin",
        },
    ),
    (
        {"field1": "country", "op1": "in", "value1": "Germany, France,", "field2": "city", "op2": "is_set"},
        {
            "preset": "last_7d",
            "timeZone": "Europe/Berlin",
            "filters": [
                {"field": "country", "op": "in", "value": ["Germany", "France"]},
                {"field": "city", "op": "is_set"},
            ],
        },
    ),
    (
        {"field1": "country", "value1": "", "field2": "city", "value2": "Berlin", "match": "any"},
        {
            "preset": "last_7d",
            "timeZone": "Europe/Berlin",
            "filters": [
                {
                    "any": [
                        {"field": "country", "op": "eq", "value": ""},
                        {"field": "city", "op": "eq", "value": "Berlin"},
                    ]
                }
            ],
        },
    ),
    (
        {"sort": "visitors", "limit": "5", "page": "2", "comparison": "previous_year"},
        {
            "preset": "last_7d",
            "timeZone": "Europe/Berlin",
            "sortBy": "visitors",
            "sortOrder": "desc",
            "limit": 5,
            "page": 2,
            "comparison": "previous_year",
        },
    ),
]


@pytest.mark.parametrize(("query", "expected"), BODIES)
def test_the_body_asks_what_the_address_says(query: dict[str, str], expected: dict[str, Any]) -> None:
    made = body(read_query(PATH, {"type": "top_pages", **query}), "Europe/Berlin")
    assert made == {"parameters": ["top_pages"], **expected}
    msgspec.convert(made, GivenQuery)


def test_sorting_turns_round_and_goes_back_to_the_first_page() -> None:
    tried = TypedQuery(path=PATH, type="top_pages", page="3")
    assert tried.sorted_by("visitors") == f"{PATH}?type=top_pages&sort=visitors"
    assert TypedQuery(path=PATH, type="top_pages", sort="visitors").sorted_by("visitors").endswith("&order=asc")
    assert TypedQuery(path=PATH, sort="visitors", order="asc").sorted_by("visitors") == f"{PATH}?sort=visitors"
