"""Heads of answers as servers write them: whatever browsers read, the client reads; what is no answer fails at once."""

import pytest

from analytics_box.base.outgoing.exchange import AnswerHead, Framing, HeadReader
from analytics_box.base.outgoing.failures import BadAnswer
from tests.base.outgoing.test_client import ask, run
from tests.cases import each


def read(text: bytes) -> AnswerHead:
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
        (b"HTTP/1.1 200OK\r\nContent-Length: 2\r\n\r\n", 200, b"ok"),
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
    "body",
    [
        b"5\r\nhello\r\n0\r\n\r\n",
        b"0005 \r\nhello\r\n0\r\n\r\n",
        b'5 ; a = "b"\r\nhello\r\n00;c\r\n\r\n',
        b"5\nhello\n0\n\n",
        b"2\r\nhe\r\n3\r\nllo\r\n0\r\nX Foo : b\r\nno colon\r\n\r\n",
        b"A\r\nhellohello\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n",
    ],
)
def test_chunks_are_read_as_curl_and_browsers_read_them(body: bytes) -> None:
    whole = b"hellohello" if body.startswith(b"A") else b"hello"
    head = read(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    for size in (1, 2, 3, len(body)):
        framing = Framing(head, "GET")
        parts = [body[place : place + size] for place in range(0, len(body), size)]
        found = b"".join(piece for part in parts for piece in framing.pieces(part))
        assert (found, framing.is_over) == (whole, True)


@each(
    "body",
    [
        b"5\r\nhello\r\n",
        b"5\r\nhello\r\n0\r\n",
        b"5\r\nhell",
        b"5\r\nhello!\r\n0\r\n\r\n",
        b"zz\r\n",
        b" 5\r\nhello\r\n0\r\n\r\n",
        b"-5\r\nhello\r\n0\r\n\r\n",
        b"f" * 20 + b"\r\n",
        b"5" + b" " * 20_000,
        b"0\r\n" + b"a: b\r\n" * 5_000 + b"\r\n",
    ],
)
def test_chunks_without_an_end_are_no_answer(body: bytes) -> None:
    with pytest.raises(BadAnswer, match="ended early"):
        run(ask(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body))


@each(("status", "method"), [("204 No Content", "GET"), ("304 Not Modified", "GET"), ("200 OK", "HEAD")])
def test_answer_that_has_no_body_is_over_with_its_head(status: str, method: str) -> None:
    answer, _ = run(ask(f"HTTP/1.1 {status}\r\nContent-Length: 5\r\n\r\n".encode() + b"hello", method=method))
    assert (answer.body, answer.complete) == (b"", True)


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
def test_malformed_head_is_not_http(head: bytes) -> None:
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
