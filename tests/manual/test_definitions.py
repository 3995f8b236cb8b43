"""The page of definitions, and the figures that lead to it."""

import html
import re
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from analytics_box.app.docs.manual import ManualPages, Section, read_markdown
from analytics_box.app.parts import web_dir
from analytics_box.base.settings import Settings
from analytics_box.products.links.figures.board import EXTRAS as LINK_EXTRAS
from analytics_box.products.links.figures.board import LINK_DEFINITIONS, LINK_METRIC_LABELS
from analytics_box.products.links.figures.board import LISTS as LINK_LISTS
from analytics_box.products.links.figures.board import PANELS as LINK_PANELS
from analytics_box.products.overview.board import DEFINITIONS, LISTS, METRIC_LABELS, PANELS, WEBSITE
from analytics_box.products.overview.compact import EXTRAS, LIMITS, rate
from tests.inprocess import whole_box
from tests.products.links.world import PageWorld

PAGE = ManualPages(web_dir() / "manual").page("definitions")


def anchors_of(section: Section) -> list[str]:
    return [section.id, *(found for part in section.parts for found in anchors_of(part))]


def text_of(section: Section) -> str:
    return "".join((str(section.text), *(text_of(part) for part in section.parts)))


ANCHORS = anchors_of(PAGE)


def test_headings_are_a_tree_with_the_text_below_each() -> None:
    page = read_markdown("# One\n\nLead & *more*.\n\n## Two, too\n\n### Three\n\n<b>no</b>\n\n## Four\n\nLast.\n")
    assert (page.id, page.title, page.text) == ("one", "One", "<p>Lead &amp; <em>more</em>.</p>\n")
    two, four = page.parts
    assert (two.id, two.title, two.text, four.text) == ("two-too", "Two, too", "", "<p>Last.</p>\n")
    assert [(part.id, part.text) for part in two.parts] == [("three", "<p>&lt;b&gt;no&lt;/b&gt;</p>\n")]


def test_every_definition_has_an_anchor_of_its_own_and_a_text() -> None:
    assert len(set(ANCHORS)) == len(ANCHORS)
    definitions = [part for section in PAGE.parts for part in section.parts]
    assert definitions
    assert [part.title for part in definitions if not part.text] == []


def test_links_of_the_page_lead_to_its_headings() -> None:
    linked = re.findall(r'href="([^"]*)"', text_of(PAGE))
    assert linked
    assert [href for href in linked if href[0] == "#" and href[1:] not in ANCHORS] == []


def test_every_figure_and_list_of_the_pages_has_its_definition() -> None:
    assert {"online", "before", "days", *METRIC_LABELS, *LISTS, *EXTRAS} <= set(DEFINITIONS)
    assert {*LINK_METRIC_LABELS, *LINK_LISTS, *LINK_EXTRAS} <= set(LINK_DEFINITIONS)
    given = {*DEFINITIONS.values(), *LINK_DEFINITIONS.values()}
    assert sorted(given - set(ANCHORS)) == []


RATED = [(name, value) for name, (good, fair) in LIMITS.items() for value in (good, fair, fair * 1.01)]


@pytest.mark.parametrize(("metric", "value"), RATED)
def test_the_limits_of_web_vitals_are_those_of_the_panel(metric: str, value: float) -> None:
    vitals = next(part for section in PAGE.parts for part in section.parts if part.id == "web-vitals")
    [row] = re.findall(rf"<td>{metric},[^<]*</td>\s*<td>([\d.]+)( \w+)?</td>\s*<td>([\d.]+)( \w+)?</td>", vitals.text)
    good, fair = (float(number) * (1000 if unit == " s" else 1) for number, unit in (row[:2], row[2:]))
    assert rate(metric, value) == ("good" if value <= good else "fair" if value <= fair else "poor")


# The pages


def unlimited(settings: Settings) -> Settings:
    return replace(settings, limit_rpc=0, limit_key=0, limit_address=0, limit_link_lookups=0, limit_query=0)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageWorld]:
    """A box whose website and link have been visited, and whose every page has figures."""
    with whole_box(tmp_path_factory.mktemp("definitions") / "data", adjust=unlimited) as box:
        world, shop = PageWorld(box), f"client_id={box.sites['shop']}"
        page = {"path": "/", "anonymousId": "anna"}
        box.post(f"/?{shop}", {"name": "screen_view", "profileId": "ada", **page})
        box.post(f"/?{shop}", {"name": "$flag_evaluated", "properties": {"flag": "new", "variant": "a"}, **page})
        box.post(f"/errors?{shop}", [{"message": "broken", **page}])
        box.post(f"/vitals?{shop}", [{"metricName": "LCP", "metricValue": 900, **page}])
        box.post(f"/identify?{shop}", {"profileId": "ada", "anonymousId": "anna", "traits": {"email": "ada@x.example"}})
        box.post(f"/?{shop}", {"name": "screen_view", **page}, user_agent="curl/8.14.1")
        world.link(slug="spring")
        world.follow("spring")
        world.follow("nowhere")
        yield world


@pytest.fixture(scope="module")
def site(pages: PageWorld) -> str:
    return f"/sites/{pages.box.sites['shop']}"


@pytest.fixture(scope="module")
def link(pages: PageWorld) -> str:
    made = re.search(r'class="link-name" href="([^"]+)"', pages.seen("/links"))
    assert made is not None
    return made[1]


def led_to(page: str) -> list[str]:
    """The anchors of definitions that a page leads to; empty for the page as a whole."""
    return [anchor.removeprefix("#") for anchor in re.findall(r'href="/docs/definitions(#?[\w-]*)"', page)]


def panels_of(page: str) -> dict[str, str]:
    """What is in each panel, by its name."""
    pieces = (piece.partition("</section>")[0] for piece in page.split(' id="panel-')[1:])
    return {name: content for name, _, content in (piece.partition('"') for piece in pieces)}


def test_anybody_may_read_it(pages: PageWorld) -> None:
    answer = pages.box.get("/docs/definitions", accept="text/html")
    assert answer.status == 200
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    seen = answer.body.decode()
    assert "style=" not in seen
    assert "<script>" not in seen
    for anchor in ANCHORS[1:]:
        assert seen.count(f'id="{anchor}"') == 1
        assert f'href="#{anchor}"' in seen, "the contents lead to every definition"


def test_the_other_pages_of_the_documentation_lead_to_it(pages: PageWorld) -> None:
    for path in ("/docs", "/docs/query-types", "/docs/query-types/summary", "/docs/queries"):
        assert "" in led_to(pages.seen(path)), path


def tabs_of(panels: dict[str, tuple[str, ...]]) -> list[str]:
    """Enough choices of tabs that every list of every panel is shown once."""
    most = max(len(lists) for lists in panels.values())
    return [",".join(lists[min(number, len(lists) - 1)] for lists in panels.values()) for number in range(most)]


@pytest.mark.parametrize("tab", tabs_of(PANELS))
def test_every_panel_of_an_overview_leads_to_what_it_lists(pages: PageWorld, site: str, tab: str) -> None:
    page = pages.seen(f"{site}?wait=all&range=today&tab={tab}")
    panels = panels_of(page)
    wanted = {name: DEFINITIONS[shown] for name, shown in zip(PANELS, tab.split(","), strict=True)}
    wanted |= {name: DEFINITIONS[name] for name, extra in EXTRAS.items() if extra.content and not extra.needs}
    assert {name: led_to(content) for name, content in panels.items()} == {name: [at] for name, at in wanted.items()}


@pytest.mark.parametrize("tab", tabs_of(dict(LINK_PANELS)))
def test_every_panel_of_a_link_leads_to_what_it_lists(pages: PageWorld, link: str, tab: str) -> None:
    page = pages.seen(f"{link}?wait=all&range=today&tab={tab}")
    panels = panels_of(page)
    assert panels
    shown = {**dict(zip(LINK_PANELS, tab.split(","), strict=True)), **{name: name for name in LINK_EXTRAS}}
    for name, content in panels.items():
        assert led_to(content) == [LINK_DEFINITIONS[shown[name]]], name


TILES = tuple(metric.name for metric in WEBSITE.metrics)


@pytest.mark.parametrize("metric", TILES)
def test_tiles_table_comparison_and_zone_of_an_overview_lead_to_what_they_mean(
    pages: PageWorld, site: str, metric: str
) -> None:
    page = pages.seen(f"{site}?wait=all&show=table&metric={metric}")
    tiles = page.partition('class="tiles"')[2].partition("</ul>")[0]
    assert led_to(tiles) == [DEFINITIONS[name] for name in TILES]
    assert led_to(page.partition('class="chart-table')[2].partition("</thead>")[0]) == [DEFINITIONS[metric]]
    assert led_to(page.partition('class="legend"')[2].partition("</ul>")[0]) == ["comparison"]
    assert led_to(page.partition('id="range-button"')[2].partition("</details>")[0]) == ["days-and-time-zones"]
    assert led_to(page.partition('class="live"')[2].partition("</header>")[0])[0] == "current-visitors"


def test_the_tiles_of_a_link_lead_to_what_they_mean(pages: PageWorld, link: str) -> None:
    page = pages.seen(f"{link}?wait=all&show=table&metric=visitors")
    tiles = page.partition('class="tiles"')[2].partition("</ul>")[0]
    assert led_to(tiles) == [LINK_DEFINITIONS[name] for name in LINK_METRIC_LABELS]
    assert led_to(page.partition('class="chart-table')[2].partition("</thead>")[0]) == ["visitor-of-a-link"]


OTHERS = {
    "/sites": "visitor",
    "/links": "click",
    "{link}": "click",
    "/links/domains": "orphan-click",
    "{site}/visitors": "identified-visitor",
    "{site}/visitors/profile?profile=ada": "identified-visitor",
    "{site}/not-counted": "dropped-traffic",
    "{site}/bots": "bots",
    "{site}/details/pages": "page",
    "{link}/details/sources": "details-of-a-click",
    "{site}/queries": "",
}


@pytest.mark.parametrize("path", OTHERS)
def test_other_pages_with_figures_lead_to_what_they_mean(pages: PageWorld, site: str, link: str, path: str) -> None:
    assert OTHERS[path] in led_to(pages.seen(path.format(site=site, link=link)))


@pytest.mark.parametrize("path", ["{site}?wait=all", "{link}?wait=all", *OTHERS])
def test_whatever_leads_to_a_definition_finds_it_and_says_of_what(
    pages: PageWorld, site: str, link: str, path: str
) -> None:
    page = pages.seen(path.format(site=site, link=link))
    assert [anchor for anchor in led_to(page) if anchor and anchor not in ANCHORS] == []
    for tag in re.findall(r'<a class="explains"[^>]*>', page):
        assert re.search(r'aria-label="What [^"]{4,}"', html.unescape(tag)), tag
        assert " data-whole " in tag, "the definitions are no part of the page"
