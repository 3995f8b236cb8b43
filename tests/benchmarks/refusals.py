"""Memory held for callers without a credential: refused bodies, unread answers, uploads that never end.

Of every route that takes a body MANY refusals of its largest one; of every anonymous route MANY answers that
are never read; of every kind of body MANY uploads that stop before their last byte. Everything stays on loopback, from
the addresses 127.0.0.2 to 127.0.0.6.
"""

import contextlib
import itertools
import re
import select
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from analytics_box.app.procedures import PROCEDURES
from analytics_box.app.routes import TABLE
from analytics_box.base.settings import Settings
from analytics_box.ingest.routes import ADDRESSES
from analytics_box.web.body import ANONYMOUS_BYTES
from analytics_box.web.route import PUBLIC
from tests.benchmarks.figures import machine, remark, report
from tests.benchmarks.server import box, memory_mb, wait
from tests.running import BROWSER, Account

MANY = 200
MOST_MB = 60.0
FROM = [f"127.0.0.{number}" for number in range(2, 7)]
PATIENCE = 5.0  # seconds for an answer
STILL = 0.3  # seconds in which an upload goes no further
_Attack = Callable[[int, Account], Iterator[str]]
_HEAD = "{method} {path} HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nUser-Agent: {agent}\r\n"


def main() -> None:
    """Print the memory of each kind above the start of a box; fails where it grows by more than MOST_MB."""
    machine()
    missed = [kind for kind, attack in _KINDS.items() if _grown(kind, attack) > MOST_MB]
    if missed:
        sys.exit(f"Missed: {', '.join(missed)}")


def _grown(kind: str, attack: _Attack) -> float:
    """The most memory above the start, in MB, on a box that has answered everything once."""
    with (
        tempfile.TemporaryDirectory() as folder,
        box(Path(folder) / "data", max_connections_address=0) as (
            server,
            account,
        ),
    ):
        for path in anonymous():
            _ask(server.port, path)
        wait(2)
        start, worst = memory_mb(server.process.pid), 0.0
        for path in attack(server.port, account):
            grown = memory_mb(server.process.pid) - start
            if grown > worst + 1:
                remark(f"{kind} {path}: {grown:.1f} MB")
            worst = max(worst, grown)
        wait(2)
        left = memory_mb(server.process.pid) - start
        report(f"refusals: {kind}", start_mb=start, most_mb=worst, left_mb=left)
        remark(server.printed()[-2_000:])
    return worst


def _refusals(port: int, account: Account) -> Iterator[str]:
    for path, size in bodies():
        _refuse(port, path, size)
        yield path


def _unread_answers(port: int, account: Account) -> Iterator[str]:
    for path in anonymous():
        with _unread(port, path):
            yield path


def _unfinished_uploads(port: int, account: Account) -> Iterator[str]:
    for path, size in uploads(account):
        with _unfinished(port, path, size):
            yield path


_KINDS: dict[str, _Attack] = {
    "refused": _refusals,
    "unread": _unread_answers,
    "unfinished": _unfinished_uploads,
}


def anonymous() -> list[str]:
    """The addresses of anonymous routes."""
    paths = {re.sub(r"\{.*?\}", "nothing", route.path) for route in TABLE if route.method == "GET"}
    public = {re.sub(r"\{.*?\}", "nothing", route.path) for route in TABLE if route.access == PUBLIC}
    return sorted(paths & public)


def bodies() -> list[tuple[str, int]]:
    """Every address that takes a body, and the largest that it takes."""
    usual = Settings(data_dir=Path()).max_query_bytes
    procedures = [(path, line.most_bytes or usual) for line in PROCEDURES for path in line.paths]
    own = {path for path, _ in procedures}
    routes = {re.sub(r"\{.*?\}", "nothing", route.path) for route in TABLE if route.method == "POST"} - own
    return procedures + [(path, usual) for path in sorted(routes)]


def uploads(account: Account) -> list[tuple[str, int]]:
    """An address of each kind of body that a stranger may send."""
    largest = max(PROCEDURES, key=lambda line: line.most_bytes or 0)
    settings = Settings(data_dir=Path())
    events = [(f"{path}?website_id={account.website_id}", settings.max_batch_bytes) for method, path in ADDRESSES]
    return [
        (largest.paths[0], largest.most_bytes or 0),
        ("/sign-in", ANONYMOUS_BYTES),
        ("/v1/query", ANONYMOUS_BYTES),
        *events,
    ]


def _head(path: str, size: int | None = None) -> bytes:
    method = "GET" if size is None else "POST"
    length = "" if size is None else f"Content-Type: application/json\r\nContent-Length: {size}\r\n"
    return (_HEAD.format(method=method, path=path, agent=BROWSER) + length + "\r\n").encode()


_ADDRESSES = itertools.cycle(FROM)


def _connect(port: int, *, small: bool = False) -> socket.socket:
    opened = socket.socket()
    if small:  # as over a network, where little is on its way
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1_400)
    opened.bind((next(_ADDRESSES), 0))
    opened.settimeout(PATIENCE)
    opened.connect(("127.0.0.1", port))
    return opened


def _ask(port: int, path: str) -> None:
    with _connect(port) as opened, contextlib.suppress(TimeoutError):
        opened.sendall(_head(path).replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        while opened.recv(65_536):
            pass


def _refuse(port: int, path: str, size: int) -> None:
    """Send the body MANY times, over one connection as long as it stays open."""
    opened, content = None, b'{"json": {"x": "' + b"x" * (size - 19) + b'"}}'
    for _ in range(MANY):
        opened = opened or _connect(port)
        if not _sent(opened, _head(path, len(content)) + content):
            opened.close()
            opened = None
    if opened is not None:
        opened.close()


def _sent(opened: socket.socket, request: bytes) -> bool:
    """Send until an answer comes, and read it; whether the connection can be used again."""
    at, until = 0, time.monotonic() + PATIENCE
    view = memoryview(request)
    try:
        while time.monotonic() < until:
            reading, writing, _ = select.select([opened], [opened] if at < len(request) else [], [], 1)
            if reading:
                answer = opened.recv(65_536)
                return bool(answer) and at == len(request) and b"connection: close" not in answer
            if writing:
                at += opened.send(view[at : at + 65_536])
    except OSError:
        pass
    return False


@contextlib.contextmanager
def _unread(port: int, path: str) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for _ in range(MANY):
            stack.enter_context(_connect(port, small=True)).sendall(_head(path))
        wait(STILL)
        yield


@contextlib.contextmanager
def _unfinished(port: int, path: str, size: int) -> Iterator[None]:
    """Hold MANY uploads of which all but the last byte was sent, as far as the box takes it."""
    with contextlib.ExitStack() as stack:
        content = memoryview(_head(path, size) + b"x" * (size - 1))
        left = {stack.enter_context(_connect(port)): 0 for _ in range(MANY)}
        for opened in left:
            opened.setblocking(False)
        while left:
            writing = select.select([], list(left), [], STILL)[1]
            if not writing:
                break
            for opened in writing:
                with contextlib.suppress(BlockingIOError):
                    try:
                        left[opened] += opened.send(content[left[opened] : left[opened] + 65_536])
                    except ConnectionError:
                        left[opened] = len(content)
                    if left[opened] == len(content):
                        del left[opened]
        wait(STILL)
        yield
