"""The map of an overview goes from the world into a country and its regions, and filters as its list does."""

import re
from collections.abc import Iterator
from html import unescape

import pytest

from tests.inprocess import WholeBox
from tests.products.overview.filtered import box_of_visitors, overview, rows


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with box_of_visitors(tmp_path_factory.mktemp("filters")) as made:
        yield made


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
    assert "Visitors by country, including neighbors" in country
    assert 'class="world-map world-near" viewBox="776 42 400 181"' in country
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
