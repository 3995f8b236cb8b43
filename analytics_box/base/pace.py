"""Intervals of jobs, independent of the wall clock, which APScheduler uses.

A clock that is set ahead, as on a small computer that has no battery for it, must not make it count every run in
between; one that is set back must not make it wait until that has caught up.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from apscheduler.schedulers.base import BaseScheduler
from apscheduler.triggers.base import BaseTrigger

LOOK = 5.0  # seconds between two looks at the clock
_JUMP = 1.0  # seconds that it may be set back unnoticed


class JobInterval(BaseTrigger):  # type: ignore[misc]  # APScheduler has no types
    """An interval of the given seconds, or up to a tenth more, so that jobs do not all run at the same time."""

    def __init__(self, seconds: int) -> None:
        self._seconds = seconds

    def get_next_fire_time(self, _previous: datetime | None, now: datetime) -> datetime:
        return now + timedelta(seconds=self._seconds * random.uniform(1, 1.1))  # noqa: S311  no secret


async def keep_pace(
    scheduler: BaseScheduler,
    clock: Callable[[], float] = time.time,
    monotonic: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Set all next runs back with the clock, so that what is left of each wait stays, however often that happens."""
    ahead = clock() - monotonic()
    while True:
        await sleep(LOOK)
        now = clock() - monotonic()
        if now < ahead - _JUMP:
            jump = timedelta(seconds=now - ahead)
            for job in scheduler.get_jobs():
                job.modify(next_run_time=job.next_run_time + jump)
        ahead = now
