"""A box that knows its public address answers to that name only, so that no other name can be pointed at it."""

from collections.abc import Iterator

import pytest

from tests.cases import each
from tests.running import Box, running_box
from tests.server.wire import assert_refusal, exchange, only, request


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """A server with two public addresses."""
    data_dir = tmp_path_factory.mktemp("named") / "data"
    with running_box(
        data_dir, base_url="https://stats.example.com", ingest_url="https://in.example.com:8443"
    ) as running:
        yield running


@pytest.mark.parametrize(
    "host",
    [
        "stats.example.com",
        "STATS.example.com",
        "stats.example.com:443",
        "stats.example.com:",
        "stats.example.com.",
        "stats.example.com.:443",
        "in.example.com:8443",
        "localhost:8000",
        "[::1]:8000",
    ],
)
def test_its_own_names_are_answered(named: Box, host: str) -> None:
    answer = only(exchange(named, request("GET", "/health", host=host)))
    assert answer.status == 200
    assert answer.headers["strict-transport-security"] == "max-age=31536000"


@each(
    ("host", "method", "path"),
    [
        (host, method, path)
        for host in [
            "evil.example",
            "example.com",
            "stats.example.com.evil.example",
            "evilstats.example.com",
            "stats.example.com..",
            "192.0.2.1",
            "[::2]",
        ]
        for method, path in [("GET", "/health"), ("POST", "/track"), ("POST", "/v1/query")]
    ],
)
def test_another_name_is_a_421(named: Box, host: str, method: str, path: str) -> None:
    answer = only(exchange(named, request(method, path, "Content-Length: 0", host=host)))
    assert_refusal(answer, 421, "MISDIRECTED_REQUEST")


@each(
    ("host", "method", "path"),
    [
        (host, method, path)
        for host in [
            "stats.example.com@evil.example",
            "evil.example@stats.example.com",
            "user:secret@stats.example.com",
            "@stats.example.com",
            "evil.example#stats.example.com",
            "stats.example.com/",
            "stats.example.com:443x",
            "stats.example.com:99999999",
            "stats.example.com, evil.example",
            "[",
            "[::1",
            ":443",
            "\xe9.example",
        ]
        for method, path in [
            ("GET", "/health"),
            ("POST", "/track"),
            ("POST", "/v1/query"),
            ("POST", "/rpc/websites/list"),
        ]
    ],
)
def test_invalid_host_header_answers_400(named: Box, host: str, method: str, path: str) -> None:
    answer = only(exchange(named, request(method, path, "Content-Length: 0", host=host)))
    assert_refusal(answer, 400, "BAD_REQUEST")


def test_a_name_in_the_request_line_does_not_replace_the_header(named: Box) -> None:
    answer = only(exchange(named, request("GET", "http://stats.example.com/health", host="evil.example")))
    assert_refusal(answer, 421, "MISDIRECTED_REQUEST")


@pytest.mark.parametrize(("first", "second"), [("stats.example.com", "evil.example"), ("evil.example", "localhost")])
def test_two_names_are_a_400(named: Box, first: str, second: str) -> None:
    answer = only(exchange(named, request("GET", "/health", f"Host: {second}", host=first)))
    assert_refusal(answer, 400, "BAD_REQUEST")
