"""Clients that send half a body, or one byte after the other, on every event route: they hold up nobody else."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from analytics_box.ingest.routes import ADDRESSES
from tests.running import BROWSER, UNLIMITED, Box, running_box
from tests.server.wire import Answer, answers, assert_refusal, connect, exchange, only, request

POSTS = [path for method, path in ADDRESSES if method == "POST"]
SLOW = 8  # senders per route


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    directory: Path = tmp_path_factory.mktemp("slow") / "data"
    with running_box(directory, **UNLIMITED, body_seconds=3) as running:
        yield running
        assert "Traceback" not in running.server.printed()


def post(box: Box, path: str, body: bytes, *, length: int | None = None, last: bool = True) -> bytes:
    return request(
        "POST",
        f"{path}?client_id={box.account.website_id}",
        f"Content-Length: {len(body) if length is None else length}",
        f"User-Agent: {BROWSER}",
        "Accept: */*",
        body=body,
        last=last,
    )


def rest_of(connection: object) -> Answer:
    received = b""
    while chunk := connection.recv(65_536):  # type: ignore[attr-defined]  # a socket, plain or with TLS
        received += chunk
    return only(list(answers(received)))


def test_half_a_body_answers_408_and_delays_no_other_request(box: Box) -> None:
    event = json.dumps({"name": "screen_view", "path": "https://example.com/"}).encode()
    with ExitStack() as stack:
        slow = []
        for path in POSTS:
            for _ in range(SLOW):
                connection = stack.enter_context(connect(box))
                connection.sendall(post(box, path, b'[{"name":', length=500))
                slow.append(connection)
        for _ in range(20):
            assert only(exchange(box, post(box, "/", event))).status == 200
        for connection in slow[1::2]:
            connection.sendall(b'"x"')  # a little more does not buy more time
        for connection in slow:
            refusal = rest_of(connection)
            assert_refusal(refusal, 408, "REQUEST_TIMEOUT")
            assert refusal.json["retryable"] is True
    assert only(exchange(box, post(box, "/", event))).status == 200


def test_a_body_in_single_bytes_is_read_to_its_end(box: Box) -> None:
    for path, body in (("/vitals", b'[{"metricName":"LCP","metricValue":1}]'), ("/track", b'{"name":"slowly"}')):
        with connect(box) as connection:
            sent = post(box, path, body)
            head = len(sent) - len(body)
            connection.sendall(sent[:head])
            for place in range(head, len(sent)):
                connection.sendall(sent[place : place + 1])
            assert rest_of(connection).status == 200


def test_client_that_leaves_during_a_body_leaves_nothing_behind(box: Box) -> None:
    for path in POSTS:
        with connect(box) as connection:
            connection.sendall(post(box, path, b'[{"name":"left"', length=200))
    event = json.dumps({"name": "screen_view", "path": "https://example.com/"}).encode()
    assert only(exchange(box, post(box, "/", event))).status == 200
