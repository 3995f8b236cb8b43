"""The line of what changed: the rows that explain most of the difference, and the rest."""

from typing import Any

from analytics_box.figures.movers import movers
from analytics_box.figures.view import View, read_view
from analytics_box.products.overview.board import WEBSITE


def view(**query: str) -> View:
    return read_view("/sites/w1", query, WEBSITE)


def sources(**visitors: int) -> list[dict[str, Any]]:
    return [{"name": name, "visitors": count} for name, count in visitors.items()]


def parts(now: dict[str, int], before: dict[str, int], difference: int, limit: int = 100) -> list[tuple[str, str]]:
    found = movers(view(), sources(**now), sources(**before), difference, limit)
    return [(one.label, one.amount) for one in found.parts] if found is not None else []


def test_largest_changes_come_first_and_the_rest_completes_the_sum() -> None:
    now = {"Google": 50, "Direct": 40, "GitHub": 9, "Bing": 8, "Reddit": 7, "Same": 3}
    before = {"Google": 20, "Direct": 55, "GitHub": 1, "Bing": 1, "Reddit": 1, "Same": 3}
    assert parts(now, before, 30) == [
        ("Google", "+30"),
        ("Direct", "−15"),
        ("GitHub", "+8"),
        ("Bing", "+7"),
    ]
    assert parts(now, before, 34)[-1] == ("Other sources and overlap", "+4")


def test_source_missing_in_a_cut_list_is_not_a_mover() -> None:
    assert parts({"New": 5, "Google": 4}, {"Google": 1}, 8, limit=2) == [("New", "+5"), ("Google", "+3")]
    assert parts({"Google": 4}, {"Gone": 5, "Google": 1}, -2, limit=2) == [("Gone", "−5"), ("Google", "+3")]
    assert parts({"New": 5, "Google": 4}, {"Gone": 2, "Google": 1}, 6, limit=2) == [
        ("Google", "+3"),
        ("Other sources and overlap", "+3"),
    ]


def test_mover_filters_the_page_by_its_source() -> None:
    found = movers(view(range="today"), sources(Google=3), sources(), 3, 100)
    assert found is not None
    assert found.parts[0].href == "/sites/w1?range=today&referrer=Google"


def test_page_without_a_change_has_no_movers() -> None:
    assert movers(view(), sources(Google=3), sources(Google=3), 0, 100) is None
