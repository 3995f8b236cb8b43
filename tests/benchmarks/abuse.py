"""Thousands of connections that only take up room, kind by kind, while others are answered.

Everything stays on loopback: whoever attacks connects from 127.0.0.2 (and the following, with more addresses), the
others from 127.0.0.1. A connection that the box closes is opened anew at once, up to REOPENED a second.
"""

import asyncio
import json
import multiprocessing
import os
import select
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from urllib.parse import urlsplit

from analytics_box.base import settings
from tests.benchmarks.figures import machine, percentile, remark, report
from tests.benchmarks.server import GENERATOR_CORE, box, memory_mb, processor_seconds, wait
from tests.running import BROWSER, Account, Server

REOPENED = 1_000  # connections a second
ASKED = 40  # requests a second of each honest client
PATIENCE = 5.0  # seconds until an honest client gives up; what it gives up on counts with this time
SETTLED = 2.0  # seconds between two attacks
UNANSWERED = 64_000  # bytes of requests whose answers nobody reads
_HEAD = "POST /track?website_id={site} HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nUser-Agent: {agent}\r\n"
PIPELINE = b"GET /docs/query-types HTTP/1.1\r\nHost: localhost\r\n\r\n"
KINDS: dict[str, Callable[[str], bytes]] = {
    "silent": lambda site: b"",
    "preface": lambda site: b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0",
    "header": lambda site: b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    "body": lambda site: (_HEAD.format(site=site, agent=BROWSER) + "Content-Length: 500\r\n\r\n{").encode(),
    "unread": lambda site: PIPELINE * (UNANSWERED // len(PIPELINE)),
    "kept": lambda site: b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n",
}


def main(kinds: list[str], connections: int, seconds: int, addresses: int) -> None:
    """Print how honest requests fare without an attack and during each; the goal is 1 s at the 99th percentile."""
    machine()
    with tempfile.TemporaryDirectory() as folder, _box(Path(folder)) as (server, account):
        for kind in ["none", *kinds]:
            sent = b"" if kind == "none" else KINDS[kind](account.website_id)
            pid, before = server.process.pid, processor_seconds(server.process.pid)
            with _attack(server.port, sent, 0 if kind == "none" else connections, addresses) as counts:
                for who, answers in asyncio.run(_ask(server.url, account.website_id, seconds)).items():
                    report(f"abuse {kind}: {who}", **_figures(answers))
                report(
                    f"abuse {kind}",
                    held=counts[0].value,
                    opened=counts[1].value,
                    rss_mb=memory_mb(pid),
                    kernel_mb=_kernel_mb(),
                    processor_share=(processor_seconds(pid) - before) / seconds,
                )
            wait(SETTLED)
            remark(server.printed())


def _box(folder: Path) -> AbstractContextManager[tuple[Server, Account]]:
    """A box with the limits that it comes with, except that one address may send all our events."""
    kept = {row.name: row.default for row in settings.table() if row.name.startswith("limit_")}
    return box(folder / "data", **kept | {"limit_track": 0})


@contextmanager
def _attack(port: int, sent: bytes, connections: int, addresses: int) -> "Iterator[list[Synchronized[int]]]":
    """Hold that many connections in a process of its own; how many there are, and were opened in all."""
    counts: list[Synchronized[int]] = [multiprocessing.Value("i", 0), multiprocessing.Value("i", 0)]
    attacker = multiprocessing.Process(target=_hold, args=(port, sent, connections, addresses, counts), daemon=True)
    attacker.start()
    try:
        yield counts
    finally:
        attacker.terminate()
        attacker.join()


def _hold(port: int, sent: bytes, connections: int, addresses: int, counts: "list[Synchronized[int]]") -> None:
    """Keep connections open that send this and read nothing; open those anew that end."""
    os.sched_setaffinity(0, {int(GENERATOR_CORE) % (os.cpu_count() or 1)})
    watched = select.epoll()
    held: dict[int, socket.socket] = {}
    while True:
        turn = time.monotonic() + 0.1
        for _ in range(min(connections - len(held), REOPENED // 10)):
            try:
                opened = _open(port, f"127.0.0.{2 + counts[1].value % addresses}")
            except OSError:
                break  # no port or descriptor is free
            watched.register(opened, select.EPOLLRDHUP | select.EPOLLOUT)
            held[opened.fileno()] = opened
            counts[1].value += 1
        counts[0].value = len(held)
        while (left := turn - time.monotonic()) > 0:
            for number, event in watched.poll(left):
                if event & (select.EPOLLRDHUP | select.EPOLLHUP | select.EPOLLERR) or not _send(held[number], sent):
                    held.pop(number).close()
                else:
                    watched.modify(number, select.EPOLLRDHUP)


def _open(port: int, address: str) -> socket.socket:
    opened = socket.socket()
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    opened.setblocking(False)
    opened.bind((address, 0))
    opened.connect_ex(("127.0.0.1", port))
    return opened


def _send(opened: socket.socket, sent: bytes) -> bool:
    try:
        opened.send(sent)
    except OSError:
        return False
    return True


async def _ask(url: str, site: str, seconds: int) -> dict[str, list[tuple[float, int]]]:
    """Milliseconds until each answer and its status, by who asks for what, each on a connection of its own."""
    body = json.dumps({"name": "screen_view", "path": "https://example.com/"})
    event = _HEAD.format(site=site, agent=BROWSER) + f"Content-Length: {len(body)}\r\n"
    asked = {"/health": "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", "/track": f"{event}\r\n{body}"}
    answers: dict[str, list[tuple[float, int]]] = {}
    under_way = set()
    ends = time.monotonic() + seconds
    turn = time.monotonic()
    while turn < ends:
        for name, request in asked.items():
            for who, address in (("", "127.0.0.1"), (" from the same address", "127.0.0.2")):
                under_way.add(
                    asyncio.create_task(_asked(url, address, request.encode(), answers.setdefault(name + who, [])))
                )
        turn += 1 / ASKED
        await asyncio.sleep(max(turn - time.monotonic(), 0))
    await asyncio.gather(*under_way)
    return answers


async def _asked(url: str, address: str, request: bytes, answers: list[tuple[float, int]]) -> None:
    parts = urlsplit(url)
    began = time.monotonic()
    status = 0
    try:
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection(parts.hostname, parts.port, local_addr=(address, 0))
            writer.write(request)
            line = await reader.readline()
            writer.close()
        status = int(line.split(b" ")[1]) if line else 0
    except OSError:  # a time that is over is one, too
        pass
    answers.append(((time.monotonic() - began) * 1000 if status else PATIENCE * 1000, status))


def _figures(answers: list[tuple[float, int]]) -> dict[str, float]:
    """How long answers took, and how many requests had none, or one that sends away who asks too much."""
    delays = [delay for delay, _ in answers]
    return {
        "p50_ms": percentile(delays, 50),
        "p99_ms": percentile(delays, 99),
        "unanswered": sum(not status for _, status in answers) / len(answers),
        "limited": sum(status == 429 for _, status in answers) / len(answers),
        "wrong": sum(status not in {0, 200, 429} for _, status in answers) / len(answers),
    }


def _kernel_mb() -> float:
    """What the kernel keeps for all TCP sockets of this machine."""
    line = next(line for line in Path("/proc/net/sockstat").read_text().splitlines() if line.startswith("TCP:"))
    return int(line.split()[-1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
