"""A browser, a collector and a page that the tracker runs on."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.chromium import launch
from tests.tracker.collector import Collector, collecting
from tests.tracker.visits import NOT_AUTOMATED

USER_AGENT = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36"
)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One Chromium for these tests, closed after them: while it runs, no other test can run an event loop.

    The back/forward cache is on, as in a visitor's browser, and it calls itself one, in beacons too.
    """
    with launch(arguments=(f"--user-agent={USER_AGENT}",), without=["--disable-back-forward-cache"]) as browser:
        yield browser


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as collector:
        yield collector


@pytest.fixture
def automated_page(browser: Browser) -> Iterator[Page]:
    """A tab of its own, 800 x 600, that fails the test if the tracker throws anything at the page."""
    context = browser.new_context(viewport={"width": 800, "height": 600}, locale="en-GB", timezone_id="Europe/Oslo")
    page = context.new_page()
    thrown: list[str] = []
    page.on("pageerror", lambda error: thrown.append(str(error)))
    yield page
    context.close()
    assert [error for error in thrown if "on purpose" not in error] == []


@pytest.fixture
def page(automated_page: Page) -> Page:
    """The same, in a browser that does not say that it is driven by software."""
    automated_page.add_init_script(NOT_AUTOMATED)
    return automated_page


@pytest.fixture(params=["core", "parts"])
def either(request: pytest.FixtureRequest, collector: Collector) -> str:
    """What the core does by itself, the parts do too: the tests of it run with both."""
    collector.tag = {"core": "", "parts": "data-max-retries=3"}[request.param]
    return str(request.param)
