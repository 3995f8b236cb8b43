"""Somebody who got an account by command chooses a password in a browser, without scripts and on a narrow screen."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.axe import NARROW, faults
from tests.browser.test_pages import SETTINGS, context_of
from tests.running import Box, run, running_box

pytestmark = pytest.mark.browser

ADDRESS = f"{'x' * 55}@{'y' * 60}.example"
NEW = "a new and quiet sentence"


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    with running_box(tmp_path_factory.mktemp("first") / "data", **SETTINGS) as running:
        yield running


def create(box: Box, email: str, *more: str) -> str:
    """`user create`; the link that it prints, at the address where the server really listens."""
    ended = run("user", "create", email, *more, "--json", data_dir=box.server.data_dir)
    assert ended.returncode == 0, ended.stderr
    return f"{box.url}/reset-password?{json.loads(ended.stdout)['link'].partition('?')[2]}"


def test_the_link_leads_to_the_dashboard_of_the_only_website(browser: Browser, box: Box) -> None:
    link = create(box, ADDRESS, "--name", "W" * 100)
    context = context_of(browser, NARROW, java_script_enabled=False)
    page = context.new_page()
    page.goto(link)
    expect(page.get_by_role("heading", level=1)).to_have_text("Choose a password")
    page.fill("#password", "short")
    page.click("form.form button[type=submit]")
    expect(page.locator("#password-error")).to_have_text("Use at least 12 characters")
    page.fill("#password", NEW)
    page.click("form.form button[type=submit]")
    expect(page).to_have_url(re.compile(r"/sign-in"))
    page.fill("#email", ADDRESS)
    page.fill("#password", NEW)
    page.click("form.form button[type=submit]")
    expect(page).to_have_url(re.compile(r"/sites/\w+$"))
    for path in ("/settings/profile", "/settings/members"):
        page.goto(box.url + path)
        expect(page.locator("main")).to_contain_text("y.example")
    page.goto(link)
    expect(page.locator("main")).to_contain_text("This link is no longer valid")
    context.close()


@pytest.mark.node
def test_the_page_is_clean_for_axe_and_fits(browser: Browser, box: Box) -> None:
    link = create(box, f"axe{ADDRESS}")
    context = context_of(browser)
    page = context.new_page()
    assert faults(page, link) == []
    context.close()
