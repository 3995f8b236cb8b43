"""A browser, a collector and a page that the tracker runs on."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

from tests.browser.chromium import USER_AGENT, launch, launch_beside
from tests.tracker.collector import Collector, collecting
from tests.tracker.visits import NOT_AUTOMATED, forget

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
def profiles() -> dict[Browser, BrowserContext]:
    """The profile of each browser, closed with it: a new one is half of the work of a test."""
    return {}


@pytest.fixture
def profile(browser: Browser, profiles: dict[Browser, BrowserContext]) -> Iterator[BrowserContext]:
    """One that knows nothing of other tests."""
    if browser not in profiles:
        size = ViewportSize(width=800, height=600)
        profiles[browser] = browser.new_context(viewport=size, locale="en-GB", timezone_id="Europe/Oslo")
    found = profiles[browser]
    yield found
    if forget(found):
        return
    found.close()
    del profiles[browser]


@pytest.fixture
def automated_page(profile: BrowserContext) -> Iterator[Page]:
    """A tab of its own, 800 x 600, that fails the test if the tracker throws anything at the page."""
    page = profile.new_page()
    thrown: list[str] = []
    page.on("pageerror", lambda error: thrown.append(str(error)))
    yield page
    assert [error for error in thrown if "on purpose" not in error] == []


@pytest.fixture
def page(automated_page: Page) -> Page:
    """The same, in a browser that does not say that it is driven by software."""
    automated_page.add_init_script(NOT_AUTOMATED)
    return automated_page


@pytest.fixture(params=["core", pytest.param("parts", marks=pytest.mark.thorough)])
def either(request: pytest.FixtureRequest, collector: Collector) -> str:
    """What the core does by itself, the parts do too: a thorough run asks both."""
    collector.tag = {"core": "", "parts": "data-max-retries=3"}[request.param]
    return str(request.param)
