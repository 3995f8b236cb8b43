"""The list of websites: its cards, its order, its search, and figures that are those of the API."""

import json
import re
from typing import Any, NamedTuple

from analytics_box.products.overview.list_pages import (
    Listing,
    WebsiteFigures,
    WeekChange,
    change,
    in_order,
    read_listing,
    search_websites,
    site_card,
    sparkline,
)
from analytics_box.products.overview.weeks import Totals, WebsiteDay, Weeks
from analytics_box.tenants.websites.rules import Website
from tests.cases import each
from tests.inprocess import BROWSER, SiteName, WholeBox
from tests.products.imports.test_totals import plausible
from tests.products.imports.world import imported

DAYS = (WebsiteDay("2026-11-20", 3),)
BEGUN = 5


def website(number: int, name: str, domain: str = "shop.example") -> Website:
    return Website(
        id=f"website-{number}",
        organization_id="org",
        site=number,
        name=name,
        domain=domain,
        is_public=False,
        status="ACTIVE",
        created_at=number,
    )


def known(
    now: dict[int, int], before: dict[int, int] | None = None, begun: dict[int, int] | None = None
) -> WebsiteFigures:
    weeks = Weeks(
        {site: Totals(count) for site, count in now.items()},
        {site: Totals(count) for site, count in (before or {}).items()},
        since=BEGUN,
    )
    return WebsiteFigures(weeks, {}, begun if begun is not None else dict.fromkeys(now, 0))


def test_a_sparkline_starts_at_zero_and_its_last_step_is_apart() -> None:
    drawn = sparkline([0, 10, 5])
    assert drawn["line"] == "M0.0 41.0 L140.0 3.0"
    assert drawn["tail"] == "M140.0 3.0 L280.0 22.0"


def test_a_week_of_nothing_has_no_sparkline() -> None:
    assert sparkline([0] * 7) == {"line": "", "tail": "", "area": ""}
    assert sparkline([]) == {"line": "", "tail": "", "area": ""}


def test_single_visitor_is_written_in_the_singular() -> None:
    assert site_card(website(1, "Shop"), DAYS, known({1: 1})).unit == "visitor"
    assert site_card(website(1, "Shop"), DAYS, known({1: 2})).unit == "visitors"


def test_a_number_that_could_not_be_had_is_not_zero() -> None:
    card = site_card(website(1, "Shop"), None, WebsiteFigures(None, {}, {1: 0}))
    assert (card.visitors, card.change, card.line, card.waiting) == ("–", None, "", False)


class Compared(NamedTuple):
    """Visitors of this week and of the one before, when the first event was, and what is said."""

    now: int
    before: int
    begun: int
    said: WeekChange | None
    young: bool = False


@each(
    "case",
    (
        Compared(112, 100, 0, WeekChange("up", "12.0\N{NO-BREAK SPACE}%")),
        Compared(50, 100, 0, WeekChange("down", "50.0\N{NO-BREAK SPACE}%")),
        Compared(100, 100, BEGUN, WeekChange("same", "")),
        Compared(900, 10, 0, WeekChange("up", "×90")),
        Compared(0, 10, 0, WeekChange("down", "100.0\N{NO-BREAK SPACE}%")),
        Compared(10, 0, 0, None),
        Compared(900, 10, BEGUN + 1, None, young=True),
    ),
)
def test_a_week_is_compared_with_a_whole_week_or_not_at_all(case: Compared) -> None:
    card = site_card(website(1, "Shop"), DAYS, known({1: case.now}, {1: case.before}, {1: case.begun}))
    assert (card.change, card.young) == (case.said, case.young)


def test_a_change_is_never_shown_as_none() -> None:
    assert change(0.0004) == WeekChange("up", "<0.1\N{NO-BREAK SPACE}%")
    assert change(0) == WeekChange("same", "")
    assert change(None) is None


SITES = (website(1, "beta"), website(2, "Ärger", "a.example"), website(3, "alpha", "shop.example"))


def test_websites_are_sorted_and_what_is_not_known_comes_last() -> None:
    measured = known({1: 5, 3: 9}, {1: 1, 3: 9})
    measured = WebsiteFigures(measured.weeks, {2: 4}, measured.beginnings)
    orders = {
        sort: [one.site for one in in_order(SITES, sort, measured)]
        for sort in ("visitors", "change", "online", "name", "newest")
    }
    assert orders == {
        "visitors": [3, 1, 2],
        "change": [1, 3, 2],
        "online": [2, 3, 1],
        "name": [3, 1, 2],
        "newest": [3, 2, 1],
    }
    unknown = WebsiteFigures(None, {}, {})
    assert [one.name for one in in_order(SITES, "visitors", unknown)] == ["alpha", "beta", "Ärger"]


def test_each_word_is_looked_for_in_names_and_domains() -> None:
    assert [one.site for one in search_websites(SITES, "SHOP alp")] == [3]
    assert [one.site for one in search_websites(SITES, "ärg")] == [2]
    assert search_websites(SITES, "shop.example a.example") == []
    assert len(search_websites(SITES, "")) == 3


def test_addresses_are_read_forgivingly_and_leave_out_defaults() -> None:
    assert read_listing({"q": " a  b ", "sort": "change", "page": "3"}) == Listing("a b", "change", 3)
    for wrong in ({"sort": "x", "page": "0"}, {"page": "-1"}, {"page": "²"}, {"page": "99999"}, {}):
        assert read_listing(wrong) == Listing()
    view = Listing("a&b", "name", 3)
    assert view.link() == "/sites?q=a%26b&sort=name"
    assert view.link(page=4) == "/sites?q=a%26b&sort=name&page=4"
    assert Listing().link() == "/sites"


def visit(box: WholeBox, site: SiteName, visitor: int) -> None:
    content = {"name": "screen_view", "path": f"https://{site}.example/", "anonymousId": f"anonymous-{visitor}"}
    given = {"databuddy_client_id": box.sites[site], "user_agent": BROWSER}
    assert box.ask("POST", "/", headers=given, body=json.dumps(content).encode()).status == 200


def cards(box: WholeBox, query: str = "") -> list[tuple[str, str]]:
    page = box.get(f"/sites{query}", cookie=box.cookie, accept="text/html").body.decode()
    return re.findall(
        r'class="site-link"[^>]*><bdi>([^<]*)</bdi>.*?(?:<strong class="number">([^<]*)<|</li>)', page, re.S
    )


def test_the_page_has_the_figures_of_the_api(box: WholeBox) -> None:
    for days, visitors in ((8, 1), (7.1, 2), (0, 3)):
        for visitor in range(visitors):
            visit(box, "shop", visitor)
        box.clock.advance(seconds=days * 86_400)
    visit(box, "blog", 1)
    assert cards(box) == [("Shop", "3"), ("Blog", "1"), ("Idle", ""), ("Local", "")]
    assert [name for name, _ in cards(box, "?sort=name&q=o")] == ["Blog", "Local", "Shop"]
    assert cards(box, "?q=%3Cscript%3E") == []
    page = box.get("/sites", cookie=box.cookie, accept="text/html").body.decode()
    assert "50.0\N{NO-BREAK SPACE}%" in page
    charts = box.post("/rpc/websites/listWithCharts", {"json": {}}, key="all").json["json"]["chartData"]
    asked: Any = {"parameters": ["summary_metrics"], "preset": "last_7d"}
    (entry,) = box.query("shop", asked).json["data"]
    assert [(one["date"], one["value"]) for one in charts[box.sites["shop"]]["data"]] == [
        (row["date"], row["pageviews"]) for row in entry["data"]
    ]
    assert sum(row["visitors"] for row in entry["data"]) == 3


def test_card_says_that_its_figures_leave_out_imported_totals_of_the_week(box: WholeBox) -> None:
    imported(box, plausible(("2025-01-10", "2025-01-11")), site="blog")
    imported(box, plausible(("2026-06-14", "2026-06-15")), site="idle")
    page = box.get("/sites", cookie=box.cookie, accept="text/html").body.decode()
    assert page.count("Without imported totals of these days") == 1
