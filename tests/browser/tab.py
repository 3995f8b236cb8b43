"""One tab for all tests of a file: a new one, with its process, is half of the work of a short test."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Page

# The page goes by itself: sent by the browser, it would get another process.
_LEAVE = "sessionStorage.clear(); localStorage.clear(); location.href = 'about:blank'"
REFUSED = "Failed to load resource: the server responded with a status of 4"
"""What the console says of a form that is answered with its mistakes."""


@contextmanager
def tab_of(context: BrowserContext) -> Iterator[Page]:
    """A new tab of a profile that is closed with it."""
    yield context.new_page()
    context.close()


@contextmanager
def quiet(page: Page, but: tuple[str, ...] = ()) -> Iterator[Page]:
    """The tab, whose pages must say nothing on the console: that also covers their security policy.

    What begins as `but` says is no fault. Afterwards the tab is alone, blank and as large as before; routes, and what
    pages have stored, are gone. An init script stays, and so would a clock.
    """
    said: list[str] = []
    size = page.viewport_size

    def on_console(message: ConsoleMessage) -> None:
        said.append(message.text)

    def on_error(error: Error) -> None:
        said.append(str(error))

    page.on("console", on_console)
    page.on("pageerror", on_error)
    yield page
    page.remove_listener("console", on_console)
    page.remove_listener("pageerror", on_error)
    _clear(page)
    if size and size != page.viewport_size:
        page.set_viewport_size(size)
    assert [text for text in said if not text.startswith(but)] == []


def _clear(page: Page) -> None:
    for other in page.context.pages:
        if other != page:
            other.close()
    page.unroute_all()
    if page.url.startswith("http"):
        page.evaluate(_LEAVE)
        page.wait_for_url("about:blank")
    page.mouse.move(0, 0)
