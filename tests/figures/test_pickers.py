"""The range of a page of figures in words, and its choices."""

from datetime import date

import pytest

from analytics_box.base.identity import DateFormat
from analytics_box.figures.pickers import range_shown
from analytics_box.figures.view import View, read_view
from analytics_box.products.overview.board import WEBSITE
from analytics_box.query.ranges import DayRange
from analytics_box.web.page.dates import USUAL, Formats
from tests.cases import each

TODAY = date(2026, 11, 20)


def view(**query: str) -> View:
    return read_view("/sites/w1", query, WEBSITE)


RANGES = [
    (DayRange(TODAY, TODAY), "20 Nov 2026", "this hour so far"),
    (DayRange(date(2026, 10, 22), TODAY), "22 Oct – 20 Nov 2026", "today so far"),
    (DayRange(date(2025, 11, 1), TODAY), "1 Nov 2025 – 20 Nov 2026", "this week so far"),
    (DayRange(date(2023, 1, 1), TODAY), "1 Jan 2023 – 20 Nov 2026", "this month so far"),
    (DayRange(date(2026, 11, 1), date(2026, 11, 12)), "1 – 12 Nov 2026", ""),
    (DayRange(date(2025, 12, 22), date(2026, 1, 20)), "22 Dec 2025 – 20 Jan 2026", ""),
]


@each(("days", "dates", "unfinished"), RANGES)
def test_a_range_says_its_dates_and_what_is_not_over(days: DayRange, dates: str, unfinished: str) -> None:
    shown = range_shown(view(), days, TODAY, USUAL)
    assert (shown.dates, shown.unfinished) == (dates, unfinished)


def test_own_dates_are_called_by_their_dates() -> None:
    own = view(range="custom", **{"from": "2026-11-01", "to": "2026-11-12"})
    shown = range_shown(own, DayRange(date(2026, 11, 1), date(2026, 11, 12)), TODAY, USUAL)
    assert shown.label == "1 – 12 Nov 2026"
    assert not any(choice.selected for choice in shown.choices)


def test_all_presets_can_be_chosen_and_drop_own_dates() -> None:
    own = view(range="custom", by="day", **{"from": "2026-11-01", "to": "2026-11-12"})
    choices = range_shown(own, DayRange(TODAY, TODAY), TODAY, USUAL).choices
    assert len(choices) == 13
    assert not any("from=" in choice.href or "by=" in choice.href for choice in choices)
    assert {choice.key: choice.name for choice in choices if choice.key} == {
        "d": "today",
        "w": "last_7d",
        "m": "last_30d",
        "y": "this_year",
        "a": "all",
    }


WRITTEN = [
    # format, within a month, over months, over years, one day
    ("D MMM YYYY", "1 – 12 Nov 2026", "22 Oct – 20 Nov 2026", "22 Dec 2025 – 20 Jan 2026", "20 Nov 2026"),
    ("MMM D, YYYY", "Nov 1 – 12, 2026", "Oct 22 – Nov 20, 2026", "Dec 22, 2025 – Jan 20, 2026", "Nov 20, 2026"),
    ("DD.MM.YYYY", "01.11.2026 – 12.11.2026", "22.10.2026 – 20.11.2026", "22.12.2025 – 20.01.2026", "20.11.2026"),
    ("DD/MM/YYYY", "01/11/2026 – 12/11/2026", "22/10/2026 – 20/11/2026", "22/12/2025 – 20/01/2026", "20/11/2026"),
    ("MM/DD/YYYY", "11/01/2026 – 11/12/2026", "10/22/2026 – 11/20/2026", "12/22/2025 – 01/20/2026", "11/20/2026"),
    ("YYYY-MM-DD", "2026-11-01 – 2026-11-12", "2026-10-22 – 2026-11-20", "2025-12-22 – 2026-01-20", "2026-11-20"),
]


@pytest.mark.parametrize("written", WRITTEN, ids=lambda row: row[0])
def test_a_range_is_written_as_the_person_writes_dates(written: tuple[DateFormat, str, str, str, str]) -> None:
    form, *expected = written
    ranges = [
        DayRange(date(2026, 11, 1), date(2026, 11, 12)),
        DayRange(date(2026, 10, 22), TODAY),
        DayRange(date(2025, 12, 22), date(2026, 1, 20)),
        DayRange(TODAY, TODAY),
    ]
    found = [range_shown(view(), days, TODAY, Formats(form)) for days in ranges]
    assert [each.dates for each in found] == expected
    assert {(each.first, each.last) for each in found} >= {("2026-11-01", "2026-11-12")}, "fields of forms stay ISO"
