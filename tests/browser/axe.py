"""axe-core looks at a page: what is wrong with it for people who do not see, or who do not use a mouse."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal
from weakref import WeakSet

import pytest
from playwright.sync_api import Page, expect

SCRIPT = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
# Of what axe would fetch beforehand, only media: style sheets are for a rule that is off.
_RUN = """options => axe.run({ resultTypes: ['violations'], preload: { assets: ['media'] }, ...options })
    .then(found => found.violations)"""
Scheme = Literal["light", "dark"]
Options = dict[str, Any]
_EVERY_RULE: Options = {}
_CONTRAST: Options = {"runOnly": ["color-contrast"]}  # the one rule that looks at colours, and half of all work
_ALL_BUT_CONTRAST: Options = {"rules": {"color-contrast": {"enabled": False}}}
PICTURES = "PICTURES_OF_PAGES"  # a folder: each page on a desk and on a phone, for people to look at
DESKTOP, PHONE, NARROW = (1280, 900), (390, 844), (360, 740)
_PICTURED: dict[tuple[int, int], Scheme] = {PHONE: "dark", DESKTOP: "light"}
_WIDTH = "document.documentElement.scrollWidth"
# Pages that load the script with every address: adding it to each that is there takes as long as looking at it.
_brought_along: "WeakSet[Page]" = WeakSet()
# Pages whose colours were seen on a phone: only the frame has others than on a desk, and it is the same everywhere.
_seen_on_a_phone: "WeakSet[Page]" = WeakSet()


Look = Callable[[Page], list[str]]


def _nothing(page: Page) -> list[str]:
    return []


def faults(page: Page, address: str, on_a_phone: Look = _nothing) -> list[str]:
    """What is wrong at this address on a desk and on a phone: what axe finds, and where the page scrolls sideways.

    `on_a_phone` says what else is wrong there.
    """
    resize(page, NARROW)
    _open(page, address)
    return faults_here(page, on_a_phone)


def faults_of_a_text(page: Page, address: str, on_a_phone: Look = _nothing) -> list[str]:
    """The same of one of many pages of text, which have the colours and the frame of one that is looked at wholly."""
    resize(page, NARROW)
    _open(page, address)
    return _unfit(page, on_a_phone) + _look(page, "light", _ALL_BUT_CONTRAST)


def faults_here(page: Page, on_a_phone: Look = _nothing) -> list[str]:
    """What is wrong with the page as it is. It is not loaded again: it gets more room, and less."""
    found = _unfit(page, on_a_phone) + violations_here(page)
    resize(page, PHONE)
    if page in _seen_on_a_phone:
        return found + _look(page, "light", _ALL_BUT_CONTRAST)
    _seen_on_a_phone.add(page)
    return found + violations_here(page)


def _unfit(page: Page, on_a_phone: Look) -> list[str]:
    found = []
    for size in (NARROW, PHONE, DESKTOP):
        resize(page, size)
        if size in _PICTURED:
            keep_picture(page, _PICTURED[size])
        if page.evaluate(_WIDTH) > size[0]:
            found.append(f"{page.url} is wider than {size[0]} pixels")
        if size != DESKTOP:
            found += [f"{page.url} at {size[0]} pixels: {wrong}" for wrong in on_a_phone(page)]
    return found


def keep_picture(page: Page, scheme: Scheme) -> None:
    """A picture of the page as it is, in the folder that PICTURES_OF_PAGES names; none without."""
    if not (folder := os.environ.get(PICTURES)):
        return
    address = re.sub(r"[A-Za-z0-9_-]{20}", "id", page.url.partition("//")[2].partition("/")[2]) or "home"
    name = re.sub(r"[^A-Za-z0-9]+", "-", address).strip("-")[:100]
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    width = page.viewport_size["width"] if page.viewport_size else 0
    page.screenshot(path=Path(folder) / f"{name}-{width}-{scheme}.jpg", type="jpeg", quality=60, full_page=True)
    page.emulate_media(color_scheme="light")


def resize(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})


def violations(page: Page, address: str) -> list[str]:
    """What is wrong at this address, in light and dark, with all menus open."""
    _open(page, address)
    return violations_here(page)


def _open(page: Page, address: str) -> None:
    if page not in _brought_along and SCRIPT.exists():
        page.add_init_script(path=SCRIPT)
        _brought_along.add(page)
    page.goto(address)
    expect(page.locator("#page [aria-busy=true]")).to_have_count(0)


def violations_here(page: Page) -> list[str]:
    """What is wrong with the page as it is, in light and dark, with all menus open."""
    if not SCRIPT.exists():
        pytest.skip(f"{SCRIPT} is missing: run npm ci in web/ (packaging/test.sh does it)")
    page.evaluate("for (const menu of document.querySelectorAll('details')) menu.open = true")
    if not page.evaluate("'axe' in window"):
        page.evaluate(SCRIPT.read_text())
    found = _look(page, "light", _EVERY_RULE) + _look(page, "dark", _CONTRAST)
    page.emulate_media(color_scheme="light")
    return found


def _look(page: Page, scheme: Scheme, options: Options) -> list[str]:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # no colour is on its way to another
    return [
        f"{page.url} {scheme} {wrong['id']}: {wrong['nodes'][0]['html'][:200]}"
        for wrong in page.evaluate(_RUN, options)
    ]
