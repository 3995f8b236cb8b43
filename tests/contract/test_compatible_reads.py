"""Plausible's and Umami's read APIs give the figures of our own query types in these products' formats."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.cases import each
from tests.contract.conftest import unlimited
from tests.inprocess import NOON, Answer, WholeBox, whole_box

UUID = "0e2f6a4c-8a1d-4f0e-9c55-1d2b3a4c5d6e"
HOUR, DAY = 3_600_000, 86_400_000
NOW, FIRST, TODAY = NOON + 40 * DAY, "2026-07-21", "2026-07-27"
# Visitor, hours before noon, path, referrer, and a custom event that follows.
VISITS = (
    ("emil", 24 * 40, "/", "", ""),
    ("dora", 50, "/blog/one", "https://news.ycombinator.com/", ""),
    ("cleo", 26, "/", "https://www.google.com/", "Signup"),
    ("cleo", 26, "/blog/one", "", ""),
    ("ben", 2, "/pricing?utm_source=news&utm_medium=email", "", ""),
    ("anna", 1, "/", "https://www.google.com/", ""),
    ("anna", 1, "/pricing", "", "Signup"),
)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("reads") / "data", adjust=unlimited) as made:
        changed = {"id": made.sites["shop"], "settings": {"aliases": ["old.example", UUID]}}
        assert made.post("/websites/updateSettings", changed, key="all").status == 200
        for at, (visitor, hours, path, referrer, event) in enumerate(VISITS):
            made.clock.advance(seconds=(NOW - hours * HOUR + at * 60_000 - made.clock.now()) / 1000)
            sent = {
                "anonymousId": f"anon_{visitor}",
                "sessionId": f"s_{visitor}",
                "path": f"https://shop.example{path}",
            }
            for name in ("screen_view", event):
                if name:
                    one = {"type": "track", "name": name, "referrer": referrer or None} | sent
                    answer = made.post(f"/?client_id={made.sites['shop']}", one)
                    assert answer.status == 200, answer.body
        made.clock.advance(seconds=(NOW - made.clock.now()) / 1000)
        yield made


def plausible(box: WholeBox, **asked: Any) -> Answer:
    body = {"site_id": "old.example", "metrics": ["visitors"], "date_range": [FIRST, TODAY]} | asked
    return box.post("/api/v2/query", body, authorization=f"Bearer {box.keys['reading']}")


def rows(box: WholeBox, **asked: Any) -> list[tuple[list[str], list[float]]]:
    answer = plausible(box, **asked)
    assert answer.status == 200, answer.body
    return [(row["dimensions"], row["metrics"]) for row in answer.json["results"]]


def get(box: WholeBox, path: str, header: str = "authorization", /, **parameters: Any) -> Answer:
    key = box.keys["reading"]
    sent = {header: f"Bearer {key}" if header == "authorization" else key}
    query = "&".join(f"{name}={value}" for name, value in parameters.items())
    return box.get(f"{path}?{query}", **sent)


def umami(box: WholeBox, path: str, /, **parameters: Any) -> Any:
    given = {"startAt": NOW - 12 * HOUR - 6 * DAY, "endAt": NOW + 12 * HOUR - 1} | parameters
    answer = get(box, f"/api/websites/{UUID}/{path}", "x_umami_api_key", **given)
    assert answer.status == 200, answer.body
    return answer.json


def own(box: WholeBox, name: str, **asked: Any) -> list[dict[str, Any]]:
    given = {"parameters": [name], "startDate": FIRST, "endDate": TODAY} | asked
    found: list[dict[str, Any]] = box.query("shop", given, key="reading").json["data"][0]["data"]
    return found


def test_totals_of_plausible_are_those_of_the_summary(box: WholeBox) -> None:
    (summary,) = own(box, "summary_totals")
    metrics = ["visitors", "visits", "pageviews", "events", "bounce_rate", "views_per_visit", "visit_duration"]
    answer = plausible(box, metrics=metrics)
    (row,) = answer.json["results"]
    assert row["dimensions"] == []
    found = dict(zip(metrics, row["metrics"], strict=True))
    assert found["visitors"] == summary["visitors"] == 4
    assert found["visits"] == summary["sessions"]
    assert (found["pageviews"], found["events"]) == (summary["pageviews"], summary["total_events"]) == (6, 8)
    assert found["bounce_rate"] == round(summary["bounce_rate"])
    assert found["views_per_visit"] == round(found["pageviews"] / found["visits"], 2)
    assert found["visit_duration"] > 0
    assert answer.json["query"]["date_range"] == [f"{FIRST}T00:00:00+00:00", f"{TODAY}T23:59:59+00:00"]
    assert answer.json["query"]["order_by"] == [["visitors", "desc"]]
    assert answer.json["meta"] == {}


@each(
    ("dimension", "name"),
    [
        ("event:page", "top_pages"),
        ("visit:channel", "channels"),
        ("visit:browser", "browser_name"),
        ("visit:os", "os_name"),
        ("visit:entry_page", "entry_pages"),
        ("visit:exit_page", "exit_pages"),
    ],
)
def test_breakdown_of_plausible_is_that_of_our_query_type(box: WholeBox, dimension: str, name: str) -> None:
    found = {label: visitors for [label], [visitors] in rows(box, dimensions=[dimension])}
    assert found == {row["name"].replace("Unknown", "(not set)"): row["visitors"] for row in own(box, name)}
    assert found


def test_sources_and_campaigns_have_plausibles_names(box: WholeBox) -> None:
    found = rows(box, dimensions=["visit:source"], metrics=["visitors", "visits", "percentage"])
    assert found[0][0] == ["Google"]
    assert found[0][1] == [2, 2, 50]
    assert {label for [label], _ in found} == {"Google", "Hacker News", "news"}
    assert (["news", "email"], [1]) in rows(box, dimensions=["visit:utm_source", "visit:utm_medium"])
    names = {label: number for [label], [number] in rows(box, dimensions=["event:name"], metrics=["events"])}
    assert names == {"pageview": 6, "Signup": 2}


def test_days_without_visits_are_labels_and_no_rows(box: WholeBox) -> None:
    answer = plausible(box, dimensions=["time:day"], metrics=["pageviews"], include={"time_labels": True})
    series = {row["date"]: row["pageviews"] for row in own(box, "summary_metrics")}
    assert answer.json["meta"]["time_labels"] == list(series)
    assert {row["dimensions"][0]: row["metrics"][0] for row in answer.json["results"]} == {
        day: number for day, number in series.items() if number
    }


@each(
    ("dimension", "date_range", "labels"),
    [
        ("time:month", ["2026-05-03", TODAY], ["2026-06-01", "2026-07-01"]),
        ("time:week", ["2026-05-03", TODAY], ["2026-06-15", "2026-07-20", TODAY]),
        ("time", "day", [f"{TODAY} 10:00:00", f"{TODAY} 11:00:00"]),
        ("time:month", "all", ["2026-06-01", "2026-07-01"]),
    ],
)
def test_buckets_of_plausible_have_its_labels(
    box: WholeBox, dimension: str, date_range: Any, labels: list[str]
) -> None:
    assert [label for [label], _ in rows(box, dimensions=[dimension], date_range=date_range)] == labels


@each(
    ("date_range", "visitors"),
    [
        ("day", 2),
        ("7d", 2),
        ("1d", 1),
        ("month", 4),
        ("year", 5),
        ("6mo", 1),
        ("all", 5),
        (["2026-07-26T09:00:00Z", "2026-07-26T10:59:59Z"], 1),
        (["2026-07-26T11:00:00Z", f"{TODAY}T09:00:00Z"], 0),
    ],
)
def test_ranges_of_plausible_have_its_days(box: WholeBox, date_range: Any, visitors: int) -> None:
    assert rows(box, date_range=date_range) == [([], [visitors])]


@each(
    ("filters", "visitors"),
    [
        ([["is", "event:page", ["/pricing"]]], 2),
        ([["is", "event:page", ["/pricing", "/blog/one"]]], 4),
        ([["contains", "event:page", ["blog"]]], 2),
        ([["matches", "event:page", ["^/b.*e$"]]], 2),
        ([["is", "event:name", ["Signup"]]], 2),
        ([["is", "visit:source", ["Google"]], ["is_not", "event:page", ["/"]]], 2),
        ([["or", [["is", "visit:utm_source", ["news"]], ["is", "visit:source", ["Hacker News"]]]]], 2),
        ([["not", ["or", [["is", "visit:utm_source", ["news"]], ["is", "visit:source", ["Hacker News"]]]]]], 2),
        ([["is", "visit:country", ["DE"]]], 0),
    ],
)
def test_filters_of_plausible_select_visitors(box: WholeBox, filters: Any, visitors: int) -> None:
    assert rows(box, filters=filters) == [([], [visitors])]


def test_rows_of_plausible_are_ordered_and_paged(box: WholeBox) -> None:
    every = rows(box, dimensions=["event:page"], metrics=["pageviews"], order_by=[["event:page", "asc"]])
    assert [label for [label], _ in every] == ["/", "/blog/one", "/pricing"]
    answer = plausible(
        box, dimensions=["event:page"], pagination={"limit": 1, "offset": 1}, include={"total_rows": True}
    )
    assert len(answer.json["results"]) == 1
    assert answer.json["meta"] == {"total_rows": 3}
    first = rows(box, dimensions=["event:page"], pagination={"limit": 2})
    assert first == rows(box, dimensions=["event:page"])[:2]


@each(
    "asked",
    [
        {"metrics": []},
        {"metrics": ["conversion_rate"]},
        {"metrics": ["percentage"]},
        {"dimensions": ["event:goal"]},
        {"dimensions": ["event:props:plan"]},
        {"dimensions": ["event:page"], "metrics": ["bounce_rate"]},
        {"dimensions": ["visit:city"]},
        {"dimensions": ["event:page", "time:day"]},
        {"date_range": "yesterday"},
        {"date_range": [TODAY]},
        {"filters": [["is", "event:goal", ["Signup"]]]},
        {"filters": [["has_done", ["is", "event:page", ["/"]]]]},
        {"filters": [["not", ["matches", "event:page", ["x"]]]]},
        {"filters": [["contains", "event:page", ["x"], {"case_sensitive": False}]]},
        {"filters": [["is", "event:page", []]]},
        {"order_by": [["visits", "desc"]]},
        {"pagination": {"limit": 0}},
        {"include": {"time_labels": True}},
        {"date_range": "91d", "dimensions": ["time:hour"]},
        {"metrics": ["visits"], "dimensions": ["visit:exit_page", "visit:source"]},
    ],
)
def test_query_that_cannot_be_answered_exactly_is_refused(box: WholeBox, asked: Any) -> None:
    answer = plausible(box, **asked)
    assert answer.status == 400, answer.body
    assert answer.json["error"]


def test_deep_filters_are_refused(box: WholeBox) -> None:
    item: Any = ["is", "event:page", ["/"]]
    for _ in range(200):
        item = ["not", item]
    assert plausible(box, filters=[item]).status == 400


def test_unknown_fields_of_a_query_are_refused(box: WholeBox) -> None:
    assert plausible(box, include={"comparisons": {}}).status == 422


@each(("key", "status"), [("all", 200), ("reading", 200), ("tracking", 403), ("elsewhere", 403), ("foreign", 403)])
def test_website_is_read_with_a_key_of_its_own(box: WholeBox, key: Any, status: int) -> None:
    body = {"site_id": "old.example", "metrics": ["visitors"], "date_range": "day"}
    headers = {"authorization": f"Bearer {box.keys[key]}"}
    assert box.post("/api/v2/query", body, authorization=headers["authorization"]).status == status
    times = f"startAt={NOW - DAY}&endAt={NOW}"
    assert box.get(f"/api/websites/{box.sites['shop']}/stats?{times}", **headers).status == status
    assert box.get("/api/v1/stats/realtime/visitors?site_id=old.example", **headers).status == status


def test_public_website_is_not_read_without_a_key(box: WholeBox) -> None:
    for path in ("/api/v1/stats/aggregate?site_id=old.example", f"/api/websites/{UUID}/active"):
        assert box.get(path).status == 401


@each("name", ["old.example", "www.old.example", UUID, "shop.example"])
def test_website_has_its_aliases_and_its_domain_as_names(box: WholeBox, name: str) -> None:
    assert get(box, "/api/v1/stats/aggregate", site_id=name, period="day").json == {
        "results": {"visitors": {"value": 2}}
    }


def test_version_1_of_plausible_has_its_shapes(box: WholeBox) -> None:
    week = {"site_id": "old.example", "period": "7d"}
    totals = get(box, "/api/v1/stats/aggregate", **week, metrics="visitors,pageviews", compare="previous_period")
    assert totals.json == {
        "results": {"visitors": {"value": 4, "change": 100}, "pageviews": {"value": 6, "change": 100}}
    }
    series = get(box, "/api/v1/stats/timeseries", **week, metrics="pageviews").json["results"]
    assert series == [{"date": row["date"], "pageviews": row["pageviews"]} for row in own(box, "summary_metrics")]
    pages = get(box, "/api/v1/stats/breakdown", **week, property="event:page", limit=1, page=2).json["results"]
    assert pages == [{"page": "/blog/one", "visitors": 2}]
    filtered = get(box, "/api/v1/stats/aggregate", **week, filters="event:page==/blog*;visit:source!=Google")
    assert filtered.json == {"results": {"visitors": {"value": 1}}}
    assert get(box, "/api/v1/stats/realtime/visitors", site_id="old.example").json == 0
    for wrong in ({"metrics": "time_on_page"}, {"filters": "event:goal==x"}, {"period": "decade"}, {"other": "1"}):
        assert get(box, "/api/v1/stats/aggregate", **week | wrong).status == 400


def test_stats_of_umami_have_the_range_before(box: WholeBox) -> None:
    (summary,) = own(box, "summary_totals")
    found = umami(box, "stats")
    assert set(found) == {"pageviews", "visitors", "visits", "bounces", "totaltime", "comparison"}
    assert (found["pageviews"], found["visitors"], found["visits"]) == (6, 4, summary["sessions"])
    assert found["bounces"] == round(summary["bounce_rate"] * summary["sessions"] / 100)
    assert found["comparison"]["pageviews"] == 0
    hours = umami(box, "stats", startAt=NOW - 90 * 60_000, endAt=NOW)
    assert (hours["pageviews"], hours["visitors"], hours["visits"]) == (2, 1, 1)
    assert hours["comparison"]["pageviews"] == 1


def test_series_of_umami_has_every_bucket(box: WholeBox) -> None:
    found = umami(box, "pageviews", unit="day")
    series = own(box, "summary_metrics")
    assert found["pageviews"] == [{"x": f"{row['date']}T00:00:00Z", "y": row["pageviews"]} for row in series]
    assert found["sessions"] == [{"x": f"{row['date']}T00:00:00Z", "y": row["visitors"]} for row in series]
    berlin = umami(box, "pageviews", unit="hour", timezone="Europe/Berlin", startAt=NOW - 3 * HOUR, endAt=NOW)
    hours = [(row["x"][11:], row["y"]) for row in berlin["pageviews"]]
    assert hours == [("11:00:00", 0), ("12:00:00", 1), ("13:00:00", 2), ("14:00:00", 0)]


@each(
    ("kind", "expected"),
    [
        ("path", {"/": 2, "/pricing": 2, "/blog/one": 2}),
        ("entry", {"/": 2, "/pricing": 1, "/blog/one": 1}),
        ("event", {"Signup": 2}),
        ("referrer", {"google.com": 2, "news.ycombinator.com": 1, "news": 1}),
        ("browser", {"Firefox": 4}),
        ("utmMedium", {"email": 1}),
        ("country", {}),
    ],
)
def test_metrics_of_umami_are_visitors_by_value(box: WholeBox, kind: str, expected: dict[str, int]) -> None:
    assert {row["x"]: row["y"] for row in umami(box, "metrics", type=kind)} == expected


def test_expanded_metrics_of_umami_are_the_totals_of_visits(box: WholeBox) -> None:
    whole = umami(box, "stats")
    rows = umami(box, "metrics/expanded", type="channel")
    assert [row["visitors"] for row in rows] == sorted((row["visitors"] for row in rows), reverse=True)
    for name in ("pageviews", "visitors", "visits", "bounces", "totaltime"):
        assert sum(row[name] for row in rows) == whole[name], name
    assert umami(box, "metrics/expanded", type="channel", limit=1, offset=1) == rows[1:2]
    refused = get(box, f"/api/websites/{UUID}/metrics/expanded", "x_umami_api_key", type="path", startAt=1, endAt=NOW)
    assert refused.status == 400


def test_websites_of_umami_are_those_that_the_key_reads(box: WholeBox) -> None:
    answer = get(box, "/api/websites", "x_umami_api_key", pageSize=2).json
    own = box.post("/websites/list", {}, key="all").json
    assert (answer["count"], answer["page"], answer["pageSize"], len(answer["data"])) == (len(own), 1, 2, 2)
    following = get(box, "/api/websites", "x_umami_api_key", pageSize=2, page=2).json["data"]
    assert {one["id"] for one in answer["data"] + following} <= {one["id"] for one in own}
    [shop] = get(box, "/api/websites", "x_umami_api_key", search="SHOP").json["data"]
    assert (shop["id"], shop["domain"]) == (box.sites["shop"], "shop.example")
    restricted = box.get("/api/websites", x_api_key=box.keys["restricted"])
    assert restricted.status == 403 or len(restricted.json["data"]) == 1
    assert box.get("/api/websites").status == 401
    assert get(box, "/api/websites", "x_umami_api_key", pageSize=100_000).status == 400


def test_filters_of_umami_have_its_operators(box: WholeBox) -> None:
    assert umami(box, "stats", path="/pricing")["visitors"] == 2
    assert umami(box, "metrics", type="path", path="c.blog") == [{"x": "/blog/one", "y": 2}]
    assert umami(box, "metrics", type="path", limit=1, offset=1) == [{"x": "/blog/one", "y": 2}]
    assert umami(box, "active") == {"visitors": 0}


@each(
    ("path", "more"),
    [
        ("stats", {"startAt": ""}),
        ("stats", {"endAt": 0}),
        ("stats", {"segment": "x"}),
        ("metrics", {"type": "hostname"}),
        ("metrics", {"type": "path", "limit": "20000"}),
        ("pageviews", {"unit": "year"}),
        ("pageviews", {"compare": "prev"}),
    ],
)
def test_request_of_umami_that_cannot_be_answered_is_refused(box: WholeBox, path: str, more: Any) -> None:
    times = {"startAt": NOW - DAY, "endAt": NOW} | more
    answer = get(box, f"/api/websites/{UUID}/{path}", **times)
    assert answer.status == 400, answer.body
    assert answer.json["error"]
