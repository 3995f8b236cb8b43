"""Parts of pages that were not ready in time: the fragment that asks for one takes over the query that runs."""

import asyncio
from collections.abc import Collection, Hashable
from typing import Any

from analytics_box.base import background
from analytics_box.base.cache import BoundedCache
from analytics_box.base.clock import Clock

BUDGET_SECONDS = 0.02  # how long a page waits for its parts before it is sent without the slower ones
NEXT_SECONDS = 0.006  # how long it waits for the next of them: while none comes, it is not worth to wait
CLICK_SECONDS = 0.4  # how long the answer to a click waits for them; what stood there is shown until they come
CLICK_NEXT_SECONDS = 0.15  # the same for the next of them, once there is one
TOGETHER_SECONDS = 0.05  # how long parts that are ready wait for others, so that they come in one answer
KEPT_SECONDS = 30.0  # a page asks for what it lacks as soon as it is loaded
MOST = 100
MOST_PAGES = 1_000  # of which it is remembered how long they took
MOST_LISTS = 10_000  # whose rows are remembered, some 100 bytes each

Running = asyncio.Task[Any]


class KnownRows:
    """The number of rows that lists had when they were last shown, so that their placeholders have the same height."""

    def __init__(self) -> None:
        self.rows: BoundedCache[Hashable, int] = BoundedCache(MOST_LISTS)


class LateParts:
    """Queries that still run, or whose answer waits to be fetched. Few and short-lived; the rest is cancelled."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: BoundedCache[Hashable, Running] = BoundedCache(
            MOST, seconds=KEPT_SECONDS, clock=clock, dropped=lambda _, running: running.cancel()
        )
        # Pages: the version of the facts, and seconds.
        self._took: BoundedCache[Hashable, tuple[int, float]] = BoundedCache(MOST_PAGES)

    def are_expected(self, page: Hashable, version: int) -> bool:
        """Whether parts of this page will be late: its facts have changed, and after the last change they were."""
        known, seconds = self._took.get(page) or (version, 0.0)
        return known != version and seconds > BUDGET_SECONDS

    def measure(self, page: Hashable, version: int, parts: Collection[Running]) -> None:
        """Notice how long these parts of a page take, unless their answers may be kept from the last time."""
        if (self._took.get(page) or (None, 0.0))[0] == version:
            return
        began, waiting = self._clock.monotonic(), set(parts)

        def ended(part: Running) -> None:
            waiting.discard(part)
            if not waiting:
                self._took.put(page, (version, self._clock.monotonic() - began))

        for part in parts:
            part.add_done_callback(ended)

    def keep(self, part: Hashable, running: Running) -> None:
        """Keep a query for the next request for this part."""
        running.add_done_callback(background.retrieve_exception)
        self._kept.sweep()
        self._kept.put(part, running)

    def take(self, part: Hashable) -> Running | None:
        """The query of this part, if one was kept; it is the caller's from now on."""
        if self._kept.get(part) is None:
            return None
        return self._kept.pop(part)


async def as_they_come(
    parts: Collection[Running], most: float | None, first_one: float | None, next_one: float | None
) -> None:
    """Wait for parts until all are done, the first has not come in `first_one` seconds or none after it for `next_one`,
    or `most` seconds are over."""
    loop = asyncio.get_running_loop()
    until, patience = None if most is None else loop.time() + most, first_one
    while waiting := [part for part in parts if not part.done()]:
        bounds = (patience, None if until is None else until - loop.time())
        left = min((bound for bound in bounds if bound is not None), default=None)
        done, _ = await asyncio.wait(waiting, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        if not done:
            return
        patience = next_one
