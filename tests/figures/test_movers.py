"""What changed: the rows that explain most of the difference, and the rest."""

from typing import Any

from analytics_box.figures.board import Explanation
from analytics_box.figures.movers import Movers, movers
from analytics_box.figures.view import View, read_view
from analytics_box.products.overview.board import WEBSITE

SOURCES, PAGES = WEBSITE.explained_by[:2]
Counts = dict[str, int]


def view(**query: str) -> View:
    return read_view("/sites/w1", query, WEBSITE)


def listed(explanation: Explanation, counts: Counts) -> list[dict[str, Any]]:
    shown = WEBSITE.lists[explanation.listed].shown
    return [{shown: name, explanation.counted: count} for name, count in counts.items()]


def changes(
    now: Counts,
    before: Counts,
    totals: tuple[int, int],
    *,
    limit: int = 100,
    of: Explanation = SOURCES,
    seen: View | None = None,
) -> Movers | None:
    rows = listed(of, before), listed(of, now)
    return movers(seen or view(), of, rows, totals, limit=limit)


def parts(*asked: Any, **more: Any) -> list[tuple[str, str]]:
    found = changes(*asked, **more)
    return [(one.label, one.amount) for one in found.parts] if found is not None else []


NOW = {"Google": 50, "Direct": 40, "GitHub": 9, "Bing": 8, "Reddit": 7, "Same": 3}
BEFORE = {"Google": 20, "Direct": 55, "GitHub": 1, "Bing": 1, "Reddit": 4, "Same": 3}
LARGEST = [("Google", "+30"), ("Direct", "−15"), ("GitHub", "+8"), ("Bing", "+7")]


def test_largest_changes_come_first_and_all_others_are_a_sum() -> None:
    assert parts(NOW, BEFORE, (84, 117)) == [*LARGEST, ("All others", "+3")]


def test_visitors_in_several_rows_are_a_part_of_their_own() -> None:
    assert parts(NOW, BEFORE, (80, 109)) == [
        *LARGEST,
        ("All others", "+3"),
        ("From several sources", "−4"),
    ]


def test_page_views_have_no_overlap() -> None:
    assert parts(NOW, BEFORE, (84, 118), of=PAGES) == [*LARGEST, ("All others", "+4")]


def test_parts_sum_to_the_difference_and_contributions_to_the_whole() -> None:
    for totals in ((84, 117), (80, 109), (90, 60)):
        found = changes(NOW, BEFORE, totals)
        assert found is not None
        assert sum(one.change for one in found.parts) == totals[1] - totals[0]
        assert round(sum(one.share or 0 for one in found.parts), 6) == 100


def test_source_missing_in_a_cut_list_is_not_a_mover() -> None:
    assert parts({"New": 5, "Google": 4}, {"Google": 1}, (0, 8), limit=2) == [("New", "+5"), ("Google", "+3")]
    assert parts({"Google": 4}, {"Gone": 5, "Google": 1}, (2, 0), limit=2) == [("Gone", "−5"), ("Google", "+3")]
    assert parts({"New": 5, "Google": 4}, {"Gone": 2, "Google": 1}, (0, 6), limit=2) == [
        ("Google", "+3"),
        ("All others and overlap", "+3"),
    ]


def test_mover_filters_the_page_by_its_source() -> None:
    found = changes({"Google": 3}, {}, (0, 3), seen=view(range="today"))
    assert found is not None
    assert found.parts[0].href == "/sites/w1?range=today&referrer=Google"


def test_changes_that_cancel_out_are_shown_without_a_contribution() -> None:
    found = changes({"Google": 5, "Bing": 1}, {"Google": 3, "Bing": 3}, (6, 6))
    assert found is not None
    assert [(one.label, one.amount, one.texts[2]) for one in found.parts] == [
        ("Bing", "−2", "–"),
        ("Google", "+2", "–"),
    ]


def test_page_without_a_change_has_no_movers() -> None:
    assert changes({"Google": 3}, {"Google": 3}, (3, 3)) is None
