"""Refusals of the query API as the specification (7) and the wire (3.4, 11.1, and its section 0) state them."""

import json
from typing import Any, NamedTuple

import pytest

from tests.cases import each
from tests.inprocess import WholeBox

BODY: dict[str, Any] = {"parameters": ["summary_metrics"], "preset": "today"}
API_FIELDS = {"success", "error", "code", "requestId"}
INGEST_ONLY = {"status", "message", "retryable", "errors"}
NEVER = ("Traceback", "traceback", "apsw", "sqlite", "msgspec", "analytics_box/", 'File "')


class Case(NamedTuple):
    """A body and its refusal; `section` is where that is written, `details` the fields that are named."""

    section: str
    body: Any
    status: int
    code: str
    message: str
    details: tuple[str, ...] | None = None


def but(**changes: Any) -> dict[str, Any]:
    """The good body, with changes; None takes a field away."""
    return {name: value for name, value in {**BODY, **changes}.items() if value is not None}


def filtered(**changes: Any) -> dict[str, Any]:
    return but(filters=[{"field": "path", "op": "eq", "value": "/", **changes}])


def broken(section: str, body: bytes) -> Case:
    return Case(section, body, 400, "PARSE", "not valid JSON")


def shape(section: str, body: Any, *details: str) -> Case:
    return Case(section, body, 422, "VALIDATION", "", details or None)


def impossible(section: str, body: Any, message: str, *details: str) -> Case:
    return Case(section, body, 400, "VALIDATION_ERROR", message, details or None)


DEEP = b"[" * 100_000
CASES = (
    # Broken JSON
    broken("wire 3.4", b""),
    broken("wire 3.4", b"{"),
    broken("wire 3.4", b'{"parameters":["summary_metrics"]'),
    broken("wire 3.4", b"parameters=summary_metrics"),
    broken("wire 3.4", b'{"parameters":["\xff\xfe"],"preset":"today"}'),
    broken("wire 3.4", b'{"parameters":["top_pages"],"preset":"today","x":"\xff"}'),
    broken("wire 3.4", DEEP),
    broken("wire 3.4", b'{"x":' + DEEP),
    broken("wire 3.4", b'{"parameters":[],"limit":NaN}'),
    # Wrong types and enums
    shape("wire 3.4", b"null", "body"),
    shape("wire 3.4", b"7", "body"),
    shape("wire 3.4", b'"summary_metrics"', "body"),
    shape("wire 3.4", {}, "body.parameters"),
    shape("wire 3.4", but(parameters=None), "body.parameters"),
    shape("wire 3.4", but(parameters="top_pages"), "body.parameters"),
    shape("wire 3.4", but(parameters=[7]), "body.parameters[0]"),
    shape("wire 3.4", but(parameters=[{}]), "body.parameters[0].name"),
    shape("wire 3.4", but(preset="last_year"), "body.preset"),
    shape("wire 3.4", but(preset=7), "body.preset"),
    shape("wire 3.4", but(granularity="week"), "body.granularity"),
    shape("wire 3.4", but(limit="10"), "body.limit"),
    shape("wire 3.4", but(limit=1.5), "body.limit"),
    shape("wire 3.4", but(page=True), "body.page"),
    shape("wire 3.4", [BODY, but(page=2.5)], "body[1].page"),
    shape("wire 3.4", [BODY, filtered(value=None)], "body[1].filters[0].value"),
    shape("wire 3.4", but(startDate=20260617), "body.startDate"),
    shape("wire 3.4", but(sortOrder="up"), "body.sortOrder"),
    shape("wire 3.4", but(filters={}), "body.filters"),
    shape("wire 2.1", filtered(op="matches"), "body.filters[0].op"),
    shape("wire 2.1", filtered(value={"a": 1}), "body.filters[0].value"),
    shape("wire 2.1", filtered(value=None), "body.filters[0].value"),
    shape("wire 3.4", [BODY, {"parameters": 7}], "body[1].parameters"),
    # Well-formed questions that ask for the impossible
    impossible("wire 3.4", but(parameters=[]), "At least one parameter is required", "parameters"),
    impossible("wire 3.4", but(parameters=["top_page"]), "Unknown query type: top_page. Did you mean 'top_pages'?"),
    impossible("wire 3.4", but(parameters=["zzzzzzzzz"]), "Unknown query type: zzzzzzzzz"),
    impossible("wire 3.4", but(preset=None), "Either startDate or preset is required", "startDate", "endDate"),
    impossible("wire 3.4", but(preset=None, endDate="2026-06-01"), "Either startDate or preset", "startDate"),
    impossible("wire 3.4", but(preset=None, startDate="2026-06-01"), "Either endDate or preset is required", "endDate"),
    impossible("wire 3.4", but(preset=None, startDate="soon", endDate="2026-06-01"), "Invalid date: soon", "startDate"),
    impossible(
        "wire 3.4", but(preset=None, startDate="2026-06-02", endDate="2026-06-01"), "startDate is after endDate"
    ),
    impossible("spec 8", but(limit=10_001), "Limit cannot exceed 10000", "limit"),
    impossible("wire 3.4", but(limit=0), "Limit must be at least 1", "limit"),
    impossible("wire 3.4", but(limit=-(10**15)), "Limit must be at least 1", "limit"),
    impossible("spec 8", but(page=0), "Page must be at least 1", "page"),
    impossible("wire 3.4", but(page=10**15), "Page is too large", "page"),
    impossible("spec 4 rule 3", but(preset="last_90d", granularity="hourly"), "up to 30 days", "granularity"),
    impossible("wire 0", but(parameters=["top_pages"] * 51), "50 parameters", "parameters"),
    impossible("wire 0", [BODY] * 21, "1 to 20 queries"),
    impossible("wire 3.4", [], "1 to 20 queries"),
    impossible("wire 3.4", [BODY, but(limit=0)], "Limit must be at least 1", "batch[1].limit"),
    impossible("wire 3.4", [BODY, but(parameters=["zzzzzz"])], "Unknown query type", "batch[1].parameters[0]"),
    impossible("wire 3.4", [BODY, but(preset=None, startDate="x", endDate="y")], "Invalid date", "batch[1].startDate"),
    impossible("security", filtered(value=["x"] * 1_001), "1000 values"),
)


def named(case: Case) -> str:
    shown = case.body if isinstance(case.body, bytes) else json.dumps(case.body).encode()
    return f"{case.code} {shown[:60]!r}"


@each("case", CASES, ids=named)
def test_an_invalid_query_is_refused_and_told_why(box: WholeBox, case: Case) -> None:
    answer = box.query("shop", case.body)
    assert (answer.status, answer.json["code"]) == (case.status, case.code)
    assert case.message in answer.json["error"]
    if case.details is not None:
        assert tuple(detail["field"] for detail in answer.json["details"]) == case.details
    check_error_body(answer.headers, answer.body)


def check_error_body(headers: dict[str, str], body: bytes) -> None:
    """Spec 7 and wire 11.1: what every error body of the API has, and what it never has."""
    found = json.loads(body)
    assert set(found) >= API_FIELDS
    assert not set(found) & INGEST_ONLY
    assert set(found) <= API_FIELDS | {"details", "reason"}
    assert found["success"] is False
    assert found["requestId"] == headers["x-request-id"]
    assert headers["content-type"] == "application/json"
    assert headers["cache-control"] == "no-store"
    for secret in NEVER:
        assert secret not in body.decode()


def test_suggestion_is_in_the_message_and_the_details(box: WholeBox) -> None:  # wire 3.4
    answer = box.query("shop", but(parameters=["browser_names"]))
    assert answer.json["details"] == [
        {
            "field": "parameters[0]",
            "message": "Unknown query type: browser_names",
            "suggestion": "Did you mean 'browser_name'?",
        }
    ]


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1/query", 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/v1/query/types", 405, "METHOD_NOT_ALLOWED"),
        ("DELETE", "/v1/query/websites", 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/health", 405, "METHOD_NOT_ALLOWED"),
        ("GET", "/v1/nothing", 404, "NOT_FOUND"),
        ("POST", "/v2/query", 404, "NOT_FOUND"),
        ("GET", "/v1/query/%2e%2e/%2e%2e/etc/passwd", 404, "NOT_FOUND"),
        ("GET", "/static/../../analytics_box/app/cli.py", 404, "NOT_FOUND"),
    ],
)
def test_a_wrong_address_or_method_is_refused_in_the_same_shape(
    box: WholeBox, method: str, path: str, status: int, code: str
) -> None:  # wire 0, other HTTP refusals
    answer = box.ask(method, path, headers={"x_api_key": box.keys["all"]})
    assert (answer.status, answer.json["code"]) == (status, code)
    check_error_body(answer.headers, answer.body)
    assert ("allow" in answer.headers) == (status == 405)


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_query_of_another_content_type_is_refused(box: WholeBox, content_type: str) -> None:  # wire 0
    answer = box.post("/v1/query", BODY, key="all", content_type=content_type)
    assert (answer.status, answer.json["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")
    check_error_body(answer.headers, answer.body)


def test_a_compressed_query_is_refused(box: WholeBox) -> None:  # security: bodies
    answer = box.post("/v1/query", b"\x1f\x8b", key="all", content_encoding="gzip")
    assert (answer.status, answer.json["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")


def test_a_query_larger_than_its_limit_is_refused(box: WholeBox) -> None:  # wire 0
    answer = box.query("shop", but(timeZone="x" * box.box.settings.max_query_bytes))
    assert (answer.status, answer.json["code"]) == (413, "PAYLOAD_TOO_LARGE")
    check_error_body(answer.headers, answer.body)


def test_a_key_of_a_single_website_must_name_its_website(box: WholeBox) -> None:  # wire 3.2
    answer = box.post("/v1/query", BODY, key="restricted")
    assert (answer.status, answer.json["code"]) == (400, "MISSING_PROJECT_ID")
    check_error_body(answer.headers, answer.body)
