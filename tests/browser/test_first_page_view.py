"""The whole way of a page view: a real browser on a real site, the tracker, the box, the query, the dashboard."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import SITE
from tests.browser.website import website
from tests.running import EMAIL, PASSWORD, Account, serving, set_up

PATIENCE_SECONDS = 20.0

pytestmark = pytest.mark.browser


def eventually(look: Callable[[], bool]) -> None:
    """Return once it is so; the events of a page that is left travel on their own."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not look():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.05)


def ask(url: str, account: Account, *parameters: str) -> dict[str, list[dict[str, Any]]]:
    """Today's rows of these query types, by type."""
    answer = httpx.post(
        f"{url}/v1/query",
        params={"website_id": account.website_id},
        headers={"x-api-key": account.api_key},
        json={"parameters": list(parameters), "preset": "last_7d"},
    )
    return {entry["parameter"]: entry["data"] for entry in answer.json()["data"]}


def visit(page: Page, site: str, seen: Callable[[str], int]) -> None:
    """Come from elsewhere, go on inside the page, send an event, follow a link, leave.

    `seen` is how many events of a name have arrived: a page is left when its view is among them.
    """
    page.goto(f"{site}/?utm_source=hn")
    eventually(lambda: seen("screen_view") == 1)
    page.evaluate("history.pushState({}, '', '/docs/start')")
    page.evaluate("databuddy.track('signup', {plan: 'pro'})")
    eventually(lambda: seen("screen_view") == 2)
    page.click("a")
    page.wait_for_url("**/pricing.html")
    eventually(lambda: seen("screen_view") == 3)
    page.close(run_before_unload=True)
    eventually(lambda: seen("page_exit") == 3)


def stored(data_dir: Path) -> list[tuple[str, str]]:
    """Name and path of every event in events.db, in the order of arrival."""
    db = apsw.Connection(str(data_dir / "events.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        rows = db.execute(
            """
            select name.value, path.value from events
            join strings name on name.id = events.name
            join strings path on path.id = events.path
            where bot = 0
            order by events.id
            """
        ).fetchall()
    finally:
        db.close()
    return [(str(name), str(path)) for name, path in rows]


def test_a_page_view_travels_from_the_page_to_the_dashboard(
    browser: Browser, visitors: Browser, tmp_path: Path
) -> None:
    data_dir, pages = tmp_path / "data", tmp_path / "site"
    pages.mkdir()
    account = set_up(data_dir, domain=SITE)
    with serving(data_dir) as server:
        script = (
            f'<script defer src="{server.url}/script.js" data-client-id="{account.website_id}" '
            "data-ignore-bot-detection></script>"
        )
        with website(pages, script) as site:
            visitor = visitors.new_context()
            page = visitor.new_page()
            problems: list[str] = []
            page.on("pageerror", lambda error: problems.append(str(error)))
            visit(page, site, lambda wanted: sum(name == wanted for name, _ in stored(data_dir)))
            assert problems == []

        views = [path for name, path in stored(data_dir) if name == "screen_view"]
        assert views == ["/", "/docs/start", "/pricing.html"]
        assert ("signup", "/docs/start") in stored(data_dir)

        rows = ask(
            server.url, account, "summary_totals", "top_pages", "traffic_sources", "custom_events", "browser_name"
        )
        (totals,) = rows["summary_totals"]
        assert (totals["pageviews"], totals["visitors"], totals["sessions"]) == (3, 1, 1)
        assert {row["path"] for row in rows["top_pages"]} == {"/", "/docs/start", "/pricing.html"}
        assert [(row["name"], row["visitors"]) for row in rows["traffic_sources"]] == [("Hacker News", 1)]
        assert [(row["name"], row["total_events"]) for row in rows["custom_events"]] == [("signup", 1)]
        assert [row["name"] for row in rows["browser_name"]] == ["Chrome"]

        dashboard = browser.new_context().new_page()
        dashboard.goto(f"{server.url}/sites/{account.website_id}")
        dashboard.fill("#email", EMAIL)
        dashboard.fill("#password", PASSWORD)
        dashboard.click("button[type=submit]")
        dashboard.wait_for_url(f"**/sites/{account.website_id}")
        shown = dashboard.locator("main")
        dashboard.get_by_text("More panels").click()
        for words in ("/docs/start", "Hacker News", "signup"):
            expect(shown).to_contain_text(words)
        expect(dashboard.locator("#tile-visitors .tile-value")).to_have_text("1")


@pytest.mark.thorough
def test_the_first_event_turns_the_snippet_into_the_overview(
    browser: Browser, visitors: Browser, tmp_path: Path
) -> None:
    data_dir, pages = tmp_path / "data", tmp_path / "site"
    pages.mkdir()
    account = set_up(data_dir, domain="localhost")
    with serving(data_dir) as server:
        dashboard = browser.new_context().new_page()
        dashboard.goto(f"{server.url}/sites/{account.website_id}")
        dashboard.fill("#email", EMAIL)
        dashboard.fill("#password", PASSWORD)
        dashboard.click("button[type=submit]")
        expect(dashboard.locator("#snippet")).to_be_visible()
        dashboard.wait_for_load_state()  # the style sheet hides what is not ticked
        snippet = dashboard.locator("#snippet").inner_text()
        assert "data-track-localhost" in snippet

        # What a person would do on their own machine: paste the line, open the page on localhost.
        with website(pages, snippet) as site:
            person = visitors.new_context()
            person.add_init_script("Object.defineProperty(navigator, 'webdriver', {get: () => false})")
            person.new_page().goto(site.replace(SITE, "localhost"))
            counted = dashboard.locator("#tile-visitors .tile-value")
            expect(counted).to_have_text("1", timeout=PATIENCE_SECONDS * 1000)
