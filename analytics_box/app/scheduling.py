"""The scheduler beside the server: it runs the table of jobs (stack 5)."""

from datetime import UTC, datetime, timedelta

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from analytics_box.app import jobs
from analytics_box.app.box import Box
from analytics_box.base.pace import JobInterval, keep_pace


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
