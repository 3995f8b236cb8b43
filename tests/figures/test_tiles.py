"""The figures of an overview: what they say, and whether a change is good."""

from operator import itemgetter
from typing import Any

import pytest

from analytics_box.base import figures
from analytics_box.figures.tiles import TileChange, Totals, tiles
from analytics_box.figures.view import View, read_view
from analytics_box.products.overview.board import WEBSITE


def view(**query: str) -> View:
    return read_view("/sites/w1", query, WEBSITE)


def totals(**numbers: float) -> Totals:
    return {"summary_totals": [dict.fromkeys(WEBSITE.charted, 0.0) | numbers]}


def change_of(metric: str, now: float, then: float, *, sessions: float = 1, **how: Any) -> TileChange | None:
    numbers = ({"sessions": sessions, metric: now}, {"sessions": sessions, metric: then})
    shown = tiles(view(), totals(**numbers[0]), totals(**numbers[1]), **how)
    return next(tile.change for tile in shown if tile.metric == metric)


CHANGES = [
    # what                         metric                     now   then   direction, tone, amount, before
    ("more visitors", "visitors", 114, 100, ("up", "good", "14.0 %", "100")),
    ("fewer page views", "pageviews", 50, 100, ("down", "bad", "50.0 %", "100")),
    ("many times as many", "visitors", 10_074, 37, ("up", "good", "×272", "37")),
    ("nothing to divide by", "visitors", 7, 0, ("up", "good", "", "0")),
    ("the same", "visitors", 7, 7, ("same", "neutral", "", "7")),
    ("fewer bounces are better", "bounce_rate", 41.3, 43.4, ("down", "good", "2.1 pt", "43.4 %")),
    ("more bounces are worse", "bounce_rate", 50, 40, ("up", "bad", "10.0 pt", "40.0 %")),
    ("a bounce rate the same to a tenth", "bounce_rate", 41.31, 41.33, ("same", "neutral", "", "41.3 %")),
    ("a bounce rate of other tenths", "bounce_rate", 41.36, 41.34, ("up", "bad", "0.1 pt", "41.3 %")),
    ("shorter visits", "median_session_duration", 72, 76, ("down", "bad", "4 s", "1 m 16 s")),
]


@pytest.mark.parametrize(("what", "metric", "now", "then", "expected"), CHANGES, ids=map(itemgetter(0), CHANGES))
def test_a_change_says_its_direction_and_whether_that_is_good(
    what: str, metric: str, now: float, then: float, expected: tuple[str, str, str, str]
) -> None:
    change = change_of(metric, now, then)
    assert change is not None
    found = (change.direction, change.tone, change.amount, change.before)
    assert tuple(text.replace(figures.NBSP, " ") for text in found) == expected


def test_counts_of_more_days_are_not_set_against_those_of_fewer_but_rates_are() -> None:
    counts, rates = (change_of(metric, 10, 40, fair=False) for metric in ("visitors", "bounce_rate"))
    assert counts is not None
    assert (counts.tone, counts.amount, counts.before) == ("neutral", "", "40")
    assert rates is not None
    assert (rates.tone, rates.amount) == ("good", f"30.0{figures.NBSP}pt")


def test_tiles_without_earlier_data_have_no_change() -> None:
    assert {(tile.change, tile.help) for tile in tiles(view(), totals(), None)} == {(None, "")}


def test_the_second_measure_goes_when_it_becomes_the_first() -> None:
    found = {tile.metric: tile.href for tile in tiles(view(beside="sessions"), totals(), None)}
    assert found["sessions"] == "/sites/w1?metric=sessions"
    assert found["pageviews"] == "/sites/w1?metric=pageviews&beside=sessions"


def test_rates_of_no_sessions_are_unknown_and_not_compared() -> None:
    assert change_of("bounce_rate", 0, 0, sessions=0) is None
    found = {tile.metric: tile.value for tile in tiles(view(), totals(), None)}
    assert found["visitors"] == "0"
    assert found["bounce_rate"] == found["median_session_duration"] == "–"


def test_each_tile_leads_to_its_chart_and_keeps_the_rest() -> None:
    found = tiles(view(range="today", metric="sessions"), totals(), None)
    assert [tile.metric for tile in found if tile.selected] == ["sessions"]
    assert found[0].href == "/sites/w1?range=today"
    assert found[1].href == "/sites/w1?range=today&metric=pageviews"
