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


_clocks_stopped: "WeakSet[BrowserContext]" = WeakSet()


def stop_clock(page: Page) -> None:
    """Stops the page's clock, installed before, one second from now; from then on it goes only where it is moved."""
    _clocks_stopped.add(page.context)
    page.clock.pause_at(page.evaluate("Date.now()") / 1_000 + 1)


def forget(profile: BrowserContext) -> bool:
    """Closes what is open and forgets what sites have stored; whether the profile can be used again.

    A clock that was stopped never goes on.
    """
    if profile in _clocks_stopped:
        return False
    for page in profile.pages[1:]:
        page.close()
    for page in profile.pages:
        session = profile.new_cdp_session(page)
        session.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
        page.close()
    profile.clear_cookies()
    profile.set_offline(False)
    return True
