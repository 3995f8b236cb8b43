"""API keys in a real browser: made, copied, used, ended by name; clean for axe and narrow phones."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.axe import DESKTOP, PHONE, faults, faults_here
from tests.browser.test_pages import SETTINGS, context_of, sign_in
from tests.running import Box, running_box

pytestmark = pytest.mark.browser

NAME = "Nightly import of a name that is rather long and-cannot-be-broken-anywhere-at-all-so-to-speak"


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    with running_box(tmp_path_factory.mktemp("keys") / "data", **SETTINGS) as running:
        yield running


def new_key(page: Page, box: Box) -> str:
    """Make a key with the form; its secret."""
    page.goto(f"{box.url}/settings/keys")
    page.get_by_role("link", name="New key").click()
    page.get_by_label("Name").fill(NAME)
    page.locator("[name='scope:read:data']").check()
    page.locator("[name='scope:track:events']").check()
    page.get_by_role("button", name="Create key").click()
    return page.locator("#secret").inner_text()


def open_context(browser: Browser, size: tuple[int, int] = DESKTOP, **options: Any) -> BrowserContext:
    return context_of(browser, size, **options)


@pytest.mark.parametrize(
    "scripts", [True, pytest.param(False, marks=pytest.mark.thorough)], ids=["with scripts", "without scripts"]
)
def test_a_key_is_made_used_and_revoked(browser: Browser, box: Box, scripts: bool) -> None:
    context = open_context(browser, java_script_enabled=scripts)
    page = context.new_page()
    sign_in(page, box)
    secret = new_key(page, box)
    for command in ("track", "query"):
        example = page.locator(f"#{command}").inner_text()
        address = re.findall(r"curl '([^']+)'", example)[0]
        body = re.findall(r"-d '([^']+)'", example)[0]
        headers = {"x-api-key": secret, "content-type": "application/json"}
        assert secret in example
        assert httpx.post(address, content=body, headers=headers).status_code == 200
    page.goto(f"{box.url}/settings/keys")
    expect(page.locator("main")).not_to_contain_text(secret)
    page.get_by_role("link", name=f"Revoke {NAME}").first.click()
    expect(page.locator(".settings-body h2")).to_contain_text(f"Revoke {NAME}?")
    page.get_by_role("button", name=f"Revoke {NAME}").click()
    page.wait_for_url("**/settings/keys?done=revoked")
    assert httpx.get(f"{box.url}/v1/query/websites", headers={"x-api-key": secret}).status_code == 401
    context.close()


@pytest.mark.parametrize(
    "scripts", [pytest.param(True, marks=pytest.mark.thorough), False], ids=["with scripts", "without scripts"]
)
def test_all_of_a_key_is_told_and_it_is_switched_off_and_on(browser: Browser, box: Box, scripts: bool) -> None:
    context = open_context(browser, PHONE, java_script_enabled=scripts)
    page = context.new_page()
    sign_in(page, box)
    page.goto(f"{box.url}/settings/keys/new")
    page.get_by_label("Name").fill("Told")
    page.get_by_label("Tags").fill("one, two")
    page.get_by_label(re.compile("An automation")).check()
    page.get_by_label(re.compile("Selected websites")).check()
    page.locator(f"[name='website:{box.account.website_id}']").check()
    page.get_by_text("Additional permissions", exact=True).click()
    page.locator("#own-1").click()
    page.locator(f"[name='own:{box.account.website_id}:read:data']").check()
    page.get_by_label("Expires").fill("2090-01-31")
    page.get_by_label("Time").fill("18:00")
    page.get_by_label("Requests").fill("50")
    page.get_by_role("button", name="Create key").click()
    headers = {"x-api-key": page.locator("#secret").inner_text()}

    def status() -> int:
        return httpx.get(f"{box.url}/v1/query/websites", headers=headers).status_code

    assert status() == 200
    page.goto(f"{box.url}/settings/keys")
    entry = page.locator(".api-key").first
    for words in ("An automation", "two", "Also on Example site", "31 Jan 2090, 18:00", "Up to 50 requests in 60 s"):
        expect(entry).to_contain_text(words)
    entry.get_by_role("button", name="Disable Told").click()
    page.wait_for_url("**/settings/keys?done=disabled*")
    assert status() == 401
    page.locator(".api-key").first.get_by_role("button", name="Enable Told").click()
    page.wait_for_url("**/settings/keys?done=enabled*")
    assert status() == 200
    context.close()


@pytest.mark.node
def test_the_pages_of_keys_are_clean(browser: Browser, box: Box) -> None:
    context = open_context(browser, DESKTOP)
    page = context.new_page()
    sign_in(page, box)
    new_key(page, box)
    assert faults_here(page) == []
    page.goto(f"{box.url}/settings/keys")
    actions = page.locator(".api-key-actions a")
    addresses = [box.url + str(link.get_attribute("href")) for link in actions.all()[-4:]]
    for address in (f"{box.url}/settings/keys", f"{box.url}/settings/keys/new", *addresses):
        assert faults(page, address) == []
    context.close()
