"""Jobs keep their pace whatever the wall clock does."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from analytics_box.app.scheduling import LOOK, JobInterval, keep_pace

HOUR = 3_600


class Enough(Exception):
    """Ends what would go on for ever."""


@pytest.mark.parametrize("ahead", [0, 1, HOUR, 20_000 * 24 * HOUR])
def test_a_clock_that_is_set_ahead_makes_a_job_run_once_and_not_for_each_second_in_between(ahead: int) -> None:
    began = datetime(2026, 6, 17, tzinfo=UTC)
    due, now = began + timedelta(seconds=1), began + timedelta(seconds=1 + ahead)
    runs = 0
    while due <= now:  # as APScheduler counts them
        due = JobInterval(1).get_next_fire_time(due, now)
        runs += 1
    assert runs == 1


def test_the_next_run_comes_after_the_interval_or_up_to_a_tenth_later() -> None:
    now = datetime(2026, 6, 17, tzinfo=UTC)
    waits = {(JobInterval(100).get_next_fire_time(None, now) - now).total_seconds() for _ in range(200)}
    assert min(waits) >= 100
    assert max(waits) <= 110
    assert len(waits) > 100


@pytest.mark.parametrize(
    ("jump", "moved"), [(0, 0), (-0.5, 0), (-2, -2), (-HOUR, -HOUR), (-(10**9), -(10**9)), (HOUR, 0)]
)
def test_a_clock_that_is_set_back_takes_the_next_runs_with_it(jump: float, moved: int) -> None:
    scheduler = AsyncIOScheduler(timezone="UTC")
    late = datetime.now(UTC) + timedelta(days=300)
    jobs = [scheduler.add_job(print, JobInterval(seconds), next_run_time=late) for seconds in (1, 60, HOUR)]
    slept: list[float] = []
    wall = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal wall
        if len(slept) == 3:
            raise Enough
        slept.append(seconds)
        wall += seconds + (jump if len(slept) == 2 else 0)

    with pytest.raises(Enough):
        asyncio.run(keep_pace(scheduler, lambda: wall, lambda: sum(slept), sleep))
    assert slept == [LOOK] * 3
    assert {job.next_run_time for job in jobs} == {late + timedelta(seconds=moved)}
