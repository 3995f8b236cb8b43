"""What autocomplete.get keeps of its answers, whatever strangers call their pages."""

from datetime import date

from analytics_box.products.overview.autocomplete import MOST_KEPT, MOST_LETTERS, KeptSuggestions, Suggestions
from analytics_box.query.ranges import DayRange
from tests.inprocess import FixedClock

TODAY = DayRange(date(2026, 6, 17), date(2026, 6, 17))


def test_answers_are_kept_within_bounds() -> None:
    kept = KeptSuggestions(FixedClock()).answers

    def keep(site: int, *paths: str) -> None:
        kept.put((site, TODAY, "UTC"), Suggestions([], [*paths], [], [], [], [], [], [], []))

    for site in range(MOST_KEPT + 1):
        keep(site, "/")
    assert (kept.get((0, TODAY, "UTC")), kept.get((1, TODAY, "UTC")) is None) == (None, False)
    for site in (*range(6), *range(6)):
        keep(site, "x" * (MOST_LETTERS // 4))
    assert [site for site in range(MOST_KEPT + 1) if kept.get((site, TODAY, "UTC"))] == [2, 3, 4, 5]
