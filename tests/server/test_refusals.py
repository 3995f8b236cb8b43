"""Requests that a real server refuses: the status, and always the one shape with the request's id."""

import gzip
import json
from itertools import product

import pytest

from analytics_box.ingest.routes import ADDRESSES, TABLE
from tests.cases import each
from tests.running import Box
from tests.server.wire import assert_refusal, connect, exchange, only, request

EVENT = json.dumps({"name": "bought"}).encode()
QUESTION = json.dumps({"parameters": ["summary_totals"], "preset": "last_7d"}).encode()
DEEP = b"[" * 100_000
JSON = "Content-Type: application/json"
ROUTES = [*(path for method, path in ADDRESSES if method == "POST"), "/v1/query"]
MOST_BYTES = {route.path: route.most_bytes for route in TABLE if route.most_bytes}


def post(box: Box, path: str, body: bytes, *headers: str) -> bytes:
    """The bytes of a POST that would be welcome but for what the test gives it."""
    website = box.account.website_id
    named = f"{path}?website_id={website}" if path in {"/track", "/v1/query"} else f"{path}?client_id={website}"
    given = headers or (JSON,)
    return request(
        "POST",
        named,
        f"X-Api-Key: {box.account.api_key}",
        "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        "Accept: */*",
        f"Content-Length: {len(body)}",
        *given,
        body=body,
    )


@each(
    ("path", "body"),
    product(
        ROUTES, [b"", b"{", b'{"name"', b"nonsense", b'{"name":"\xff\xfe"}', b'{"x":"\xc3("}', DEEP, b'{"name":' + DEEP]
    ),
    ids=lambda path, body: f"{path} {body[:40]!r}",
)
def test_invalid_json_is_a_400_and_a_large_body_a_413(box: Box, path: str, body: bytes) -> None:
    too_large = len(body) > MOST_BYTES.get(path, len(body))
    assert_refusal(only(exchange(box, post(box, path, body))), 413 if too_large else 400)


@each(("path", "body"), product(ROUTES, [b"7", b'"text"', b"null", b'{"name":7,"parameters":7}']))
def test_json_of_another_shape_is_a_400_for_events_and_a_422_for_queries(box: Box, path: str, body: bytes) -> None:
    assert_refusal(only(exchange(box, post(box, path, body))), 422 if path == "/v1/query" else 400)


@pytest.mark.parametrize("path", ROUTES)
def test_a_compressed_body_is_a_415(box: Box, path: str) -> None:
    body = gzip.compress(QUESTION if path == "/v1/query" else EVENT)
    for encoding in ("gzip", "br", "deflate, gzip", "GZIP"):
        sent = post(box, path, body, JSON, f"Content-Encoding: {encoding}")
        assert_refusal(only(exchange(box, sent)), 415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "application/x-www-form-urlencoded"])
def test_a_query_of_another_content_type_is_a_415(box: Box, kind: str) -> None:
    sent = post(box, "/v1/query", QUESTION, f"Content-Type: {kind}")
    assert_refusal(only(exchange(box, sent)), 415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize(
    ("path", "size"),
    [("/track", 3_000), ("/track", 132_000), ("/", 132_000), ("/batch", 132_000), ("/v1/query", 300_000)],
)
def test_oversized_body_answers_413(box: Box, path: str, size: int) -> None:
    body = b'{"name":"bought","x":"' + b"x" * size + b'"}'
    assert_refusal(only(exchange(box, post(box, path, body))), 413)


def test_a_body_without_a_declared_length_is_counted_while_it_arrives(box: Box) -> None:
    chunk = b"2710\r\n" + b"x" * 10_000 + b"\r\n"
    sent = request("POST", "/track", JSON, f"X-Api-Key: {box.account.api_key}", "Transfer-Encoding: chunked")
    assert_refusal(only(exchange(box, sent + 14 * chunk)), 413)  # and it would go on


@pytest.mark.parametrize("path", ROUTES)
def test_a_body_that_does_not_arrive_in_time_is_a_408(box: Box, path: str) -> None:
    whole = post(box, path, b'{"name":"bought"}' * 10)
    assert_refusal(only(exchange(box, whole[:-100])), 408, "REQUEST_TIMEOUT")


def test_a_request_without_a_host_is_a_400(box: Box) -> None:
    for sent in (
        request("GET", "/health", host=None),
        request("POST", "/track", "Content-Length: 0", host=None),
        b"GET /health HTTP/1.0\r\n\r\n",
    ):
        assert_refusal(only(exchange(box, sent)), 400, "BAD_REQUEST")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/track", {"POST", "OPTIONS"}),
        ("PUT", "/track", {"POST", "OPTIONS"}),
        ("GET", "/batch", {"POST", "OPTIONS"}),
        ("DELETE", "/health", {"GET", "HEAD", "OPTIONS"}),
        ("POST", "/health", {"GET", "HEAD", "OPTIONS"}),
        ("GET", "/v1/query", {"POST", "OPTIONS"}),
        ("PATCH", "/v1/query/types", {"GET", "HEAD", "OPTIONS"}),
    ],
)
def test_another_method_is_a_405_that_names_the_right_ones(box: Box, method: str, path: str, allowed: set[str]) -> None:
    answer = only(exchange(box, request(method, path, "Content-Length: 0")))
    assert_refusal(answer, 405, "METHOD_NOT_ALLOWED")
    assert {name.strip() for name in answer.headers["allow"].split(",")} <= allowed
    assert answer.headers["allow"]


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere",
        "/v1/nowhere",
        "/v1/query/nowhere",
        "/static/nowhere.css",
        "/static/../../pyproject.toml",
        "/static/%2e%2e/%2e%2e/pyproject.toml",
        "/static/..%2f..%2fpyproject.toml",
        "/static//etc/passwd",
        "/static/%00",
        "/%ff%fe",
        "/" + "x" * 5_000,
    ],
)
def test_an_address_where_nothing_is_is_a_404(box: Box, path: str) -> None:
    assert_refusal(only(exchange(box, request("GET", path, "Accept: application/json"))), 404, "NOT_FOUND")


def test_a_key_that_does_not_exist_is_a_401(box: Box) -> None:
    for key in ("svc_" + "0" * 48, "nonsense", "svc_\xe9"):
        sent = request("POST", "/track", JSON, f"X-Api-Key: {key}", f"Content-Length: {len(EVENT)}", body=EVENT)
        assert_refusal(only(exchange(box, sent)), 401, "AUTH_REQUIRED")


def test_client_that_reads_only_after_sending_gets_its_refusal(box: Box) -> None:
    body = b'{"json": {"content": "' + b"x" * 7_900_000 + b'"}}'
    sent = request("POST", "/rpc/links/import", JSON, f"Content-Length: {len(body)}", body=body)
    with connect(box) as connection:
        connection.sendall(sent)
        received = b""
        while chunk := connection.recv(65_536):
            received += chunk
    assert received.startswith(b"HTTP/1.1 401 ")
    assert b'"code":"AUTH_REQUIRED"' in received


def test_long_answer_arrives_whole_over_a_slow_connection(box: Box) -> None:
    received = b""
    with connect(box) as connection:
        connection.sendall(request("GET", "/openapi.json"))
        while chunk := connection.recv(10_007):
            received += chunk
    head, _, content = received.partition(b"\r\n\r\n")
    assert f"content-length: {len(content)}".encode() in head.lower()
    assert json.loads(content)["openapi"].startswith("3.")
