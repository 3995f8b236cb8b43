"""The system's Chromium, driven by Playwright; tests that need it skip where it is missing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserType, Page, expect, sync_playwright

EXECUTABLE = Path("/usr/bin/chromium")
SHELL = Path("/usr/lib/chromium/chromium-headless-shell")
"""The same without windows: it shows a page with two thirds of the work, and says in its headers what it is."""
PATIENCE_MS = 30_000
"""How long an expectation may take to come true: a machine that does other work as well is slow, not wrong."""
SITE = "site.example"
"""A host name that leads to this machine, as all of *.example and *.local do: the tracker is silent on localhost."""

USER_AGENT = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36"
)

ARGUMENTS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
    "--host-resolver-rules=MAP *.example 127.0.0.1, MAP *.local 127.0.0.1",
)
# Pages of tests are gone before code that took time to optimize would have saved any.
QUICK = ("--js-flags=--no-opt --no-maglev",)


def as_people_have_it(page: Page) -> None:
    """Let a page of the shell say that it is one of a whole Chromium, so that the box counts who visits with it.

    A beacon says what the shell is all the same: who leaves pages needs the whole one.
    """
    brands = [{"brand": "Chromium", "version": "138"}, {"brand": "Google Chrome", "version": "138"}]
    about = {"platform": "Windows", "platformVersion": "10.0", "architecture": "x86", "model": "", "mobile": False}
    page.context.new_cdp_session(page).send(
        "Emulation.setUserAgentOverride",
        {"userAgent": USER_AGENT, "userAgentMetadata": {"brands": brands, **about}},
    )


@contextmanager
def launch(*, arguments: Sequence[str] = (), without: Sequence[str] = (), light: bool = False) -> Iterator[Browser]:
    """A headless Chromium that reaches nothing but this machine.

    `arguments` are added to its command line; `without` names arguments that Playwright would add by itself; `light`
    takes the shell where it is there, which is enough for whoever uses the box, and not for the visitors it counts.
    """
    expect.set_options(timeout=PATIENCE_MS)
    executable = SHELL if light and SHELL.exists() else EXECUTABLE
    arguments = (*arguments, *QUICK) if light else arguments
    with sync_playwright() as playwright, _launched(playwright.chromium, executable, arguments, without) as browser:
        yield browser


@contextmanager
def launch_beside(browser: Browser, *, arguments: Sequence[str] = (), without: Sequence[str] = ()) -> Iterator[Browser]:
    """A whole Chromium while another browser runs."""
    with _launched(browser.browser_type, EXECUTABLE, arguments, without) as found:
        yield found


@contextmanager
def _launched(
    kind: BrowserType, executable: Path, arguments: Sequence[str], without: Sequence[str] = ()
) -> Iterator[Browser]:
    if not executable.exists():
        pytest.skip(f"{executable} is missing: install Debian's chromium (packaging/test.sh does it as root)")
    browser = kind.launch(
        executable_path=executable, args=[*ARGUMENTS, *arguments], ignore_default_args=list(without) or None
    )
    try:
        yield browser
    finally:
        browser.close()
