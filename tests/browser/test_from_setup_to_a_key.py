"""A newcomer's way in a real browser: setup link, second factor, signing in with a code, a key, the first request."""

import re
import time
from base64 import b32decode
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from analytics_box.tenants.accounts import second_factor
from tests.browser.axe import faults
from tests.running import PASSWORD, serving

pytestmark = pytest.mark.browser

EMAIL = "newcomer@example.com"


def code_now(secret: bytes) -> str:
    return second_factor.code_at(secret, time.time_ns() // 1_000_000 // second_factor.STEP)


def set_up(page: Page, link: str) -> None:
    page.goto(link)
    for field, text in (("email", EMAIL), ("password", PASSWORD), ("domain", "first.example")):
        page.fill(f"#{field}", text)
    page.click("button[type=submit]:has-text('Set up')")
    expect(page.locator("#snippet")).to_contain_text("data-client-id")


def turn_on_second_factor(page: Page, url: str) -> tuple[bytes, list[str]]:
    """The app's secret and the recovery codes."""
    page.goto(f"{url}/settings/security")
    form = page.locator("form[action='/settings/security/second-factor']")
    form.locator("input[type=password]").fill(PASSWORD)
    form.locator("button[type=submit]").first.click()
    wanted = re.compile(r"(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}")
    expect(page.locator("main")).to_contain_text(wanted)
    shown = wanted.search(page.locator("main").inner_text())
    assert shown is not None
    secret = b32decode(shown[0].replace(" ", ""))
    page.locator("input[name=code]").fill(code_now(secret))
    page.click("form[action$='/confirm'] button[type=submit]")
    expect(page.locator("#codes")).to_have_text(re.compile(r"^\s*(\S+\s+){9}\S+\s*$"))
    codes = page.locator("#codes").inner_text().split()
    assert len(codes) == 10
    return secret, codes


def sign_in_again(page: Page, url: str, code: str) -> None:
    page.locator("form[action='/sign-out'] button").evaluate("button => button.click()")
    page.wait_for_url("**/sign-in")
    page.fill("#email", EMAIL)
    page.fill("#password", PASSWORD)
    page.click("button[type=submit]:has-text('Sign in')")
    page.wait_for_url("**/sign-in/code")
    page.locator("input[name=code]").fill(code)
    page.click("form[action='/sign-in/code'] button[type=submit]")
    page.wait_for_url(f"{url}/sites/*")


def test_from_the_setup_link_to_the_first_authorized_request(browser: Browser, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"limit_sign_in": 0}
    with serving(tmp_path / "data", **settings) as server:
        link = _link(server)
        url = link.partition("/setup")[0]
        page = browser.new_context().new_page()
        set_up(page, link)
        _, codes = turn_on_second_factor(page, url)
        sign_in_again(page, url, codes[0])

        page.goto(f"{url}/settings/keys")
        page.get_by_role("link", name="New key").click()
        page.get_by_label("Name").fill("First program")
        page.locator("[name='scope:read:data']").check()
        page.get_by_role("button", name="Create key").click()
        secret = page.locator("#secret").inner_text()
        answer = httpx.get(f"{url}/v1/query/websites", headers={"authorization": f"Bearer {secret}"})
        assert [website["domain"] for website in answer.json()["websites"]] == ["first.example"]


@pytest.mark.node
def test_the_pages_of_an_account_are_clean(browser: Browser, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"limit_sign_in": 0}
    with serving(tmp_path / "data", **settings) as server:
        context = browser.new_context()
        page = context.new_page()
        link = _link(server)
        url = link.partition("/setup")[0]
        assert faults(page, link) == []
        set_up(page, link)
        assert faults(page, page.url) == [], "the line to paste"
        page.goto(f"{url}/settings/security")
        form = page.locator("form[action='/settings/security/second-factor']")
        form.locator("input[type=password]").fill(PASSWORD)
        form.locator("button[type=submit]").first.click()
        page.wait_for_url("**/second-factor")
        for path in ("/settings/security/second-factor", "/settings/security", "/settings/profile", "/forgot-password"):
            assert faults(page, f"{url}{path}") == []


def _link(server: Any) -> str:
    """The setup link that the server has printed."""
    found = re.search(r"http://\S+/setup\?token=\S+", server.printed())
    assert found is not None, server.printed()
    return found[0]
