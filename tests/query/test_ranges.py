"""Local days and hours as instants (semantics 2 and 3), against a search minute by minute."""

import random
from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest

from analytics_box.base.errors import InvalidQuery
from analytics_box.query import ranges
from analytics_box.query.plan import BucketRun, runs_of
from analytics_box.query.ranges import DayRange, TimeWindow
from tests.cases import each
from tests.examples import some
from tests.query import calendars
from tests.query.calendars import HOUR

FIRST_YEAR, LAST_YEAR = 1980, 2040  # semantics 5
ONE_DAY = timedelta(days=1)

# Zones whose clocks are moved at midnight, by half an hour, by two hours, over the date line, or often.
CHOSEN = (
    "Africa/Cairo",
    "America/Havana",
    "America/Santiago",
    "America/Sao_Paulo",
    "America/St_Johns",
    "Africa/Casablanca",
    "America/Asuncion",
    "Antarctica/Casey",
    "Antarctica/Troll",
    "Asia/Beirut",
    "Asia/Gaza",
    "Asia/Tehran",
    "Australia/Lord_Howe",
    "Europe/Berlin",
    "Pacific/Apia",
    "Pacific/Kwajalein",
)
EVERY = sorted(available_timezones() - {"localtime"})


def days_of_change(tz: ZoneInfo, first_year: int, last_year: int) -> Iterator[date]:
    """The local days in which the zone's offset changes, found by asking every twelve hours."""
    step = timedelta(hours=12)
    moment, end = datetime(first_year, 1, 1, tzinfo=UTC), datetime(last_year + 1, 1, 1, tzinfo=UTC)
    before = moment.astimezone(tz)
    found = None
    while moment < end:
        moment += step
        after = moment.astimezone(tz)
        if after.utcoffset() != before.utcoffset():
            for day in (before.date(), after.date()):
                if day != found:
                    yield day
                found = day
        before = after


def check_midnights(day: date, tz: ZoneInfo) -> None:
    for near in (day - ONE_DAY, day, day + ONE_DAY):
        assert ranges.midnight(near, tz) == calendars.day_begins(near, tz), (near, tz.key)


def check_hours(day: date, tz: ZoneInfo) -> None:
    window = ranges.window(DayRange(day, day), tz, "hour")
    assert [tuple(bucket) for bucket in window.buckets] == [tuple(hour) for hour in calendars.hours(day, day, tz)], (
        day,
        tz.key,
    )
    check_partition(window)


def check_days(day: date, tz: ZoneInfo) -> None:
    dates = [day + number * ONE_DAY for number in (-2, -1, 0, 1, 2)]
    window = ranges.window(DayRange(dates[0], dates[-1]), tz, "day")
    assert [bucket.label for bucket in window.buckets] == [label.isoformat() for label in dates]
    check_partition(window)


def check_partition(window: TimeWindow) -> None:
    """Buckets begin with the range, follow each other without a gap and end with it."""
    starts = [bucket.start for bucket in window.buckets]
    assert starts[0] == window.start
    assert starts == sorted(starts)
    assert starts[-1] <= window.end
    runs = runs_of(window)
    for number, (start, end) in enumerate(pairwise([*starts, window.end])):
        if end > start:
            assert number_by_runs(start, runs) == number
            assert number_by_runs(end - 1, runs) == number


def number_by_runs(instant: int, runs: tuple[BucketRun, ...]) -> int:
    run = max((run for run in runs if run.start <= instant), key=lambda run: run.start)
    return run.first + (instant - run.start) // run.width


def check_offsets(day: date, tz: ZoneInfo) -> None:
    """Local time is UTC and the offset of that instant, to the millisecond at which it changes (hour_of_day)."""
    start, end = ranges.midnight(day - ONE_DAY, tz), ranges.midnight(day + 2 * ONE_DAY, tz)
    offsets = ranges.offsets(start, end, tz)
    assert offsets[0][0] == start
    assert all(before != after for (_, before), (_, after) in pairwise(offsets))
    begins = [instant for instant, _ in offsets]
    changes = begins[1:]
    for instant in (*range(start, end, 17 * calendars.MINUTE), *changes, *(change - 1 for change in changes)):
        ahead = offsets[bisect_right(begins, instant) - 1][1]
        assert timedelta(milliseconds=ahead) == calendars.shown(instant, tz).utcoffset(), (instant, tz.key)


@pytest.mark.parametrize("name", CHOSEN)
def test_days_and_hours_are_right_whenever_the_clock_was_moved(name: str) -> None:
    tz = ZoneInfo(name)
    for day in some(days_of_change(tz, FIRST_YEAR, LAST_YEAR), 60):
        check_midnights(day, tz)
        check_days(day, tz)
        check_hours(day, tz)
        check_offsets(day, tz)


@pytest.mark.parametrize("part", some(range(6), 2))
def test_days_and_hours_are_right_in_every_zone_in_some_year(part: int) -> None:
    for name in EVERY[part::6]:
        tz, dice = ZoneInfo(name), random.Random(name)
        year = dice.randint(FIRST_YEAR, LAST_YEAR)
        plain_day = date(year, 1, 1) + dice.randrange(365) * ONE_DAY
        for day in (plain_day, *days_of_change(tz, year, year)):
            check_midnights(day, tz)
            check_days(day, tz)
            check_hours(day, tz)
            check_offsets(day, tz)


# Facts about clocks that can be looked up: zone, day, its hours, its first label, an hour that is there twice.
KNOWN_DAYS = (
    ("Europe/Berlin", date(2026, 3, 29), 23, "00:00:00", None),
    ("Europe/Berlin", date(2026, 10, 25), 25, "00:00:00", "02:00:00"),
    ("America/Havana", date(2026, 3, 8), 23, "01:00:00", None),
    ("America/Havana", date(2026, 11, 1), 25, "00:00:00-04:00", "00:00:00"),
    ("Asia/Beirut", date(2026, 3, 29), 23, "01:00:00", None),
    ("Australia/Lord_Howe", date(2026, 10, 4), 23.5, "00:00:00", None),
    ("Australia/Lord_Howe", date(2026, 4, 5), 24.5, "00:00:00", "01:00:00"),
    ("Antarctica/Troll", date(2026, 3, 29), 22, "00:00:00", None),
    ("Pacific/Apia", date(2011, 12, 30), 0, None, None),
    ("Asia/Kolkata", date(2026, 6, 17), 24, "00:00:00", None),
)


@pytest.mark.parametrize(("name", "day", "length", "first", "doubled"), KNOWN_DAYS)
def test_a_day_has_the_hours_that_its_clock_had(
    name: str, day: date, length: float, first: str | None, doubled: str | None
) -> None:
    window = ranges.window(DayRange(day, day), ZoneInfo(name), "hour")
    assert window.end - window.start == length * HOUR
    labels = [bucket.label.removeprefix(f"{day} ") for bucket in window.buckets]
    assert labels[:1] == ([] if first is None else [first])
    twice = [label for label in labels if doubled is not None and label.startswith(doubled)]
    assert len(twice) == (2 if doubled else 0)
    assert [label for label in labels if len(label) > 8] == twice


@pytest.mark.parametrize(("days", "fits"), [(1, True), (30, True), (31, False), (366, False)])
def test_hours_are_given_for_30_days_at_most(days: int, fits: bool) -> None:  # spec 4, rule 3
    asked = DayRange(date(2026, 1, 1), date(2026, 1, 1) + (days - 1) * ONE_DAY)
    ranges.check_granularity(asked, "day")
    if fits:
        ranges.check_granularity(asked, "hour")
    else:
        with pytest.raises(InvalidQuery, match="up to 30 days"):
            ranges.check_granularity(asked, "hour")


GOOD_DATES = (
    ("2026-02-28", date(2026, 2, 28)),
    ("2024-02-29", date(2024, 2, 29)),
    ("2026-06-17T23:59:59", date(2026, 6, 17)),
    ("2026-06-17 00:00:00", date(2026, 6, 17)),
    ("2026-06-17T23:30:00.000Z", date(2026, 6, 17)),
)
BAD_DATES = (
    "",
    "yesterday",
    "2026-02-29",
    "2026-13-01",
    "2026-00-10",
    "17.06.2026",
    "2026/06/17",
    "20260617",
    "2026-06-17x",
    "2026-6-7",
    "2026-06- 7",
    "2026-W25-3",
    "2026-06-17T25:00",
    "1969-12-31",
    "3000-01-01",
    "0001-01-01",
    "99999-01-01",
    "２０２６-06-17",
    "2026-06-17\x00",
)


@pytest.mark.parametrize(("text", "day"), GOOD_DATES)
def test_a_date_or_the_day_of_a_date_time_is_understood(text: str, day: date) -> None:
    assert ranges.parse_date(text, "startDate") == day


@each("text", BAD_DATES)
def test_anything_else_is_no_date(text: str) -> None:
    with pytest.raises(InvalidQuery, match="Invalid date") as refused:
        ranges.parse_date(text, "startDate")
    assert refused.value.details[0].field == "startDate"


@pytest.mark.parametrize(
    ("start", "end"), [("2026-06-18", "2026-06-17"), ("2000-01-01", "2026-01-01"), ("1970-01-01", "2999-12-31")]
)
def test_a_range_runs_forward_and_is_ten_years_at_most(start: str, end: str) -> None:
    with pytest.raises(InvalidQuery):
        ranges.of_dates(start, end)


@pytest.mark.parametrize(
    "name", [None, "", "Nowhere/City", "Europe", "../../etc/passwd", "/etc/localtime", "UTC\x00", "x" * 5_000, "ütc"]
)
def test_an_unknown_zone_means_utc(name: str | None) -> None:  # wire 3.3
    assert ranges.zone(name).key == "UTC"


def test_the_period_before_has_as_many_days() -> None:  # semantics 6
    days = DayRange(date(2026, 3, 1), date(2026, 3, 31))
    assert days.previous() == DayRange(date(2026, 1, 29), date(2026, 2, 28))
    assert days.previous().length == days.length == 31
