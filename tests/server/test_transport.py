"""How a real server treats connections: what it answers, what it closes, and what never counts as a request."""

import json
import os
from pathlib import Path

import httpx
import pytest

from tests.running import BROWSER, Box
from tests.server.wire import Answer, assert_refusal, connect, exchange, only, request

JSON = "Content-Type: application/json"


GOODBYE = request("GET", "/health")


def event(box: Box, name: str) -> bytes:
    """The bytes of a request that stores an event of this name; more may follow."""
    body = json.dumps({"name": name, "websiteId": box.account.website_id}).encode()
    return request(
        *("POST", "/track", JSON, f"X-Api-Key: {box.account.api_key}", f"Content-Length: {len(body)}"),
        body=body,
        last=False,
    )


def stored(box: Box) -> set[str]:
    """The names of all custom events that the server has."""
    answer = httpx.post(
        f"{box.url}/v1/query?website_id={box.account.website_id}",
        headers={"X-Api-Key": box.account.api_key, "User-Agent": BROWSER},
        json={"parameters": ["custom_events"], "preset": "last_7d", "limit": 1000},
    )
    assert answer.status_code == 200, answer.text
    [result] = answer.json()["data"]
    assert result["success"], result
    return {row["name"] for row in result["data"]}


def _may_choose() -> bool:
    """Whether this machine lets threads choose how they are scheduled, and ours have not chosen yet."""
    try:
        os.sched_setscheduler(0, os.sched_getscheduler(0), os.sched_param(0))
    except OSError:
        return False
    return os.sched_getscheduler(0) == os.SCHED_OTHER


@pytest.mark.skipif(not _may_choose(), reason="how threads are scheduled is not ours to choose here")
def test_threads_of_the_http_server_do_not_take_the_processor_from_the_one_that_answers(box: Box) -> None:
    pid = box.server.process.pid
    threads = [int(thread.name) for thread in Path(f"/proc/{pid}/task").iterdir()]
    policies = {thread: os.sched_getscheduler(thread) for thread in threads}
    assert policies.pop(pid) == os.SCHED_OTHER
    assert set(policies.values()) == {os.SCHED_OTHER, os.SCHED_BATCH}


def test_health_says_ok_and_nothing_else(box: Box) -> None:
    answer = only(exchange(box, request("GET", "/health")))
    assert (answer.status, answer.body) == (200, b'{"status":"ok"}')
    assert answer.headers["x-request-id"]


@pytest.mark.parametrize("path", ["/health", "/script.js", "/nowhere"])
def test_head_is_answered_like_get_without_the_body(box: Box, path: str) -> None:
    got = httpx.get(f"{box.url}{path}")
    head = httpx.head(f"{box.url}{path}")
    assert head.status_code == got.status_code
    assert head.content == b""
    assert head.headers["content-type"] == got.headers["content-type"]
    assert head.headers["x-request-id"]


def test_every_request_has_an_id_of_its_own(box: Box) -> None:
    ids = {httpx.get(f"{box.url}{path}").headers["x-request-id"] for path in 3 * ["/health", "/script.js", "/nowhere"]}
    assert len(ids) == 9


def test_a_request_id_that_a_client_sends_is_not_taken_over(box: Box) -> None:
    answer = httpx.get(f"{box.url}/nowhere", headers={"X-Request-ID": "mine"})
    assert "mine" not in answer.text + answer.headers["x-request-id"]


def test_a_connection_goes_on_after_a_refusal(box: Box) -> None:
    answers = exchange(
        box,
        request("GET", "/nowhere", last=False)
        + request("POST", "/track", JSON, "Content-Length: 1", body=b"{", last=False)
        + GOODBYE,
    )
    assert [answer.status for answer in answers] == [404, 400, 200]


def test_requests_that_are_sent_ahead_are_answered_in_order(box: Box) -> None:
    answers = exchange(box, event(box, "ahead 1") + event(box, "ahead 2") + GOODBYE)
    assert [answer.status for answer in answers] == [200, 200, 200]
    assert {"ahead 1", "ahead 2"} <= stored(box)


def test_rest_of_an_oversized_body_is_not_the_next_request(box: Box) -> None:
    smuggled = event(box, "from a body")
    body = b"x" * 132_000 + smuggled
    headers = (JSON, f"X-Api-Key: {box.account.api_key}", f"Content-Length: {len(body)}")
    sent = request("POST", "/track", *headers, body=body, last=False) + GOODBYE
    refusal, *rest = exchange(box, sent)
    assert_refusal(refusal, 413)
    assert [answer.body for answer in rest] in ([], [b'{"status":"ok"}']), "closed, or went on after the body"
    assert "from a body" not in stored(box)


def test_rest_of_a_late_body_is_not_the_next_request(box: Box) -> None:
    with connect(box) as connection:
        connection.sendall(request("POST", "/track", JSON, "Content-Length: 5000", body=b"{", last=False))
        received = b""
        try:
            while chunk := connection.recv(65_536):
                received += chunk
                connection.sendall(event(box, "too late"))
        except ConnectionError:
            pass  # it closed on us, as it should
    assert received.startswith(b"HTTP/1.1 408 ")
    assert received.count(b"HTTP/1.1 ") == 1
    assert "too late" not in stored(box)


def disagreements(box: Box, name: str) -> dict[str, bytes]:
    """Requests with two ideas of how long their body is; by one of them an event of this name comes after it."""
    inner = event(box, name)
    chunked = b"0\r\n\r\n" + inner

    def outer(*headers: str, body: bytes) -> bytes:
        return request("POST", "/track", JSON, f"X-Api-Key: {box.account.api_key}", *headers, body=body, last=False)

    whole = f"Content-Length: {len(chunked)}"
    return {
        "length and chunks": outer(whole, "Transfer-Encoding: chunked", body=chunked),
        "chunks and length": outer("Transfer-Encoding: chunked", whole, body=chunked),
        "chunks in other case": outer(whole, "Transfer-Encoding: Chunked", body=chunked),
        "chunks with a space": outer(whole, "Transfer-Encoding : chunked", body=chunked),
        "chunks after a tab": outer(whole, "Transfer-Encoding:\tchunked", body=chunked),
        "chunks with a vertical tab": outer(whole, "Transfer-Encoding: \x0bchunked", body=chunked),
        "chunks that are not last": outer(whole, "Transfer-Encoding: chunked, identity", body=chunked),
        "an unknown coding": outer(whole, "Transfer-Encoding: xchunked", body=chunked),
        "chunks on a folded line": outer(whole, "Transfer-Encoding:\r\n chunked", body=chunked),
        "two lengths": outer("Content-Length: 0", f"Content-Length: {len(inner)}", body=inner),
        "two lengths the other way": outer(f"Content-Length: {len(inner)}", "Content-Length: 0", body=inner),
        "lengths in a list": outer(f"Content-Length: 0, {len(inner)}", body=inner),
        "a length with a sign": outer("Content-Length: +0", body=inner),
        "a negative length": outer("Content-Length: -1", body=inner),
        "a hexadecimal length": outer("Content-Length: 0x0", body=inner),
        "an endless length": outer("Content-Length: 18446744073709551616", body=inner),
        "a space before the colon": outer("Content-Length : 0", body=inner),
    }


def test_a_request_with_two_lengths_never_becomes_two_requests(box: Box) -> None:
    got: dict[str, list[Answer]] = {}
    for case, sent in disagreements(box, "smuggled").items():
        got[case] = exchange(box, sent + GOODBYE)
    assert {case: [answer.status for answer in found] for case, found in got.items()} == {case: [400] for case in got}
    assert "smuggled" not in stored(box)


def test_client_that_leaves_during_a_body_affects_no_other(box: Box) -> None:
    for _ in range(20):
        with connect(box) as connection:
            connection.sendall(event(box, "left")[:-20])
    assert only(exchange(box, GOODBYE)).status == 200
    assert "left" not in stored(box)


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /health HTTP/9.9\r\n\r\n",
    ],
    ids=["words", "TLS", "version"],
)
def test_non_http_bytes_get_no_answer(box: Box, sent: bytes) -> None:
    assert [answer.status for answer in exchange(box, sent)] in ([], [400], [505])
    assert only(exchange(box, GOODBYE)).status == 200


def test_oversized_header_is_refused(box: Box) -> None:
    sent = request("GET", "/health", "X-Long: " + "x" * 1_000_000)
    assert [answer.status for answer in exchange(box, sent)] in ([], [431])
    assert only(exchange(box, GOODBYE)).status == 200


@pytest.mark.parametrize("path", ["/track", "/v1/query", "/rpc/websites/list", "/sign-in"])
@pytest.mark.parametrize(
    "chunks", [b"zz\r\n{}\r\n0\r\n\r\n", b"2\r\n{}0\r\n\r\n", b"-1\r\n{}\r\n", b"f" * 20 + b"\r\n{}"], ids=repr
)
def test_chunks_that_cannot_be_read_are_a_400(box: Box, path: str, chunks: bytes) -> None:
    kind = "Content-Type: application/x-www-form-urlencoded" if path == "/sign-in" else JSON
    key = f"X-Api-Key: {box.account.api_key}"
    answer = only(exchange(box, request("POST", path, kind, key, "Transfer-Encoding: chunked", body=chunks)))
    assert answer.status == 400
    assert b"INTERNAL_SERVER_ERROR" not in answer.body
