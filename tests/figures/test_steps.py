"""How wide the points of a chart are."""

from datetime import date, timedelta

from analytics_box.figures.periods import Step, possible, steps_to_draw, usual
from analytics_box.figures.pickers import chart_choices
from analytics_box.figures.view import read_view
from analytics_box.products.overview.board import WEBSITE
from analytics_box.query.ranges import DayRange
from tests.cases import each


def last(days: int) -> DayRange:
    return DayRange(date(2026, 11, 20) - timedelta(days=days - 1), date(2026, 11, 20))


@each(
    ("days", "steps", "fitting"),
    [
        (1, ("hour", "day"), "hour"),
        (7, ("hour", "day"), "day"),
        (30, ("hour", "day", "week"), "day"),
        (90, ("day", "week", "month"), "day"),
        (365, ("day", "week", "month"), "week"),
        (1_000, ("week", "month"), "month"),
        (3_660, ("week", "month"), "month"),
    ],
)
def test_steps_fit_the_range(days: int, steps: tuple[Step, ...], fitting: Step) -> None:
    assert possible(last(days)) == steps
    assert usual(last(days)) == fitting


def test_hours_are_not_drawn_beside_many_days() -> None:
    assert (possible(last(1), 31), usual(last(1), 31)) == (("day",), "day")


def test_chosen_interval_is_drawn_or_replaced_with_a_note() -> None:
    assert steps_to_draw("week", last(30)) == ("week", "")
    assert steps_to_draw("", last(365)) == ("week", "")
    assert steps_to_draw("hour", last(365)) == ("week", "Hours are not available for 365 days. Showing weeks.")


def test_the_head_of_the_chart_offers_steps_and_measures() -> None:
    view = read_view("/sites/w1", {"range": "last_90d", "by": "week", "beside": "sessions"}, WEBSITE)
    found = chart_choices(view, last(90), "week")
    assert [(one.name, one.selected) for one in found.steps] == [("day", False), ("week", True), ("month", False)]
    assert found.steps[0].href == "/sites/w1?range=last_90d&beside=sessions"
    assert [one.name for one in found.besides] == [
        "none",
        "pageviews",
        "sessions",
        "bounce_rate",
        "median_session_duration",
    ]
    assert [one.name for one in found.besides if one.selected] == ["sessions"]
    assert (found.beside, found.label, found.second) == ("With Sessions", "Visitors", "Sessions")
