"""What a visitor does, as scripts for the page."""

from weakref import WeakSet

from playwright.sync_api import BrowserContext, Page

NOT_AUTOMATED = "Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false })"
"""An init script for tests of rules that would hide behind the one for automated browsers."""

REMEMBER_SENDINGS = """
  window.sendings = [];
  const send = window.fetch;
  window.fetch = (...request) => {
    const sending = send(...request);
    sendings.push(sending);
    return sending;
  };
"""
"""An init script for `wait_until_answered`."""

_VISIBILITY = """hidden => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  Object.defineProperty(document, "visibilityState", { value: hidden ? "hidden" : "visible", configurable: true });
  document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
}"""


def hide(page: Page) -> None:
    """Switches to another tab, as far as the page can tell."""
    page.evaluate(_VISIBILITY, True)


def leave(page: Page) -> None:
    """Leaves, as far as the page can tell, which stays to send all that it would have sent."""
    hide(page)
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))")


def show(page: Page) -> None:
    """Comes back to the tab."""
    page.evaluate(_VISIBILITY, False)


def push(page: Page, address: str, title: str | None = None) -> None:
    """Navigates inside the page, which sets its title after the address as routers do."""
    page.evaluate("address => history.pushState(null, '', address)", address)
    if title is not None:
        page.evaluate("title => { document.title = title }", title)


def track(page: Page, name: str, properties: object = None) -> None:
    """Tells the tracker of an event."""
    page.evaluate("([name, properties]) => databuddy.track(name, properties)", [name, properties])


def wait_until_answered(page: Page) -> None:
    """Returns when the tracker has seen the answers to all that it has fetched so far."""
    page.evaluate("Promise.allSettled(sendings).then(() => null)")


_with_a_clock: "WeakSet[BrowserContext]" = WeakSet()


def install_clock(page: Page) -> None:
    """Gives all pages of the profile, and those still to come, a clock that can be stopped and moved."""
    _with_a_clock.add(page.context)
    page.clock.install()


def start_clock(page: Page) -> None:
    """The same for rows that share a tab: the clock that the row before stopped goes on."""
    if page.context in _with_a_clock:
        page.clock.resume()
    else:
        install_clock(page)


def stop_clock(page: Page) -> None:
    """Stops the page's clock, installed before, one second from now; from then on it goes only where it is moved."""
    page.clock.pause_at(page.evaluate("Date.now()") / 1_000 + 1)


# The page goes by itself: sent by the browser, it would get another process.
_GO = "try { sessionStorage.clear() } catch {} location.href = 'about:blank'"


with_routes: "WeakSet[Page]" = WeakSet()  # what a route holds back may still be on its way in the next test


def forget(profile: BrowserContext, tab: Page) -> bool:
    """Closes all but this tab, which is blank then, and forgets what sites have stored; whether both can be used again.

    A clock that was installed stays: a stopped one never goes on, and under any an error in a timeout is not told.
    """
    if profile in _with_a_clock or tab in with_routes or tab.is_closed():
        return False
    for page in profile.pages:
        if page != tab:
            page.close()
    if tab.url != "about:blank":
        tab.evaluate(_GO)
        tab.wait_for_url("about:blank")
    session = profile.new_cdp_session(tab)
    session.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
    session.detach()
    profile.clear_cookies()
    profile.set_offline(False)
    return True
