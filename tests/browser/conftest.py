"""One Chromium for these tests, and one for the visitors of websites and short links."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.chromium import USER_AGENT, launch, launch_beside


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
