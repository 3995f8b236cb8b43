"""The actions of a visitor on a website, from the real script to the pages of figures: searches, missing pages, forms,
scrolling, dead clicks, properties of page views, and events that do not prevent a bounce."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import SITE
from tests.browser.test_first_page_view import ask, eventually, stored
from tests.browser.test_pages import sign_in
from tests.browser.website import website
from tests.running import Box, serving, set_up

pytestmark = pytest.mark.browser

# Tables of the pages of figures, and texts in them.
SHOWN = {
    "searches": ("blue shoes",),
    "missing": ("/gone.html", "/form.html"),
    "fields": ("phone",),
    "dead": ("button#stuck",),
    "reach": ("100%", "3"),
}
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
FORM = """<form id="order" action="/gone"><input name="mail" id="mail"><input name="phone" id="phone"></form>
<button id="stuck">Nothing happens</button><div style="height: 5000px"></div>"""


def test_engagement_travels_from_the_script_to_the_pages_of_figures(
    browser: Browser, visitors: Browser, tmp_path: Path
) -> None:
    data_dir, pages = tmp_path / "data", tmp_path / "site"
    pages.mkdir()
    account = set_up(data_dir, domain=SITE)
    with serving(data_dir) as server:
        script = (
            f'<script defer src="{server.url}/script.js" data-client-id="{account.website_id}"'
            ' data-ignore-bot-detection data-track-search="keyword" data-track-not-found data-track-interactions'
            """ data-global-properties='{"author": "Ann"}'></script>"""
        )
        (pages / "form.html").write_text(f"<!doctype html><title>Order</title>{script}{FORM}")
        (pages / "gone.html").write_text(
            f"<!doctype html><title>Gone</title>{script}<main data-page-status=404>Gone</main>"
        )
        with website(pages, script) as site:
            page = visitors.new_context().new_page()
            _visit(page, site, data_dir)
            bouncing = visitors.new_context(user_agent=FIREFOX).new_page()
            bouncing.goto(f"{site}/pricing.html")
            bouncing.evaluate("databuddy.track('autoplay', {}, {interactive: false})")
            _wait_for(data_dir, "autoplay", 1)
        (sessions,) = ask(server.url, account, "session_metrics")["session_metrics"]
        # The second visitor has one page view and an event that is not interactive.
        assert (sessions["total_sessions"], sessions["bounce_rate"]) == (2, 50.0)
        dashboard = browser.new_context().new_page()
        sign_in(dashboard, Box(server, account))
        home = f"{server.url}/sites/{account.website_id}"
        for table, texts in SHOWN.items():
            dashboard.goto(f"{home}/details/{table}?range=today&wait=all")
            for text in texts:
                expect(dashboard.locator("main")).to_contain_text(text)
        for filters, pageviews in (("event_property=author%3DAnn", "4"), ("event_property=author%3DBob", "0")):
            dashboard.goto(f"{home}?range=today&wait=all&{filters}")
            expect(dashboard.locator("#tile-pageviews .tile-value")).to_have_text(pageviews)


def _wait_for(data_dir: Path, name: str, count: int) -> None:
    eventually(lambda: sum(one == name for one, _path in stored(data_dir)) == count)


def _visit(page: Page, site: str, data_dir: Path) -> None:
    """Search, leave a form at its second field, click without effect, scroll, and follow a broken link."""
    page.goto(f"{site}/?keyword=Blue+shoes&q=ignored")
    _wait_for(data_dir, "site_search", 1)
    page.goto(f"{site}/form.html")
    _wait_for(data_dir, "screen_view", 2)
    page.fill("#mail", "ann@example.org")
    page.fill("#phone", "1")
    page.click("#stuck", delay=80)  # released after the field that loses the focus has reported its change
    clicked = page.evaluate("performance.now()")
    page.wait_for_function(f"performance.now() > {clicked + 1500}")  # the script waits a second for an effect
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    page.wait_for_function("window.scrollY > 1000")
    page.evaluate("location.href = '/gone.html'")
    _wait_for(data_dir, "not_found", 1)
    page.close(run_before_unload=True)
    _wait_for(data_dir, "page_exit", 3)
