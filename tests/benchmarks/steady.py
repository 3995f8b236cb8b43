"""Events at a steady rate beside another measurement, and how long their answers take."""

import asyncio
import itertools
import time
from urllib.parse import urlsplit

from tests.running import BROWSER

CONNECTIONS = 32


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
