"""A browser, a collector and a page that the tracker runs on."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, ViewportSize

from tests.browser.chromium import USER_AGENT, launch, launch_beside
from tests.tracker.collector import Collector, collecting
from tests.tracker.visits import NOT_AUTOMATED, forget, with_routes

ARGUMENTS = (f"--user-agent={USER_AGENT}",)


@pytest.fixture(scope="package")
def light_browser() -> Iterator[Browser]:
    """One for these tests, closed after them: while it runs, no other test can run an event loop."""
    with launch(arguments=ARGUMENTS, light=True) as browser:
        yield browser


@pytest.fixture(scope="package")
def whole_browser(light_browser: Browser) -> Iterator[Browser]:
    """The back/forward cache is on, as in a visitor's browser, and it calls itself one, in beacons too."""
    with launch_beside(light_browser, arguments=ARGUMENTS, without=["--disable-back-forward-cache"]) as browser:
        yield browser


@pytest.fixture
def browser(request: pytest.FixtureRequest) -> Browser:
    """The light one, unless a test is marked as one that a page is left in: the whole one takes five times the work."""
    marker = request.node.get_closest_marker("chromium")
    whole = marker is not None and marker.args == ("whole",)
    found: Browser = request.getfixturevalue("whole_browser" if whole else "light_browser")
    return found


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as collector:
        yield collector


@pytest.fixture(scope="package")
def tabs() -> dict[Browser, Page]:
    """The tab of each browser, closed with it: a new one has a process of its own, most of the work of a test."""
    return {}


@pytest.fixture
def tab(browser: Browser, tabs: dict[Browser, Page]) -> Iterator[Page]:
    """One that knows nothing of other tests, 800 x 600, and does not say that it is driven by software."""
    if browser not in tabs:
        size = ViewportSize(width=800, height=600)
        profile = browser.new_context(viewport=size, locale="en-GB", timezone_id="Europe/Oslo")
        tabs[browser] = profile.new_page()
        tabs[browser].add_init_script(NOT_AUTOMATED)
    found = tabs[browser]
    yield found
    if forget(found.context, found):
        return
    found.context.close()
    del tabs[browser]


@contextmanager
def watched(page: Page) -> Iterator[Page]:
    """Fails if the tracker throws anything at the page."""
    thrown: list[str] = []

    def on_error(error: Error) -> None:
        thrown.append(str(error))

    page.on("pageerror", on_error)
    yield page
    page.remove_listener("pageerror", on_error)
    assert [error for error in thrown if "on purpose" not in error] == []


@pytest.fixture
def automated_page(tab: Page) -> Iterator[Page]:
    """A new tab in the same profile, which says that it is driven by software."""
    with watched(tab.context.new_page()) as page:
        yield page


@pytest.fixture
def page(tab: Page, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """The tab. Init scripts are those of one test."""
    added = []
    add = tab.add_init_script
    monkeypatch.setattr(tab, "add_init_script", lambda script: added.append(add(script)))
    route = tab.route

    def hold(*given: Any, **options: Any) -> None:
        with_routes.add(tab)
        route(*given, **options)

    monkeypatch.setattr(tab, "route", hold)
    with watched(tab) as page:
        yield page
    for script in added:
        script.close()


@pytest.fixture(params=["core", pytest.param("parts", marks=pytest.mark.thorough)])
def either(request: pytest.FixtureRequest, collector: Collector) -> str:
    """What the core does by itself, the parts do too: a thorough run asks both."""
    collector.tag = {"core": "", "parts": "data-max-retries=3"}[request.param]
    return str(request.param)
