"""Senders who keep what they send until it is acknowledged, as good clients do, and followers of short links."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Sequence

from analytics_box.base.clock import DAY
from tests.benchmarks.crowd import Known, View, views
from tests.benchmarks.line import Line
from tests.running import BROWSER

CONNECTIONS = 96
FOLLOWERS = 4
REMEMBERED = 0.1  # seconds: clicks that a kill may take
_PAUSE = 0.1  # seconds before something that was refused is sent again
_LATE = 0.5  # seconds that a sender may be late before it gives its turns up


class Events:
    """Page views at a rate over a few connections. Each is sent, with its id, until it is acknowledged.

    So every one of them has to be stored exactly once, whenever the box was killed.
    """

    def __init__(self, port: int, site: str, rate: int) -> None:
        self.known = Known()
        self.begun = 0
        self.again = 0  # sent once more, because there was no answer
        self.refused: dict[int, int] = {}  # by status
        self.delays: list[float] = []  # ms, since they were last taken
        self._over = False
        self._head = (
            f"POST /track?website_id={site} HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nUser-Agent: {BROWSER}\r\n"
            "Content-Type: application/json\r\nContent-Length: "
        )
        every = CONNECTIONS / rate
        self._tasks = [
            asyncio.create_task(self._send(Line(port), number, every, number / rate)) for number in range(CONNECTIONS)
        ]

    def take_delays(self) -> list[float]:
        """Those since the last call."""
        taken, self.delays = self.delays, []
        return taken

    async def end(self) -> None:
        """Begin no more, and return when all that was begun is acknowledged."""
        self._over = True
        await asyncio.gather(*self._tasks)

    async def _send(self, line: Line, number: int, every: float, offset: float) -> None:
        coming = views(number)
        async for _ in _turns(every, offset):
            if self._over:
                return line.close()
            view, sent_on = next(coming), _today()
            self.begun += 1
            await self._until_acknowledged(line, self._request(view))
            self.known.note(view, sent_on, _today())

    async def _until_acknowledged(self, line: Line, request: bytes) -> None:
        while True:
            began = time.monotonic()
            status = await line.ask(request)
            if status == 200:
                self.delays.append((time.monotonic() - began) * 1000)
                return
            if status is None:
                self.again += 1
            else:
                self.refused[status] = self.refused.get(status, 0) + 1
                await asyncio.sleep(_PAUSE)

    def _request(self, view: View) -> bytes:
        body = (
            f'{{"name":"screen_view","path":"https://example.com/page-{view.path}","eventId":"{view.name}",'
            f'"anonymousId":"{view.visitor}","anonymizeVisitorIds":false}}'
        )
        return f"{self._head}{len(body)}\r\n\r\n{body}".encode()


class Clicks:
    """Redirects at a rate. Those answered within 100 ms before a kill may be lost, others not."""

    def __init__(self, port: int, slugs: Sequence[str], rate: int) -> None:
        self.answered = 0
        self.unanswered = 0
        self.wrong = 0
        self.lost_at_most = 0
        self._latest: deque[float] = deque()
        self._slugs = slugs
        self._over = False
        every = FOLLOWERS / rate
        self._tasks = [
            asyncio.create_task(self._follow(Line(port), number, every, number / rate)) for number in range(FOLLOWERS)
        ]

    def killed(self) -> None:
        """The box is about to be killed."""
        self._forget()
        self.lost_at_most += len(self._latest)

    async def end(self) -> None:
        """Follow no more links."""
        self._over = True
        await asyncio.gather(*self._tasks)

    async def _follow(self, line: Line, number: int, every: float, offset: float) -> None:
        async for _ in _turns(every, offset):
            if self._over:
                return line.close()
            number += FOLLOWERS
            slug = self._slugs[number % len(self._slugs)]
            status = await line.ask(
                f"GET /l/{slug} HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nUser-Agent: {BROWSER}\r\n\r\n".encode()
            )
            self.answered += status == 302
            self.unanswered += status is None
            self.wrong += status not in {302, None}
            self._latest.append(time.monotonic())
            self._forget()

    def _forget(self) -> None:
        while self._latest and self._latest[0] < time.monotonic() - REMEMBERED:
            self._latest.popleft()


async def _turns(every: float, offset: float) -> AsyncIterator[None]:
    """A turn each so many seconds. Who is late does not wait, and who is very late does not make up for it."""
    turn = time.monotonic() + offset
    while True:
        turn = max(turn + every, time.monotonic() - _LATE)
        await asyncio.sleep(max(turn - time.monotonic(), 0))
        yield


def _today() -> int:
    return time.time_ns() // 1_000_000 // DAY
