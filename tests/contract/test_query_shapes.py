"""The shapes of good answers: spec 2.3, 2.4, 2.8 and 2.9, wire 3.5 and 3.6."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest

from analytics_box.query.catalog import registry
from analytics_box.query.ranges import PRESETS, Preset
from tests.contract.conftest import unlimited
from tests.inprocess import NOON, WholeBox, whole_box

SPECIFIED_TYPES = ("summary_metrics", "top_pages", "traffic_sources", "browser_name", "os_name")  # spec 2.4
COMMON_FILTERS = {"country", "device_type", "browser_name", "os_name", "path", "referrer"}  # spec 2.7


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    """A box whose shop had one visit with one custom event."""
    with whole_box(tmp_path_factory.mktemp("visited") / "data", adjust=unlimited) as box:
        view = {"type": "track", "name": "screen_view", "path": "https://shop.example/cart"}
        assert box.post(f"/?client_id={box.sites['shop']}", view).status == 200
        event = {"name": "buy", "properties": {"plan": "pro"}, "path": "/cart"}
        assert box.post(f"/track?website_id={box.sites['shop']}", event).status == 200
        yield box


def test_an_answer_has_the_specified_fields_and_no_other(visited: WholeBox) -> None:  # spec 2.9
    asked = {"id": "q1", "parameters": ["summary_metrics"], "preset": "today", "limit": 7, "page": 1}
    answer = visited.query("shop", asked)
    assert answer.status == 200
    assert answer.json == {
        "success": True,
        "requestId": answer.headers["x-request-id"],
        "queryId": "q1",
        "data": [
            {
                "parameter": "summary_metrics",
                "success": True,
                "data": [
                    {
                        "date": "2026-06-17",
                        "pageviews": 1,
                        "visitors": 1,
                        "sessions": 1,
                        "unique_visitors": 1,
                        "bounce_rate": 0,
                        "median_session_duration": 0,
                        "total_events": 2,
                    }
                ],
            }
        ],
        "meta": {
            "parameters": ["summary_metrics"],
            "total_parameters": 1,
            "page": 1,
            "limit": 7,
            "filters_applied": 0,
        },
    }


def test_a_batch_has_results_and_no_data_of_its_own(visited: WholeBox) -> None:  # spec 2.9 and 4 rule 6
    one = {"id": "a", "parameters": ["summary_totals"], "preset": "today"}
    other = {"parameters": ["top_pages", "os_name"], "preset": "today", "filters": [browser("Firefox")]}
    answer = visited.query("shop", [one, other])
    assert set(answer.json) == {"success", "requestId", "batch", "results"}
    assert answer.json["success"] is answer.json["batch"] is True
    first, second = answer.json["results"]
    assert set(first) == set(second) == {"queryId", "data", "meta"}
    assert (first["queryId"], second["queryId"]) == ("a", "")
    assert [entry["parameter"] for entry in second["data"]] == ["top_pages", "os_name"]
    assert second["meta"]["filters_applied"] == 1


def test_parameters_are_labelled_by_their_id_and_failed_ones_come_last(visited: WholeBox) -> None:  # wire 3.3, 3.5
    parameters: list[Any] = [
        "nonsense",
        {"name": "top_pages", "id": "pages", "start_date": "2026-06-18", "end_date": "2026-06-17"},
        {"name": "summary_metrics", "id": "by hour", "granularity": "hourly"},
        {"name": "summary_metrics", "start_date": "2026-06-15", "end_date": "2026-06-16"},
    ]
    answer = visited.query("shop", {"parameters": parameters, "preset": "today"}).json
    assert answer["success"] is True  # spec 4 rule 5
    assert [(entry["parameter"], entry["success"]) for entry in answer["data"]] == [
        ("by hour", True),
        ("summary_metrics", True),
        ("nonsense", False),
        ("pages", False),
    ]
    assert len(answer["data"][0]["data"]) == 24
    assert answer["data"][0]["data"][12]["date"] == "2026-06-17 12:00:00"
    assert [row["date"] for row in answer["data"][1]["data"]] == ["2026-06-15", "2026-06-16"]
    assert answer["data"][2]["error"] == "Unknown query type: nonsense"
    assert answer["data"][3]["error"] == "Invalid parameter date range"
    assert answer["data"][2]["data"] == answer["data"][3]["data"] == []
    assert answer["meta"]["parameters"] == ["nonsense", "pages", "by hour", "summary_metrics"]
    assert answer["meta"]["total_parameters"] == 4


def test_a_filter_that_a_type_does_not_allow_is_said_beside_its_rows(visited: WholeBox) -> None:  # wire 0
    filters = [browser("Firefox"), {"field": "message", "op": "eq", "value": "x"}]
    answer = visited.query("shop", {"parameters": ["summary_totals"], "preset": "today", "filters": filters}).json
    assert answer["data"][0]["ignoredFilters"] == ["message"]
    assert answer["data"][0]["data"][0]["pageviews"] == 1
    assert answer["meta"]["filters_applied"] == 2


def test_the_page_after_the_last_is_empty(visited: WholeBox) -> None:  # spec 4 rule 7
    answer = visited.query("shop", {"parameters": ["top_pages"], "preset": "today", "page": 2}).json
    assert answer["data"][0]["data"] == []
    assert answer["meta"]["page"] == 2
    assert answer["meta"]["limit"] == 100  # spec 8


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_gives_its_days(visited: WholeBox, preset: Preset) -> None:  # spec 2.8
    today = date(2026, 6, 17)
    first, last = {
        "today": (0, 0),
        "yesterday": (1, 1),
        "last_7d": (6, 0),
        "last_14d": (13, 0),
        "last_30d": (29, 0),
        "last_90d": (89, 0),
        "this_week": (3, 0),
        "last_week": (10, 4),
        "this_month": (16, 0),
        "last_month": (47, 17),
        "this_year": (167, 0),
    }[preset]
    body = {"parameters": ["summary_metrics"], "preset": preset, "limit": 10_000}
    rows = visited.query("shop", body).json["data"][0]["data"]
    expected = [(today - timedelta(days=back)).isoformat() for back in range(first, last - 1, -1)]
    assert [row["date"] for row in rows] == expected


def test_a_preset_goes_before_dates(visited: WholeBox) -> None:  # wire 0
    body = {"parameters": ["summary_metrics"], "preset": "today", "startDate": "2020-01-01", "endDate": "nonsense"}
    assert [row["date"] for row in visited.query("shop", body).json["data"][0]["data"]] == ["2026-06-17"]


@pytest.mark.parametrize(
    ("parameter", "field", "day"),
    [
        ("", None, "2026-06-17"),
        ("", "Pacific/Kiritimati", "2026-06-18"),
        ("&timezone=Pacific/Kiritimati", None, "2026-06-18"),
        ("&timezone=Pacific/Kiritimati", "UTC", "2026-06-18"),
        ("&timezone=Nowhere/City", None, "2026-06-17"),
    ],
)
def test_the_zone_comes_from_the_address_then_from_the_body(
    visited: WholeBox, parameter: str, field: str | None, day: str
) -> None:  # wire 0
    body = {"parameters": ["summary_metrics"], "preset": "today", "timeZone": field}
    answer = visited.post(f"/v1/query?website_id={visited.sites['shop']}{parameter}", body, key="all")
    assert answer.json["data"][0]["data"][0]["date"] == day


def test_types_lists_all_types_with_their_configuration(visited: WholeBox) -> None:  # spec 2.4 and 4
    answer = visited.get("/v1/query/types").json
    assert set(answer) == {"success", "requestId", "types", "configs", "presets"}
    assert set(SPECIFIED_TYPES) <= set(answer["types"])
    assert list(answer["configs"]) == answer["types"]
    assert answer["presets"] == list(PRESETS)
    for config in answer["configs"].values():
        assert set(config) == {"allowedFilters", "customizable", "defaultLimit", "publicAccess"}
        assert all(isinstance(field, str) for field in config["allowedFilters"])
        assert isinstance(config["customizable"], bool)
        assert isinstance(config["defaultLimit"], int)


@pytest.mark.parametrize("name", SPECIFIED_TYPES)
def test_the_filters_of_the_specification_are_allowed(visited: WholeBox, name: str) -> None:  # spec 2.7
    allowed = set(visited.get("/v1/query/types").json["configs"][name]["allowedFilters"])
    assert allowed >= COMMON_FILTERS


@pytest.mark.parametrize(
    ("query", "there"),
    [("include_meta=true", True), ("include_meta=1", False), ("include_meta=false", False), ("include_meta=", False)],
)
def test_meta_is_there_only_when_asked_for(visited: WholeBox, query: str, there: bool) -> None:  # wire 3.6
    for name, config in visited.get(f"/v1/query/types?{query}").json["configs"].items():
        assert ("meta" in config) == there
        if there:
            meta = config["meta"]
            assert isinstance(meta["description"], str)
            assert meta["outputFields"] == [output.name for output in registry.TYPES[name].outputs]
            assert [field["name"] for field in meta["output_fields"]] == meta["outputFields"]
            assert meta["sortable"] == [field for field in meta["outputFields"] if field in meta["sortable"]] != []
            assert meta["default_visualization"] in {"table", "timeseries", "bar", "pie", "metric", "area", "line"}


def test_a_website_item_has_the_specified_fields(visited: WholeBox) -> None:  # spec 2.3
    answer = visited.get("/v1/query/websites", x_api_key=visited.keys["all"]).json
    assert set(answer) == {"success", "requestId", "websites", "total"}
    for website in answer["websites"]:
        assert set(website) == {"id", "name", "domain", "isPublic", "createdAt"}
        assert re.fullmatch(r"2026-06-17T12:00:00\.00\dZ", website["createdAt"])
    blog = next(website for website in answer["websites"] if website["name"] == "Blog")
    assert (blog["id"], blog["domain"], blog["isPublic"]) == (visited.sites["blog"], "blog.example", True)
    assert visited.clock.now() == NOON


def browser(name: str) -> dict[str, str]:
    return {"field": "browser_name", "op": "eq", "value": name}
