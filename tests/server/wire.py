"""HTTP by hand: what no client library would send, and every byte of what comes back."""

import json
import socket
from typing import Any, NamedTuple

from tests.running import Box

PATIENCE = 20.0  # seconds until a test gives up on an answer


class Answer(NamedTuple):
    """One answer. Header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def connect(box: Box) -> socket.socket:
    """A connection to the server."""
    return socket.create_connection((box.url.split("/")[2].rsplit(":", 1)[0], box.server.port), timeout=PATIENCE)


def request(
    method: str, target: str, *headers: str, body: bytes = b"", host: str | None = "localhost", last: bool = True
) -> bytes:
    """The bytes of a request. `host` is None for none; Content-Length is up to the caller.

    After the `last` request of a connection the server is asked to close it.
    """
    lines = [f"{method} {target} HTTP/1.1", *headers]
    lines += [f"Host: {host}"] if host is not None else []
    lines += ["Connection: close"] if last else []
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def exchange(box: Box, sent: bytes) -> list[Answer]:
    """Send these bytes on a connection of their own; every answer until the server closes it."""
    received = b""
    with connect(box) as connection:
        try:
            connection.sendall(sent)
            while chunk := connection.recv(65_536):
                received += chunk
        except ConnectionError:
            pass  # it had heard enough
    return list(answers(received))


def answers(received: bytes) -> list[Answer]:
    """The answers in what a server sent; raises AssertionError for anything else."""
    found = []
    while received:
        head, separator, received = received.partition(b"\r\n\r\n")
        assert separator, f"half an answer: {head!r}"
        status_line, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", 0))
        found.append(Answer(int(status_line.split(" ")[1]), headers, received[:length]))
        assert len(found[-1].body) == length, "half a body"
        received = received[length:]
    return found


def only(found: list[Answer]) -> Answer:
    """The one answer that there is."""
    [answer] = found
    return answer


def assert_refusal(answer: Answer, status: int, code: str | None = None) -> None:
    """The answer is a refusal in the shape of the API (spec 7), and tells nothing of what went on inside."""
    assert answer.status == status, answer
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    body = answer.json
    assert body["success"] is False
    assert isinstance(body["error"], str)
    assert body["error"]
    assert body["requestId"] == answer.headers["x-request-id"] != ""
    assert code is None or body["code"] == code, body
    for hint in (b"Traceback", b'File "', b".py", b"line ", b"Exception", b"msgspec", b"litestar"):
        assert hint not in answer.body
