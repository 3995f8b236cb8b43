"""The lists of an overview: bars, tabs, more and fewer."""

from analytics_box.websites import panels
from analytics_box.websites.panels import ListRow
from analytics_box.websites.view import View, read_view


def view(**query: str) -> View:
    return read_view("/sites/w1", query)


def rows(number: int) -> list[ListRow]:
    return [
        ListRow(name=f"/{index}", path=f"/{index}", visitors=100 - index, percentage=1.5) for index in range(number)
    ]


def test_bars_are_as_wide_as_their_share_of_the_longest() -> None:
    panel = panels.panel(view(), "browsers", [ListRow(name="Chrome", visitors=200), ListRow(name="Opera", visitors=1)])
    assert panel.bars is not None
    assert [bar.width for bar in panel.bars] == ["w100", "w1"]


def test_a_list_shows_eight_rows_and_leads_to_more() -> None:
    panel = panels.panel(view(), "pages", rows(panels.rows_wanted(view(), "pages")))
    assert panel.bars is not None
    assert (len(panel.bars), panel.more, panel.fewer) == (8, "/sites/w1?more=pages", "")


def test_a_list_that_fits_leads_nowhere() -> None:
    assert panels.panel(view(), "pages", rows(8)).more == ""


def test_an_extended_list_shows_all_and_leads_back() -> None:
    extended = view(more="pages")
    panel = panels.panel(extended, "pages", rows(20))
    assert panel.bars is not None
    assert (len(panel.bars), panel.more, panel.fewer) == (20, "", "/sites/w1")
    assert panels.rows_wanted(extended, "sources") == 9


def test_systems_share_the_panel_of_browsers() -> None:
    panel = panels.panel(view(tab="systems", more="browsers"), "browsers", [])
    assert panel.shown == "systems"
    assert [(tab.label, tab.selected, tab.href) for tab in panel.tabs] == [
        ("Browsers", False, "/sites/w1"),
        ("Systems", True, "/sites/w1?tab=systems"),
    ]


def test_events_are_counted_by_event_and_the_rest_by_visitor() -> None:
    row = ListRow(name="signup", visitors=3, total_events=412)
    events, sources = (panels.panel(view(), name, [row]).bars for name in ("events", "sources"))
    assert events is not None
    assert sources is not None
    assert (events[0].value, sources[0].value) == ("412", "3")


def test_a_source_says_its_domain_unless_that_is_its_name() -> None:
    known, plain = ListRow(name="Google", domain="google.com"), ListRow(name="example.org", domain="example.org")
    panel = panels.panel(view(), "sources", [known, plain])
    assert panel.bars is not None
    assert [bar.detail for bar in panel.bars] == ["google.com", ""]


def test_a_row_without_a_name_is_unknown() -> None:
    panel = panels.panel(view(), "pages", [ListRow(path="", name=None)])
    assert panel.bars is not None
    assert panel.bars[0].label == "Unknown"


def test_a_panel_that_is_not_ready_says_where_it_is_to_be_had() -> None:
    panel = panels.panel(view(range="today"), "pages", None)
    assert panel.bars is None
    assert panel.source == "/sites/w1/parts/pages?range=today"
