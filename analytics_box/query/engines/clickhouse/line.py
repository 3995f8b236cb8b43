"""The line to ClickHouse, which may be away: one connection, the threads that use it, and the wait after a failure."""

import asyncio
import contextlib
import logging
import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from analytics_box.base.clock import Clock
from analytics_box.query.engines.clickhouse.server import Away, ClickHouseTarget, EventsLost, PrimaryReplaced, Server

log = logging.getLogger(__name__)
T = TypeVar("T")

AT_ONCE = 8  # questions that are with the server
_FIRST_WAIT, _LONGEST_WAIT = 5, 60  # seconds after a failure


class ClickHouseConnection:
    """The connection to ClickHouse. A caller that finds it unavailable drops it; the next caller opens it again."""

    def __init__(self, clock: Clock, target: ClickHouseTarget) -> None:
        self._clock, self._target = clock, target
        self.server: Server | None = None
        self.is_ready = False  # it has answered last, and has all that there was then
        self.away_since: int | None = None  # UTC ms
        self.lacks = ""  # what ClickHouse has lost that nobody else has
        self.replaced_at = 0  # when another machine was promoted in the place of this primary (UTC ms)
        self._not_before = -math.inf  # seconds of the clock
        self._failures = 0  # in a row
        self._asking = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="clickhouse")
        self._sending = ThreadPoolExecutor(1, thread_name_prefix="to-clickhouse")

    @property
    def may_be_tried(self) -> bool:
        """Whether the last failure is long enough ago."""
        return self._clock.monotonic() >= self._not_before

    def there(self) -> Server:
        """The server of the open line. Raises Away."""
        if self.server is None:
            raise Away("The connection was lost a moment ago")
        return self.server

    async def open(self) -> Server:
        """Connect. Raises Away."""
        self.server = await self.send(partial(Server, self._target))
        return self.server

    async def send(self, work: Callable[[], T]) -> T:
        """Do this in the thread of what changes something there, one after the other."""
        return await asyncio.get_running_loop().run_in_executor(self._sending, work)

    async def ask(self, work: Callable[[Server], T], *, seconds: float | None = None) -> T:
        """Run a read there, concurrently with others. Raises Away, and TimeoutError."""
        server = self.there()
        try:
            asked = asyncio.get_running_loop().run_in_executor(self._asking, partial(work, server))
            return await asyncio.wait_for(asked, seconds)
        except Away as away:
            if server is self.server:
                self.lose(away)
            raise

    def ready(self) -> None:
        """All is there, and it answers."""
        self.is_ready = True
        self._failures, self.away_since, self.lacks = 0, None, ""

    def lose(self, why: Exception) -> None:
        """Do without it, and try again after a while, which grows with each failure."""
        wait = min(_FIRST_WAIT * 2 ** min(self._failures, 10), _LONGEST_WAIT)
        self._failures += 1
        self.lacks = str(why) if isinstance(why, EventsLost) else ""
        self.replaced_at = why.promoted_at if isinstance(why, PrimaryReplaced) else self.replaced_at
        self.away_since = self.away_since or self._clock.now()
        self._not_before = self._clock.monotonic() + wait
        self.is_ready = False
        log.error("ClickHouse is not available (%s). Retrying in %d seconds", why, wait)
        server, self.server = self.server, None
        if server is not None:
            self._sending.submit(_close_server, server)

    @contextlib.contextmanager
    def losing(self) -> Iterator[None]:
        """Drop the connection if this block fails. Raises Away."""
        try:
            yield
        except (Away, OSError) as away:
            self.lose(away)
            raise Away(str(away)) from away

    def close(self) -> None:
        """Wait for what is under way, and close."""
        self.is_ready = False
        for threads in (self._asking, self._sending):
            threads.shutdown(wait=True, cancel_futures=True)
        server, self.server = self.server, None
        if server is not None:
            _close_server(server)


def _close_server(server: Server) -> None:
    with contextlib.suppress(Away):
        server.close()
