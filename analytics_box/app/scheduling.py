"""The scheduler next to the server: it runs the table of jobs (stack 5)."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.schedulers.base import BaseScheduler
from apscheduler.triggers.base import BaseTrigger

from analytics_box.app import jobs
from analytics_box.app.box import Box

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


async def run_jobs(box: Box) -> None:
    """Run the jobs on this loop until this is cancelled."""
    scheduler = _start_scheduler(box)
    try:
        await keep_pace(scheduler)
    finally:
        scheduler.shutdown(wait=False)


def _start_scheduler(box: Box) -> AsyncIOScheduler:
    scheduler = AsyncIOScheduler(
        timezone="UTC", job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
    )
    delays, now = jobs.delays(box), datetime.now(UTC)
    for job in jobs.of(box):
        first = {"next_run_time": now + timedelta(seconds=delays[job.name])} if job.name in delays else {}
        scheduler.add_job(jobs.run_job, JobInterval(job.seconds), id=job.name, args=(job, box), **first)
    scheduler.start()
    jobs.declare(box, lambda: {job.id: int(job.next_run_time.timestamp() * 1000) for job in scheduler.get_jobs()})
    return scheduler
