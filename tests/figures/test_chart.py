"""The chart's numbers, and the table with the same numbers."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest

from analytics_box.figures.board import Metric
from analytics_box.figures.chart import UNKNOWN, Axis, ChartOutage, chart
from analytics_box.query.catalog.types import Record
from analytics_box.web.page.dates import Formats
from tests.cases import each

VISITORS = Metric("visitors", "summary_totals", "summary_metrics")
BOUNCES = Metric("bounce_rate", "summary_totals", "summary_metrics", unit="percent", needs="sessions")
NOON = datetime.fromisoformat("2026-11-20 12:00")


def row(date: str, *, visitors: float = 0, sessions: float = 0, bounce_rate: float = 0) -> Record:
    return {"date": date, "visitors": visitors, "sessions": sessions, "bounce_rate": bounce_rate}


def days(*values: int, first: int = 18) -> list[Record]:
    return [row(f"2026-11-{first + number}", visitors=value, sessions=value) for number, value in enumerate(values)]


def hours(*values: int, day: str = "2026-11-20") -> list[Record]:
    return [row(f"{day} {number:02}:00:00", visitors=value) for number, value in enumerate(values)]


def test_today_is_unfinished_and_what_has_not_begun_has_no_value() -> None:
    drawn = chart(VISITORS, days(5, 7, 2, 0), None, axis=Axis(NOON))
    assert [point.value for point in drawn.points] == [5, 7, 2, None]
    assert [point.unfinished for point in drawn.points] == ["", "", "today so far", ""]
    assert drawn.columns["partial"] == [2]


def test_a_range_that_is_over_has_nothing_unfinished() -> None:
    drawn = chart(VISITORS, days(5, 7), None, axis=Axis(NOON))
    assert drawn.columns["partial"] == []
    assert drawn.unfinished == ""


def test_the_hour_of_now_is_unfinished() -> None:
    drawn = chart(VISITORS, hours(*[1] * 24), None, axis=Axis(datetime.fromisoformat("2026-11-20 12:59"), "hour"))
    assert drawn.columns["partial"] == [12]
    assert [point.value for point in drawn.points][12:14] == [1, None]
    assert drawn.points[12].label == "Fri 20 Nov, 12:00"
    assert drawn.points[12].unfinished == "this hour so far"


@each(("second", "filling", "values"), [(False, 0, [1, None]), (True, 1, [1, 1])])
def test_of_a_doubled_hour_that_of_now_is_the_one_that_is_filling(
    second: bool, filling: int, values: list[float | None]
) -> None:
    rows = [row(f"2026-10-25 02:00:00{offset}", visitors=1) for offset in ("+02:00", "+01:00")]
    now = datetime.fromisoformat("2026-10-25 02:30").replace(fold=second)
    drawn = chart(VISITORS, rows, None, axis=Axis(now, "hour", zone=ZoneInfo("Europe/Berlin")))
    assert [point.label for point in drawn.points] == ["Sun 25 Oct, 02:00 +02:00", "Sun 25 Oct, 02:00 +01:00"]
    assert drawn.columns["partial"] == [filling]
    assert [point.value for point in drawn.points] == values


@each(
    ("start", "until", "touched"),
    [
        ("2026-11-18T00:00", "2026-11-19T00:00", [18]),  # a whole day is none of the next
        ("2026-11-19T00:00", "2026-11-19T01:00", [19]),
        ("2026-11-18T23:59", "2026-11-20T00:01", [18, 19, 20]),
        ("2026-11-17T00:00", "2026-11-18T00:00", []),
    ],
)
def test_an_outage_is_in_the_buckets_that_it_touches(start: str, until: str, touched: list[int]) -> None:
    at, end = (round(datetime.fromisoformat(f"{text}+00:00").timestamp() * 1000) for text in (start, until))
    drawn = chart(VISITORS, days(1, 1, 1), None, axis=Axis(NOON), outages=[ChartOutage(at, end, "Outage")])
    assert [18 + index for shade in drawn.shades for index in shade.buckets] == touched


def test_the_period_before_is_laid_on_ours() -> None:
    drawn = chart(VISITORS, days(5, 7), days(1, 2, first=16), axis=Axis(NOON))
    assert drawn.columns["before"] == [1, 2]
    assert drawn.columns["beforeLabels"] == ["Mon 16 Nov", "Tue 17 Nov"]


def test_a_longer_day_before_does_not_make_ours_longer_nor_a_shorter_one_break_it() -> None:
    longer = [*hours(*[1] * 24, day="2026-10-25"), row("2026-10-25 23:00:00", visitors=1)]
    assert len(chart(VISITORS, hours(*[1] * 24), longer, axis=Axis(NOON)).points) == 24
    assert chart(VISITORS, hours(*[1] * 24), hours(*[1] * 23), axis=Axis(NOON)).columns["before"][-1] is None


def test_without_comparison_there_are_no_columns_of_it() -> None:
    assert "before" not in chart(VISITORS, days(5), None, axis=Axis(NOON)).columns


def test_a_rate_without_sessions_is_unknown_rather_than_zero() -> None:
    rows = [row("2026-11-18", sessions=4, bounce_rate=25), row("2026-11-19")]
    drawn = chart(BOUNCES, rows, None, axis=Axis(NOON))
    assert [point.value for point in drawn.points] == [25, None]
    assert drawn.points[1].text == UNKNOWN


def test_the_table_lists_what_has_begun_or_is_compared() -> None:
    alone = chart(VISITORS, hours(*[1] * 24), None, axis=Axis(NOON))
    compared = chart(VISITORS, hours(*[1] * 24), hours(*[1] * 24, day="2026-11-19"), axis=Axis(NOON))
    assert (len(alone.listed), len(compared.listed)) == (13, 24)


def test_a_day_of_another_year_is_named_with_it() -> None:
    assert chart(VISITORS, [row("2025-12-31")], None, axis=Axis(NOON)).points[0].label == "Wed 31 Dec 2025"


def test_an_empty_range_is_an_empty_chart() -> None:
    assert chart(VISITORS, [], [], axis=Axis(NOON)).points == ()


FORMATS = [
    # formats, a day of this year, of another, an hour
    (Formats(), ("20 Nov", "Fri 20 Nov"), "Wed 31 Dec 2025", ("14:00", "Fri 20 Nov, 14:00")),
    (
        Formats("MMM D, YYYY", "h:mm a"),
        ("Nov 20", "Fri Nov 20"),
        "Wed Dec 31, 2025",
        ("2:00 pm", "Fri Nov 20, 2:00 pm"),
    ),
    (Formats("DD.MM.YYYY"), ("20.11.", "Fri 20.11."), "Wed 31.12.2025", ("14:00", "Fri 20.11., 14:00")),
    (Formats("DD/MM/YYYY"), ("20/11", "Fri 20/11"), "Wed 31/12/2025", ("14:00", "Fri 20/11, 14:00")),
    (Formats("MM/DD/YYYY"), ("11/20", "Fri 11/20"), "Wed 12/31/2025", ("14:00", "Fri 11/20, 14:00")),
    (Formats("YYYY-MM-DD"), ("11-20", "Fri 11-20"), "Wed 2025-12-31", ("14:00", "Fri 11-20, 14:00")),
]


@pytest.mark.parametrize(("formats", "day", "other", "hour"), FORMATS, ids=lambda given: getattr(given, "date", ""))
def test_buckets_are_named_as_the_person_writes_dates(
    formats: Formats, day: tuple[str, str], other: str, hour: tuple[str, str]
) -> None:
    rows = [row("2025-12-31"), row("2026-11-20"), row("2026-11-20 14:00:00")]
    drawn = chart(VISITORS, rows, rows, axis=Axis(NOON, formats=formats)).points
    assert [(point.tick, point.label) for point in drawn[1:]] == [day, hour]
    assert drawn[0].label == drawn[0].before_label == other


def test_the_chart_is_told_where_months_begin_however_dates_are_written() -> None:
    rows = [row(f"2026-{month:02}-{day:02}") for month, day in ((10, 31), (11, 1), (11, 11), (12, 1))]
    columns = chart(VISITORS, rows, None, axis=Axis(NOON, formats=Formats("MM/DD/YYYY"))).columns
    assert columns["months"] == [1, 3]


WEEKS = [row(day, visitors=value) for day, value in (("2026-10-22", 3), ("2026-10-25", 7), ("2026-11-01", 8))]
FRIDAY = date(2026, 11, 6)


def test_weeks_are_named_by_their_days_and_those_that_are_cut_say_so() -> None:
    drawn = chart(VISITORS, WEEKS, None, axis=Axis(NOON, "week", FRIDAY))
    assert [point.label for point in drawn.points] == ["22 – 24 Oct 2026", "25 – 31 Oct 2026", "1 – 6 Nov 2026"]
    assert [point.note for point in drawn.points] == ["3 of 7 days", "", "6 of 7 days"]
    assert drawn.columns["partial"] == [0, 2]
    assert drawn.cut == "part of a week"
    assert (
        chart(VISITORS, WEEKS[1:], None, axis=Axis(datetime.fromisoformat("2026-11-06 09:00"), "week", FRIDAY)).cut
        == ""
    )


def test_months_are_named_and_the_one_of_now_is_unfinished() -> None:
    rows = [row(day, visitors=1) for day in ("2026-09-15", "2026-10-01", "2026-11-01")]
    drawn = chart(VISITORS, rows, None, axis=Axis(NOON, "month", NOON.date()))
    assert [point.label for point in drawn.points] == ["15 – 30 Sep 2026", "Oct 2026", "1 – 20 Nov 2026"]
    assert [point.note for point in drawn.points] == ["16 of 30 days", "", "this month so far"]


def test_points_before_the_first_data_are_empty_not_zero() -> None:
    begun = datetime.fromisoformat("2026-11-19 08:00")
    drawn = chart(VISITORS, days(0, 7, 2), days(0, 0, 0, first=15), axis=Axis(NOON, begun=begun))
    assert [point.value for point in drawn.points] == [None, 7, 2]
    assert drawn.columns["before"] == [None, None, None]
    assert [point.text for point in drawn.listed] == ["7", "2"]


def test_a_second_measure_has_its_own_unit_and_gaps() -> None:
    rows = [row("2026-11-18", visitors=4, sessions=4, bounce_rate=25), row("2026-11-19", visitors=1)]
    drawn = chart(VISITORS, rows, None, axis=Axis(NOON), second=(BOUNCES, rows))
    assert (drawn.columns["secondUnit"], drawn.columns["second"]) == ("percent", [25, None])
    assert drawn.columns["secondTexts"][1] == UNKNOWN
    assert "second" not in chart(VISITORS, rows, None, axis=Axis(NOON)).columns
