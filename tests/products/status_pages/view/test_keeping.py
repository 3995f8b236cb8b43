"""Days that are over are stored once, and whatever happens later leaves them as they were."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.app import jobs
from analytics_box.base.facts.uptime import DEGRADED, DOWN, UP, UptimeSpan
from analytics_box.products.status_pages.seen import ComponentDay
from tests.inprocess import NOON
from tests.products.status_pages.view.world import PAGE, StatusWorld

HOUR = 3_600_000
DAY = 24 * HOUR


@pytest.fixture
def monitor(status_world: StatusWorld) -> str:
    """One that was up for three days but for an hour of each, and is checked twice on each."""
    made = status_world.made(name="API")
    status_world.live(made, "up")
    for back in range(4, 0, -1):
        at = NOON - back * DAY
        status_world.spans(
            made, UptimeSpan(DOWN, at, at + HOUR), UptimeSpan(UP, at + HOUR, at + DAY if back > 1 else 0)
        )
        status_world.checks(made, (at, 0, 9_000), (at + HOUR, 1, 3_000))
    status_world.add("component-1", made)
    return made


def job(world: StatusWorld) -> None:
    (found,) = [one for one in jobs.JOBS if one.name == "store status days"]
    world.box.run(jobs.run_job(found, world.box.box))


def stored(world: StatusWorld) -> dict[str, Any]:
    found = world.rows("select day, figures from component_days where component_id = 'component-1' order by day")
    return {str(day): json.loads(str(figures)) for day, figures in found}


def days(world: StatusWorld) -> dict[str, ComponentDay]:
    """The days as a visitor sees them, read anew."""
    world.box.clock.advance(seconds=11)
    return {day.date: day for day in world.seen().components[0].days}


def test_the_job_stores_every_day_that_is_over(status_world: StatusWorld, monitor: str) -> None:
    job(status_world)
    found = stored(status_world)
    assert len(found) == 89
    assert max(found) == "2026-06-16"
    assert found["2026-06-16"] == {
        **{"up": 23 * HOUR, "down": HOUR, "checks": 2, "passed": 1, "total": 12_000, "timed": 2},
        "p95": pytest.approx(9_000, rel=0.01),
    }
    assert found["2026-06-01"] == {"checks": 0, "passed": 0}  # nothing is known of it


def test_first_request_stores_the_same_days_as_later_ones(status_world: StatusWorld, monitor: str) -> None:
    before = days(status_world)
    status_world.settle()
    assert len(stored(status_world)) == 89
    assert days(status_world) == before


def test_a_day_is_stored_two_hours_after_its_end(status_world: StatusWorld, monitor: str) -> None:
    status_world.box.clock.advance(seconds=13.9 * 3_600)  # 01:54 of the day after
    job(status_world)
    assert max(stored(status_world)) == "2026-06-16"
    status_world.box.clock.advance(seconds=0.1 * 3_600)
    job(status_world)
    assert max(stored(status_world)) == "2026-06-17"


def test_a_clock_that_jumped_ahead_settles_no_day(status_world: StatusWorld, monitor: str) -> None:
    job(status_world)
    jump(status_world, days=3)
    job(status_world)
    days(status_world)
    status_world.settle()
    assert max(stored(status_world)) == "2026-06-16"
    jump(status_world, days=-3)
    job(status_world)
    status_world.box.clock.advance(seconds=24 * 3_600)
    job(status_world)
    assert max(stored(status_world)) == "2026-06-17"


def jump(world: StatusWorld, *, days: int) -> None:
    """The wall clock is wrong, or right again; no time has passed."""
    world.box.clock._now += days * DAY
    world.box.clock._started += days * DAY


def test_stored_days_stay_whatever_becomes_of_the_monitor_and_the_page(status_world: StatusWorld, monitor: str) -> None:
    job(status_world)
    before = days(status_world)
    events = status_world.box.box.events.db
    events.write_now(lambda db: db.execute("delete from checks").fetchall())
    events.write_now(lambda db: db.execute("update monitor_spans set state = 3").fetchall())
    status_world.monitors.remember(replace(status_world.known(monitor), url="https://elsewhere.example", name="Other"))
    status_world.change_page(zone="America/New_York")
    after = days(status_world)
    today = "2026-06-17"
    assert before[today].state == "up"
    assert after.pop(today).state == "down"
    before.pop(today)
    # New York's first day begins while the zone before still had the day after.
    assert after == {day: known for day, known in before.items() if day in after}
    job(status_world)
    assert days(status_world)["2026-06-14"] == before["2026-06-14"]


def test_day_reopened_by_another_zone_continues_and_is_stored_again(status_world: StatusWorld) -> None:
    status_world.add("component-1", name="By hand")
    status_world.box.clock.advance(seconds=15 * 3_600)  # 03:00 UTC, 20:00 of the day before in Los Angeles
    job(status_world)
    assert stored(status_world)["2026-06-17"] == {"up": 12 * HOUR}
    answer = status_world.box.post(
        "/statusPage/update", {"statusPageId": PAGE, "timeZone": "America/Los_Angeles"}, key="all"
    )
    assert answer.status == 200, answer.body
    assert max(stored(status_world)) == "2026-06-16"
    status_world.change("component-1", status="major_outage")
    status_world.box.clock.advance(seconds=3_600)
    today = days(status_world)["2026-06-17"]
    assert (today.state, today.downtime_seconds) == ("down", 3_611)
    status_world.box.clock.advance(seconds=6 * 3_600)
    job(status_world)
    assert stored(status_world)["2026-06-17"] == {"up": 15 * HOUR, "down": 4 * HOUR}


def test_stored_day_that_has_not_ended_in_the_zone_of_the_page_is_recomputed(status_world: StatusWorld) -> None:
    status_world.add("component-1", name="By hand")
    status_world.box.clock.advance(seconds=15 * 3_600)
    job(status_world)
    status_world.change_page(zone="America/Los_Angeles")  # what was stored is still there
    status_world.change("component-1", status="major_outage")
    status_world.box.clock.advance(seconds=3_600)
    assert days(status_world)["2026-06-17"].state == "down"


def test_a_component_that_joins_later_gets_the_days_that_its_monitor_had(
    status_world: StatusWorld, monitor: str
) -> None:
    job(status_world)
    other = status_world.made("https://other.example", name="Other")
    at = NOON - 2 * DAY
    status_world.spans(other, UptimeSpan(DEGRADED, at, at + HOUR), UptimeSpan(UP, at + HOUR, 0))
    status_world.add("component-2", other)
    status_world.box.clock.advance(seconds=11)
    first, second = status_world.seen().components
    assert [day.state for day in first.days[-3:]] == ["down", "down", "up"]
    assert [day.state for day in second.days[-3:]] == ["degraded", "up", "up"]
    job(status_world)
    assert status_world.rows("select count(*) from component_days where component_id = 'component-2'") == [(89,)]


def test_a_component_without_a_monitor_has_the_days_that_people_gave_it(status_world: StatusWorld) -> None:
    status_world.add("component-1", name="By hand")
    at = NOON - DAY

    def work(db: Any) -> None:
        rows = [("component-1", UP, at, at + 12 * HOUR), ("component-1", DOWN, at + 12 * HOUR, 0)]
        db.execute("delete from component_spans").fetchall()  # up since it was made
        db.executemany("insert into component_spans (component_id, state, start, until) values (?, ?, ?, ?)", rows)

    status_world.box.box.box_db.write_now(work)
    job(status_world)
    found = days(status_world)
    assert [(day.state, day.uptime, day.checks) for day in (found["2026-06-16"], found["2026-06-17"])] == [
        ("up", 100.0, None),
        ("down", 0.0, None),
    ]
    assert stored(status_world)["2026-06-16"] == {"up": 12 * HOUR}


def test_days_of_what_is_gone_are_gone(status_world: StatusWorld, monitor: str) -> None:
    job(status_world)
    status_world.forget("component-1")
    assert status_world.rows("select count(*) from component_days") == [(0,)]
    job(status_world)
    assert status_world.rows("select count(*) from component_days") == [(0,)]
