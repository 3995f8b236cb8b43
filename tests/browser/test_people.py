"""The pages of an organization in a real browser: clean for axe, no wider than the screen, usable without scripts."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.axe import NARROW, faults, faults_here
from tests.browser.test_pages import SETTINGS, context_of, sign_in
from tests.running import Box, running_box
from tests.tenants.organizations.pictures import png

pytestmark = pytest.mark.browser

LONG = "A-very-long-name-without-a-place-to-break-" * 2
PAGES = (
    "/settings/organization",
    "/settings/members",
    "/settings/organization/leave",
    "/settings/organization/transfer",
    "/settings/organization/delete",
)
NEW = "a new and quiet sentence"


@pytest.fixture(scope="module")
def box(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """A box whose owner has two organizations, a member, and somebody invited with a long address."""
    with running_box(tmp_path_factory.mktemp("people") / "data", **SETTINGS) as running:
        context = context_of(browser)
        page = context.new_page()
        sign_in(page, running)
        join(browser, invite(page, running, "grace@example.com"))
        invite(page, running, f"{'x' * 60}@{'y' * 60}.example")
        page.goto(f"{running.url}/settings/organization")
        page.fill("#organization", LONG)
        page.click("form[action='/settings/organization'] button")
        page.fill("#new", "Second")
        page.click("form[action='/settings/organization/new'] button")
        expect(page.locator("#organization")).to_have_value("Second")
        context.close()
        yield running


def invite(page: Page, box: Box, email: str) -> str:
    """The link that the page shows."""
    page.goto(f"{box.url}/settings/members")
    page.fill("#email", email)
    page.click("form[action='/settings/members/invite'] button")
    return page.locator("#link").inner_text()


def join(browser: Browser, link: str) -> None:
    """A new person follows the link in a browser without scripts."""
    context = context_of(browser, java_script_enabled=False)
    page = context.new_page()
    page.goto(link)
    page.fill("#password", NEW)
    page.click("form.form button[type=submit]")
    expect(page).to_have_url(re.compile(r"/sites/\w+$"))
    context.close()


def at_home(context: BrowserContext, box: Box) -> Page:
    """Signed in, and on the first organization, whose pages hold most."""
    page = context.new_page()
    sign_in(page, box)
    return page


@pytest.mark.node
def test_the_pages_are_clean_for_axe_and_fit(browser: Browser, box: Box) -> None:
    context = context_of(browser)
    page = at_home(context, box)
    found = []
    for path in PAGES:
        found += faults(page, box.url + path)
    link = invite(page, box, "new@example.com")
    found += faults_here(page)
    context.clear_cookies()
    found += faults(page, link)
    context.close()
    assert found == []


def test_members_are_managed_without_scripts(browser: Browser, box: Box) -> None:
    context = context_of(browser, NARROW, java_script_enabled=False)
    page = at_home(context, box)
    page.goto(f"{box.url}/settings/members")
    grace = page.locator("li.member", has_text="grace@example.com")
    expect(grace.get_by_text("Unconfirmed")).to_be_visible()
    grace.get_by_role("button", name="Confirm address").click()
    expect(page.get_by_text("The email address was confirmed.")).to_be_visible()
    expect(grace.get_by_text("Unconfirmed")).to_have_count(0)
    page.get_by_label("Role of grace@example.com").select_option("viewer")
    grace.get_by_role("button", name="Set role").click()
    expect(page.get_by_label("Role of grace@example.com")).to_have_value("viewer")
    page.get_by_label("Remove grace@example.com").click()
    page.get_by_role("button", name="Yes, continue").click()
    expect(page.get_by_text("The member was removed.")).to_be_visible()
    expect(page.get_by_label("Role of grace@example.com")).to_have_count(0)
    page.locator("details.account summary").first.click()
    page.get_by_role("button", name="Second").click()
    page.goto(f"{box.url}/settings/organization")
    expect(page.locator("#organization")).to_have_value("Second")
    context.close()


def test_an_organization_gets_a_logo_is_deleted_and_comes_back_without_scripts(browser: Browser, box: Box) -> None:
    context = context_of(browser, NARROW, java_script_enabled=False)
    page = at_home(context, box)
    settings = f"{box.url}/settings/organization"
    page.goto(settings)
    page.fill("#new", "Third & last")
    page.click("form[action='/settings/organization/new'] button")
    page.set_input_files("#image", {"name": "logo.html", "mimeType": "text/html", "buffer": png(40, 40)})
    page.click("form[action='/settings/organization/logo'] button")
    logo = page.get_by_role("img", name="Logo of Third & last")
    for side in ("naturalWidth", "naturalHeight"):
        expect(logo).to_have_js_property(side, 40)
    page.get_by_role("link", name="Delete this organization").click()
    page.fill("#confirmation", "third")
    page.get_by_role("button", name="Delete this organization").click()
    expect(page.locator("#confirmation-error")).to_be_visible()
    page.fill("#confirmation", "Third & last")
    page.get_by_role("button", name="Delete this organization").click()
    expect(page.get_by_text("The organization was deleted.")).to_be_visible()
    expect(page.locator("#organization")).not_to_have_value("Third & last")
    page.get_by_role("button", name="Restore Third & last").click()
    expect(page.locator("#organization")).to_have_value("Third & last")
    expect(logo).to_be_visible()
    context.close()
