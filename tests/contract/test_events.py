"""Events on /track, / and /batch: answers and refusals (wire 4.1 to 4.3 and 4.8, with the decisions of wire 0)."""

import json
from typing import Any, NamedTuple

import pytest

from tests.cases import each
from tests.inprocess import KeyName, WholeBox

VIEW = {"type": "track", "name": "screen_view", "path": "https://shop.example/"}
EVENT = {"name": "sign_up"}
REFUSAL = {"success", "status", "error", "message", "code", "reason", "retryable", "requestId"}
OPTIONAL = {"errors"}
CODES = {"AUTH_REQUIRED", "FORBIDDEN", "RATE_LIMITED"}  # where the specification names one, it is the code
NEVER = ("Traceback", "apsw", "sqlite", 'File "')


class Case(NamedTuple):
    """A request and its answer. `reason` is the wire's code; the section is where the row comes from."""

    section: str
    target: str
    body: Any
    status: int
    reason: str = ""
    key: KeyName | None = None
    origin: str = ""


DEEP = b"[" * 100_000
BIG = {"name": "x", "properties": {"text": "x" * 70_000}}
CASES = (
    # /track by API key (wire 4.2)
    Case("4.2", "/track", EVENT, 200, key="all"),
    Case("spec 2.2", "/track", EVENT, 200, key="tracking"),
    Case("4.2", "/track", [EVENT, EVENT], 200, key="all"),
    Case("4.2", "/track", {**EVENT, "websiteId": "{shop}"}, 200, key="all"),
    Case("4.2", "/track", {**EVENT, "websiteId": "{shop}"}, 200, key="restricted"),
    Case("4.2", "/track", {**EVENT, "websiteId": None, "properties": None, "timestamp": None}, 200, key="all"),
    Case("spec 2.2", "/track", EVENT, 403, "TRACK_MISSING_SCOPE", key="reading"),
    Case("4.2", "/track", EVENT, 403, "TRACK_WEBSITE_SCOPE_MISMATCH", key="restricted"),
    Case("4.2", "/track", {**EVENT, "websiteId": "{local}"}, 403, "TRACK_WEBSITE_SCOPE_MISMATCH", key="restricted"),
    Case("4.2", "/track", {**EVENT, "websiteId": "{foreign}"}, 403, "TRACK_WEBSITE_SCOPE_MISMATCH", key="all"),
    Case("4.2", "/track", [{**EVENT, "websiteId": "{shop}"}, EVENT], 403, "TRACK_WEBSITE_SCOPE_MISMATCH", "restricted"),
    Case("4.2", "/track", {**EVENT, "websiteId": "unknown"}, 404, "TRACK_WEBSITE_NOT_FOUND", key="all"),
    Case("4.2", "/track", {**EVENT, "websiteId": "{idle}"}, 404, "TRACK_WEBSITE_NOT_FOUND", key="all"),
    Case("spec 5.6", "/track", EVENT, 401, "TRACK_MISSING_CREDENTIALS", key="revoked"),
    Case("spec 5.6", "/track?website_id={shop}", EVENT, 401, "TRACK_MISSING_CREDENTIALS", key="revoked"),
    # /track by website id
    Case("4.2", "/track?website_id={shop}", EVENT, 200),
    Case("4.2", "/track?client_id={shop}", EVENT, 200),
    Case("4.2", "/track", {**EVENT, "websiteId": "{shop}"}, 200),
    Case("4.2", "/track", EVENT, 401, "TRACK_MISSING_CREDENTIALS"),
    Case("4.2", "/track?website_id=", EVENT, 401, "TRACK_MISSING_CREDENTIALS"),
    Case("4.2", "/track?website_id=unknown", EVENT, 404, "TRACK_WEBSITE_NOT_FOUND"),
    Case("4.2", "/track?website_id={idle}", EVENT, 404, "TRACK_WEBSITE_NOT_FOUND"),
    Case("4.6", "/track?website_id={shop}", EVENT, 200, origin="https://www.shop.example"),
    Case("4.6", "/track?website_id={shop}", EVENT, 403, "INGEST_ORIGIN_NOT_AUTHORIZED", origin="https://evil.example"),
    # Bodies of /track: wrong types and broken JSON are both 400 (wire 0)
    Case("4.8", "/track", b"", 400, "TRACK_INVALID_BODY", key="all"),
    Case("4.8", "/track", b"{", 400, "TRACK_INVALID_BODY", key="all"),
    Case("4.8", "/track", b'{"name":"\xff"}', 400, "TRACK_INVALID_BODY", key="all"),
    Case("4.8", "/track", b'{"name":"a","unknown":"\xff"}', 400, "TRACK_INVALID_BODY", key="all"),
    Case("4.8", "/track", DEEP, 400, "TRACK_INVALID_BODY", key="all"),
    Case("4.8", "/track", b'{"name":"a","properties":{"x":' + DEEP, 400, "TRACK_INVALID_BODY", key="all"),
    Case("4.8", "/track", 7, 400, "TRACK_INVALID_BODY", key="all"),
    Case("4.8", "/track", {}, 400, "TRACK_INVALID_BODY", key="all"),
    Case("4.8", "/track", [], 400, "TRACK_INVALID_BODY", key="all"),
    Case("4.8", "/track", [EVENT] * 101, 400, "TRACK_INVALID_BODY", key="all"),
    Case("4.2", "/track", [EVENT] * 100, 200, key="all"),
    Case("4.2", "/track", {"name": ""}, 400, "TRACK_INVALID_BODY", key="all"),
    Case("4.2", "/track", {"name": "x" * 257}, 400, "TRACK_INVALID_BODY", key="all"),
    Case("4.2", "/track", {"name": 7}, 400, "TRACK_INVALID_BODY", key="all"),
    Case("4.2", "/track", {**EVENT, "namespace": "x" * 65}, 400, "TRACK_INVALID_BODY", key="all"),
    Case("4.2", "/track", {**EVENT, "properties": []}, 400, "TRACK_INVALID_BODY", key="all"),
    Case(
        "4.2", "/track", {**EVENT, "properties": {str(n): n for n in range(51)}}, 400, "TRACK_INVALID_BODY", key="all"
    ),
    Case("4.2", "/track", {**EVENT, "anonymizeVisitorIds": "no"}, 400, "TRACK_INVALID_BODY", key="all"),
    Case("4.2", "/track", {**EVENT, "anonymizeVisitorIds": "auto"}, 200, key="all"),
    Case("4.2", "/track", {**EVENT, "timestamp": 946_684_799_999}, 400, "INVALID_EVENT_SCHEMA", key="all"),
    Case("4.2", "/track", {**EVENT, "timestamp": 946_684_800_000}, 200, key="all"),
    Case("4.2", "/track", {**EVENT, "timestamp": "2026-06-17T13:00:00Z"}, 200, key="all"),
    Case("4.2", "/track", {**EVENT, "timestamp": "2026-06-17T13:00:00.001Z"}, 400, "INVALID_EVENT_SCHEMA", key="all"),
    Case("4.2", "/track", {**EVENT, "timestamp": "soon"}, 400, "INVALID_EVENT_SCHEMA", key="all"),
    Case("4.2", "/track", {**EVENT, "timestamp": 10**30}, 400, "", key="all"),
    Case("4.2", "/track", {**EVENT, "timestamp": -(2**63)}, 400, "INVALID_EVENT_SCHEMA", key="all"),
    Case("sem. 1", "/track?website_id={shop}", {**EVENT, "timestamp": 5}, 200),
    Case("0, screen_view", "/track", {"name": "screen_view", "path": "https://shop.example/a"}, 200, key="all"),
    Case("0, screen_view", "/track", {"name": "screen_view"}, 400, "INVALID_EVENT_SCHEMA", key="all"),
    Case("4.8", "/track", BIG, 413, "TRACK_PAYLOAD_TOO_LARGE", key="all"),
    Case("4.8", "/track", b"x" * 1_100_000, 413, "TRACK_PAYLOAD_TOO_LARGE", key="all"),
    # / (wire 4.3)
    Case("4.1", "/?client_id={shop}", VIEW, 200),
    Case("4.1", "/?client_id={shop}", {"name": "screen_view", "path": "https://shop.example/"}, 200),
    Case("4.6", "/", VIEW, 400, "INGEST_MISSING_CLIENT_ID"),
    Case("4.6", "/?client_id=", VIEW, 400, "INGEST_MISSING_CLIENT_ID"),
    Case("4.6", "/?client_id=unknown", VIEW, 400, "INGEST_INVALID_CLIENT_ID"),
    Case("4.6", "/?client_id={idle}", VIEW, 400, "INGEST_INVALID_CLIENT_ID"),
    Case("4.6", "/?client_id={shop}", VIEW, 403, "INGEST_ORIGIN_NOT_AUTHORIZED", origin="https://shop.example.evil"),
    Case("4.8", "/?client_id={shop}", b"{", 400, "INVALID_EVENT_SCHEMA"),
    Case("4.8", "/?client_id={shop}", [VIEW], 400, "INVALID_EVENT_SCHEMA"),
    Case("4.8", "/?client_id={shop}", {**VIEW, "title": 7}, 400, "INVALID_EVENT_SCHEMA"),
    Case("4.8", "/?client_id={shop}", {**VIEW, "sessionId": "x" * 257}, 400, "INVALID_EVENT_SCHEMA"),
    # What describes a page is cut or left out, never a reason to lose the page view.
    Case("4.3", "/?client_id={shop}", {**VIEW, "time_on_page": -1, "viewport_size": "big", "title": "x" * 600}, 200),
    Case("4.8", "/?client_id={shop}", {**VIEW, "type": "llm"}, 400, "INGEST_UNKNOWN_EVENT_TYPE"),
    Case("4.8", "/?client_id={shop}", b"x" * 1_100_000, 413, "INGEST_PAYLOAD_TOO_LARGE"),
    # /batch (wire 4.3)
    Case("4.1", "/batch?client_id={shop}", [VIEW, VIEW], 200),
    Case("4.1", "/batch?client_id={shop}", [VIEW] * 100, 200),
    Case("4.1", "/batch?client_id={shop}", [], 200),
    Case("4.8", "/batch?client_id={shop}", [VIEW] * 101, 400, "INGEST_BATCH_TOO_LARGE"),
    Case("4.8", "/batch?client_id={shop}", VIEW, 400, "INGEST_BATCH_NOT_ARRAY"),
    Case("4.8", "/batch?client_id={shop}", b"[", 400, "INGEST_BATCH_NOT_ARRAY"),
    Case("4.6", "/batch", [VIEW], 400, "INGEST_MISSING_CLIENT_ID"),
)


def filled(box: WholeBox, text: str) -> str:
    for name, website_id in box.sites.items():
        text = text.replace(f"{{{name}}}", website_id)
    return text


def named(case: Case) -> str:
    shown = case.body if isinstance(case.body, bytes) else json.dumps(case.body).encode()
    return f"{case.target} by {case.key or case.origin or 'anybody'} {shown[:50]!r}"


@each("case", CASES, ids=named)
def test_an_event_is_taken_or_refused_with_its_reason(box: WholeBox, case: Case) -> None:
    content = case.body if isinstance(case.body, bytes) else filled(box, json.dumps(case.body)).encode()
    answer = box.post(filled(box, case.target), content, key=case.key, origin=case.origin)
    assert answer.status == case.status, answer.body
    assert answer.json["requestId"] == answer.headers["x-request-id"]
    if case.status == 200:
        assert answer.json["status"] == "success"
        assert "code" not in answer.json
        return
    assert REFUSAL <= set(answer.json) <= REFUSAL | OPTIONAL
    assert answer.json["success"] is False
    assert answer.json["status"] == "error"
    assert answer.json["message"] == answer.json["error"]
    assert answer.json["retryable"] is False
    assert answer.json["reason"] == case.reason or not case.reason
    assert answer.json["code"] in {answer.json["reason"], *CODES}
    for secret in NEVER:
        assert secret not in answer.body.decode()


def test_the_answers_of_success_have_the_fields_that_clients_read(box: WholeBox) -> None:  # wire 4.1
    def of(path: str, content: object, key: KeyName | None = None) -> dict[str, Any]:
        answer = box.post(filled(box, path), content, key=key).json
        del answer["requestId"]
        return dict(answer)

    assert of("/track", [EVENT, EVENT], "all") == {"status": "success", "type": "custom_event", "count": 2}
    assert of("/?client_id={shop}", VIEW) == {"status": "success", "type": "track"}
    assert of("/batch?client_id={shop}", [{**VIEW, "eventId": "e1"}]) == {
        "status": "success",
        "batch": True,
        "processed": 1,
        "results": [{"status": "success", "type": "track", "eventId": "e1"}],
    }


def test_each_item_of_a_batch_gets_its_own_verdict(box: WholeBox) -> None:  # wire 4.3
    items = [VIEW, 7, {"eventId": "e2", "name": 7}, {**VIEW, "type": "vitals"}, {**VIEW, "title": 7}]
    answer = box.post(filled(box, "/batch?client_id={shop}"), items).json
    assert answer["status"] == "success"
    assert answer["processed"] == 5
    assert [result["status"] for result in answer["results"]] == ["success", "error", "error", "error", "error"]
    assert answer["results"][2]["code"] == "INVALID_EVENT_SCHEMA"
    assert answer["results"][2]["eventId"] == "e2"
    assert answer["results"][2]["errors"][0]["field"] == "name"
    assert answer["results"][3]["message"] == "Unknown event type"
    assert answer["results"][4]["errors"][0]["field"] == "title"


def test_a_bad_event_among_others_of_track_is_named_and_none_is_kept(box: WholeBox) -> None:
    before = counted(box)
    answer = box.post("/track", [EVENT, {"name": "x", "timestamp": "soon"}], key="all")
    assert (answer.status, answer.json["errors"][0]["field"]) == (400, "timestamp")
    assert counted(box) == before


def test_a_program_gets_no_body_and_counts_nowhere(box: WholeBox) -> None:  # wire 4.2, bots
    target = filled(box, "/?client_id={local}")
    answer = box.post(target, {**VIEW, "path": "http://localhost/"}, user_agent="Googlebot/2.1 (+http://google.com)")
    assert (answer.status, answer.body) == (204, b"")
    today = {"parameters": ["summary_totals"], "preset": "today"}
    assert box.query("local", today).json["data"][0]["data"][0]["pageviews"] == 0


@pytest.mark.parametrize("user_agent", ["curl/8.5.0", "python-requests/2.32", "node", ""])
def test_a_server_with_a_key_is_never_held_for_a_bot(box: WholeBox, user_agent: str) -> None:  # wire 0
    answer = box.post("/track", EVENT, key="all", user_agent=user_agent)
    assert (answer.status, answer.json["count"]) == (200, 1)


@pytest.mark.parametrize("content_type", ["text/plain;charset=UTF-8", "application/json", ""])
def test_beacons_may_send_their_json_as_text(box: WholeBox, content_type: str) -> None:  # wire 4.1
    body = json.dumps(VIEW).encode()
    headers = {"content_type": content_type}
    assert box.ask("POST", filled(box, "/?client_id={shop}"), headers=headers, body=body).status == 200


def test_a_compressed_event_is_refused(box: WholeBox) -> None:  # security: bodies
    answer = box.post("/track", b"\x1f\x8b", key="all", content_encoding="gzip")
    assert (answer.status, answer.json["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize("path", ["/track", "/", "/batch"])
def test_browsers_may_ask_first_and_get_their_origin_echoed(box: WholeBox, path: str) -> None:  # wire 4.1, 0
    answer = box.ask("OPTIONS", path, headers={"origin": "https://any.example"})
    assert answer.status == 204
    assert answer.headers["access-control-allow-origin"] == "https://any.example"
    assert answer.headers["access-control-allow-credentials"] == "true"
    assert answer.headers["vary"] == "Origin"
    assert "POST" in answer.headers["access-control-allow-methods"]
    for name in ("Content-Type", "Authorization", "databuddy-client-id"):
        assert name in answer.headers["access-control-allow-headers"]
    refused = box.post(path, b"{", origin="https://any.example")
    assert refused.status in {400, 401}
    assert refused.headers["access-control-allow-origin"] == "https://any.example"


@pytest.mark.parametrize(("method", "path"), [("GET", "/track"), ("PUT", "/track"), ("GET", "/batch")])
def test_events_are_sent_with_post(box: WholeBox, method: str, path: str) -> None:
    answer = box.ask(method, path)
    assert (answer.status, answer.json["code"]) == (405, "METHOD_NOT_ALLOWED")
    assert "POST" in answer.headers["allow"]


def test_a_cookie_counts_for_nothing_among_events(box: WholeBox) -> None:  # wire 0, CORS
    assert box.post("/track", EVENT, cookie=box.cookie).status == 401


def counted(box: WholeBox) -> int:
    rows = box.box.events.db.read_now(lambda db: db.execute("select count(*) from events").fetchall())
    return int(str(rows[0][0]))
