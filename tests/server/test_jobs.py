"""Jobs get their turn however often the box is restarted, and nothing is removed by a clock that jumped ahead."""

from pathlib import Path

import pytest

from analytics_box.app import jobs
from analytics_box.app.jobs import ScheduledJob
from analytics_box.base.clock import DAY
from tests.inprocess import FixedClock, WholeBox, whole_box
from tests.tenants.websites.world import call

HOURS = 3_600


class JumpingClock(FixedClock):
    """A clock that can be set wrong while time goes on as ever."""

    def jump(self, *, days: float) -> None:
        self._now += round(days * DAY)
        self._started += round(days * DAY)


def job(name: str) -> ScheduledJob:
    return next(job for job in jobs.JOBS if job.name == name)


def run(box: WholeBox, name: str) -> None:
    box.run(jobs.run_job(job(name), box.box))


def test_a_job_of_six_hours_is_due_after_six_hours_of_short_runs(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        waits = []
        for _ in range(4):
            waits.append(jobs.delays(box.box)["retain events"])
            box.clock.advance(seconds=2 * HOURS)
            box.reopen()
        assert waits[:3] == [6 * HOURS, 4 * HOURS, 2 * HOURS]
        assert waits[3] < 60, "overdue"
        run(box, "retain events")
        assert jobs.delays(box.box)["retain events"] == 6 * HOURS


def test_jobs_that_are_overdue_do_not_all_begin_at_once(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        jobs.delays(box.box)
        box.clock.advance(seconds=40 * 24 * HOURS)
        box.reopen()
        waits = sorted(jobs.delays(box.box).values())
        assert len(set(waits)) == len(waits) > 5
        assert jobs.FIRST <= waits[0] < waits[-1] < 60


def test_a_job_that_failed_is_due_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(_: object) -> None:
        raise RuntimeError("not today")

    with whole_box(tmp_path / "data") as box:
        jobs.delays(box.box)
        box.clock.advance(seconds=25 * HOURS)
        box.run(jobs.run_job(job("optimize")._replace(run=fail), box.box))
        box.reopen()
        assert jobs.delays(box.box)["optimize"] < 60


def test_a_clock_that_was_ahead_does_not_keep_jobs_waiting_until_then(tmp_path: Path) -> None:
    clock = JumpingClock()
    with whole_box(tmp_path / "data", clock=clock) as box:
        clock.jump(days=300)
        jobs.delays(box.box)
        clock.jump(days=-300)
        box.reopen()
        assert jobs.delays(box.box)["optimize"] == 24 * HOURS


def test_clock_that_was_ahead_does_not_restart_the_wait_of_a_job(tmp_path: Path) -> None:
    clock = JumpingClock()
    with whole_box(tmp_path / "data", clock=clock) as box:
        clock.jump(days=300)
        run(box, "retain events")
        clock.jump(days=-300)
        waits = []
        for _ in range(3):
            box.reopen()
            waits.append(jobs.delays(box.box)["retain events"])
            clock.advance(seconds=2 * HOURS)
        assert waits == [6 * HOURS, 4 * HOURS, 2 * HOURS]


def keep_for_a_year(box: WholeBox) -> None:
    event = {"name": "seen", "websiteId": box.sites["shop"]}
    assert box.post("/track", event, key="all").status == 200
    kept = {"id": box.sites["shop"], "settings": {"dataRetentionDays": 365}}
    assert call(box, "updateSettings", kept).status == 200


def events(box: WholeBox) -> int:
    found = box.box.events.db.read_now(lambda db: db.execute("select count(*) from events").fetchall())
    return int(str(found[0][0]))


@pytest.mark.parametrize("restarted", [True, False])
def test_nothing_is_removed_by_a_clock_that_jumped_ahead(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, *, restarted: bool
) -> None:
    clock = JumpingClock()
    with whole_box(tmp_path / "data", clock=clock) as box:
        keep_for_a_year(box)
        run(box, "watch the clock")
        clock.jump(days=3_000)
        if restarted:
            box.reopen()
        for _ in range(3):
            run(box, "retain events")
            clock.advance(seconds=6 * HOURS)
        assert events(box) == 1
        assert caplog.text.count("The clock is 3000.0 days ahead of the last time the server ran") == 1
        clock.jump(days=-3_000)
        clock.advance(seconds=48 * HOURS)
        run(box, "retain events")
        assert events(box) == 1, "it is not that old"


@pytest.mark.parametrize("restarted", [True, False])
def test_after_a_day_the_clock_is_believed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, *, restarted: bool
) -> None:
    clock = JumpingClock()
    with whole_box(tmp_path / "data", clock=clock) as box:
        keep_for_a_year(box)
        run(box, "watch the clock")
        clock.jump(days=400)
        run(box, "retain events")
        clock.advance(seconds=24 * HOURS - 1)
        if restarted:
            box.reopen()
        run(box, "retain events")
        assert events(box) == 1
        clock.advance(seconds=1)
        with caplog.at_level("INFO"):
            run(box, "retain events")
        assert events(box) == 0
        assert "The clock is trusted again" in caplog.text


def test_a_box_that_was_off_for_a_night_removes_what_is_old_at_once(tmp_path: Path) -> None:
    clock = JumpingClock()
    with whole_box(tmp_path / "data", clock=clock) as box:
        keep_for_a_year(box)
        clock.advance(seconds=370 * 24 * HOURS)
        run(box, "watch the clock")
        clock.jump(days=0.5)
        box.reopen()
        run(box, "retain events")
        assert events(box) == 0
