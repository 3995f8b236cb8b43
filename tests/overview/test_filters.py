"""A click on any value of an overview filters the whole page by it, and another one takes the filter away."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest
from msgspec.structs import replace

from analytics_box.overview.board import CAMPAIGNS, LISTS, WEBSITE
from tests.inprocess import BROWSER, Answer, WholeBox, whole_box
from tests.keys.world import cookie_of

IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
    " Version/18.6 Mobile/15E148 Safari/604.1"
)
CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"
)


class Someone(NamedTuple):
    """A visitor: who, from where, with what, and how they came."""

    name: str
    pages: tuple[str, ...]
    user_agent: str
    headers: dict[str, str]
    said: dict[str, Any]


PEOPLE = (
    Someone(
        "Anna",
        ("/", "/pricing"),
        BROWSER,
        {"x_country": "DE", "x_region": "Bavaria", "x_city": "Munich", "accept_language": "de-DE"},
        {"referrer": "https://www.google.com/", "viewport_size": "1280x720"},
    ),
    Someone(
        "Bob",
        ("/docs", "/"),
        IPHONE,
        {"x_country": "US", "x_region": "Georgia", "x_city": "Atlanta", "accept_language": "en-US"},
        {
            "utm_source": "newsletter",
            "utm_medium": "email",
            "utm_campaign": "spring & summer",
            "utm_term": "notes",
            "utm_content": "button",
            "viewport_size": "393x659",
        },
    ),
    Someone("Cleo", ("/",), CHROME, {"accept_language": "fr-FR"}, {"viewport_size": "1280x720"}),
    Someone(
        "Dato",
        ("/docs",),
        CHROME,
        {"x_country": "GE", "x_region": "Georgia", "x_city": "Tbilisi", "accept_language": "ka-GE"},
        {"referrer": "https://chatgpt.com/"},
    ),
)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    """A website with four visitors, of whom each also did something else."""
    folder: Path = tmp_path_factory.mktemp("filters") / "data"
    geo = {"geo_country_header": "x-country", "geo_region_header": "x-region", "geo_city_header": "x-city"}
    with whole_box(folder, adjust=lambda given: replace(given, trusted_proxies=("203.0.113.7/32",), **geo)) as inside:
        for number, someone in enumerate(PEOPLE):
            visit(inside, someone, number)
        yield inside


def visit(box: WholeBox, someone: Someone, number: int) -> None:
    client = f"client_id={box.sites['shop']}"
    headers = {"user_agent": someone.user_agent, "x_forwarded_for": f"198.51.100.{number + 1}", **someone.headers}
    address = f"https://shop.example{someone.pages[-1]}"
    who = {"anonymousId": someone.name, "path": address}

    def send(target: str, content: object) -> None:
        answer = box.post(target, content, key=None, **headers)
        assert answer.status in {200, 204}, answer.body

    for path in someone.pages:
        send(f"/?{client}", {"name": "screen_view", **who, "path": f"https://shop.example{path}", **someone.said})
        box.clock.advance(seconds=20)
    send(f"/?{client}", {"name": f"greeted by {someone.name}", **who})
    given = {"flag": "new", "variant": "ab"[number % 2]}
    send(f"/?{client}", {"name": "$flag_evaluated", "properties": given, **who})
    send(f"/?{client}", {"type": "outgoing_link", "href": f"https://{someone.name.lower()}.example/", **who})
    send(f"/errors?{client}", [{"message": f"{someone.name} failed", **who}])
    send(f"/vitals?{client}", [{"metricName": "LCP", "metricValue": 1000 * (number + 1), **who}])


class Row(NamedTuple):
    label: str
    href: str
    current: bool
    value: int


def seen(box: WholeBox, target: str) -> str:
    answer = box.get(target, cookie=box.cookie, accept="text/html")
    assert answer.status == 200
    return answer.body.decode()


def overview(box: WholeBox, query: str = "") -> str:
    return seen(box, f"/sites/{box.sites['shop']}?range=today&wait=all{query}")


def panel(page: str, name: str) -> str:
    found = re.search(rf'<section[^>]* id="panel-{name}".*?</section>', page, re.DOTALL)
    assert found is not None, name
    return found.group()


def rows(page: str, name: str) -> list[Row]:
    """The rows of a panel that can be clicked."""
    found = []
    for link in re.findall(r'<a class="bar-link".*?</a>', panel(page, name), re.DOTALL):
        href = re.search(r'href="([^"]+)"', link)
        label = re.search(r"<bdi>(.*?)</bdi>", link)
        value = re.search(r'bar-value">([\d,]+)', link)
        assert href is not None
        assert label is not None
        assert value is not None
        found.append(Row(unescape(label[1]), unescape(href[1]), 'aria-current="true"' in link, int(value[1])))
    return found


def visitors(page: str) -> int:
    found = re.search(r'id="tile-visitors".*?tile-value number">([\d,]+)', page, re.DOTALL)
    assert found is not None
    return int(found[1])


CLICKABLE = [name for name, listed in LISTS.items() if listed.field and listed.look != "map"]


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
    assert "Not applied: this is no pattern (missing ): ()" in overview(box, "&path.matches=(")


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


def send(box: WholeBox, path: str, cookie: str = "", **fields: str) -> Answer:
    headers = {"content_type": "application/x-www-form-urlencoded", "origin": "http://localhost"}
    given = {"cookie": cookie or box.cookie, **headers}
    return box.ask("POST", f"/sites/{box.sites['shop']}/segments{path}", headers=given, body=urlencode(fields).encode())


def saved(box: WholeBox, name: str, query: str, **fields: str) -> str:
    """The address of the overview with a new segment."""
    answer = send(box, "", name=name, query=query, **fields)
    assert answer.status == 303, answer.body
    return answer.headers["location"]


def test_filters_are_saved_as_a_segment_and_chosen_by_name(box: WholeBox) -> None:
    home = f"/sites/{box.sites['shop']}"
    page = overview(box, "&1.country=Germany&1.city=Tbilisi")
    assert 'name="query" value="1.city=Tbilisi&amp;1.country=Germany"' in page
    back = unescape(re.findall(r'name="back" value="([^"]+)"', page)[0])
    address = saved(box, "<Near> & far", "1.city=Tbilisi&1.country=Germany", back=back)
    assert address.startswith(f"{home}?range=today&wait=all&segment=")
    narrowed = seen(box, address)
    assert visitors(narrowed) == 2
    assert "<span>Segment</span> <strong><bdi>&lt;Near&gt; &amp; far</bdi></strong>" in narrowed
    assert visitors(seen(box, f"{address}&city=Tbilisi")) == 1
    assert "<bdi>&lt;Near&gt; &amp; far</bdi>" in overview(box)
    segment = address.partition("segment=")[2]
    listed = seen(box, f"{home}/segments")
    assert '<bdi>City: Tbilisi</bdi> <span class="chip-word">or</span> <bdi>Country: Germany</bdi>' in listed
    changed = send(box, f"/{segment}", name="Far", query="?city=Tbilisi", shared="on")
    assert (changed.status, visitors(seen(box, address))) == (303, 1)
    assert "Delete the segment Far?" in seen(box, f"{home}/segments/{segment}/delete")
    assert send(box, f"/{segment}/delete").status == 303
    gone = seen(box, address)
    assert "there is no such segment any more" in gone
    assert visitors(gone) == len(PEOPLE)


def test_a_segment_names_its_goals_as_people_call_them(box: WholeBox) -> None:
    home = f"/sites/{box.sites['shop']}/segments"
    given = {"websiteId": box.sites["shop"], "type": "PAGE_VIEW", "target": "/", "name": "Seen & read"}
    goal = box.post("/rpc/goals/create", {"json": given}, key="all").json["json"]["id"]
    saved(box, "Readers", "reached_goal=seen+%26+READ")
    listed = seen(box, home)
    assert 'value="reached_goal=Seen+%26+read"' in listed
    assert f"reached_goal={goal}" not in listed


@pytest.mark.parametrize(
    ("query", "wrong"), [("secrets=1", "Write at least one filter"), ("path.matches=(", "this is no pattern")]
)
def test_what_cannot_be_saved_comes_back_with_the_form(box: WholeBox, query: str, wrong: str) -> None:
    answer = send(box, "", name="Mine", query=query)
    page = answer.body.decode()
    assert (answer.status, wrong in page, 'value="Mine"' in page) == (400, True, True)


def test_a_segment_of_somebody_else_is_none(box: WholeBox) -> None:
    mine = saved(box, "Mine", "country=Germany")
    others = cookie_of(box, "viewer")
    answer = box.get(f"{mine}&wait=all&range=today", cookie=others, accept="text/html").body.decode()
    assert "there is no such segment any more" in answer
    assert ">Mine<" not in answer
    assert 'id="segment-save"' not in answer
    assert send(box, "", others, name="Theirs", query="country=Germany").status == 403


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


def test_a_website_without_measurements_has_no_panels_for_them(box: WholeBox) -> None:
    event = {"name": "screen_view", "path": "https://blog.example/", "anonymousId": "a"}
    assert box.post(f"/?client_id={box.sites['blog']}", event).status == 200
    page = seen(box, f"/sites/{box.sites['blog']}?wait=all")
    assert "panel-links" in page
    assert "panel-errors" not in page
    assert "panel-vitals" not in page


def test_a_country_on_the_map_leads_where_its_row_does_and_unknown_ones_are_in_the_list_alone(box: WholeBox) -> None:
    page = overview(box, "&tab=map")
    drawn = re.findall(r'<a href="([^"]*)" tabindex="-1"><use class="[^"]*" href="[^"]*#([A-Z]+)"/><title>(.*?)<', page)
    assert [(code, text) for _, code, text in drawn] == [
        ("GE", "Georgia, visitors: 1"),
        ("DE", "Germany, visitors: 1"),
        ("US", "United States, visitors: 1"),
    ]
    listed = {row.label: row.href for row in rows(page, "countries")}
    assert "Unknown" in listed
    for href, _, text in drawn:
        assert unescape(href) == listed[text.partition(",")[0]]
        assert "tab=map" in href
    assert 'class="world"' not in overview(box)


def test_the_map_goes_from_the_world_into_a_country_its_regions_and_their_cities_and_back(box: WholeBox) -> None:
    home = f"/sites/{box.sites['shop']}?range=today&tab=map"

    def crumbs(page: str) -> list[tuple[str, str]]:
        way = page.partition('<nav class="world-way"')[2].partition("</nav>")[0]
        return [(unescape(href), label) for href, label in re.findall(r'href="([^"]*)"><bdi>(.*?)<', way)]

    def on_the_map(page: str) -> dict[str, str]:
        drawn = re.findall(r'<a href="([^"]*)" tabindex="-1"><use[^>]*#([A-Z]+)"', page)
        return {code: unescape(href).replace("&wait=all", "") for href, code in drawn}

    country = overview(box, "&tab=map&country=Germany")
    assert [one.label for one in rows(country, "countries")] == ["Bavaria"]
    assert "Visitors by country, all of the world" in country
    assert on_the_map(country) == {"DE": home, "GE": f"{home}&country=Georgia", "US": f"{home}&country=United+States"}
    assert 'class="world-country level-5 world-chosen"' in country
    region = overview(box, "&tab=map&country=Germany&region=Bavaria")
    assert [one.label for one in rows(region, "countries")] == ["Munich"]
    plain = [(href.replace("&wait=all", ""), label) for href, label in crumbs(region)]
    assert plain == [
        (home, "World"),
        (f"{home}&country=Germany", "Germany"),
        (f"{home}&country=Germany&region=Bavaria", "Bavaria"),
    ]
    assert "/details/cities?" in region
    assert crumbs(overview(box, "&tab=map")) == []


def test_a_country_without_known_regions_is_listed_itself(box: WholeBox) -> None:
    page = overview(box, "&tab=map&country=Unknown")
    assert [one.label for one in rows(page, "countries")] == ["Unknown"]


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
    said = "There is no short link called “gone” here"
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
