"""What a range is compared with: like days with like days, and only what is known."""

from datetime import date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as some

from analytics_box.figures.comparing import Comparison, alike, as_far, compared_days, same_weekdays_before
from analytics_box.figures.pickers import comparison_shown
from analytics_box.figures.view import View, read_view
from analytics_box.products.overview.board import WEBSITE
from analytics_box.query.ranges import DayRange
from analytics_box.web.page.dates import USUAL
from tests.cases import each

FRIDAY = date(2026, 11, 20)


def last(days: int) -> DayRange:
    return DayRange(FRIDAY - timedelta(days=days - 1), FRIDAY)


def view(**query: str) -> View:
    return read_view("/sites/w1", query, WEBSITE)


DAYS = some.builds(
    lambda first, length: DayRange(first, first + timedelta(days=length - 1)),
    some.dates(date(2000, 1, 1), date(2026, 1, 1)),
    some.integers(1, 3_660),
)


@given(DAYS)
def test_the_period_before_is_as_long_begins_on_the_same_weekday_and_is_the_nearest(days: DayRange) -> None:
    before = same_weekdays_before(days)
    assert before.length == days.length
    assert before.first.weekday() == days.first.weekday()
    assert 0 < (days.first - before.last).days <= 7


@each(
    ("days", "before"),
    [
        (last(1), "19 Nov 2026"),
        (last(7), "7 – 13 Nov 2026"),
        (last(28), "26 Sep – 23 Oct 2026"),
        (last(30), "22 Sep – 21 Oct 2026"),
        (last(90), "25 May – 22 Aug 2026"),
    ],
)
def test_the_period_before_in_words(days: DayRange, before: str) -> None:
    shown = comparison_shown(view(), days, compared_days(Comparison(), days, None), USUAL)
    assert (shown.dates, shown.note, shown.label) == (before, "", "vs. previous period")


@each(
    ("comparison", "before"),
    [
        (Comparison(), DayRange(date(2026, 9, 22), date(2026, 10, 21))),
        (Comparison(weekdays=True), DayRange(date(2026, 9, 17), date(2026, 10, 16))),
        (Comparison("year"), DayRange(date(2025, 10, 22), date(2025, 11, 20))),
        (Comparison("year", weekdays=True), DayRange(date(2025, 10, 23), date(2025, 11, 21))),
    ],
)
def test_comparison_matches_days_of_the_week_only_if_it_says_so(comparison: Comparison, before: DayRange) -> None:
    compared = compared_days(comparison, last(30), None)
    assert compared is not None
    assert compared.days == before
    assert read_view("/sites/w1", comparison.parameters, WEBSITE).compare == comparison


BEGUN = [
    # the first day known, dates, note
    (date(2026, 9, 22), "22 Sep – 21 Oct 2026", ""),
    (date(2026, 10, 1), "22 Sep – 21 Oct 2026", "No data before 1 Oct 2026"),
    (date(2026, 10, 22), "", "No data before 22 Oct 2026"),
]


@each(("begun", "dates", "note"), BEGUN)
def test_range_without_data_is_not_compared(begun: date, dates: str, note: str) -> None:
    shown = comparison_shown(view(), last(30), compared_days(Comparison(), last(30), begun), USUAL)
    assert (shown.dates, shown.note) == (dates, note)


def test_own_dates_may_be_of_another_length_which_is_said() -> None:
    own = view(compare="own", cfrom="2026-08-31", cto="2026-08-01").compare
    against = compared_days(own, last(30), None)
    assert against is not None
    assert (against.days, against.fair) == (DayRange(date(2026, 8, 1), date(2026, 8, 31)), False)
    assert "31 days versus 30" in comparison_shown(view(), last(30), against, USUAL).note


def test_as_far_as_now_is_the_same_time_of_the_same_day_of_the_range() -> None:
    now = datetime.fromisoformat("2026-11-20 14:05:59")
    assert as_far(last(7), same_weekdays_before(last(7)), now) == datetime.fromisoformat("2026-11-13 14:05")
    ahead = DayRange(date(2026, 11, 16), date(2026, 11, 22))
    assert as_far(ahead, same_weekdays_before(ahead), now) == datetime.fromisoformat("2026-11-13 14:05")
    to_come = DayRange(date(2026, 11, 21), date(2026, 11, 22))
    assert as_far(to_come, same_weekdays_before(to_come), now) == datetime.fromisoformat("2026-11-14")
    over = DayRange(date(2026, 11, 13), date(2026, 11, 19))
    assert as_far(over, same_weekdays_before(over), now) is None
    assert as_far(last(7), last(8), now) is None


@each(
    ("days", "before", "starts", "expected"),
    [
        # twelve months beside the 53 weeks before: each point is as long as that below it
        (
            DayRange(date(2026, 9, 1), date(2026, 11, 20)),
            DayRange(date(2026, 6, 9), date(2026, 8, 28)),
            (date(2026, 9, 1), date(2026, 10, 1), date(2026, 11, 1)),
            (date(2026, 6, 9), date(2026, 7, 9), date(2026, 8, 9)),
        ),
        # the same dates of the year before: months beside months, and weeks beside as many days
        (
            DayRange(date(2024, 1, 1), date(2024, 12, 31)),
            DayRange(date(2023, 1, 1), date(2023, 12, 31)),
            (date(2024, 1, 1), date(2024, 2, 29), date(2024, 3, 1)),
            (date(2023, 1, 1), date(2023, 2, 28), date(2023, 3, 1)),
        ),
        # what there is more of own dates makes no point longer
        (
            DayRange(date(2026, 11, 1), date(2026, 11, 14)),
            DayRange(date(2026, 10, 1), date(2026, 10, 31)),
            (date(2026, 11, 1), date(2026, 11, 8)),
            (date(2026, 10, 1), date(2026, 10, 8), date(2026, 10, 15)),
        ),
        (
            DayRange(date(2026, 11, 1), date(2026, 11, 28)),
            DayRange(date(2026, 10, 1), date(2026, 10, 10)),
            (date(2026, 11, 1), date(2026, 11, 8), date(2026, 11, 15)),
            (date(2026, 10, 1), date(2026, 10, 8)),
        ),
    ],
)
def test_points_of_what_is_compared_are_as_long_as_those_they_are_laid_on(
    days: DayRange, before: DayRange, starts: tuple[date, ...], expected: tuple[date, ...]
) -> None:
    assert alike(days, before, starts) == expected


def test_same_key_toggles_the_comparison() -> None:
    for query, name in (("previous", "off"), ("year", "off"), ("off", "previous")):
        choices = comparison_shown(view(compare=query), last(7), None, USUAL).choices
        assert [one.name for one in choices if one.key == "c"] == [name]
