"""Batches of work on the copies of events.db, which leave room for others in between, and delays after failures."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from analytics_box.base.clock import Clock

STEP_SECONDS = 120.0  # for which a copy may read events.db at once
_ROLLING_SECONDS = 10.0  # at a time, pauses and all
DONE = "All days that are over are rolled up"
PUT_OFF = "Days are not rolled up for %d seconds (%s): answers come from their events meanwhile"


async def work_off(goes_on: Callable[[], Awaitable[bool]]) -> None:
    """Do batches for a while, with as long a pause after each as it took; each says whether another may follow."""
    began = started = time.monotonic()
    while started - began < _ROLLING_SECONDS and await goes_on():
        await asyncio.sleep(time.monotonic() - started)
        started = time.monotonic()


FIRST, LONGEST = 30, 3_600  # seconds


class Backoff:
    """Half a minute after a first failure, twice as long after each further one in a row, an hour at most."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._in_a_row, self._not_before = 0, 0.0

    @property
    def is_over(self) -> bool:
        """Whether it may be tried again."""
        return self._clock.monotonic() >= self._not_before

    def failed(self) -> int:
        """Begin to wait; for how many seconds."""
        wait: int = min(FIRST * 2**self._in_a_row, LONGEST)
        self._in_a_row += 1
        self.wait(wait)
        return wait

    def wait(self, seconds: int) -> None:
        """Wait for so long, whatever was before."""
        self._not_before = self._clock.monotonic() + seconds

    def forget(self) -> None:
        """Reset the delay, after a sufficiently long time without failure."""
        self._in_a_row = 0
