"""Each field of a query does what the specification says of it (spec 2.5 to 2.8, wire 2.1 and 3.3)."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.cases import each
from tests.contract.conftest import unlimited
from tests.inprocess import WholeBox, whole_box

# Visits of one day, an hour apart: path, browser, place it came from.
VISITS = (
    ("/", "Firefox", ""),
    ("/a", "Firefox", "https://www.google.com/"),
    ("/a/b", "Chrome", "https://news.example/"),
    ("/100%", "Chrome", ""),
    ("/a", "Chrome", "https://t.co/x"),
)
AGENTS = {
    "Firefox": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Chrome": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0"
    " Safari/537.36",
}


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("fields") / "data", adjust=unlimited) as box:
        for number, (path, browser, referrer) in enumerate(VISITS):
            box.clock.advance(seconds=3_600)
            view = {"name": "screen_view", "path": f"https://shop.example{path.replace('%', '%25')}"}
            view |= {"anonymousId": f"a{number}", "referrer": referrer}
            answer = box.post(f"/?client_id={box.sites['shop']}", view, user_agent=AGENTS[browser])
            assert answer.status == 200, answer.json
        yield box


def ask(box: WholeBox, **more: Any) -> Any:
    """The one entry of an answer."""
    body = {"parameters": ["top_pages"], "preset": "today"} | more
    answer = box.query("shop", {name: value for name, value in body.items() if value is not None})
    assert answer.status == 200, answer.json
    (entry,) = answer.json["data"]
    return entry


def paths(box: WholeBox, **more: Any) -> list[str]:
    entry = ask(box, **more)
    assert entry["success"], entry
    return [row["path"] for row in entry["data"]]


ALL = {"/", "/a", "/a/b", "/100%"}
FILTERS: tuple[tuple[str, str, Any, set[str]], ...] = (
    # spec 2.7
    ("path", "eq", "/a", {"/a"}),
    ("path", "ne", "/a", ALL - {"/a"}),
    ("path", "contains", "a", {"/a", "/a/b"}),
    ("path", "not_contains", "a", {"/", "/100%"}),
    ("path", "starts_with", "/a", {"/a", "/a/b"}),
    ("path", "in", ["/", "/a"], {"/", "/a"}),
    ("path", "not_in", ["/", "/a"], {"/a/b", "/100%"}),
    # wire 2.2
    ("path", "eq", ["/", "/a"], {"/", "/a"}),
    ("path", "ne", ["/", "/a"], {"/a/b", "/100%"}),
    ("path", "in", "/a", {"/a"}),
    ("path", "not_in", "/a", ALL - {"/a"}),
    ("path", "contains", "0%", {"/100%"}),
    ("path", "contains", "_", set()),
    ("path", "contains", "\\", set()),
    ("path", "starts_with", "%", set()),
    ("path", "contains", 100, {"/100%"}),
    ("path", "in", [100, "/a"], {"/a"}),
    ("path", "eq", "/a/", {"/a"}),
    ("device_type", "eq", "DESKTOP", ALL),
    ("device_type", "eq", "mobile", set()),
    ("browser_name", "eq", "Firefox", {"/", "/a"}),
    ("os_name", "in", ["Windows"], {"/a/b", "/100%", "/a"}),
    ("country", "eq", "Unknown", ALL),
    ("referrer", "eq", "direct", {"/", "/100%"}),
    ("referrer", "eq", "google", {"/a"}),
    ("referrer", "eq", "https://google.com", {"/a"}),
    ("referrer", "eq", "news.example", {"/a/b"}),
    ("referrer", "in", ["twitter", "x"], {"/a"}),
    ("referrer", "eq", "t.co", {"/a"}),
)


@each(("field", "op", "value", "expected"), FILTERS)
def test_a_filter_finds_what_it_says(visited: WholeBox, field: str, op: str, value: Any, expected: set[str]) -> None:
    assert set(paths(visited, filters=[{"field": field, "op": op, "value": value}])) == expected


def test_all_filters_must_hold(visited: WholeBox) -> None:
    wanted = [{"field": "path", "op": "eq", "value": "/a"}, {"field": "browser_name", "op": "eq", "value": "Chrome"}]
    (row,) = ask(visited, filters=wanted)["data"]
    assert (row["path"], row["pageviews"], row["visitors"]) == ("/a", 1, 1)


@pytest.mark.parametrize("extra", [{"having": True}, {"target": "cte"}, {"nonsense": 1}])
def test_keys_of_a_filter_that_are_not_known_here_do_nothing(visited: WholeBox, extra: dict[str, Any]) -> None:
    assert paths(visited, filters=[{"field": "path", "op": "eq", "value": "/a", **extra}]) == ["/a"]


@pytest.mark.parametrize("extra", [{"groupBy": ["country"]}, {"nonsense": {"a": 1}}])
def test_fields_of_a_query_that_are_not_known_here_do_nothing(visited: WholeBox, extra: dict[str, Any]) -> None:
    assert paths(visited, **extra) == paths(visited)


@pytest.mark.parametrize(
    ("name", "rows", "label"),
    [
        ("hourly", 24, "2026-06-17 00:00:00"),
        ("hour", 24, "2026-06-17 00:00:00"),
        ("daily", 1, "2026-06-17"),
        ("day", 1, "2026-06-17"),
        (None, 1, "2026-06-17"),
    ],
)
def test_granularity_makes_hours_or_days(visited: WholeBox, name: str | None, rows: int, label: str) -> None:
    of_request = ask(visited, parameters=["events_by_date"], granularity=name)["data"]
    of_parameter = ask(visited, parameters=[{"name": "events_by_date", "granularity": name}])["data"]
    assert of_request == of_parameter
    assert (len(of_request), of_request[0]["date"]) == (rows, label)
    assert sum(row["pageviews"] for row in of_request) == len(VISITS)


def test_a_parameter_has_its_own_granularity_before_the_requests(visited: WholeBox) -> None:  # spec 2.6
    parameters = [{"name": "events_by_date", "granularity": "daily"}]
    assert len(ask(visited, parameters=parameters, granularity="hourly")["data"]) == 1


def test_hours_go_as_far_as_thirty_days(visited: WholeBox) -> None:  # spec 8
    assert (
        len(ask(visited, parameters=["events_by_date"], preset="last_30d", granularity="hour", limit=800)["data"])
        == 720
    )


@pytest.mark.parametrize(
    ("start", "end"),
    [("2026-06-17", "2026-06-17"), ("2026-06-17T23:00:00Z", "2026-06-17T01:00:00.000Z"), ("2026-06-01", "2026-06-30")],
)
def test_a_range_is_whole_days(visited: WholeBox, start: str, end: str) -> None:  # spec 2.5, wire 3.3
    assert set(paths(visited, preset=None, startDate=start, endDate=end)) == ALL


@pytest.mark.parametrize(
    ("dates", "days"),
    [
        ({"start_date": "2026-06-16", "end_date": "2026-06-17"}, 2),
        ({"start_date": "2026-06-15"}, 3),
        ({"end_date": "2026-06-17"}, 1),
    ],
)
def test_a_parameter_has_its_own_days_before_the_requests(
    visited: WholeBox, dates: dict[str, str], days: int
) -> None:  # spec 2.6
    assert len(ask(visited, parameters=[{"name": "events_by_date", **dates}])["data"]) == days


def test_a_query_whose_parameters_all_bring_their_days_needs_none(visited: WholeBox) -> None:
    own = {"name": "top_pages", "start_date": "2026-06-17", "end_date": "2026-06-17"}
    assert set(paths(visited, parameters=[own], preset=None)) == ALL


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"sortBy": "name", "sortOrder": "asc"}, ["/", "/100%", "/a", "/a/b"]),
        ({"sortBy": "name", "sortOrder": "desc"}, ["/a/b", "/a", "/100%", "/"]),
        ({"sortBy": "name"}, ["/a/b", "/a", "/100%", "/"]),  # wire 0
        ({"sortBy": "pageviews", "sortOrder": "asc"}, ["/", "/100%", "/a/b", "/a"]),
        ({"sortOrder": "asc"}, ["/a", "/", "/100%", "/a/b"]),  # of nothing
    ],
)
def test_rows_are_sorted(visited: WholeBox, more: dict[str, str], expected: list[str]) -> None:
    assert paths(visited, **more) == expected


@pytest.mark.parametrize("field", ["nonsense", "stack", "name; drop table events", "1", "__class__"])
def test_a_field_that_cannot_be_sorted_by_fails_its_parameter(visited: WholeBox, field: str) -> None:  # wire 2.4
    entry = ask(visited, sortBy=field, sortOrder="asc")
    known = "name, pageviews, visitors, percentage, path"
    refusal = f"Cannot sort by {field}; top_pages sorts by {known}"
    assert (entry["success"], entry["error"], entry["data"]) == (False, refusal, [])


@pytest.mark.parametrize(
    ("limit", "page", "expected"),
    [
        (2, 1, ["/a", "/"]),
        (2, 2, ["/100%", "/a/b"]),
        (2, 3, []),
        (3, 2, ["/a/b"]),
        (10_000, 1, ["/a", "/", "/100%", "/a/b"]),
    ],
)
def test_pages_cut_the_rows_and_never_overlap(visited: WholeBox, limit: int, page: int, expected: list[str]) -> None:
    assert paths(visited, limit=limit, page=page) == expected
