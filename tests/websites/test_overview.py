"""Tiles, changes, lists and words of the overview."""

from datetime import date
from operator import itemgetter

import pytest

from analytics_box.query.ranges import Days
from analytics_box.websites import figures, overview
from analytics_box.websites.overview import Change, ListRow, Totals
from analytics_box.websites.view import View, read_view

TODAY = date(2026, 11, 20)


def view(**query: str) -> View:
    return read_view("/sites/w1", query)


def change_of(metric: str, now: float, then: float, *, sessions: float = 1, unfinished: bool = False) -> Change | None:
    numbers = ({"sessions": sessions, metric: now}, {"sessions": sessions, metric: then})
    shown = overview.tiles(view(), Totals(**numbers[0]), Totals(**numbers[1]), unfinished=unfinished)
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


def test_a_day_that_is_not_over_is_not_judged_by_a_whole_one() -> None:
    change = change_of("visitors", 10, 100, unfinished=True)
    assert change is not None
    assert (change.tone, change.whole_day) == ("neutral", True)


def test_rates_of_no_sessions_are_unknown_and_not_compared() -> None:
    assert change_of("bounce_rate", 0, 0, sessions=0) is None
    tiles = {tile.metric: tile.value for tile in overview.tiles(view(), Totals(), None, unfinished=False)}
    assert tiles["visitors"] == "0"
    assert tiles["bounce_rate"] == tiles["median_session_duration"] == "–"


def test_each_tile_leads_to_its_chart_and_keeps_the_rest() -> None:
    tiles = overview.tiles(view(range="today", metric="sessions"), Totals(), None, unfinished=False)
    assert [tile.metric for tile in tiles if tile.selected] == ["sessions"]
    assert tiles[0].href == "/sites/w1?range=today"
    assert tiles[1].href == "/sites/w1?range=today&metric=pageviews"


RANGES = [
    (Days(TODAY, TODAY), "20 Nov 2026", "19 Nov 2026", "this hour so far"),
    (Days(date(2026, 10, 22), TODAY), "22 Oct – 20 Nov 2026", "22 Sep – 21 Oct 2026", "today so far"),
    (Days(date(2026, 11, 1), date(2026, 11, 12)), "1 – 12 Nov 2026", "20 – 31 Oct 2026", ""),
    (Days(date(2026, 1, 1), date(2026, 1, 31)), "1 – 31 Jan 2026", "1 – 31 Dec 2025", ""),
    (Days(date(2025, 12, 22), date(2026, 1, 20)), "22 Dec 2025 – 20 Jan 2026", "22 Nov – 21 Dec 2025", ""),
]


@pytest.mark.parametrize(("days", "dates", "before", "unfinished"), RANGES)
def test_a_range_says_its_dates_what_it_is_compared_with_and_what_is_not_over(
    days: Days, dates: str, before: str, unfinished: str
) -> None:
    shown = overview.range_shown(view(), days, TODAY)
    assert (shown.dates, shown.before, shown.unfinished) == (dates, before, unfinished)


def test_own_dates_are_called_by_their_dates() -> None:
    own = view(range="custom", **{"from": "2026-11-01", "to": "2026-11-12"})
    shown = overview.range_shown(own, Days(date(2026, 11, 1), date(2026, 11, 12)), TODAY)
    assert shown.label == "1 – 12 Nov 2026"
    assert not any(choice.selected for choice in shown.choices)


def test_all_presets_can_be_chosen_and_drop_own_dates() -> None:
    own = view(range="custom", **{"from": "2026-11-01", "to": "2026-11-12"})
    choices = overview.range_shown(own, Days(TODAY, TODAY), TODAY).choices
    assert len(choices) == 11
    assert not any("from=" in choice.href for choice in choices)
    assert {choice.key: choice.name for choice in choices if choice.key} == {
        "d": "today",
        "w": "last_7d",
        "m": "last_30d",
        "y": "this_year",
    }


def rows(number: int) -> list[ListRow]:
    return [
        ListRow(name=f"/{index}", path=f"/{index}", visitors=100 - index, percentage=1.5) for index in range(number)
    ]


def test_bars_are_as_wide_as_their_share_of_the_longest() -> None:
    panel = overview.panel(
        view(), "browsers", [ListRow(name="Chrome", visitors=200), ListRow(name="Opera", visitors=1)]
    )
    assert panel.bars is not None
    assert [bar.width for bar in panel.bars] == ["w100", "w1"]


def test_a_list_shows_eight_rows_and_leads_to_more() -> None:
    panel = overview.panel(view(), "pages", rows(overview.rows_wanted(view(), "pages")))
    assert panel.bars is not None
    assert (len(panel.bars), panel.more, panel.fewer) == (8, "/sites/w1?more=pages", "")


def test_a_list_that_fits_leads_nowhere() -> None:
    assert overview.panel(view(), "pages", rows(8)).more == ""


def test_an_extended_list_shows_all_and_leads_back() -> None:
    extended = view(more="pages")
    panel = overview.panel(extended, "pages", rows(20))
    assert panel.bars is not None
    assert (len(panel.bars), panel.more, panel.fewer) == (20, "", "/sites/w1")
    assert overview.rows_wanted(extended, "sources") == 9


def test_systems_share_the_panel_of_browsers() -> None:
    panel = overview.panel(view(tab="systems", more="browsers"), "browsers", [])
    assert panel.shown == "systems"
    assert [(tab.label, tab.selected, tab.href) for tab in panel.tabs] == [
        ("Browsers", False, "/sites/w1"),
        ("Systems", True, "/sites/w1?tab=systems"),
    ]


def test_events_are_counted_by_event_and_the_rest_by_visitor() -> None:
    row = ListRow(name="signup", visitors=3, total_events=412)
    events, sources = (overview.panel(view(), name, [row]).bars for name in ("events", "sources"))
    assert events is not None
    assert sources is not None
    assert (events[0].value, sources[0].value) == ("412", "3")


def test_a_source_says_its_domain_unless_that_is_its_name() -> None:
    known, plain = ListRow(name="Google", domain="google.com"), ListRow(name="example.org", domain="example.org")
    panel = overview.panel(view(), "sources", [known, plain])
    assert panel.bars is not None
    assert [bar.detail for bar in panel.bars] == ["google.com", ""]


def test_a_row_without_a_name_is_unknown() -> None:
    panel = overview.panel(view(), "pages", [ListRow(path="", name=None)])
    assert panel.bars is not None
    assert panel.bars[0].label == "Unknown"


def test_a_panel_that_is_not_ready_says_where_it_is_to_be_had() -> None:
    panel = overview.panel(view(range="today"), "pages", None)
    assert panel.bars is None
    assert panel.source == "/sites/w1/parts/pages?range=today"
