"""Periods of reports: which days each is about, and when it is due, whatever clocks and calendars do."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from analytics_box.products.reports import schedule
from analytics_box.products.reports.report import USUAL_SECTIONS, Report
from analytics_box.query.ranges import DayRange

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Beirut", "Pacific/Apia")


def report(**given: Any) -> Report:
    usual = {
        "id": "report-one",
        "website_id": "website-one",
        "name": "Weekly",
        "frequency": "weekly",
        "weekdays": ("mon",),
        "hour": 8,
        "time_zone": "UTC",
        "language": "en",
        "sections": USUAL_SECTIONS,
        "channels": (),
        "exports": (),
        "file_format": "csv",
        "websites": (),
        "all_websites": False,
        "is_active": True,
        "filters": (),
        "active_since": 0,
        "created_by": "test",
        "created_at": 0,
        "updated_at": 0,
    }
    return Report(**{**usual, **given})


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("given", "now", "first", "last", "at"),
    [
        ({}, "2026-06-22T08:00", "2026-06-15", "2026-06-21", "2026-06-22T08:00"),
        ({}, "2026-06-22T07:59", "2026-06-08", "2026-06-14", "2026-06-15T08:00"),
        ({"frequency": "daily"}, "2026-03-01T09:00", "2026-02-28", "2026-02-28", "2026-03-01T08:00"),
        ({"frequency": "monthly"}, "2028-03-01T08:00", "2028-02-01", "2028-02-29", "2028-03-01T08:00"),
        ({"frequency": "monthly"}, "2027-01-31T00:00", "2026-12-01", "2026-12-31", "2027-01-01T08:00"),
        (
            {"frequency": "weekdays", "weekdays": ("mon", "thu")},
            "2026-06-19T00:00",
            "2026-06-15",
            "2026-06-17",
            "2026-06-18T08:00",
        ),
        # At 2:00 on 29 March 2026 the clocks of Berlin skip to 3:00; at 3:00 on 25 October they show 2:00 again.
        (
            {"frequency": "daily", "hour": 2, "time_zone": "Europe/Berlin"},
            "2026-03-29T01:00",
            "2026-03-28",
            "2026-03-28",
            "2026-03-29T01:00",
        ),
        (
            {"frequency": "daily", "hour": 2, "time_zone": "Europe/Berlin"},
            "2026-10-25T01:30",
            "2026-10-24",
            "2026-10-24",
            "2026-10-25T00:00",
        ),
    ],
)
def test_latest_period_is_the_one_that_was_due_last(
    given: dict[str, Any], now: str, first: str, last: str, at: str
) -> None:
    found = schedule.latest(report(**given), ms(now))
    assert found == schedule.DuePeriod(DayRange(date.fromisoformat(first), date.fromisoformat(last)), ms(at))


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("hour", [0, 2, 23])
@pytest.mark.parametrize(
    "given",
    [
        {"frequency": "daily"},
        {},
        {"frequency": "weekdays", "weekdays": ("tue", "wed", "sat")},
        {"frequency": "monthly"},
    ],
    ids=str,
)
def test_periods_of_two_years_cover_each_day_once_and_are_over_when_they_are_due(
    zone: str, hour: int, given: dict[str, Any]
) -> None:
    one, now, end = report(**given, time_zone=zone, hour=hour), ms("2026-01-01T00:00"), ms("2028-03-02T00:00")
    covered: list[date] = []
    while now < end:
        now = schedule.next_at(one, now)
        period = schedule.latest(one, now)
        assert period.at == now
        assert schedule.latest(one, now - 1).at < now
        assert datetime.fromtimestamp(now / 1000, ZoneInfo(zone)).date() > period.days.last
        covered += [period.days.first + timedelta(days=number) for number in range(period.days.length)]
    assert covered == [covered[0] + timedelta(days=number) for number in range(len(covered))]
    assert len(covered) > 700


def test_report_is_not_due_for_a_period_from_before_it_was_activated() -> None:
    one, now = report(active_since=ms("2026-06-22T09:00")), ms("2026-06-22T10:00")
    assert not schedule.is_due(one, schedule.latest(one, now), now)
    later = ms("2026-06-29T08:00")
    assert schedule.is_due(one, schedule.latest(one, later), later)


def test_clock_that_was_ahead_when_a_report_was_created_does_not_silence_it() -> None:
    one, now = report(active_since=ms("2031-01-01T00:00")), ms("2026-06-22T10:00")
    assert schedule.is_due(one, schedule.latest(one, now), now)
    assert not schedule.is_due(report(is_active=False), schedule.latest(one, now), now)
