"""API keys in a real browser: made, copied, used, ended by name; clean for axe and narrow phones."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.chromium import launch
from tests.browser.test_pages import AXE, DESKTOP, NARROW, SETTINGS, context_of, sign_in, violations
from tests.running import Box, running_box

pytestmark = pytest.mark.browser

NAME = "Nightly import of a name that is rather long and-cannot-be-broken-anywhere-at-all-so-to-speak"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launch() as found:
        yield found


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    with running_box(tmp_path_factory.mktemp("keys") / "data", **SETTINGS) as running:
        yield running


def new_key(page: Page, box: Box) -> str:
    """Make a key with the form; its secret."""
    page.goto(f"{box.url}/settings/keys")
    page.get_by_role("link", name="New key").click()
    page.get_by_label("Name").fill(NAME)
    page.get_by_label(re.compile("Read analytics")).check()
    page.get_by_label(re.compile("Send events")).check()
    page.get_by_role("button", name="Make key").click()
    return page.locator("#secret").inner_text()


def open_context(browser: Browser, size: tuple[int, int] = DESKTOP, **options: Any) -> BrowserContext:
    return context_of(browser, size, **options)


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
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
    expect(page.locator("main h2")).to_contain_text(f"Revoke {NAME}?")
    page.get_by_role("button", name=f"Revoke {NAME}").click()
    page.wait_for_url("**/settings/keys?done=revoked")
    assert httpx.get(f"{box.url}/v1/query/websites", headers={"x-api-key": secret}).status_code == 401
    context.close()


@pytest.mark.node
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, NARROW], ids=["desktop", "360"])
def test_the_pages_of_keys_are_clean(browser: Browser, box: Box, size: tuple[int, int], scheme: Any) -> None:
    if not AXE.exists():
        pytest.skip(f"{AXE} is missing: run npm ci in web/ (packaging/test.sh does it)")
    context = open_context(browser, size, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    sign_in(page, box)
    new_key(page, box)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    page.add_script_tag(path=AXE)
    assert page.evaluate("axe.run().then(found => found.violations.map(wrong => wrong.id))") == []
    page.goto(f"{box.url}/settings/keys")
    actions = page.locator(".api-key-actions a")
    addresses = [box.url + str(link.get_attribute("href")) for link in actions.all()[-4:]]
    for address in (f"{box.url}/settings/keys", f"{box.url}/settings/keys/new", *addresses):
        assert violations(page, address) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0], address
    context.close()
