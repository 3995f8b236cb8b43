"""A click on any value of an overview filters the whole page by it, and another one takes the filter away."""

import re
from collections.abc import Iterator
from html import unescape

import pytest

from analytics_box.products.overview.board import CAMPAIGNS, LISTS, WEBSITE
from tests.inprocess import WholeBox
from tests.products.overview.filtered import PEOPLE, box_of_visitors, overview, panel, rows, seen, visitors


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with box_of_visitors(tmp_path_factory.mktemp("filters")) as made:
        yield made


CLICKABLE = [name for name in WEBSITE.panel_of if LISTS[name].field and LISTS[name].look != "map"]


@pytest.mark.parametrize("name", CLICKABLE)
def test_a_click_on_a_value_filters_the_page_and_a_second_one_does_not(box: WholeBox, name: str) -> None:
    page = overview(box, f"&tab={name}")
    listed = rows(page, WEBSITE.panel_of[name])
    assert len(listed) >= (1 if name in CAMPAIGNS else 2)
    for row in listed:
        narrowed = seen(box, row.href)
        assert visitors(narrowed) == row.value, row.label
        assert f'id="chip-{LISTS[name].field}"' in narrowed
        again = [found for found in rows(narrowed, WEBSITE.panel_of[name]) if found.current]
        assert [found.label for found in again] == [row.label]
        if row is listed[0]:
            assert visitors(seen(box, again[0].href)) == len(PEOPLE)


def test_everything_on_the_page_is_filtered_alike(box: WholeBox) -> None:
    page = overview(box, "&country=Germany")
    words = " ".join(re.findall(r"<section.*?</section>", page, re.DOTALL))
    assert "greeted by Anna" in words
    assert "anna.example" in words
    assert "Anna failed" in words
    assert "1.0\N{NO-BREAK SPACE}s" in panel(page, "vitals")
    assert not re.search("Bob|Cleo|Dato|bob|cleo|dato", words)


@pytest.mark.parametrize("name", ["figures", "sources", "events", "links", "errors", "vitals"])
def test_a_fragment_is_filtered_like_its_page(box: WholeBox, name: str) -> None:
    part = seen(box, f"/sites/{box.sites['shop']}/parts/{name}?range=today&country=Germany")
    other = seen(box, f"/sites/{box.sites['shop']}/parts/{name}?range=today&country=Georgia")
    assert part != other
    assert not re.search("Dato|dato|ChatGPT", part)


def test_regions_of_two_countries_with_one_name_are_two(box: WholeBox) -> None:
    georgias = [row for row in rows(overview(box, "&tab=regions"), "countries") if row.label == "Georgia"]
    assert [visitors(seen(box, row.href)) for row in georgias] == [1, 1]


def test_unknown_is_shown_as_unknown_and_can_be_chosen(box: WholeBox) -> None:
    (unknown,) = [row for row in rows(overview(box), "countries") if row.label == "Unknown"]
    assert visitors(seen(box, unknown.href)) == 1


def test_chips_say_what_the_page_is_narrowed_to_and_take_it_away(box: WholeBox) -> None:
    page = overview(box, "&country=Germany&browser_name=Firefox")
    chips = re.findall(r'<a class="chip" id="chip-(\w+)" href="([^"]+)" aria-label="([^"]+)"', page)
    assert [(field, label) for field, _, label in chips] == [
        ("browser_name", "Remove filter Browser: Firefox"),
        ("country", "Remove filter Country: Germany"),
    ]
    assert "country=" not in chips[1][1]
    assert "browser_name=Firefox" in chips[1][1]
    clear = re.search(r'id="chips-clear" href="([^"]+)"', page)
    assert clear is not None
    assert visitors(seen(box, unescape(clear[1]))) == len(PEOPLE)
    assert "chips" not in re.findall(r'class="(\w+)"', overview(box))


def test_a_filter_is_kept_by_ranges_tabs_and_the_form_of_own_dates(box: WholeBox) -> None:
    page = overview(box, "&city=Munich&tab=channels")
    assert re.search(r'id="range-yesterday" href="[^"]*tab=channels[^"]*city=Munich', page)
    assert re.search(r'href="[^"]*tab=devices[^"]*city=Munich[^"]*" data-tab="devices"', page) or re.search(
        r'href="[^"]*tab=channels,devices[^"]*city=Munich', page
    )
    assert '<input type="hidden" name="city" value="Munich">' in page


OPERATORS = [
    ("&country=Germany&country=Georgia", 2),
    ("&country.not=Germany", 3),
    ("&path.contains=doc", 2),
    ("&path.matches=^/(docs%7Cpricing)$", 3),
    ("&utm_source.set=yes", 1),
    ("&match=any&country=Germany&utm_source=newsletter", 2),
    ("&1.country=Germany&1.country=United+States&2.channel=Email", 1),
    ("&match=any&1.country=Germany&1.city=Atlanta&2.city=Atlanta&2.country=United+States", 1),
    ("&path.matches=(&country=Germany", 1),
    ("&viewed_page=/docs", 2),
    ("&exit_page=/docs&event.contains=Dato", 1),
    ("&event.not=greeted+by+Anna", 3),
    ("&outgoing_domain.set=yes", 4),
    ("&scroll=50", 0),
    ("&scroll.contains=5", 4),
]


@pytest.mark.parametrize(("query", "expected"), OPERATORS)
def test_filters_compare_and_join(box: WholeBox, query: str, expected: int) -> None:
    assert visitors(overview(box, query)) == expected


def test_a_filter_that_cannot_be_asked_for_says_so(box: WholeBox) -> None:
    assert "Not applied: invalid pattern (missing ): ()" in overview(box, "&path.matches=(")


TYPED = [
    ("field=country&value=de", "country=Germany"),
    ("field=city&value=MUNICH", "city=Munich"),
    ("field=browser_name&op=not&value=firefox", "browser_name.not=Firefox"),
    ("field=city&op=contains&value=MUN", "city.contains=MUN"),
    ("field=language&value=german", "language=de-DE"),
    ("field=language&value=Georgian+(Georgia)", "language=ka-GE"),
    ("field=city&value=munich&value=Nowhere", "city=Munich&city=Nowhere"),
    ("field=city&value=tbilisi&country=Germany&with=0", "1.city=Tbilisi&1.country=Germany"),
]


@pytest.mark.parametrize(("query", "address"), TYPED)
def test_a_form_leads_to_an_address_with_the_names_that_lists_show(box: WholeBox, query: str, address: str) -> None:
    path = f"/sites/{box.sites['shop']}"
    answer = box.get(f"{path}?range=today&{query}", cookie=box.cookie, accept="text/html")
    assert (answer.status, answer.headers["location"]) == (303, f"{path}?range=today&{address}")


SUGGESTED = [
    ("field=country&q=", {"Germany", "United States", "Georgia", "Unknown"}),
    ("field=country&q=GE", {"Germany", "Georgia"}),
    ("field=country&q=us", {"United States"}),
    ("field=path&q=doc", {"/docs"}),
    ("field=city&q=zzz", set()),
    ("field=secrets&q=", set()),
    ("q=", set()),
]


@pytest.mark.parametrize(("query", "expected"), SUGGESTED)
def test_values_are_suggested_whatever_the_page_is_filtered_by(box: WholeBox, query: str, expected: set[str]) -> None:
    found = seen(box, f"/sites/{box.sites['shop']}/values?range=today&city=Munich&{query}")
    assert {unescape(name) for name in re.findall(r'data-value="([^"]*)"', found)} == expected


def test_slugs_are_suggested_by_what_their_links_are_called(box: WholeBox) -> None:
    for slug, name in (("spring", "Poster of May"), ("autumn", "Flyer")):
        made = {"slug": slug, "name": name, "targetUrl": "https://shop.example/"}
        assert box.post("/rpc/links/create", {"json": made}, key="linking").status == 200
    values = f"/sites/{box.sites['shop']}/values?field=link&q="
    found = [re.findall(r'data-value="([^"]*)"', seen(box, values + typed)) for typed in ("", "poster", "none")]
    assert [sorted(one) for one in found] == [["autumn", "spring"], ["spring"], []]


def test_values_are_completed_over_the_api(box: WholeBox) -> None:
    given = {"websiteId": box.sites["shop"]}
    found = box.post("/autocomplete/get", given, key="reading").json
    assert found == found | {"pagePaths": ["/", "/docs", "/pricing"], "utmSources": ["newsletter"]}
    assert set(found["customEvents"]) >= {f"greeted by {someone.name}" for someone in PEOPLE}
    assert set(found) == {
        *("customEvents", "pagePaths", "browsers", "operatingSystems", "countries", "deviceTypes"),
        *("utmSources", "utmMediums", "utmCampaigns"),
    }
    days = {"startDate": "2026-05-01", "endDate": "2026-05-02"}
    assert box.post("/autocomplete/get", {**given, **days}, key="reading").json["pagePaths"] == []
    assert box.post("/autocomplete/get", {**given, "startDate": "May"}, key="reading").status == 400
    assert box.post("/autocomplete/get", given, key="foreign").status == 404


@pytest.mark.parametrize("query", ["country=%00", "country=%F0%9F", "path=%25", "region='--", f"city={'x' * 5000}"])
def test_no_filter_breaks_the_page(box: WholeBox, query: str) -> None:
    assert visitors(overview(box, f"&{query}")) == 0


def test_an_empty_list_says_that_filters_are_the_reason_and_only_then(box: WholeBox) -> None:
    narrowed, plain = overview(box, "&country=Atlantis"), overview(box, "&range=custom&from=2020-01-01&to=2020-01-02")
    for name in ("pages", "events", "links", "errors"):
        assert "matches the filters" in panel(narrowed, name), name
        assert "matches the filters" not in panel(plain, name), name
    assert "data-track-outgoing-links" not in narrowed, "what would not help is not advised"


def test_a_website_without_measurements_has_no_panels_for_them(box: WholeBox) -> None:
    event = {"name": "screen_view", "path": "https://blog.example/", "anonymousId": "a"}
    assert box.post(f"/?client_id={box.sites['blog']}", event).status == 200
    page = seen(box, f"/sites/{box.sites['blog']}?wait=all")
    assert "panel-links" in page
    assert "panel-errors" not in page
    assert "panel-vitals" not in page


def test_the_hours_of_the_week_are_those_of_the_api(box: WholeBox) -> None:
    page = overview(box, "&country=Germany")
    table = page.partition('<table class="week"')[2].partition("</table>")[0]
    shown = [int(value) for value in re.findall(r'<td[^>]*><span class="hidden">([\d,]+)</span>', table)]
    asked = {"field": "country", "op": "eq", "value": "Germany"}
    body = {"parameters": ["hour_of_week"], "preset": "last_30d", "filters": [asked], "limit": 168}
    (entry,) = box.query("shop", body).json["data"]
    assert shown == [row["visitors"] for row in entry["data"]]
    assert sum(shown) == 1


def test_a_short_link_that_is_not_there_is_said(box: WholeBox) -> None:
    said = "No short link is named “gone”"
    assert said in overview(box, "&link=gone")
    assert said in overview(box, "&1.link=gone&1.country=Germany")
    assert (
        box.post(
            "/rpc/links/create",
            {"json": {"name": "Gone", "slug": "gone", "targetUrl": "https://shop.example"}},
            key="linking",
        ).status
        == 200
    )
    assert said not in overview(box, "&link=gone")
