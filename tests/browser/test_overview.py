"""The overview in a real browser: tabs fetched alone, values that filter the page, with and without scripts."""

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect

from tests.browser.axe import faults
from tests.browser.test_pages import context_of, sign_in
from tests.running import BROWSER, UNLIMITED, Box, running_box

pytestmark = pytest.mark.browser

ALL_TABS = (
    "?range=today&tab=utm_campaign,entry,regions,devices,domains&utm_medium=email",
    "?range=today&tab=channels,exit,cities,windows&browser_name=Firefox",
    "?range=today&tab=utm_content,languages,map",
)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """A box whose website has had two visitors: one by a newsletter, one by a search, and all that trackers measure."""
    folder = tmp_path_factory.mktemp("overview") / "data"
    geo = {"trusted_proxies": "127.0.0.1", "geo_country_header": "x-country"}
    with running_box(folder, **UNLIMITED | geo | {"limit_sign_in": 0}) as running:
        tags = "utm_source=newsletter&utm_medium=email&utm_campaign=spring&utm_content=button"
        visit(running, "anna", f"/?{tags}", "en")
        visit(running, "bob", "/docs", "de", referrer="https://www.google.com/")
        yield running


def visit(box: Box, who: str, path: str, language: str, **said: str) -> None:
    page = {"anonymousId": who, "path": f"https://example.com{path}"}
    more = {"viewport_size": "1280x720", "language": language, **said}
    send(box, "", {"name": "screen_view", **page, **more})
    send(box, "", {"name": f"signup-{who}", **page})
    send(box, "", {"type": "outgoing_link", "href": "https://elsewhere.example/there", **page})
    send(box, "errors", [{"message": f"{who} failed", **page}])
    send(box, "vitals", [{"metricName": "LCP", "metricValue": 5_000, **page}])


def send(box: Box, path: str, content: Any) -> None:
    headers = {
        "user-agent": BROWSER,
        "accept": "*/*",
        "accept-language": "en",
        "content-type": "application/json",
        "origin": "https://example.com",
        "x-country": "DE",
    }
    address = f"{box.url}/{path}?client_id={box.account.website_id}"
    answer = httpx.post(address, content=json.dumps(content), headers=headers)
    assert answer.is_success, answer.text


def site(box: Box, query: str = "") -> str:
    return f"{box.url}/sites/{box.account.website_id}{query}"


def settled(page: Page) -> None:
    expect(page.locator("#page [aria-busy=true], #page.swapping, #page .swapping")).to_have_count(0)


def test_a_tab_fetches_its_list_alone_and_everything_leads_on_from_it(page: Page, box: Box) -> None:
    page.goto(site(box, "?range=today"))
    settled(page)
    asked: list[str] = []

    def note(request: Request) -> None:
        if "/sites/" in request.url and "/live" not in request.url:
            asked.append(request.url.removeprefix(site(box)))

    page.on("request", note)
    page.click("#panel-sources >> text=Channels")
    expect(page.locator("#panel-sources")).to_contain_text("Organic Search")
    expect(page.locator("#panel-sources [aria-current]").first).to_be_focused()
    page.click("#panel-browsers >> text=Devices")
    expect(page.locator("#panel-browsers")).to_contain_text("Desktop")
    assert asked == ["/parts/sources?range=today&tab=channels", "/parts/browsers?range=today&tab=channels,devices"]
    page.remove_listener("request", note)
    expect(page).to_have_url(site(box, "?range=today&tab=channels,devices"))
    expect(page.locator("#range-yesterday")).to_have_attribute("href", re.compile("tab=channels,devices"))
    expect(page.get_by_label("Time range").locator("input[name=tab]")).to_have_value("channels,devices")

    page.click("#panel-sources .bar-link >> text=Organic Search")
    expect(page.locator("#chip-channel")).to_contain_text("Organic Search")
    expect(page.locator("#panel-browsers")).to_contain_text("Desktop")
    page.reload()
    expect(page.locator("#panel-sources .bar-link[aria-current]")).to_contain_text("Organic Search")
    page.go_back()
    page.wait_for_url(re.compile("tab=channels,devices$"))
    expect(page.locator("#chip-channel")).to_have_count(0)
    page.go_back()
    page.wait_for_url(re.compile("tab=channels$"))
    expect(page.locator("#panel-browsers")).to_contain_text("Firefox")


def test_going_back_before_the_scripts_are_there_shows_the_page_of_that_address(page: Page, box: Box) -> None:
    page.goto(site(box, "?range=today"))
    settled(page)
    page.click("#panel-browsers >> text=Devices")
    expect(page.locator("#panel-browsers")).to_contain_text("Desktop")
    held: list[Route] = []
    page.route("**/figures.js*", lambda route: held.append(route), times=1)  # noqa: PLW0108  Playwright marks what it calls
    with page.expect_request("**/figures.js*"):
        page.evaluate("void setTimeout(() => location.reload())")
    page.evaluate("history.back()")
    page.wait_for_function("!location.search.includes('devices')")
    held[0].continue_()
    expect(page.locator("#panel-browsers")).to_contain_text("Firefox")


def test_a_value_filters_the_page_and_its_chip_takes_that_back(page: Page, box: Box) -> None:
    page.goto(site(box, "?range=today&tab=utm_medium"))
    page.click("#more-panels > summary")
    page.click("#panel-sources .bar-link >> text=email")
    expect(page.locator("#tile-visitors .tile-value")).to_have_text("1")
    expect(page.locator("#panel-events")).to_contain_text("signup-anna")
    expect(page.locator("#panel-events")).not_to_contain_text("signup-bob")
    expect(page.locator("#panel-errors")).not_to_contain_text("bob failed")
    page.click("#chip-utm_medium")
    expect(page.locator("#tile-visitors .tile-value")).to_have_text("2")
    expect(page).to_have_url(site(box, "?range=today&tab=utm_medium"))


def test_a_mouse_that_is_pressed_on_a_value_asks_for_what_its_click_shows(page: Page, box: Box) -> None:
    page.goto(site(box, "?range=today"))
    settled(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.hover("#panel-sources .bar-link >> nth=0")
    with page.expect_request("**/sites/*?*referrer*"):
        page.mouse.down()
    expect(page.locator("#tile-visitors .tile-value")).to_have_text("2")
    expect(page).to_have_url(site(box, "?range=today"))
    page.mouse.up()
    expect(page.locator("#tile-visitors .tile-value")).to_have_text("1")
    assert len([url for url in asked if url.startswith(site(box, "?")) and "referrer" in url]) == 1
    page.go_back()
    expect(page).to_have_url(site(box, "?range=today"))
    expect(page.locator("#tile-visitors .tile-value")).to_have_text("2")


def test_a_press_that_becomes_no_click_changes_nothing(page: Page, box: Box) -> None:
    page.goto(site(box, "?range=today"))
    settled(page)
    page.evaluate("""() => {
      const really = globalThis.fetch;
      globalThis.asked = [];
      globalThis.fetch = (address, given) => {
        asked.push(given.signal);
        return String(address).includes("referrer") ? new Promise(() => {}) : really(address, given);
      };
    }""")
    value = page.locator("#panel-sources .bar-link >> nth=0")
    value.click(button="right")
    assert page.evaluate("asked.length") == 0
    value.hover()
    page.mouse.down()
    assert page.evaluate("asked.map((signal) => signal.aborted)") == [False]
    page.mouse.move(2, 2)
    page.mouse.up()
    page.wait_for_function("asked[0].aborted")
    expect(page).to_have_url(site(box, "?range=today"))
    expect(page.locator("#page.swapping")).to_have_count(0)


def test_panel_outside_the_view_keeps_its_height_and_is_drawn_later(page: Page, box: Box) -> None:
    """The chart above and the lists below, without anybody scrolling there."""
    page.set_viewport_size({"width": 1280, "height": 400})
    page.goto(site(box, "?range=today&metric=pageviews&wait=all"))
    settled(page)
    expect(page.locator(".lists > .list:not(.drawn)")).to_have_count(0)
    value = page.locator("#panel-browsers .bar-link").first
    value.scroll_into_view_if_needed()
    heights = "() => [...document.querySelectorAll('.lists > .list')].map((one) => one.offsetHeight)"
    before = page.evaluate(heights)
    page.evaluate(f"""() => document.addEventListener("settled", () => {{
      globalThis.atOnce = ({heights})();
      globalThis.waits = document.querySelectorAll(".lists > .list:not(.drawn)").length;
    }}, {{ once: true }})""")
    value.click()
    expect(page.locator("#chip-browser_name")).to_have_count(1)
    assert page.evaluate("globalThis.atOnce") == before
    assert page.evaluate("globalThis.waits") > 0
    expect(page.locator("#figures.later [data-chart] canvas")).to_have_count(1)
    expect(page.locator(".page > .lists > .list:not(.drawn)")).to_have_count(0)
    page.click("#more-panels > summary")
    expect(page.locator("#panel-events")).to_contain_text("signup-anna")


def test_current_content_is_dimmed_while_an_answer_is_slow(page: Page, box: Box) -> None:
    page.goto(site(box, "?range=today"))
    settled(page)
    held: list[Route] = []
    page.route("**/sites/*?*referrer*", lambda route: held.append(route), times=1)  # noqa: PLW0108  Playwright marks what it calls
    page.click("#panel-sources .bar-link >> nth=0")
    expect(page.locator(".tiles")).to_have_css("opacity", "0.45")
    expect(page.locator("#panel-sources .bars")).to_have_css("opacity", "0.45")
    expect(page.locator("#panel-sources .panel-head")).to_have_css("opacity", "1")
    held[0].continue_()
    expect(page.locator("#tile-visitors .tile-value")).to_have_text("1")
    expect(page.locator(".tiles")).to_have_css("opacity", "1")


def test_late_panels_show_their_previous_content_until_they_arrive(page: Page, box: Box) -> None:
    page.goto(site(box, "?range=today"))
    settled(page)
    parts: list[Route] = []

    def without_pages(route: Route) -> None:
        answer = route.fetch(url=f"{route.request.url}&wait=all")  # nothing else comes later on a busy machine
        late = route.request.url.replace("?", "/parts/pages?").replace("&", "&amp;")
        whole = answer.text().replace("&amp;wait=all", "")
        text = re.sub(r'(id="panel-pages"[^>]*)>.*?</section>', r'\1 aria-busy="true"></section>', whole, flags=re.S)
        text = text.replace('<div id="late" hidden>', f'<div id="late" hidden aria-busy="true" data-late="{late}">')
        route.fulfill(response=answer, body=text)

    page.route("**/sites/*?*referrer*", without_pages, times=1)
    page.route("**/parts/**", lambda route: parts.append(route))  # noqa: PLW0108  Playwright marks what it calls
    page.click("#panel-sources .bar-link >> nth=0")
    expect(page.locator("#tile-visitors .tile-value")).to_have_text("1")
    expect(page.locator("#panel-pages.stale .bar")).to_have_count(2)
    page.wait_for_function("document.querySelector('#panel-pages').inert", polling=20)
    parts[0].continue_()
    expect(page.locator("#panel-pages:not(.stale, [aria-busy]) .bar")).to_have_count(1)


def test_the_keyboard_alone_opens_a_tab_chooses_a_value_and_takes_it_back(page: Page, box: Box) -> None:
    page.goto(site(box, "?range=today"))
    settled(page)
    page.focus("#tab-1-pages")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#tab-2-pages")).to_have_attribute("aria-current", "true")
    expect(page.locator("#tab-2-pages")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="What “Entry” means")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("#only-pages-1")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#chip-entry_page")).to_be_visible()
    settled(page)
    page.focus("#chip-entry_page")
    page.keyboard.press("Enter")
    expect(page.locator("#chip-entry_page")).to_have_count(0)
    expect(page.locator("#filter-button")).to_be_focused()
    page.focus("#only-pages-2")
    page.keyboard.press("Enter")
    expect(page.locator("#chip-entry_page")).to_be_visible()
    expect(page.locator("#only-pages-1")).to_be_focused()


def test_a_value_that_no_list_shows_is_typed(page: Page, box: Box) -> None:
    page.goto(site(box, "?range=today"))
    settled(page)
    page.click("#panel-pages >> text=Exit")
    expect(page.locator("#panel-pages .panel-counted")).to_be_visible()
    settled(page)
    page.keyboard.press("f")
    expect(page.locator("#filter-field")).to_be_focused()
    page.select_option("#filter-field", "language")
    page.fill("#filter-value", "de")
    page.keyboard.press("Enter")
    expect(page.locator("#chip-language")).to_contain_text("German")
    expect(page.locator("#tile-visitors .tile-value")).to_have_text("1")
    expect(page.locator("#tab-3-pages")).to_have_attribute("aria-current", "true")


def test_suggestions_that_do_not_come_are_said_and_asked_for_again(page: Page, box: Box) -> None:
    page.goto(site(box, "?range=today"))
    page.click("#filter-button")
    page.select_option("#filter-field", "language")
    page.evaluate("""() => {
      const really = globalThis.fetch;
      globalThis.fetch = () => { globalThis.fetch = really; return Promise.reject(new TypeError("offline")); };
    }""")
    page.focus("#filter-value")
    expect(page.locator("#filter-said")).to_contain_text("could not be loaded")
    expect(page.locator("#filter-said")).to_have_css("position", "static")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("option", name="German")).to_be_visible()
    expect(page.locator("#filter-said")).to_have_css("position", "absolute")


def test_own_dates_are_chosen_in_the_calendar_with_the_keyboard_alone(page: Page, box: Box) -> None:
    page.goto(site(box, "?range=custom&from=2024-03-20&to=2024-03-31"))
    settled(page)
    page.focus("#range-button")
    page.keyboard.press("Enter")
    page.focus("#day-picker-range td button[tabindex='0']")
    for key in ("PageUp", "Home", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#day-picker-range .day-picker-said")).to_contain_text("From Monday, 26 February 2024")
    for key in ("End", "ArrowDown", "Shift+PageUp", "Shift+PageDown", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".range-wide [type=submit]")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**?range=custom&from=2024-02-26&to=2024-03-09")
    expect(page.locator("#range-button")).to_contain_text("26 Feb – 9 Mar 2024")


def test_two_measures_in_wider_steps_are_drawn_and_said(page: Page, box: Box) -> None:
    page.goto(site(box, "?range=last_90d"))
    settled(page)
    page.click("#by-week")
    page.wait_for_url("**?range=last_90d&by=week")
    settled(page)
    page.click("#beside-button")
    page.click("#beside-pageviews")
    page.wait_for_url("**?range=last_90d&beside=pageviews&by=week")
    settled(page)
    expect(page.locator("#beside-button")).to_be_focused()
    expect(page.locator(".legend")).to_contain_text("Page views, right axis")
    page.focus("#chart")
    page.keyboard.press("End")
    expect(page.locator("#chart")).to_have_attribute("aria-valuetext", re.compile("so far.*, 2, Page views: 2"))
    expect(page.locator("#figures .legend")).to_contain_text("No data before")


def test_nothing_moves_while_parts_come_in(page: Page, box: Box) -> None:
    page.add_init_script(
        "window.shift = 0; new PerformanceObserver((list) => { for (const one of list.getEntries())"
        " window.shift += one.value; }).observe({ type: 'layout-shift', buffered: true })"
    )
    page.goto(site(box, "?range=today"))
    settled(page)
    assert page.evaluate("window.shift") < 0.02


def test_a_panel_that_comes_late_keeps_the_height_of_its_place_only_in_sight(page: Page, box: Box) -> None:
    def without_two(route: Route) -> None:
        answer = route.fetch(url=f"{route.request.url}&wait=all")
        late = f"{route.request.url.replace('?', '/parts/sources,browsers?')}&amp;wait=all"
        busy = r'\1 aria-busy="true"></section>'
        text = re.sub(r'(id="panel-(?:sources|browsers)"[^>]*)>.*?</section>', busy, answer.text(), flags=re.S)
        text = text.replace('<div id="late" hidden>', f'<div id="late" hidden aria-busy="true" data-late="{late}">')
        route.fulfill(response=answer, body=text)

    def kept(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace('class="panel list', 'class="panel list list-kept'))

    page.route(site(box, "?range=today"), without_two)
    page.route("**/parts/**", kept)
    page.goto(site(box, "?range=today"))
    settled(page)
    expect(page.locator("#panel-sources.list-kept .bar")).to_have_count(2)
    expect(page.locator("#panel-browsers:not(.list-kept) .bar").first).to_be_attached()


# By how much tiles are higher or lower while their figures are to come.
MOVED = """[...document.querySelectorAll(".tile")].map(tile => {
  const stood = tile.offsetHeight;
  const value = tile.querySelector(".tile-value");
  const ghost = value.cloneNode();
  ghost.classList.add("ghost");
  value.replaceWith(ghost);
  return tile.offsetHeight - stood;
})"""


def test_figures_that_come_later_move_nothing(page: Page, box: Box) -> None:
    for width in (1280, 1000, 390):
        page.set_viewport_size({"width": width, "height": 844})
        page.goto(site(box, "?range=last_7d"))
        settled(page)
        moved = page.evaluate(MOVED)
        assert moved
        assert not any(moved), width


def test_an_overview_names_places_and_languages_and_prints_on_one_page(page: Page, box: Box) -> None:
    filtered = "?range=today&tab=languages&country=DE&path.not=/docs"
    for query, chips in (("?range=today&tab=languages", 0), (filtered, 2), ("?compare=year&tab=map&show=table", 0)):
        page.goto(site(box, query))
        settled(page)
        expect(page.locator("[id^=chip-]")).to_have_count(chips)
        printed = page.pdf(format="A4")
        assert len(re.findall(rb"/Type */Page\b", printed)) == 1, query
    expect(page.locator("#panel-countries")).to_contain_text("Germany")
    page.goto(site(box, "?range=today&tab=languages"))
    expect(page.locator("#panel-browsers")).to_contain_text("German")


def test_details_open_over_the_page_with_an_address_of_their_own(page: Page, box: Box) -> None:
    page.goto(site(box, "?range=today"))
    settled(page)
    page.focus("#details-of-pages")
    page.keyboard.press("Enter")
    expect(page.locator("#details-dialog #details .bar")).to_have_count(2)
    expect(page).to_have_url(site(box, "/details/pages?range=today"))
    page.click("#sort-name")
    expect(page.locator("#details th[aria-sort]")).to_contain_text("Name")
    expect(page.locator("#sort-name")).to_be_focused()
    page.fill("#details-q", "doc")
    expect(page.locator("#details .bar")).to_have_count(1)
    expect(page.locator("#details-q")).to_be_focused()
    expect(page).to_have_url(site(box, "/details/pages?range=today&sort=name&order=asc&q=doc"))
    page.keyboard.press("Escape")
    expect(page.locator("#details-dialog")).to_be_hidden()
    expect(page.locator("#details-of-pages")).to_be_focused()
    expect(page).to_have_url(site(box, "?range=today"))
    page.click("#details-of-sources")
    expect(page.locator("#details")).to_be_visible()
    page.go_back()
    expect(page.locator("#details-dialog")).to_be_hidden()
    page.click("#details-of-sources")
    page.reload()
    expect(page.locator("h1")).to_have_text("Sources")
    page.click("#details >> text=Google")
    expect(page.locator("#chip-referrer")).to_contain_text("Google")


def test_base_of_a_share_is_shown_to_pointer_and_keyboard(page: Page, box: Box) -> None:
    page.goto(site(box, "?range=today"))
    settled(page)
    page.focus("#panel-pages .explains")
    expect(page.locator("#share-pages")).to_contain_text("Share of the 2 visitors in this range.")
    expect(page.locator("#share-pages")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#share-pages")).to_be_hidden()
    page.hover("#panel-sources .explains")
    expect(page.locator("#share-sources")).to_be_visible()


def test_panel_unfolded_on_a_phone_stays_open_when_a_filter_swaps_the_page(page: Page, box: Box) -> None:
    sign_in(page, box)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(site(box, "?range=today"))
    settled(page)
    browsers = page.locator("#panel-browsers")
    expect(browsers.locator(".bar-link").first).to_be_hidden()
    browsers.get_by_role("checkbox").check()
    expect(browsers.locator(".bar-link").first).to_be_visible()
    page.locator("#panel-pages .bar-link").first.click()
    expect(page.locator(".chip").first).to_be_visible()
    settled(page)
    expect(browsers.locator(".bar-link").first).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 844})
    expect(browsers.get_by_role("checkbox")).to_be_hidden()


def test_without_scripts_tabs_and_values_are_links(browser: Browser, box: Box) -> None:
    context = context_of(browser, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, box)
    page.goto(site(box, "?range=today&wait=all"))
    page.click("#panel-sources >> text=Campaigns")
    expect(page.locator("#panel-sources")).to_contain_text("spring")
    page.click("#panel-sources .choices >> text=Content")
    page.click("#panel-sources .bar-link >> text=button")
    expect(page.locator("#tile-visitors .tile-value")).to_have_text("1")
    page.click("#chip-utm_content")
    expect(page.locator("#tile-visitors .tile-value")).to_have_text("2")
    page.click("#details-of-pages")
    expect(page.locator("#details .bar")).to_have_count(2)
    page.fill("#details-q", "docs")
    page.click("#details-find")
    expect(page.locator("#details .bar")).to_have_count(1)
    page.click(".details-back a")
    page.click("#filter-button")
    page.fill("#filter-value", "Google")
    page.click(".filter-form button")
    expect(page.locator("#chip-referrer")).to_contain_text("Google")
    expect(page.locator("#tile-visitors .tile-value")).to_have_text("1")
    context.close()


@pytest.mark.node
def test_every_tab_is_clean_for_axe_and_none_scrolls_the_page_sideways(browser: Browser, box: Box) -> None:
    context = context_of(browser)
    page = context.new_page()
    sign_in(page, box)
    found = []
    for query in ALL_TABS:
        found += faults(page, site(box, f"{query}&wait=all"))
    context.close()
    assert found == []


def test_a_country_on_the_map_filters_the_page_in_place_and_keys_reach_each_hour(page: Page, box: Box) -> None:
    page.goto(site(box, "?range=today&tab=map"))
    settled(page)
    page.evaluate("window.kept = true")
    page.click("#panel-browsers >> text=Devices")
    expect(page.locator("#panel-browsers")).to_contain_text("Desktop")
    country = page.locator(".world-map a")
    expect(country).to_have_count(1)
    assert country.locator("use").evaluate("one => one.getBBox().width") > 10  # the file is there, and has it
    country.locator("use").click()
    expect(page.locator(".chips")).to_contain_text("Germany")
    expect(page).to_have_url(re.compile("tab=map,devices|tab=devices,map"))
    assert page.evaluate("window.kept") is True
    settled(page)
    page.mouse.move(0, 0)
    expect(page.locator(".page > .lists > .later:not(.drawn)")).to_have_count(0)
    page.click("#more-panels > summary")
    said = page.locator("[data-week-said]")
    expect(said).to_contain_text("Most visitors:")
    page.locator("[data-week]").focus()
    for key, hour in (("Home", "00:00 to 01:00"), ("ArrowRight", "01:00 to 02:00"), ("End", "23:00 to 00:00")):
        page.keyboard.press(key)
        expect(said).to_contain_text(f"Sunday, {hour}")
    page.keyboard.press("ArrowDown")
    expect(said).to_contain_text("Monday, 23:00 to 00:00")
    page.keyboard.press("Tab")
    expect(said).to_contain_text("Most visitors:")


def test_a_goal_is_tried_made_counted_followed_and_filtered_by(page: Page, box: Box) -> None:
    page.goto(site(box, "/goals/new"))
    page.fill("#name", "Docs")
    page.fill("#target", "/do*")
    page.click("#try")
    expect(page.locator("#tried")).to_contain_text("1 page matches. 1 of 2 visitors")
    page.get_by_role("button", name="Create goal").click()
    page.locator(".goal-table a", has_text="Docs").click()
    expect(page.locator("#tile-conversions .tile-value")).to_have_text("1")
    expect(page.locator("#chart canvas")).to_have_count(1)
    page.get_by_role("link", name="Show on the dashboard").click()
    expect(page.locator("#panel-goals .bar-link[aria-current]")).to_contain_text("Docs")
    expect(page.locator("#tile-conversions[aria-current]")).to_have_count(1)
    page.click("#beside-button")
    page.click("#beside-conversion_rate")
    expect(page.locator("#chart[data-beside='Conversion rate']")).to_have_count(1)
    page.click("#more-panels > summary")
    page.locator("#panel-week").get_by_role("link", name="Conversion rate").click()
    expect(page.locator("#panel-week")).to_contain_text("The highest:")
    page.locator("#panel-goals").hover()  # what is read stays; it is taken over afterwards
    page.mouse.move(0, 0)
    visit(box, "carl", "/docs", "de")
    expect(page.locator("#panel-goals .bar-value")).to_have_text("2")
    expect(page.locator("#tile-conversions .tile-value")).to_have_text("2")
    page.click("#filter-button")
    page.select_option("#filter-field", "reached_goal")
    page.fill("#filter-value", "do")
    page.get_by_role("option", name="Docs").click()
    page.get_by_role("button", name="Add filter").click()
    expect(page.locator("#chip-reached_goal")).to_contain_text("Docs")
    expect(page.locator("#tile-visitors .tile-value")).to_have_text("2")
    page.click("#details-of-pages")
    expect(page.locator("#details th #sort-conversions")).to_be_visible()
    expect(page.locator("#details tbody tr").first).to_contain_text("100.0")


def test_a_view_is_saved_as_a_segment_taken_home_as_a_file_and_forgotten(page: Page, box: Box) -> None:
    page.goto(site(box, "?range=today&language=en"))
    settled(page)
    page.click("#filter-button")
    page.click("#segment-save")
    page.fill("#segment-name", "English")
    page.click(".filter-save button[type=submit]")
    expect(page.locator("#chip-segment")).to_contain_text("English")
    expect(page.locator("#tile-visitors .tile-value")).to_have_text("1")
    page.click("#export-button")
    with page.expect_download() as taken:
        page.click("#export-json")
    figures = json.loads(taken.value.path().read_bytes())["figures"]
    assert next(one["value"] for one in figures if one["figure"] == "visitors") == 1
    page.click("#filter-button")
    page.click("#segments-manage")
    page.click(".segment summary")
    page.click(".segment .button-bad")
    page.click(".link-confirm .button-bad")
    expect(page.locator(".notice[role=status]")).to_contain_text("Segment deleted.")
    expect(page.locator(".segment-mark")).to_have_count(0)
