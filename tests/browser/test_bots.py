"""The page of bots in a real browser: clean for axe, no wider than the screen, and all of it without scripts."""

import json
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import faults
from tests.browser.test_pages import HOSTILE, SETTINGS, context_of, sign_in, site
from tests.running import Box, running_box

pytestmark = pytest.mark.browser

PROGRAMS = ("Googlebot/2.1", "Labrador-monitor/3", *(f"bot {text}"[:200] for text in HOSTILE))


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """A box that bots have come to, some with names that want to do harm."""
    with running_box(tmp_path_factory.mktemp("bots") / "data", **SETTINGS) as running:
        for program in PROGRAMS:
            hit(running, program)
        yield running


def hit(box: Box, user_agent: str) -> int:
    event = {"name": "screen_view", "path": "https://example.com/", "anonymousId": "anon"}
    headers = {"user-agent": user_agent.encode("latin-1", "replace").decode("latin-1"), "accept": "*/*"}
    address = f"{box.url}/?client_id={box.account.website_id}"
    return httpx.post(address, content=json.dumps(event), headers=headers).status_code


@pytest.mark.node
def test_the_page_is_clean_and_fits(browser: Browser, box: Box) -> None:
    context = context_of(browser)
    page = context.new_page()
    sign_in(page, box)
    assert faults(page, site(box) + "/bots") == []
    assert page.evaluate("window.broken") is None
    context.close()


def decide(page: Page, name: str, words: str) -> None:
    page.locator("tr", has_text=name).get_by_role("button", name=words).click()


def test_everything_works_without_scripts(browser: Browser, box: Box) -> None:
    context = context_of(browser, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, box)
    page.goto(site(box) + "/not-counted")
    page.get_by_role("navigation", name="Website settings").get_by_role("link", name="Bots").click()
    expect(page.get_by_role("heading", level=2).first).to_have_text("Quarantined in the last 30 days")
    decide(page, "Labrador-monitor", "Not a bot")
    expect(page.get_by_role("status")).to_contain_text("1 quarantined event now counts")
    assert hit(box, "Labrador-monitor/3") == 200
    decide(page, "Labrador-monitor", "Take back")
    expect(page.get_by_role("status")).to_contain_text("Future events are quarantined")
    assert hit(box, "Labrador-monitor/3") == 204
    page.check("#dataCentres")
    page.click("form[action$='/bots/options'] button")
    expect(page.locator("#dataCentres")).to_be_checked()
    context.close()
