"""The system's Chromium, driven by Playwright; tests that need it skip where it is missing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

EXECUTABLE = Path("/usr/bin/chromium")
PATIENCE_MS = 30_000
"""How long an expectation may take to come true: a machine that does other work as well is slow, not wrong."""
SITE = "site.example"
"""A host name that leads to this machine, as all of *.example and *.local do: the tracker is silent on localhost."""

ARGUMENTS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
    "--host-resolver-rules=MAP *.example 127.0.0.1, MAP *.local 127.0.0.1",
)


@contextmanager
def launch(*, arguments: Sequence[str] = (), without: Sequence[str] = ()) -> Iterator[Browser]:
    """A headless Chromium that reaches nothing but this machine.

    `arguments` are added to its command line; `without` names arguments that Playwright would add by itself.
    """
    if not EXECUTABLE.exists():
        pytest.skip(f"{EXECUTABLE} is missing: install Debian's chromium (packaging/test.sh does it as root)")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=EXECUTABLE,
            args=[*ARGUMENTS, *arguments],
            ignore_default_args=list(without) or None,
        )
        try:
            yield browser
        finally:
            browser.close()
