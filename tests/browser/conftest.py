"""One Chromium for these tests, one for the visitors of websites and short links, and a tab for each file's box."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.chromium import USER_AGENT, launch, launch_beside
from tests.browser.tab import quiet, tab_of
from tests.browser.test_pages import context_of, sign_in
from tests.running import Box


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Closed after these tests: while it runs, no other test can run an event loop."""
    with launch(arguments=(f"--user-agent={USER_AGENT}",), light=True) as found:
        yield found


@pytest.fixture(scope="package")
def visitors(browser: Browser) -> Iterator[Browser]:
    """A browser as people have it, for the box counts no other.

    It says so as a whole: a beacon of a page that is left does not carry a context's user agent.
    """
    with launch_beside(browser, arguments=(f"--user-agent={USER_AGENT}",)) as found:
        yield found


@pytest.fixture(scope="module")
def tab(browser: Browser, box: Box) -> Iterator[Page]:
    """The tab of somebody who is signed in to the box of this file."""
    with tab_of(context_of(browser)) as page:
        sign_in(page, box)
        yield page


@pytest.fixture
def page(tab: Page) -> Iterator[Page]:
    """The same, in which nothing may be said on the console."""
    with quiet(tab) as page:
        yield page
