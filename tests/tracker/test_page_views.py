"""Page views: on load, on navigation inside the page, and what each one says."""

import re
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.chromium import ARGUMENTS, EXECUTABLE
from tests.tracker.collector import Collector
from tests.tracker.one_page import on_one_page
from tests.tracker.visits import hide, push

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("either")]


@pytest.fixture(params=["core", pytest.param("parts", marks=pytest.mark.thorough)])
def either(request: pytest.FixtureRequest, collector: Collector) -> None:
    """The core opens the views of pages with parts, too: tests of parts, rules and ids see some of them each time."""
    if request.param == "parts":
        collector.tag = "data-max-retries=3"


def test_load_is_a_page_view_with_all_its_fields(page: Page, collector: Collector) -> None:
    address = collector.publish("/about", title="About us")
    page.goto(address + "?utm_source=letter&utm_campaign=may&gclid=abc&ref=friend&q=secret#team")
    [view] = collector.wait_for("screen_view")
    assert re.fullmatch(r"screen_view0\.\d+(e-\d+)?", view.pop("eventId"))
    assert isinstance(view.pop("timestamp"), int)
    assert re.fullmatch(r"\d+x\d+", view.pop("screen_resolution"))
    assert view == {
        "name": "screen_view",
        "path": address,
        "page_count": 1,
        "referrer": "",
        "language": "en-GB",
        "timezone": "Europe/Oslo",
        "viewport_size": "800x600",
        "title": "About us",
        "utm_source": "letter",
        "utm_campaign": "may",
        "gclid": "abc",
        "ref": "friend",
    }
    [request] = collector.accepted
    assert (request.route, request.query) == ("/batch", {"client_id": "site-1"})


def test_a_link_to_another_page_sends_the_first_page_as_referrer_without_its_query(
    page: Page, collector: Collector
) -> None:
    collector.publish("/two")
    page.goto(collector.publish("/one", body="<a href=/two>on</a>") + "?q=secret")
    collector.wait_for("screen_view")
    page.click("a")
    second = collector.wait_for("screen_view", 2)[1]
    assert (second["path"], second["referrer"]) == (f"{collector.site}/two", f"{collector.site}/one")


def test_pushed_addresses_are_page_views_with_the_title_set_afterwards(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/"))
    collector.wait_for("screen_view")
    page.evaluate("history.pushState(null, '', '/cart?step=1'); document.title = 'Cart'")
    second = collector.wait_for("screen_view", 2)[1]
    assert (second["path"], second["title"]) == (f"{collector.site}/cart", "Cart")
    assert (second["referrer"], second["page_count"]) == (f"{collector.site}/", 2)
    page.go_back()
    third = collector.wait_for("screen_view", 3)[2]
    assert (third["path"], third["page_count"]) == (f"{collector.site}/", 3)


def test_a_replaced_address_is_a_page_view_only_if_its_path_changes(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/"))
    collector.wait_for("screen_view")
    page.evaluate("history.replaceState(null, '', '/?filter=red')")
    page.evaluate("history.pushState(null, '', '/#fragment')")
    page.evaluate("history.replaceState(null, '', '/red')")
    paths = [view["path"] for view in collector.wait_for("screen_view", 2)]
    assert paths == [f"{collector.site}/", f"{collector.site}/red"]


def test_an_address_that_redirects_at_once_is_one_page_view(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/"))
    collector.wait_for("screen_view")
    page.evaluate("history.pushState(null, '', '/account'); history.replaceState(null, '', '/sign-in')")
    assert collector.wait_for("screen_view", 2)[1]["path"] == f"{collector.site}/sign-in"


@pytest.mark.parametrize(
    ("tag", "paths"),
    [
        ("data-track-hash-changes", ["/", "/#/cart", "/#/pay"]),
        ("data-track-hash-changes=false", ["/", "/end"]),
        ("", ["/", "/end"]),
    ],
)
def test_fragments_are_pages_only_when_asked(page: Page, collector: Collector, tag: str, paths: list[str]) -> None:
    page.goto(collector.publish("/", tag=tag, body="<a href=#/cart>cart</a>"))
    page.click("a")
    if "/end" in paths:
        push(page, "/end")
    else:
        collector.wait_for("screen_view", 2)
        page.evaluate("location.hash = '/pay?token=secret'")
    views = collector.wait_for("screen_view", len(paths))
    assert [view["path"] for view in views] == [collector.site + path for path in paths]


@pytest.mark.chromium("whole")
def test_a_page_out_of_the_back_forward_cache_is_viewed_again(page: Page, collector: Collector) -> None:
    collector.publish("/two", tag="data-disabled")
    page.goto(collector.publish("/one"))
    page.goto(collector.site + "/two")
    page.go_back(wait_until="commit")
    # The second view in one document: the page was kept, not loaded again.
    views = collector.wait_for("screen_view", 2)
    assert sorted(view["page_count"] for view in views) == [1, 2]
    # The beacon of the exit travels on its own: on a busy machine the second view may overtake it.
    assert collector.wait_for("page_exit")[0]["page_count"] == 1


def test_prerendered_page_is_viewed_when_it_is_shown_and_at_that_time(page: Page, collector: Collector) -> None:
    page.add_init_script("Object.defineProperty(document, 'prerendering', { value: true, configurable: true })")
    page.goto(collector.publish("/"))
    page.evaluate("databuddy.track('early'); databuddy.flush()")
    page.wait_for_function("databuddy.getProfileId() === null")  # parts.js is there
    shown = page.evaluate(
        """() => new Promise((done) => setTimeout(() => {
          Object.defineProperty(document, "prerendering", { value: false, configurable: true });
          document.dispatchEvent(new Event("prerenderingchange"));
          done(Date.now());
        }, 50))"""
    )
    [view] = collector.wait_for("screen_view")
    page.evaluate("databuddy.flush()")
    [early] = collector.wait_for("early")
    assert (view["page_count"], early["path"]) == (1, view["path"])
    for event in (view, early):
        assert shown - 40 <= event["timestamp"] <= shown + 40


def test_page_that_is_prerendered_and_never_shown_sends_nothing(page: Page, collector: Collector) -> None:
    page.add_init_script("Object.defineProperty(document, 'prerendering', { value: true, configurable: true })")
    page.goto(collector.publish("/"))
    page.wait_for_function("databuddy.getProfileId() === null")  # parts.js is there
    page.evaluate("databuddy.track('early'); dispatchEvent(new PageTransitionEvent('pagehide'))")
    page.goto(collector.publish("/next").replace("/next", "/missing"))
    page.add_init_script("Object.defineProperty(document, 'prerendering', { value: false, configurable: true })")
    page.goto(collector.site + "/next")
    assert [view["path"] for view in collector.wait_for("screen_view")] == [collector.site + "/next"]
    assert collector.events("early") == []


def test_chromium_prerenders_a_page_and_it_is_viewed_when_it_is_shown(collector: Collector, tmp_path: Path) -> None:
    """Without DevTools: beside them Chromium does not prerender."""
    say = f"""(name, timestamp) => fetch("{collector.box}/log", {{
      method: "POST", keepalive: true, body: JSON.stringify({{ name, timestamp }}) }})"""
    at = "performance.timeOrigin + performance.getEntriesByType('navigation')[0].activationStart"
    rules = '{"prerender": [{"urls": ["/two"], "eagerness": "immediate"}]}'
    collector.publish(
        "/one",
        tag="",
        body=f"""<a id=link href=/two>On</a><script type=speculationrules>{rules}</script>
          <script>setInterval(() => fetch("/go.js").then((answer) => {{
            if (answer.ok) link.click() }}), 100)</script>""",
    )
    collector.publish(
        "/two",
        tag="",
        body=f"""<script>if (document.prerendering) {{ ({say})("prerendered");
          document.addEventListener("prerenderingchange", () => ({say})("shown", {at})) }}</script>""",
    )
    profile = ("--headless=new", "--disable-gpu", f"--user-data-dir={tmp_path}", "--disable-dev-shm-usage")
    chromium = subprocess.Popen(
        [EXECUTABLE, *ARGUMENTS, *profile, collector.site + "/one"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        collector.wait_for("prerendered")
        assert [view["path"] for view in collector.wait_for("screen_view")] == [collector.site + "/one"]
        collector.scripts["/go.js"] = "here we go"
        view = collector.wait_for("screen_view", 2)[1]
        (shown,) = collector.wait_for("shown")
    finally:
        chromium.terminate()
        chromium.wait()
    assert view["path"] == collector.site + "/two"
    # Both times are the page's own; one may be by the clock of day, which can differ from that of performance a little.
    assert view["timestamp"] >= int(shown["timestamp"]) - 20


TITLES = (
    "const channel = new MessageChannel(); channel.port1.onmessage = () => { document.title = 'Cart' };"
    "channel.port2.postMessage(0)",
    "requestAnimationFrame(() => { document.title = 'Cart' })",
    "fetch('/cart.js').then(() => { document.title = 'Cart' })",
    "setTimeout(() => { document.title = 'Cart' }, 100)",
)


@on_one_page("title", TITLES)
def test_view_has_the_title_that_its_router_sets_later(page: Page, collector: Collector, title: str) -> None:
    page.goto(collector.publish("/"))
    collector.wait_for("screen_view")
    before = page.evaluate("Date.now()")
    page.evaluate("history.pushState(null, '', '/cart');" + title)
    second = collector.wait_for("screen_view", 2)[1]
    assert (second["path"], second["title"]) == (f"{collector.site}/cart", "Cart")
    assert second["timestamp"] < before + 100, "the time is that of the navigation"
    hide(page)
    assert {exit_["title"] for exit_ in collector.wait_for("page_exit", 2)} == {"Home", "Cart"}


@on_one_page("tag", ["", "data-max-retries=3"])
def test_view_that_is_left_before_it_is_sent_goes_with_its_exit(page: Page, collector: Collector, tag: str) -> None:
    page.goto(collector.publish("/", tag=tag))
    collector.wait_for("screen_view")
    push(page, "/short", "Short")
    page.evaluate("new Promise((done) => setTimeout(done, 20))")  # no redirect
    push(page, "/next", "Next")
    page.evaluate("new Promise((done) => setTimeout(done, 20))")
    hide(page)
    views = collector.wait_for("screen_view", 3)
    assert [view["path"].removeprefix(collector.site) for view in views] == ["/", "/short", "/next"]
    assert len(collector.wait_for("page_exit", 3)) == 3


def test_addresses_of_the_navigation_api_are_page_views(page: Page, collector: Collector) -> None:
    intercept = "if (event.canIntercept && !event.hashChange) event.intercept({ handler: async () => {} })"
    body = f"<a href=/two>On</a><script>navigation.addEventListener('navigate', (event) => {{ {intercept} }})</script>"
    page.goto(collector.publish("/", body=body))
    collector.wait_for("screen_view")
    page.click("a")
    collector.wait_for("screen_view", 2)
    page.evaluate("navigation.navigate('/three')")
    paths = [view["path"] for view in collector.wait_for("screen_view", 3)]
    assert paths == [collector.site + path for path in ("/", "/two", "/three")]


@pytest.mark.parametrize("instead", ["undefined", "document.createElement('nav')", "[]"])
def test_browser_without_the_navigation_api_has_the_same_page_views(
    page: Page, collector: Collector, instead: str
) -> None:
    """There `navigation` may be an element with that id, or a variable of the page."""
    head = f"<script>Object.defineProperty(self, 'navigation', {{ value: {instead} }})</script>"
    page.goto(collector.publish("/", head=head))
    collector.wait_for("screen_view")
    page.wait_for_function("databuddy.getProfileId() === null && !/native/.test(history.pushState)")
    page.evaluate("history.pushState(null, '', '/pushed'); document.title = 'Pushed'")
    pushed = collector.wait_for("screen_view", 2)[1]
    assert (pushed["path"], pushed["title"]) == (f"{collector.site}/pushed", "Pushed")
    page.evaluate("history.replaceState(null, '', '/replaced')")
    collector.wait_for("screen_view", 3)
    page.evaluate("history.pushState(null, '', '/last')")
    collector.wait_for("screen_view", 4)
    page.go_back()
    assert collector.wait_for("screen_view", 5)[4]["path"] == f"{collector.site}/replaced"


def test_the_page_can_open_a_view_itself(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/"))
    page.evaluate("databuddy.screenView({ tab: 'reviews' })")
    second = next(view for view in collector.wait_for("screen_view", 2) if view["page_count"] == 2)
    assert (second["path"], second["properties"]) == (f"{collector.site}/", {"tab": "reviews"})
    assert len(collector.wait_for("page_exit")) == 1


def test_options_come_from_the_page_then_the_tag_then_the_scripts_address(page: Page, collector: Collector) -> None:
    config = '{ clientId: "lowest", trackHashChanges: true, apiUrl: "http://127.0.0.1:1" }'
    path = "/configured"
    page.add_init_script(f"window.databuddyConfig = {config}")
    collector.pages[path] = (
        f'<!doctype html><script async src="{collector.box}/script.js?clientId=from-query" '
        f'data-client-id="from-tag" data-api-url="{collector.box}"></script>',
        {},
    )
    page.goto(f"{collector.site}{path}#/here")
    [view] = collector.wait_for("screen_view")
    assert view["path"] == f"{collector.site}{path}#/here"
    assert collector.accepted[0].query == {"client_id": "from-query"}
