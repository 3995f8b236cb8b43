"""Days are rolled up in batches, which leave room for others in between."""

import asyncio
import time
from collections.abc import Awaitable, Callable

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
