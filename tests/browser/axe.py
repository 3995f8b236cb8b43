"""axe-core looks at a page: what is wrong with it for people who do not see, or who do not use a mouse."""

import atexit
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Literal
from weakref import WeakSet

import pytest
from playwright.sync_api import Page, expect

SCRIPT = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
CHOICE = Path(__file__).with_name("looking.js")
# Of what axe would fetch beforehand, only media: style sheets are for a rule that is off.
_OPTIONS = "{ resultTypes: ['violations'], preload: { assets: ['media'] }, ...options }"
_RUN = f"options => axe.run({_OPTIONS}).then(found => found.violations)"
_RUN_AT_CHOSEN = f"options => axe.run(looking.at(), {_OPTIONS}).then(found => found.violations)"
Scheme = Literal["light", "dark"]
Options = dict[str, Any]
_CONTRAST: Options = {"runOnly": ["color-contrast"]}  # the one rule that looks at colours, and half of all work
_ALL_BUT_CONTRAST: Options = {"rules": {"color-contrast": {"enabled": False}}}
_OF_PAGES: Options = {  # what no element shows alone
    "runOnly": [
        *("accesskeys", "aria-hidden-body", "bypass", "document-title", "duplicate-id-aria", "heading-order"),
        *("frame-title-unique", "html-has-lang", "html-lang-valid", "html-xml-lang-mismatch", "meta-refresh"),
        *("landmark-banner-is-top-level", "landmark-complementary-is-top-level", "landmark-contentinfo-is-top-level"),
        *("landmark-main-is-top-level", "landmark-no-duplicate-banner", "landmark-no-duplicate-contentinfo"),
        *("landmark-no-duplicate-main", "landmark-one-main", "landmark-unique", "page-has-heading-one"),
        *("meta-viewport", "meta-viewport-large", "region", "skip-link"),
    ]
}
PICTURES = "PICTURES_OF_PAGES"  # a folder: each page on a desk and on a phone, for people to look at
DESKTOP, PHONE, NARROW = (1280, 900), (390, 844), (360, 740)
_PICTURED: dict[tuple[int, int], Scheme] = {PHONE: "dark", DESKTOP: "light"}
_WIDTH = "document.documentElement.scrollWidth"
# Pages that load the script with every address: adding it to each that is there takes as long as looking at it.
_brought_along: "WeakSet[Page]" = WeakSet()
_calm: "WeakSet[Page]" = WeakSet()  # pages that are told that nothing shall move
_READY = """known => {
  for (const menu of document.querySelectorAll("details")) menu.open = true;
  window.looking?.know(known);
  return "looking" in window;
}"""


class _Known:
    """What axe has looked at in this run: colours with their size and what they stand on, how elements and pages are
    built. Each is looked at once. Whole pages take axe a second, and nearly all of each was there on another.

    Where tests run in several processes, these tell each other by a file.
    """

    def __init__(self) -> None:
        self._names: set[str] = set()
        run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
        self._file = Path(gettempdir()) / f"axe-{run}" if run else None
        if self._file:
            atexit.register(self._file.unlink, missing_ok=True)  # who ends first leaves the others to themselves

    def add(self, names: Iterable[str]) -> None:
        new = set(names) - self._names
        self._names |= new
        if new and self._file:
            with self._file.open("a") as told:
                told.write(f" {' '.join(new)} ")

    def __str__(self) -> str:
        if self._file and self._file.exists():
            self._names.update(self._file.read_text().split())
        return " ".join(self._names)


_known = _Known()


Look = Callable[[Page], list[str]]


def _nothing(page: Page) -> list[str]:
    return []


def faults(page: Page, address: str, on_a_phone: Look = _nothing, *, pictured: bool = True) -> list[str]:
    """What is wrong at this address on a desk and on a phone: what axe finds, and where the page scrolls sideways.

    `on_a_phone` says what else is wrong there.
    """
    resize(page, NARROW)
    _open(page, address)
    return faults_here(page, on_a_phone, pictured=pictured)


def faults_here(page: Page, on_a_phone: Look = _nothing, *, pictured: bool = True) -> list[str]:
    """What is wrong with the page as it is. It is not loaded again: it gets more room, and less."""
    found = _unfit(page, on_a_phone, pictured) + violations_here(page)
    resize(page, NARROW)
    return found + _look_at_what_is_new(page)


def _unfit(page: Page, on_a_phone: Look, pictured: bool) -> list[str]:
    found = []
    taken = pictured and PICTURES in os.environ
    for size in (NARROW, PHONE, DESKTOP) if taken else (NARROW, DESKTOP):
        resize(page, size)
        if taken and size in _PICTURED:
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
    if page.viewport_size != {"width": size[0], "height": size[1]}:
        page.set_viewport_size({"width": size[0], "height": size[1]})


def _open(page: Page, address: str) -> None:
    if page not in _brought_along and SCRIPT.exists():
        page.add_init_script(f"window.bringAxe = () => {{ {SCRIPT.read_text()} }}; {CHOICE.read_text()}")
        _brought_along.add(page)
    _calm_down(page)
    page.goto(address)
    expect(page.locator("#page [aria-busy=true]")).to_have_count(0)


def violations_here(page: Page) -> list[str]:
    """What is wrong with the page as it is, in light and dark, with all menus open."""
    if not SCRIPT.exists():
        pytest.skip(f"{SCRIPT} is missing: run npm ci in web/ (packaging/test.sh does it)")
    _calm_down(page)
    if not page.evaluate(_READY, str(_known)):
        page.evaluate(f"{SCRIPT.read_text()}; {CHOICE.read_text()}")
        page.evaluate(_READY, str(_known))
    found = _look_at_what_is_new(page, as_a_whole=True) + _look_in_the_dark(page)
    page.emulate_media(color_scheme="light")
    return found


def _calm_down(page: Page) -> None:
    """Let no colour be on its way to another."""
    if page not in _calm:
        page.emulate_media(color_scheme="light", reduced_motion="reduce")
        _calm.add(page)


def _look_at_what_is_new(page: Page, *, as_a_whole: bool = False) -> list[str]:
    """What is wrong with elements that are built or look as none did before, and with the page if it is a new kind."""
    new = page.evaluate("looking.choose()")
    found = _look(page, "light", _RUN, _OF_PAGES) if as_a_whole and new["outline"] else []
    if new["structures"]:
        found += _look(page, "light", _RUN_AT_CHOSEN, {} if new["looks"] else _ALL_BUT_CONTRAST)
    elif new["looks"]:
        found += _look(page, "light", _RUN_AT_CHOSEN, _CONTRAST)
    if not found:
        _known.add((*new["structures"], *new["looks"], *(new["outline"] if as_a_whole else ())))
    return found


def _look_in_the_dark(page: Page) -> list[str]:
    """Contrast of text whose look was not seen before."""
    page.emulate_media(color_scheme="dark")
    looks = page.evaluate("looking.chooseLooks()")
    found = _look(page, "dark", _RUN_AT_CHOSEN, _CONTRAST) if looks else []
    if not found:
        _known.add(looks)
    return found


def _look(page: Page, scheme: Scheme, run: str, options: Options) -> list[str]:
    for frame in page.frames:
        frame.evaluate("'axe' in window || window.bringAxe?.()")
    return [
        f"{page.url} {scheme} {wrong['id']}: {wrong['nodes'][0]['html'][:200]}" for wrong in page.evaluate(run, options)
    ]
