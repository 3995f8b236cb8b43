"""The lists of an overview: bars, tabs, more and fewer."""

import pytest

from analytics_box.figures import panels
from analytics_box.figures.chips import FIELD_LABELS
from analytics_box.figures.view import View, read_view
from analytics_box.products.overview.board import CHOICE_LABELS, EMPTY_TEXTS, LISTS, PANELS, TAB_LABELS, WEBSITE
from analytics_box.query.catalog.types import Record


def view(**query: str) -> View:
    return read_view("/sites/w1", query, WEBSITE)


EMPTY = {
    **dict.fromkeys(("name", "path", "href", "text", "domain", "country")),
    **dict.fromkeys(("country_code", "device_type", "variant"), ""),
    **dict.fromkeys(("visitors", "total_events", "total_clicks", "page_views", "percentage"), 0),
}


def row_of(**values: object) -> Record:
    return EMPTY | values


def rows(number: int) -> list[Record]:
    return [row_of(name=f"/{index}", path=f"/{index}", visitors=100 - index, percentage=1.5) for index in range(number)]


def test_bars_are_as_wide_as_their_share_of_the_longest() -> None:
    panel = panels.panel(view(), "browsers", [row_of(name="Chrome", visitors=200), row_of(name="Opera", visitors=1)])
    assert panel.bars is not None
    assert [bar.width for bar in panel.bars] == ["w100", "w1"]


def test_list_shows_six_rows_and_their_total_and_leads_to_all_of_them() -> None:
    panel = panels.panel(view(range="today", tab="entry"), "pages", rows(9))
    assert panel.bars is not None
    assert (len(panel.bars), panel.total) == (6, "9")
    assert panel.details == "/sites/w1/details/entry?range=today&tab=entry"
    assert panels.panel(view(), "pages", rows(101)).total == "100+"
    assert panels.panel(view(), "pages", rows(4)).total == ""


def test_a_share_says_what_it_is_of() -> None:
    one = row_of(name="Chrome", visitors=200)
    assert panels.panel(view(), "browsers", [one], whole=1234).share.startswith("Share of the 1,234 visitors in this")
    assert panels.panel(view(), "events", [one]).share == "Share of all custom events in this range."


def test_a_place_is_as_high_as_the_list_was_when_it_was_last_shown() -> None:
    def kept(expected: int | None) -> int:
        return len(panels.panel(view(), "browsers", None, expected=expected).ghosts)

    assert [kept(expected) for expected in (None, 0, 3, 8, 20)] == [6, 0, 3, 6, 6]


def test_lists_share_a_panel_as_tabs() -> None:
    panel = panels.panel(view(tab="systems"), "browsers", [])
    assert panel.shown == "systems"
    assert [(tab.label, tab.selected) for tab in panel.tabs] == [
        ("Browsers", False),
        ("Systems", True),
        ("Devices", False),
        ("Windows", False),
        ("Languages", False),
    ]
    assert (panel.tabs[0].href, panel.tabs[2].href) == ("/sites/w1", "/sites/w1?tab=devices")
    assert panel.tabs[2].part == "/sites/w1/parts/browsers?tab=devices"


def test_campaigns_are_one_tab_with_five_choices_and_a_row_less() -> None:
    chosen = view(tab="utm_medium")
    panel = panels.panel(chosen, "sources", rows(9))
    assert [tab.label for tab in panel.tabs if tab.selected] == ["Campaigns"]
    assert [(tab.label, tab.selected) for tab in panel.choices] == [
        ("Campaign", False),
        ("Source", False),
        ("Medium", True),
        ("Term", False),
        ("Content", False),
    ]
    assert panel.bars is not None
    assert len(panel.bars) == 5
    assert panels.panel(view(), "sources", []).choices == ()


@pytest.mark.parametrize(
    "name", [name for name, listed in LISTS.items() if listed.field and name in WEBSITE.panel_of and not listed.places]
)
def test_a_row_leads_to_the_page_of_it_and_back(name: str) -> None:
    listed = LISTS[name]
    row = row_of(visitors=3, **dict.fromkeys(("name", "path", "href", "domain"), "A & b"))
    panel = next(panel for panel, names in PANELS.items() if name in names)
    found = panels.panel(view(tab=name), panel, [row]).bars
    assert found is not None
    assert f"{listed.field}=A+%26+b" in found[0].href
    assert not found[0].selected
    narrow = panels.panel(view(tab=name, **{listed.field: "A & b"}), panel, [row]).bars
    assert narrow is not None
    assert (narrow[0].selected, "A+" in narrow[0].href) == (True, False)


def test_a_region_is_one_of_its_country() -> None:
    row = row_of(name="Georgia", country="United States", country_code="US", visitors=1)
    found = panels.panel(view(tab="regions"), "countries", [row]).bars
    assert found is not None
    assert found[0].href == "/sites/w1?tab=regions&country=United+States&region=Georgia"
    assert (found[0].code, found[0].label) == ("US", "Georgia")


def test_row_without_a_matching_filter_has_no_link() -> None:
    found = panels.panel(view(tab="windows"), "browsers", [row_of(name="1280x720", visitors=1)]).bars
    assert found is not None
    assert found[0].href == ""


def test_every_list_and_filter_has_its_words() -> None:
    assert set(WEBSITE.panel_of) == set(EMPTY_TEXTS)
    assert set(LISTS) == {*TAB_LABELS, *CHOICE_LABELS, "errors"}
    assert set(WEBSITE.fields) == set(FIELD_LABELS)


def test_events_are_counted_by_event_and_the_rest_by_visitor() -> None:
    row = row_of(name="signup", visitors=3, total_events=412)
    events, sources = (panels.panel(view(), name, [row]).bars for name in ("events", "sources"))
    assert events is not None
    assert sources is not None
    assert (events[0].value, sources[0].value) == ("412", "3")


def test_source_shows_its_domain_unless_its_name_says_as_much() -> None:
    known = row_of(name="Google", domain="google.com"), row_of(name="example.org", domain="example.org")
    other = row_of(name="Hacker News", domain="news.ycombinator.com")
    panel = panels.panel(view(), "sources", [*known, other])
    assert panel.bars is not None
    assert [bar.detail for bar in panel.bars] == ["", "", "news.ycombinator.com"]


def test_a_row_without_a_name_is_unknown() -> None:
    panel = panels.panel(view(), "pages", [row_of(path="", name=None)])
    assert panel.bars is not None
    assert panel.bars[0].label == "Unknown"


def test_a_panel_that_is_not_ready_has_no_rows() -> None:
    assert panels.panel(view(range="today"), "pages", None).bars is None
