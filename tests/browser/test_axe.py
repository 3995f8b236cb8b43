"""axe looks only at what is new, and finds whatever is wrong on a page that is like others."""

import re

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.axe import SCRIPT, faults
from tests.browser.chromium import SITE
from tests.browser.constructs import showing_all
from tests.examples import is_thorough
from tests.tracker.collector import collecting

pytestmark = [pytest.mark.browser, pytest.mark.node]

PAGE = """<!doctype html><html lang=en><title>Page</title><meta name=viewport content="width=device-width">
<style>
h1 { color: #000 }
.low { color: #eee }
.phone { display: none }
@media (max-width: 600px) { .phone { display: block } }
@media (prefers-color-scheme: dark) { body, h1, a { background: #000; color: #fff } .dark { color: #111 } }
</style>
<header><a href="#main">Skip</a></header><main id=main><h1>Title</h1>
<p>Text</p><form><label for=name>Name</label><input id=name><button>Send</button></form><ul><li>One</li></ul></main>"""
# What is put into the page that was clean, and the rule that it breaks.
BREAKS = {
    "color-contrast": "<p class=low>Text</p>",
    "label": "<form><label for=name></label><input id=other></form>",
    "heading-order": "<h5>Five</h5>",
    "button-name": "<form><button><span aria-hidden=true>x</span></button></form>",
    "link-name": "<p><a href=/></a></p>",
    "image-alt": "<p><img src=data:,></p>",
    "aria-roles": "<p role=buttn>Text</p>",
    "aria-valid-attr-value": "<form><button aria-expanded=maybe>Send</button></form>",
    "list": "<ul><div>One</div></ul>",
    "listitem": "<div><li>One</li></div>",
    "nested-interactive": "<form><button>Send <a href=/>on</a></button></form>",
    "aria-hidden-focus": "<form aria-hidden=true><button>Send</button></form>",
    "landmark-no-duplicate-main": "</main><main>Text",
    "region": "</main><p>Text</p>",
    "select-name": "<form class=phone><select><option>One</select></form>",
    "autocomplete-valid": "<form><label for=mail>Mail</label><input id=mail autocomplete=badvalue></form>",
}


def broken_rules(page: Page, address: str) -> set[str]:
    """What is broken there, and in which scheme."""
    return {found[1] for one in faults(page, address) if (found := re.search(r" ((?:light|dark) [\w-]+): ", one))}


@pytest.mark.thorough
def test_violation_is_found_on_a_page_that_looks_like_a_clean_one(browser: Browser) -> None:
    if not SCRIPT.exists():
        pytest.skip(f"{SCRIPT} is missing: run npm ci in web/ (packaging/test.sh does it)")
    page = browser.new_page()
    with collecting() as server:
        server.pages["/"] = (PAGE, {})
        server.pages["/broken"] = (PAGE.replace("</main>", "".join(BREAKS.values()) + "</main>"), {})
        server.pages["/dark"] = (PAGE.replace("<p>", "<p class=dark>"), {})
        site = f"http://{SITE}:{server.port}"
        assert faults(page, f"{site}/") == []
        for _ in range(2):  # what was wrong once is not known to be right
            assert {f"light {rule}" for rule in BREAKS} <= broken_rules(page, f"{site}/broken")
        assert broken_rules(page, f"{site}/dark") == {"dark color-contrast"}
        assert faults(page, f"{site}/") == []
    page.close()


def test_pages_are_chosen_that_show_together_what_all_show() -> None:
    table, plain = "<main><h1>A</h1><table class=wide></table></main>", "<main><h1>A</h1></main>"
    pages = {"plain": plain, "table": table, "again": table, "deep": "<main><h1>A</h1><h3>B</h3></main>"}
    assert set(showing_all(pages)) == (set(pages) if is_thorough() else {"table", "deep"})
