"""Parts of pages that were not ready in time: the fragment that asks for one takes over the query that runs."""

import asyncio
from collections.abc import Hashable
from typing import Any

from analytics_box.clock import Clock

BUDGET_SECONDS = 0.02  # how long a page waits for its parts before it is sent without the slower ones
KEPT_SECONDS = 30.0  # a page asks for what it lacks as soon as it is loaded
MOST = 100

Running = asyncio.Task[Any]


class LateParts:
    """Queries that still run, or whose answer waits to be fetched. Few and short-lived; the rest is cancelled."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: dict[Hashable, tuple[Running, float]] = {}  # in the order in which they came

    def keep(self, part: Hashable, running: Running) -> None:
        """Keep a query for whoever asks for this part next."""
        running.add_done_callback(_look_at_it)
        self._drop(part)
        self._kept[part] = running, self._clock.monotonic() + KEPT_SECONDS
        for other, (_, until) in list(self._kept.items()):
            if until > self._clock.monotonic() and len(self._kept) <= MOST:
                break
            self._drop(other)

    def take(self, part: Hashable) -> Running | None:
        """The query of this part, if one was kept; it is the caller's from now on."""
        running, until = self._kept.pop(part, (None, 0.0))
        if running is None or until > self._clock.monotonic():
            return running
        running.cancel()
        return None

    def _drop(self, part: Hashable) -> None:
        running, _ = self._kept.pop(part, (None, 0.0))
        if running is not None:
            running.cancel()


def _look_at_it(running: Running) -> None:
    """What nobody fetches may fail in silence."""
    if not running.cancelled():
        running.exception()
