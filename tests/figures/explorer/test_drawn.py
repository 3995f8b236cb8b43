"""The chart of an answer: its rows in the order of time, also in a night in which clocks go back."""

from datetime import datetime
from zoneinfo import ZoneInfo

from analytics_box.figures.explorer.answered import draw_series
from analytics_box.figures.explorer.view import TypedQuery
from analytics_box.query.catalog.registry import TYPES
from analytics_box.web.page.dates import USUAL


def test_hours_of_one_name_are_drawn_in_the_order_of_time_however_rows_are_sorted() -> None:
    for place, day, offsets in (
        ("Europe/Berlin", "2026-10-25 02", ("+02:00", "+01:00")),
        ("America/New_York", "2026-11-01 01", ("-04:00", "-05:00")),
    ):
        zone = ZoneInfo(place)
        names = [output.name for output in TYPES["summary_metrics"].outputs]
        rows = [dict.fromkeys(names, at) | {"date": f"{day}:00:00{offset}"} for at, offset in enumerate(offsets)]
        now = datetime.fromisoformat(f"{day}:30:00")  # in the first of the two
        made = draw_series(
            TYPES["summary_metrics"],
            rows[::-1],
            None,
            TypedQuery(path="", type="summary_metrics", sort="pageviews"),
            now=now,
            zone=zone,
            formats=USUAL,
        )
        assert made is not None
        assert [point.value for point in made.chart.points] == [0, None], place
        assert made.chart.columns["partial"] == [0]
