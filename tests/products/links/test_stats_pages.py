"""A link's own page: its figures, its parts, its filters."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest

from analytics_box.figures import page as board_page
from analytics_box.products.links.figures.board import LISTS
from tests.products.links.world import ANDROID, GOOGLEBOT, IPHONE, PageWorld


@pytest.mark.parametrize("name", ["figures", "sources", "countries", "devices", "variants", "rules", "kinds", "week"])
def test_every_part_can_be_had_alone(pages: PageWorld, name: str) -> None:
    link_id = pages.link()["id"]
    answer = pages.page(f"/links/{link_id}/parts/{name}?tab=cities,systems,bots")
    assert answer.status == 200
    wanted = "figures" if name == "figures" else f"panel-{name}"
    assert re.findall(r'<section[^>]* id="([^"]+)"', answer.body.decode()) == [wanted]
    assert pages.page(f"/links/{link_id}/parts/nothing").status == 404


def test_a_click_on_a_value_filters_the_whole_page(pages: PageWorld) -> None:
    link_id = pages.link(slug="filtered")["id"]
    for agent in (IPHONE, IPHONE, ANDROID):
        pages.follow("filtered", user_agent=agent)
    pages.follow("filtered")
    page = pages.seen(f"/links/{link_id}?wait=all&range=today")
    assert re.search(r'id="tile-clicks".*?number">4<', page, re.DOTALL)
    href = re.findall(r'href="([^"]*device_type=mobile[^"]*)"', page)[0].replace("&amp;", "&")
    page = pages.seen(f"{href}&wait=all")
    assert re.search(r'id="tile-clicks".*?number">3<', page, re.DOTALL)
    assert 'id="chip-device_type"' in page


def test_lists_of_a_link_have_tables_and_files(pages: PageWorld) -> None:
    link_id = pages.link(slug="tabled")["id"]
    for agent in (IPHONE, ANDROID, GOOGLEBOT):
        pages.follow("tabled", user_agent=agent)
    for name in LISTS.keys() - {"map"}:
        assert 'id="details"' in pages.seen(f"/links/{link_id}/details/{name}?range=today")
    systems = pages.page(f"/links/{link_id}/details/systems/csv?range=today").body.decode("utf-8-sig").splitlines()
    assert systems == ["name,clicks,share,visitors", "Android,1,50.0,1", "iOS,1,50.0,1"]
    whole = json.loads(pages.page(f"/links/{link_id}/export/json?range=today").body)
    assert [row["value"] for row in whole["figures"]][:2] == [2, 2]
    assert [row["name"] for row in whole["kinds"]] == ["bot"]
    assert pages.page(f"/links/{link_id}/details/nothing").status == 404


def test_a_part_that_takes_long_is_fetched_by_the_page(pages: PageWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    link_id = pages.link(slug="slow")["id"]
    pages.follow("slow")
    monkeypatch.setattr(board_page, "BUDGET_SECONDS", 0)
    page = pages.seen(f"/links/{link_id}?range=today")
    assert f'data-late="/links/{link_id}/parts/figures,sources,countries,devices,kinds,week?range=today"' in page
    without_scripts = f'<meta http-equiv="refresh" content="0; url=/links/{link_id}?range=today&amp;wait=all">'
    assert f"<noscript>{without_scripts}</noscript>" in page
    assert "data-late" not in pages.seen(f"/links/{link_id}?range=today&wait=all")


def test_the_hours_of_the_week_are_those_of_the_clicks(pages: PageWorld) -> None:
    link_id = pages.link(slug="weekly")["id"]
    pages.follow("weekly")
    pages.follow("weekly")
    week = pages.seen(f"/links/{link_id}/parts/week?range=today")
    counted = [int(found) for found in re.findall(r'<td class="level-\d"[^>]*><span class="hidden">(\d+)</span>', week)]
    assert len(counted) == 168
    assert sum(counted) == 2
    assert "Most clicks: " in week
    assert "matches the filters" in pages.seen(f"/links/{link_id}/parts/week?range=today&country=Atlantis")


@pytest.fixture(scope="module")
def filtered(pages: PageWorld) -> str:
    """The path of the page of a link with rules and a test that people, programs and prefetches have followed."""
    rules = [
        {
            "name": "Phones",
            "targetUrl": "https://example.com/phones",
            "conditions": [{"property": "device", "operator": "equals", "value": "mobile"}],
        }
    ]
    variants = [{"name": name, "targetUrl": f"https://example.com/{name}", "weight": 1} for name in "AB"]
    made = pages.link(slug="rich", rules=rules, variants=variants)
    for agent in (IPHONE, ANDROID):
        pages.follow("rich", user_agent=agent)
    for _ in range(3):
        pages.follow("rich")
    for _ in range(4):
        pages.follow("rich", user_agent=GOOGLEBOT)
    pages.follow("rich", sec_purpose="prefetch")
    return f"/links/{made['id']}"


@pytest.mark.parametrize(
    ("query", "clicks", "chip"),
    [
        ("", 5, ""),
        ("os_name=iOS", 1, "iOS"),
        ("rule=Phones", 2, "Phones"),
        ("device_type=Mobile", 2, "Mobile"),
        ("device_type=mobile&os_name=Android", 1, "Android"),
        ("browser_name=Nothing", 0, "Nothing"),
        ("kind=bot", 4, "Bots"),
        ("kind=prefetch", 1, "Browser prefetches"),
        ("kind=preview", 0, "Link previews"),
        ("kind=click", 5, ""),
        ("kind=nonsense", 5, ""),
        ("kind=bot&device_type=mobile", 0, "Bots"),
    ],
)
def test_the_figures_are_those_of_the_filters_in_the_address(
    pages: PageWorld, filtered: str, query: str, clicks: int, chip: str
) -> None:
    page = pages.seen(f"{filtered}?wait=all&range=today&{query}")
    assert re.search(rf'id="tile-clicks".*?tile-value number">{clicks}<', page, re.DOTALL)
    chips = re.findall(r'class="chip".*?<bdi>(.*?)</bdi>', page)
    assert chip in chips if chip else chips == []


def test_a_chip_takes_its_filter_away_and_leaves_the_others(pages: PageWorld, filtered: str) -> None:
    page = pages.seen(f"{filtered}?wait=all&range=today&kind=bot&rule=Phones")
    left = dict(re.findall(r'id="chip-(\w+)" href="([^"]*)"', page))
    assert left == {
        "rule": f"{filtered}?range=today&amp;wait=all&amp;kind=bot",
        "kind": f"{filtered}?range=today&amp;wait=all&amp;rule=Phones",
    }


def test_excluded_requests_are_one_click_away(pages: PageWorld, filtered: str) -> None:
    page = pages.seen(f"{filtered}?wait=all&range=today&tab=bots")
    assert f'id="kind-bot" href="{filtered}?range=today&amp;tab=bots&amp;wait=all&amp;kind=bot"' in page
    page = pages.seen(f"{filtered}?wait=all&range=today")
    assert re.search(r'class="bar-link"[^>]*href="[^"]*kind=bot"', page)
    page = pages.seen(f"{filtered}?wait=all&range=today&kind=bot")
    assert "Requests" in page
    assert re.search(r'id="tile-sessions".*?tile-value number">0<', page, re.DOTALL)


def test_link_without_clicks_says_what_to_do(pages: PageWorld) -> None:
    path = f"/links/{pages.link(slug='quiet')['id']}?range=today&wait=all"
    pages.follow("quiet", user_agent=GOOGLEBOT)
    page = pages.seen(path)
    assert "No clicks yet" in page
    assert "tile-clicks" not in page
    assert re.search(r'id="panel-kinds".*?Bots', page, re.DOTALL)
    pages.follow("quiet")
    page = pages.seen(path)
    assert "No clicks yet" not in page
    assert "tile-clicks" in page


def test_expired_link_without_clicks_says_that_it_has_expired(pages: PageWorld) -> None:
    link_id = pages.link(expiresAt="2020-01-01T00:00:00Z")["id"]
    assert "The link has expired." in pages.seen(f"/links/{link_id}?wait=all")


def test_any_range_of_a_link_is_compared_with_what_is_known_since_it_was_made(pages: PageWorld) -> None:
    path = f"/links/{pages.link(slug='young')['id']}"
    pages.follow("young")
    page = pages.seen(f"{path}?range=last_12m&by=month&compare=year&beside=visitors&show=table&wait=all")
    assert page.casefold().count("no data before 17 jun") == 1
    assert "1 – 17 Jun 2026" in page


def test_tables_and_files_of_all_time_begin_as_the_page_does_when_the_link_was_made(pages: PageWorld) -> None:
    link_id = pages.link(slug="early")["id"]
    pages.box.clock.advance(seconds=3 * 86_400)
    pages.follow("early")
    whole = json.loads(pages.page(f"/links/{link_id}/export/json?range=all").body)
    table = json.loads(pages.page(f"/links/{link_id}/details/systems/json?range=all").body)
    begun = (datetime.fromtimestamp(pages.box.clock.now() / 1000, UTC) - timedelta(days=3)).date().isoformat()
    assert (whole["startDate"], table["startDate"]) == (begun, begun)
    shown = re.findall(r'id="range-button".*?</summary>', pages.seen(f"/links/{link_id}?range=all&wait=all"), re.DOTALL)
    assert shown == re.findall(
        r'id="range-button".*?</summary>', pages.seen(f"/links/{link_id}/details/systems?range=all"), re.DOTALL
    )
