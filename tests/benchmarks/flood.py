"""150 MB of valid events from one address, each with long texts that nobody has sent before: what they leave in memory
and on disk, with the limits that the box comes with and without them.
"""

import asyncio
import itertools
import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from analytics_box.base import settings
from tests.benchmarks.figures import machine, report
from tests.benchmarks.server import GENERATOR_CORE, box, memory_mb, wait
from tests.running import BROWSER, Account, Server

BYTES = 150_000_000
SHAPES = {"long texts": 4_000, "many texts": 150}  # characters that each has at most
CONNECTIONS = 8
SETTLED = 15.0  # seconds until the jobs have run that tidy up
EVERY = 0.2  # seconds between two looks at the memory
_ROUTES = (("/track", 1), ("/batch", 50), ("/errors", 10), ("/track", 50), ("/events", 50))  # and events a request
_HEAD = (
    "POST {path} HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nUser-Agent: {agent}\r\n"
    "Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
)


def main() -> None:
    """Print what is in memory and on disk before and after, by the limits."""
    machine()
    os.sched_setaffinity(0, {int(GENERATOR_CORE) % (os.cpu_count() or 1)})
    usual = {row.name: row.default for row in settings.table() if row.name.startswith("limit_")}
    runs = itertools.product((("usual limits", usual), ("no limits", {})), SHAPES.items())
    for (name, limits), (shape, longest) in runs:
        with tempfile.TemporaryDirectory() as folder, box(Path(folder) / "data", **limits) as (server, account):
            asyncio.run(_send_all(server, account, 1_000_000, longest))  # what every box loads with its first events
            wait(2.0)
            pid, data = server.process.pid, Path(folder) / "data"
            memory, disk = memory_mb(pid), _size_mb(data)
            began = time.monotonic()
            answers, peak = asyncio.run(_send_all(server, account, BYTES, longest))
            took = time.monotonic() - began
            wait(SETTLED)
            report(
                f"abuse flood, {name}, {shape}",
                seconds=took,
                rss_before_mb=memory,
                rss_peak_mb=peak,
                rss_after_mb=memory_mb(pid),
                disk_before_mb=disk,
                disk_after_mb=_size_mb(data),
                **{f"answers_{status}": count for status, count in sorted(answers.items())},
            )


def _size_mb(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.iterdir() if file.is_file()) / 1e6


async def _send_all(server: Server, account: Account, size: int, longest: int) -> tuple[Counter[int], float]:
    """Send that many bytes of events over all routes; how often each status came, and the memory at its most."""
    answers: Counter[int] = Counter()
    requests = _requests(account.website_id, size, longest)
    sending = asyncio.gather(*(_send(server.url, requests, answers) for _ in range(CONNECTIONS)))
    peak = 0.0
    while not sending.done():
        peak = max(peak, memory_mb(server.process.pid))
        await asyncio.wait([sending], timeout=EVERY)
    sending.result()
    return answers, peak


async def _send(url: str, requests: Iterator[bytes], answers: "Counter[int]") -> None:
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    for request in requests:
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        answers[int(head.split(b" ", 2)[1])] += 1
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(int(length.split(b":")[1]))
    writer.close()


_numbers = itertools.count()


def _requests(site: str, size: int, longest: int) -> Iterator[bytes]:
    sent = 0
    for path, many in itertools.cycle(_ROUTES):
        if sent >= size:
            return
        items = [_error(longest) if path == "/errors" else _event(path, longest) for _ in range(many)]
        body = json.dumps(items[0] if many == 1 else items).encode()
        name = "website_id" if path == "/track" else "client_id"
        target = f"{path}?{name}={site}"
        yield _HEAD.format(path=target, agent=BROWSER, length=len(body)).encode() + body
        sent += len(body)


def _event(path: str, longest: int) -> dict[str, Any]:
    number = next(_numbers)
    kind = "eventName" if path == "/events" else "name"
    return {
        kind: _text(number, 100) if path == "/events" or number % 2 else "screen_view",
        "path": f"https://example.com/{_text(number, min(longest, 2_000))}?q={_text(number, min(longest, 1_500))}",
        "title": _text(number, min(longest, 500)),
        "referrer": f"https://{number}.example.org/{_text(number, min(longest, 1_900))}",
        **{f"utm_{name}": _text(number, 120) for name in ("source", "medium", "campaign", "term", "content")},
        "properties": {_text(number, 60): _text(number, min(longest, 1_500))},
        **_who(number),
    }


def _error(longest: int) -> dict[str, Any]:
    number = next(_numbers)
    texts = {
        "message": _text(number, min(longest, 2_000)),
        "stack": _text(number, longest),
        "filename": _text(number, min(longest, 500)),
    }
    return {**texts, "path": f"https://example.com/{_text(number, min(longest, 2_000))}", **_who(number)}


def _who(number: int) -> dict[str, str]:
    """Each event is of another visitor, in another session."""
    return {"eventId": f"event-{number}", "anonymousId": f"visitor-{number}", "sessionId": f"session-{number}"}


def _text(number: int, length: int) -> str:
    return f"{number}-{'abcdefghij' * (length // 10)}"[:length]
