"""What becomes of measurements, errors, clicks and visits of pages: rows of their own, with what their session has."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.clock import MINUTE
from tests.ingest.rows import count, rows
from tests.inprocess import NOON, WholeBox, whole_box

PAGE = "https://shop.example/pricing/?utm_source=letter&plan=pro"
WHO = {"path": PAGE, "anonymousId": "anon_1"}
VIEW = {**WHO, "name": "screen_view", "referrer": "https://www.google.com/", "utm_campaign": "spring"}


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as made:
        yield made


def send(box: WholeBox, path: str, body: Any) -> str:
    answer = box.post(f"{path}?client_id={box.sites['shop']}", body, origin="https://shop.example")
    assert answer.status == 200, answer.body
    return answer.headers["x-analytics-box"]


def test_vitals_have_the_number_of_their_metric_and_their_value(box: WholeBox) -> None:
    metrics = ("FCP", "LCP", "CLS", "INP", "TTFB", "FPS")
    items = [{**WHO, "metricName": name, "metricValue": 0.25 + place} for place, name in enumerate(metrics)]
    assert send(box, "/vitals", items) == "stored=6"
    assert rows(box, "vitals", "metric", "value") == [(place + 1, 0.25 + place) for place in range(6)]
    assert set(rows(box, "vitals", "path", "query_string", "time")) == {("/pricing", "plan=pro", NOON)}


def test_errors_keep_stack_lines_and_lose_invisible_characters(box: WholeBox) -> None:
    error = {
        **WHO,
        "message": "x\u0000 is\u202e not  a\nfunction",
        "filename": "https://shop.example/app.js",
        "lineno": 12,
        "colno": 100_001,
        "stack": "TypeError: x\n\u0007  at a (app.js:12)\r\n\n at b",
        "errorType": "TypeError",
    }
    assert send(box, "/errors", [error, {"message": "m" * 3000, "lineno": -1, "stack": "s" * 9000}]) == "stored=2"
    first, second = rows(box, "errors", "type", "message", "filename", "line", "position", "stack")
    assert first == (
        "TypeError",
        "x is not a function",
        "https://shop.example/app.js",
        12,
        100_000,
        "TypeError: x\nat a (app.js:12)\nat b",
    )
    assert second == ("Error", "m" * 2048, "", 0, 0, "s" * 4096)


def test_errors_with_one_cause_are_one_group_with_the_release_they_happened_in(box: WholeBox) -> None:
    errors = [{**WHO, "message": f"Order {number} failed", "release": release} for number, release in enumerate("123")]
    send(box, "/errors", [*errors, {**WHO, "message": "Cart failed", "release": "r" * 99}])
    first, *others, cart = rows(box, "errors", "fingerprint", "release")
    assert [*others, cart] == [(first[0], "2"), (first[0], "3"), (cart[0], "r" * 64)]
    assert cart[0] != first[0]


def test_vitals_keep_their_release(box: WholeBox) -> None:
    send(box, "/vitals", [{**WHO, "metricName": "LCP", "metricValue": 1, "release": "2026.47"}])
    send(box, "/", {**WHO, "type": "web_vitals", "lcp": 2, "release": "2026.48"})
    assert rows(box, "vitals", "value", "release") == [(1.0, "2026.47"), (2.0, "2026.48")]


def test_a_click_says_where_it_led(box: WholeBox) -> None:
    click = {
        **WHO,
        "type": "outgoing_link",
        "href": "https://www.Partner.example/a?b=c",
        "text": "  Our \u202epartner ",
    }
    assert send(box, "/", click) == "stored=1"
    assert rows(box, "outgoing_links", "href", "text", "domain", "path") == [
        ("https://www.Partner.example/a?b=c", "Our partner", "partner.example", "/pricing")
    ]


def test_a_visit_of_a_page_is_cut_to_its_limits(box: WholeBox) -> None:
    visit = {
        **WHO,
        "pageIndex": 3,
        "exitType": "hidden",
        "timeOnPage": 42_000.4,
        "activeTime": -7,
        "timeToFirstInteraction": 10**12,
        "maxScrollDepth": 133,
        "scrollCount": 70_000,
        "clickCount": 4,
        "keyCount": 5,
        "interactionCount": 9,
        "copyCount": 1,
        "rageClickCount": 2,
        "deadClickCount": 3,
        "rageClickTarget": "button#" + "x" * 90,
        "deadClickTarget": "a.b",
        "formFieldCount": 6,
        "formSubmitCount": 1,
        "lastFormField": "email",
        "errorCount": 8,
    }
    assert send(box, "/engagement", [visit, {}]) == "stored=2"
    columns = (
        *("page_index", "exit_type", "time_on_page", "active_time", "first_interaction", "scroll", "scrolls"),
        *("clicks", "keys", "interactions", "copies", "rage_clicks", "dead_clicks", "rage_target", "dead_target"),
        *("form_fields", "form_submits", "last_field", "errors"),
    )
    assert rows(box, "engagement", *columns) == [
        (
            3,
            "hidden",
            42_000,
            0,
            86_400_000,
            100,
            65_535,
            4,
            5,
            9,
            1,
            2,
            3,
            "button#" + "x" * 57,
            "a.b",
            6,
            1,
            "email",
            8,
        ),
        (0, "", None, None, None, None, 0, 0, 0, None, 0, 0, 0, "", "", 0, 0, "", 0),
    ]


def test_events_in_a_session_repeat_its_attributes(box: WholeBox) -> None:
    send(box, "/", VIEW)
    box.clock.advance(seconds=20)
    later = {"path": "https://shop.example/other", "anonymousId": "anon_1"}
    send(box, "/vitals", [{**later, "metricName": "LCP", "metricValue": 1}])
    session = rows(box, "events", "session", "visitor", "entry", "referrer", "source", "utm_campaign", "browser")
    assert (
        rows(box, "vitals", "session", "visitor", "entry", "referrer", "source", "utm_campaign", "browser") == session
    )
    assert session[0][2:6] == ("/pricing", "https://www.google.com/", "letter", "spring")


def test_spans_begin_no_session_but_one_that_is_announced_is_taken_up_by_the_page_view(box: WholeBox) -> None:
    send(box, "/vitals", [{**WHO, "metricName": "TTFB", "metricValue": 80}])
    send(box, "/errors", [{**WHO, "message": "x"}])
    assert count(box, "events") == 0
    box.clock.advance(seconds=2)
    send(box, "/", VIEW)
    (session, started), *_ = rows(box, "events", "session", "session_started")
    assert session != 0
    assert started == NOON + 2_000, "it begins with its first event"
    assert {*rows(box, "vitals", "session"), *rows(box, "errors", "session")} == {(session,)}
    today = {"parameters": ["summary_totals"], "preset": "today"}
    totals = box.query("shop", today).json["data"][0]["data"][0]
    assert (totals["sessions"], totals["visitors"], totals["pageviews"]) == (1, 1, 1)


def test_a_visitor_who_only_measures_counts_nowhere(box: WholeBox) -> None:  # semantics 13
    send(box, "/vitals", [{**WHO, "metricName": "TTFB", "metricValue": 80}])
    send(box, "/engagement", [{**WHO, "timeOnPage": 5}])
    totals = box.query("shop", {"parameters": ["summary_totals"], "preset": "today"}).json["data"][0]["data"][0]
    assert (totals["sessions"], totals["visitors"], totals["total_events"]) == (0, 0, 0)


def test_timings_of_a_page_event_become_measurements_of_their_own_numbers(box: WholeBox) -> None:  # wire 4.3
    timings = {"load_time": 900, "ttfb": 120.5, "dom_ready_time": 0, "render_time": -1, "request_time": 60_001}
    assert send(box, "/", {**VIEW, **timings, "eventId": "v1"}) == "stored=1"
    assert send(box, "/", {**VIEW, **timings, "eventId": "v1"}) == "dropped=1; reason=duplicate"
    assert sorted(rows(box, "vitals", "metric", "value")) == [(11, 900.0), (12, 0.0), (14, 120.5)]
    assert set(rows(box, "vitals", "session", "path")) == set(rows(box, "events", "session", "path"))


def test_older_trackers_measure_several_things_in_one_event(box: WholeBox) -> None:
    old = {"type": "web_vitals", "payload": {**WHO, "eventId": "w1", "fcp": 100, "lcp": 200, "cls": 0.1, "ttfb": None}}
    assert send(box, "/", old) == "stored=3"
    assert send(box, "/batch", [old]) == "dropped=3; reason=duplicate"
    assert rows(box, "vitals", "metric", "value") == [(1, 100.0), (2, 200.0), (3, 0.1)]


@pytest.mark.parametrize(
    ("path", "item", "table"),
    [
        ("/vitals", {"metricName": "LCP", "metricValue": 1}, "vitals"),
        ("/errors", {"message": "x"}, "errors"),
        ("/engagement", {}, "engagement"),
        ("/events", {"eventName": "x"}, "events"),
    ],
)
def test_the_same_event_id_counts_once_of_each_kind(box: WholeBox, path: str, item: dict[str, Any], table: str) -> None:
    item = {**item, "eventId": "same"}
    assert send(box, path, [item, item]) == "stored=1, dropped=1; reason=duplicate"
    assert send(box, path, [item]) == "dropped=1; reason=duplicate"
    assert count(box, table) == 1
    box.clock.advance(seconds=86_400)
    assert send(box, path, [item]) == "stored=1"


def test_a_late_span_keeps_its_time_and_an_impossible_one_gets_the_arrivals(box: WholeBox) -> None:  # semantics 1
    vital = {"metricName": "LCP", "metricValue": 1}
    times = (NOON - 23 * 60 * MINUTE, NOON - 25 * 60 * MINUTE, NOON + 1, NOON + 6 * MINUTE, -1)
    send(box, "/vitals", [{**vital, "timestamp": time} for time in times])
    assert [time for (time,) in rows(box, "vitals", "time")] == [times[0], NOON, NOON, NOON, NOON]


def test_measurements_of_bots_are_quarantined_with_their_events(box: WholeBox) -> None:
    program = {"user_agent": "Googlebot/2.1 (+http://www.google.com/bot.html)"}
    item = {**WHO, "metricName": "LCP", "metricValue": 1}
    answer = box.post(f"/vitals?client_id={box.sites['shop']}", [item], **program)  # type: ignore[arg-type]  # headers by name
    assert (answer.status, count(box, "vitals")) == (204, 0)
    box.post(f"/?client_id={box.sites['shop']}", {**VIEW, "load_time": 5}, **program)  # type: ignore[arg-type]  # headers by name
    assert (count(box, "events"), count(box, "vitals")) == (2, 0)


def test_a_cookieless_website_drops_the_ids_of_clients(box: WholeBox) -> None:  # semantics 7
    change = {"id": box.sites["shop"], "settings": {"visitorIdMode": "cookieless"}}
    assert box.post("/websites/updateSettings", change, key="all").status == 200
    for who in ("a", "b"):
        send(box, "/vitals", [{"metricName": "LCP", "metricValue": 1, "anonymousId": who, "sessionId": who}])
    assert len(set(rows(box, "vitals", "visitor"))) == 1
    assert set(rows(box, "vitals", "client_session")) == {("",)}
