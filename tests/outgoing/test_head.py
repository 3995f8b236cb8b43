"""Heads of answers as servers write them: whatever browsers read, the client reads; what is no answer fails at once."""

import pytest

from analytics_box.outgoing.failures import BadAnswer
from analytics_box.outgoing.head import Head, HeadReader
from tests.cases import each
from tests.outgoing.test_client import ask, run


def read(text: bytes) -> Head:
    reader = HeadReader()
    reader.take(text)
    found = reader.next()
    assert found is not None
    return found


@each(
    ("lines", "headers"),
    [
        (b"X-Foo : bar", (("x-foo", "bar"),)),
        (b"X-Foo\t:\tbar ", (("x-foo", "bar"),)),
        (b"No colon here\r\nA: b", (("a", "b"),)),
        (b"No colon here\r\n which goes on\r\nA: b", (("a", "b"),)),
        (b": no name\r\nA: b", (("a", "b"),)),
        (b" begins with a space\r\nA: b", (("a", "b"),)),
        (b"A: b\r\n c\r\n\td", (("a", "b c d"),)),
        (b"X Y: b", (("x y", "b"),)),
        (b"X(Y): b", (("x(y)", "b"),)),
        (b"X-\xe4: \xe4\x01", (("x-\xe4", "\xe4\x01"),)),
        (b"A:b\nC: d", (("a", "b"), ("c", "d"))),
        (b"A:", (("a", ""),)),
    ],
)
def test_odd_header_does_not_spoil_an_answer(lines: bytes, headers: tuple[tuple[str, str], ...]) -> None:
    head = b"HTTP/1.1 200 OK\r\n" + lines + b"\r\nContent-Length: 2\r\n\r\n"
    assert read(head).headers == (*headers, ("content-length", "2"))
    answer, _ = run(ask(head + b"ok and more"))
    assert (answer.status, answer.body, answer.complete) == (200, b"ok", True)


@each(
    ("head", "status", "body"),
    [
        (b"\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", 200, b"ok"),
        (b"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n", 200, b"ok"),
        (b"HTTP/1.1  404  Not Found\r\nContent-Length: 2\r\n\r\n", 404, b"ok"),
        (b"http/1.1 200 OK\nContent-Length: 2\n\n", 200, b"ok"),
        (b"HTTP/1 200 \xe4\r\nContent-Length: 2\r\n\r\n", 200, b"ok"),
        (b"HTTP/2 200 \r\nContent-Length: 2, 2\r\n\r\n", 200, b"ok"),
        (b"HTTP/1.0 200 OK\r\n\r\n", 200, b"okay"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", 200, b"okay"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", 200, b"okay"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n", 200, b"okay"),
        (b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", 200, b"ok"),
    ],
)
def test_body_ends_where_browsers_see_its_end(head: bytes, status: int, body: bytes) -> None:
    answer, _ = run(ask(head + b"okay"))
    assert (answer.status, answer.body, answer.complete) == (status, body, True)


@each(
    "head",
    [
        b"220 mail.example.com ESMTP\r\n",
        b"SSH-2.0-OpenSSH",
        b"<html>",
        b"HTTP/1.1 two hundred\r\n\r\n",
        b"HTTP/1.1 20000 OK\r\n\r\n",
        b"HTTP/1.1 000 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: \0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    ],
)
def test_what_no_browser_reads_is_not_http(head: bytes) -> None:
    with pytest.raises(BadAnswer, match="not HTTP"):
        read(head)


def test_head_is_found_however_its_bytes_arrive() -> None:
    reader = HeadReader()
    for byte in b"\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r":
        reader.take(bytes([byte]))
        assert reader.next() is None
    reader.take(b"\nrest")
    found = reader.next()
    assert found is not None
    assert (found.headers, reader.rest) == ((("a", "b"),), b"rest")
