"""/vitals, /errors, /events, /engagement, and events by type on / and /batch (wire 4.3, 4.4): answers and refusals."""

import json
from typing import Any, NamedTuple

import pytest

from analytics_box.base.facts.tables import FACT_NAMES
from tests.cases import each
from tests.ingest.rows import count
from tests.inprocess import WholeBox

PATH = "https://shop.example/pricing?utm_source=x"
WHO = {"path": PATH, "anonymousId": "anon_1", "sessionId": "sess_1"}
VITAL = {**WHO, "metricName": "LCP", "metricValue": 1234.5}
ERROR = {**WHO, "message": "x is not a function"}
NAMED = {**WHO, "eventName": "sign_up"}
PAGE = {**WHO, "exitType": "unload", "timeOnPage": 1000}
LINK = {**WHO, "type": "outgoing_link", "href": "https://partner.example/a", "text": "Partner"}
SCHEMA = "INVALID_EVENT_SCHEMA"


class Case(NamedTuple):
    """A request by client id and its answer: the fields of success, or the reason of the refusal."""

    section: str
    path: str
    body: Any
    status: int
    expected: Any = None


def taken(section: str, path: str, body: Any, **fields: Any) -> Case:
    return Case(section, path, body, 200, {"status": "success", **fields})


def refused(section: str, path: str, body: Any, reason: str = SCHEMA, status: int = 400) -> Case:
    return Case(section, path, body, status, reason)


CASES = (
    # /vitals: an array of up to 20
    taken("4.1", "/vitals", [VITAL], type="web_vitals", count=1),
    taken("4.1", "/vitals", [VITAL] * 20, type="web_vitals", count=20),
    taken("4.1", "/vitals", [], type="web_vitals", count=0),
    *(
        taken("1.8", "/vitals", [{**VITAL, "metricName": name}], type="web_vitals", count=1)
        for name in ("FCP", "LCP", "CLS", "INP", "TTFB", "FPS")
    ),
    taken("4.4", "/vitals", [{**VITAL, "metricValue": 0}], type="web_vitals", count=1),
    taken(
        "4.4",
        "/vitals",
        [{"metricName": "FPS", "metricValue": 60, "path": None, "sessionId": None}],
        type="web_vitals",
        count=1,
    ),
    taken(
        "sem. 1", "/vitals", [{**VITAL, "timestamp": -5}, {**VITAL, "timestamp": 10**18}], type="web_vitals", count=2
    ),
    refused("4.1", "/vitals", [VITAL] * 21),
    refused("4.1", "/vitals", VITAL),
    refused("4.4", "/vitals", [{**VITAL, "metricName": "FID"}]),
    refused("4.4", "/vitals", [{**VITAL, "metricName": "lcp"}]),
    refused("4.4", "/vitals", [{**WHO, "metricName": "LCP"}]),
    refused("4.4", "/vitals", [{**WHO, "metricValue": 7}]),
    refused("4.4", "/vitals", [{**VITAL, "metricValue": -1}]),
    refused("4.4", "/vitals", [{**VITAL, "metricValue": 1e300}]),
    refused("4.4", "/vitals", [{**VITAL, "metricValue": "12"}]),
    refused("4.4", "/vitals", [{**VITAL, "metricValue": True}]),
    refused("4.4", "/vitals", [VITAL, {**VITAL, "path": "x" * 9000}]),
    refused("4.4", "/vitals", [VITAL, {**VITAL, "timestamp": "soon"}]),
    # /errors: an array of up to 50 and 128 KB
    taken("4.1", "/errors", [ERROR], type="error", count=1),
    taken("4.1", "/errors", [ERROR] * 50, type="error", count=50),
    taken(
        "4.4",
        "/errors",
        [{**ERROR, "lineno": 10**9, "colno": -3, "stack": "at x\n" * 2000, "filename": "f" * 900}],
        type="error",
        count=1,
    ),
    taken("4.4", "/errors", [{**ERROR, "message": "m" * 5000}], type="error", count=1),
    refused("4.1", "/errors", [ERROR] * 51),
    refused("4.4", "/errors", [WHO]),
    refused("4.4", "/errors", [{**ERROR, "message": ""}]),
    refused("4.4", "/errors", [{**ERROR, "message": "\u202e \u0000"}]),
    refused("4.4", "/errors", [{**ERROR, "lineno": "12"}]),
    refused("4.4", "/errors", [{**ERROR, "stack": ["at x"]}]),
    refused("4.8", "/errors", [{**ERROR, "stack": "x" * 140_000}], "INGEST_ERRORS_BODY_TOO_LARGE", 413),
    # /events: an array of up to 100
    taken("4.1", "/events", [NAMED], type="custom_event", count=1),
    taken("4.1", "/events", [NAMED] * 100, type="custom_event", count=100),
    taken(
        "4.4",
        "/events",
        [{**NAMED, "profileId": "p", "properties": {"a": [1, {"b": None}]}}],
        type="custom_event",
        count=1,
    ),
    taken(
        "0, screen_view", "/events", [{**WHO, "eventName": "screen_view", "title": "T"}], type="custom_event", count=1
    ),
    refused("4.1", "/events", [NAMED] * 101),
    refused("4.4", "/events", [{**WHO, "name": "sign_up"}]),
    refused("4.4", "/events", [{**NAMED, "eventName": ""}]),
    refused("4.4", "/events", [{**NAMED, "eventName": "x" * 129}]),
    refused("4.4", "/events", [{**NAMED, "properties": 7}]),
    refused("0, screen_view", "/events", [{"eventName": "screen_view"}]),
    # /engagement: an array of up to 20
    taken("4.1", "/engagement", [PAGE], type="engagement", count=1),
    taken("4.1", "/engagement", [PAGE] * 20, type="engagement", count=20),
    *(
        taken("4.4", "/engagement", [{**PAGE, "exitType": name}], type="engagement", count=1)
        for name in ("navigation", "spa", "hidden", "unload")
    ),
    taken(
        "4.4",
        "/engagement",
        [{**PAGE, "clickCount": 10**6, "maxScrollDepth": 140.5, "activeTime": -1}],
        type="engagement",
        count=1,
    ),
    refused("4.1", "/engagement", [PAGE] * 21),
    refused("4.4", "/engagement", [{**PAGE, "exitType": "crash"}]),
    refused("4.4", "/engagement", [{**PAGE, "clickCount": "3"}]),
    refused("4.4", "/engagement", [{**PAGE, "rageClickTarget": 3}]),
    # by type on /
    taken("4.3", "/", LINK, type="outgoing_link"),
    taken(
        "4.3",
        "/",
        {"type": "outgoing_link", "href": "https://partner.example", "text": "t" * 3000},
        type="outgoing_link",
    ),
    refused("4.3", "/", {**WHO, "type": "outgoing_link"}),
    refused("4.3", "/", {**LINK, "href": ""}),
    refused("4.3", "/", {**LINK, "href": 7}),
    taken("4.3, old", "/", {**WHO, "type": "custom", "name": "sign_up"}, type="custom"),
    taken("4.3, old", "/", {**ERROR, "type": "error"}, type="error"),
    taken("4.3, old", "/", {"type": "error", "payload": ERROR}, type="error"),
    taken("4.3, old", "/", {**VITAL, "type": "web_vitals"}, type="web_vitals"),
    taken(
        "4.3, old",
        "/",
        {"type": "web_vitals", "payload": {**WHO, "fcp": 1, "lcp": 2.5, "cls": None}},
        type="web_vitals",
    ),
    taken("4.3, old", "/", {"type": "track", "payload": {**WHO, "name": "screen_view"}}, type="track"),
    refused("4.3, old", "/", {"type": "error", "payload": WHO}),
    refused("4.3, old", "/", {"type": "error", "payload": [ERROR]}),
    refused("4.3, old", "/", {"type": "web_vitals", "payload": WHO}),
    refused("4.3, old", "/", {"type": "web_vitals", "payload": {**WHO, "lcp": "fast"}}),
    refused("4.8", "/", {**VITAL, "type": "vitals"}, "INGEST_UNKNOWN_EVENT_TYPE"),
    refused("4.8", "/", {**VITAL, "type": 7}),
)
ROUTES = ("/vitals", "/errors", "/events", "/engagement")


def named(case: Case) -> str:
    return f"{case.path} {json.dumps(case.body)[:70]} {case.status}"


@each("case", CASES, ids=named)
def test_page_event_is_accepted_or_refused_with_its_reason(box: WholeBox, case: Case) -> None:
    answer = box.post(f"{case.path}?client_id={box.sites['shop']}", case.body, origin="https://shop.example")
    assert answer.status == case.status, answer.body
    body = answer.json
    assert body.pop("requestId") == answer.headers["x-request-id"]
    if case.status == 200:
        assert body == case.expected
        return
    assert body.pop("errors", [{}])
    assert body == {
        "success": False,
        "status": "error",
        "error": body["error"],
        "message": body["error"],
        "code": case.expected,
        "reason": case.expected,
        "retryable": False,
    }


@pytest.mark.parametrize("path", ROUTES)
def test_the_website_is_named_in_the_address_or_a_header(box: WholeBox, path: str) -> None:  # wire 4.6
    item = {"/vitals": VITAL, "/errors": ERROR, "/events": NAMED, "/engagement": PAGE}[path]
    assert box.post(path, [item], databuddy_client_id=box.sites["shop"]).status == 200
    for target, reason in (
        (path, "INGEST_MISSING_CLIENT_ID"),
        (f"{path}?client_id=", "INGEST_MISSING_CLIENT_ID"),
        (f"{path}?client_id=unknown", "INGEST_INVALID_CLIENT_ID"),
        (f"{path}?client_id={box.sites['idle']}", "INGEST_INVALID_CLIENT_ID"),
    ):
        answer = box.post(target, [item])
        assert (answer.status, answer.json["code"]) == (400, reason)
    elsewhere = box.post(f"{path}?client_id={box.sites['shop']}", [item], origin="https://evil.example")
    assert (elsewhere.status, elsewhere.json["reason"]) == (403, "INGEST_ORIGIN_NOT_AUTHORIZED")


@pytest.mark.parametrize("path", ROUTES)
def test_beacons_send_json_as_text_and_programs_get_no_body(box: WholeBox, path: str) -> None:  # wire 4.1, 4.2
    item = {"/vitals": VITAL, "/errors": ERROR, "/events": NAMED, "/engagement": PAGE}[path]
    target = f"{path}?client_id={box.sites['shop']}&sdk_name=web&sdk_version=2.6.0"
    body = json.dumps([item]).encode()
    assert box.ask("POST", target, headers={"content_type": "text/plain;charset=UTF-8"}, body=body).status == 200
    program = box.ask(
        "POST", target, headers={"user_agent": "Googlebot/2.1 (+http://www.google.com/bot.html)"}, body=body
    )
    assert (program.status, program.body) == (204, b"")
    asked = box.ask("OPTIONS", target, headers={"origin": "https://any.example"})
    assert asked.status == 204
    assert asked.headers["access-control-allow-origin"] == "https://any.example"


def test_the_wrong_item_of_a_list_is_named_and_none_is_kept(box: WholeBox) -> None:
    before = counted(box)
    for path, items, field in (
        ("/vitals", [VITAL, {**VITAL, "metricName": "FID"}], "[1].metricName"),
        ("/vitals", [VITAL, {**VITAL, "timestamp": "soon"}], "[1].timestamp"),
        ("/errors", [ERROR, {**ERROR, "message": "\u0001"}], "[1].message"),
        ("/events", [NAMED, {**WHO, "eventName": "page_exit", "path": None}], "[1].path"),
    ):
        answer = box.post(f"{path}?client_id={box.sites['shop']}", items)
        assert answer.json["errors"][0]["field"] == field, answer.body
    assert counted(box) == before


def test_a_batch_takes_every_type_and_each_item_has_its_verdict(box: WholeBox) -> None:  # wire 4.3
    items = [
        {**WHO, "name": "screen_view", "eventId": "a"},
        {**LINK, "eventId": "b"},
        {"type": "error", "payload": {**ERROR, "eventId": "c"}},
        {"type": "web_vitals", "payload": {**WHO, "lcp": 7}},
        {**LINK, "href": 7, "eventId": "d"},
        {**LINK, "type": "llm", "eventId": "e"},
        {"type": 7, "eventId": "f"},
        [],
    ]
    answer = box.post(f"/batch?client_id={box.sites['shop']}", items)
    assert answer.json["processed"] == len(items)
    schema = {"status": "error", "message": "Invalid event schema", "code": SCHEMA}
    said = [{name: value for name, value in one.items() if name != "errors"} for one in answer.json["results"]]
    assert said == [
        {"status": "success", "type": "track", "eventId": "a"},
        {"status": "success", "type": "outgoing_link", "eventId": "b"},
        {"status": "success", "type": "error", "eventId": "c"},
        {"status": "success", "type": "web_vitals", "eventId": None},
        {**schema, "eventType": "outgoing_link", "eventId": "d"},
        {"status": "error", "message": "Unknown event type", "eventType": "llm"},
        {**schema, "eventType": "track", "eventId": "f"},
        {**schema, "eventType": "track", "eventId": None},
    ]
    program = box.post(
        f"/batch?client_id={box.sites['shop']}", items[:2], user_agent="Googlebot/2.1 (+http://g.example)"
    )
    assert program.json["results"] == [
        {"status": "error", "message": "Bot detected", "eventType": "track", "error": "ignored"},
        {"status": "error", "message": "Bot detected", "eventType": "outgoing_link", "error": "ignored"},
    ]


def counted(box: WholeBox) -> list[int]:
    return [count(box, table) for table in FACT_NAMES]
