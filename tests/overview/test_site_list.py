"""The cards of websites."""

from analytics_box.overview.site_list import site_card, sparkline
from analytics_box.overview.week import Day, Totals, Week
from tests.websites.test_shell import website


def week(visitors: int) -> Week:
    return Week(Totals(visitors), (Day("2026-11-20", visitors),))


def test_a_sparkline_starts_at_zero_and_its_last_step_is_apart() -> None:
    drawn = sparkline([0, 10, 5])
    assert drawn["line"] == "M0.0 41.0 L140.0 3.0"
    assert drawn["tail"] == "M140.0 3.0 L280.0 22.0"


def test_a_week_of_nothing_has_no_sparkline() -> None:
    assert sparkline([0] * 7) == {"line": "", "tail": "", "area": ""}
    assert sparkline([]) == {"line": "", "tail": "", "area": ""}


def test_one_visitor_is_not_visitors() -> None:
    assert site_card(website(), week(1), online=0).unit == "visitor"
    assert site_card(website(), week(2), online=0).unit == "visitors"


def test_a_number_that_could_not_be_had_is_not_zero() -> None:
    assert site_card(website(), None, online=0).visitors == "–"
