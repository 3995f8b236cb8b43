"""axe-core looks at a page: what is wrong with it for people who do not see, or who do not use a mouse."""

from pathlib import Path
from typing import Literal
from weakref import WeakSet

import pytest
from playwright.sync_api import Page, expect

SCRIPT = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
# Of what axe would fetch beforehand, only media: style sheets are for a rule that is off.
_RUN = """options => axe.run({ resultTypes: ['violations'], preload: { assets: ['media'] }, ...options })
    .then(found => found.violations)"""
# Every rule in the light; of the rules, that of contrast alone looks at colours.
_LOOKS: tuple[tuple[Literal["light", "dark"], dict[str, list[str]]], ...] = (
    ("light", {}),
    ("dark", {"runOnly": ["color-contrast"]}),
)
# Pages that load the script with every address: adding it to each that is there takes as long as looking at it.
_brought_along: "WeakSet[Page]" = WeakSet()


def violations(page: Page, address: str) -> list[str]:
    """What is wrong at this address, in light and dark, with all menus open."""
    if page not in _brought_along and SCRIPT.exists():
        page.add_init_script(path=SCRIPT)
        _brought_along.add(page)
    page.goto(address)
    expect(page.locator("#page [aria-busy=true]")).to_have_count(0)
    return violations_here(page)


def violations_here(page: Page) -> list[str]:
    """What is wrong with the page as it is, in light and dark, with all menus open."""
    if not SCRIPT.exists():
        pytest.skip(f"{SCRIPT} is missing: run npm ci in web/ (packaging/test.sh does it)")
    page.evaluate("for (const menu of document.querySelectorAll('details')) menu.open = true")
    if not page.evaluate("'axe' in window"):
        page.add_script_tag(path=SCRIPT)
    found = []
    for scheme, options in _LOOKS:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # no colour is on its way to another
        found += [
            f"{page.url} {scheme} {wrong['id']}: {wrong['nodes'][0]['html'][:200]}"
            for wrong in page.evaluate(_RUN, options)
        ]
    page.emulate_media(color_scheme="light")
    return found
