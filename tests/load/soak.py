"""A long load at a steady rate: memory, answers and delays minute by minute, and every acknowledged event on disk."""

import asyncio
import itertools
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import apsw

from tests.load.figures import machine, percentile, report
from tests.load.server import box, memory_mb, processor_seconds
from tests.running import BROWSER

CONNECTIONS = 32
MINUTE = 60.0


class Count:
    """What has happened since the last look."""

    def __init__(self) -> None:
        self.right = 0
        self.wrong = 0
        self.delays: list[float] = []

    def take(self) -> "Count":
        """What has been counted so far; counting begins anew."""
        taken = Count()
        taken.right, taken.wrong, taken.delays = self.right, self.wrong, self.delays
        self.right, self.wrong, self.delays = 0, 0, []
        return taken


def main(rate: int, minutes: int) -> None:
    """Print a line for each minute. Memory is flat where the last quarter's mean is that of the second quarter."""
    machine()
    with tempfile.TemporaryDirectory() as folder, box(Path(folder) / "data") as (server, account):
        pid = server.process.pid
        memory: list[float] = []
        right = 0
        before = processor_seconds(pid)
        for minute, count in enumerate(_minutes(server.url, account.website_id, rate, minutes), start=1):
            memory.append(memory_mb(pid))
            right += count.right
            if count.wrong:
                sys.exit(f"{count.wrong} answers were no 200s")
            used, before = processor_seconds(pid) - before, processor_seconds(pid)
            report(
                f"minute {minute}",
                requests_per_second=count.right / MINUTE,
                p50_ms=percentile(count.delays, 50),
                p99_ms=percentile(count.delays, 99),
                rss_mb=memory[-1],
                processor_us=used / max(count.right, 1) * 1e6,
            )
        quarter = max(len(memory) // 4, 1)
        second, last = memory[quarter : 2 * quarter] or memory, memory[-quarter:]
        db = apsw.Connection(str(Path(folder) / "data" / "events.db"), flags=apsw.SQLITE_OPEN_READONLY)
        stored = int(str(db.execute("select count(*) from events where bot = 0").fetchall()[0][0]))
        report(
            "soak",
            minutes=minutes,
            acknowledged=right,
            stored=stored,
            rss_second_quarter_mb=sum(second) / len(second),
            rss_last_quarter_mb=sum(last) / len(last),
        )
        if stored < right:
            sys.exit("Acknowledged events are missing")


def _minutes(url: str, site: str, rate: int, minutes: int) -> Iterator[Count]:
    """The counts of each minute, as it ends."""
    with asyncio.Runner() as runner:
        count, numbers = Count(), itertools.count()
        senders = runner.run(begin(url, site, rate, count, numbers))
        for _ in range(minutes):
            runner.run(asyncio.sleep(MINUTE))
            yield count.take()
        runner.run(end(senders))


async def begin(
    url: str, site: str, rate: int, count: Count, numbers: "itertools.count[int]"
) -> list["asyncio.Task[None]"]:
    """Send that many events a second over a few connections; what became of them is counted."""
    return [
        asyncio.create_task(_send(url, site, CONNECTIONS / rate, offset / rate, count, numbers))
        for offset in range(CONNECTIONS)
    ]


async def end(senders: list["asyncio.Task[None]"]) -> None:
    """Send no more."""
    for sender in senders:
        sender.cancel()
    await asyncio.gather(*senders, return_exceptions=True)


async def _send(
    url: str, site: str, every: float, offset: float, count: Count, numbers: "itertools.count[int]"
) -> None:
    """One event each `every` seconds over one connection; one that is late does not wait."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    turn = time.monotonic() + offset
    while True:
        turn += every
        if (left := turn - time.monotonic()) > 0:
            await asyncio.sleep(left)
        number = next(numbers)
        body = (
            f'{{"name":"screen_view","path":"https://example.com/page-{number % 997}","eventId":"soak-{number}",'
            f'"referrer":"https://news.ycombinator.com/item","anonymousId":"visitor-{number % 50_021}"}}'
        )
        began = time.monotonic()
        writer.write(
            f"POST /track?website_id={site} HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nUser-Agent: {BROWSER}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        status = await _status(reader)
        count.delays.append((time.monotonic() - began) * 1000)
        count.right += status == 200
        count.wrong += status != 200


async def _status(reader: asyncio.StreamReader) -> int:
    """Read one answer whole; its status."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    await reader.readexactly(int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0]))
    return int(head.split(b" ", 2)[1])
