"""Pages that keep themselves current, and what they say when something does not come, in a real browser."""

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.running import BROWSER, EMAIL, PASSWORD, UNLIMITED, Box, running_box

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    with running_box(tmp_path_factory.mktemp("live") / "data", **UNLIMITED | {"limit_sign_in": 0}) as running:
        yield running


@pytest.fixture(scope="module")
def context(browser: Browser, box: Box) -> Iterator[BrowserContext]:
    """A browser that is signed in."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 900},
    )
    sign_in(context.new_page(), box)
    yield context
    context.close()


def sign_in(page: Page, box: Box) -> None:
    if not page.url.startswith(f"{box.url}/sign-in"):
        page.goto(f"{box.url}/sign-in")
    page.fill("#email", EMAIL)
    page.fill("#password", PASSWORD)
    page.click("form.form button[type=submit]")
    page.wait_for_url(re.compile("/sites"))


def visit(box: Box, path: str, who: str, origin: str = "https://example.com") -> int:
    headers = {"user-agent": BROWSER, "accept": "*/*", "accept-language": "en", "origin": origin}
    page = {"name": "screen_view", "path": f"https://example.com{path}", "anonymousId": who}
    return httpx.post(f"{box.url}/?client_id={box.account.website_id}", json=page, headers=headers).status_code


def site(box: Box, rest: str = "") -> str:
    return f"{box.url}/sites/{box.account.website_id}{rest}"


def test_a_website_from_its_first_refused_event_to_figures_that_follow(
    box: Box, context: BrowserContext, browser: Browser
) -> None:
    page = context.new_page()
    page.goto(site(box))
    expect(page.locator(".live-text")).to_have_text("0 online now")
    assert visit(box, "/", "anna", origin="http://localhost:8180") == 403
    expect(page.locator("#refusals")).to_contain_text("1 event from http://localhost:8180 was rejected.")
    page.click("text=Allow http://localhost:8180")
    expect(page.locator("#refusals")).to_contain_text("http://localhost:8180 is allowed.")
    assert visit(box, "/", "anna", origin="http://localhost:8180") == 200
    expect(page.locator("#tile-visitors .tile-value")).to_have_text("1")  # the page has become the overview
    expect(page.locator(".live-text")).to_have_text("1 online now")
    page.evaluate("window.stays = true")
    visit(box, "/second", "bob")
    expect(page.locator("#tile-visitors .tile-value")).to_have_text("2")
    expect(page.locator("#panel-pages")).to_contain_text("/second")
    expect(page.locator(".live-text")).to_have_text("2 online now")
    assert page.evaluate("window.stays"), "nothing was loaded anew but what has changed"

    page.click(".live-now")
    page.wait_for_url("**/realtime")
    expect(page.locator("#now-pages")).to_contain_text("/second")
    expect(page.locator(".minute")).not_to_have_count(0)
    visit(box, "/third", "carol")
    expect(page.locator("#now-feed")).to_contain_text("/third")
    page.click(".live-pause")
    expect(page.locator(".live-lost")).to_have_text("paused")
    visit(box, "/fourth", "carol")
    page.click(".live-pause")
    expect(page.locator("#now-feed")).to_contain_text("/fourth")
    page.close()


def test_a_click_while_offline_says_so_and_can_be_tried_again(box: Box, context: BrowserContext) -> None:
    visit(box, "/", "anna")
    page = context.new_page()
    page.goto(site(box, "?range=today"))
    expect(page.locator("#page [aria-busy=true]")).to_have_count(0)
    context.set_offline(True)
    for link in ("#range-button", "#tab-2-pages", "#tile-pageviews", ".places >> text=Websites"):
        page.click(link)
        if link != "#range-button":
            expect(page.locator("#toast")).to_contain_text("You are offline")
            page.click(".toast-close")
    page.click("#tab-2-pages")
    expect(page).to_have_url(site(box, "?range=today"))
    expect(page.locator(".live-lost")).to_have_text(re.compile("not live"))
    context.set_offline(False)
    expect(page.locator("#toast")).to_be_hidden()
    expect(page.locator(".live-lost")).to_have_text("")
    page.click("#tab-2-pages")
    expect(page.locator("#tab-2-pages")).to_have_attribute("aria-current", "true")  # by then it is there
    expect(page).to_have_url(site(box, "?range=today&tab=entry"))
    page.route("**/parts/**", lambda route: route.abort())
    page.click("#tab-3-pages")
    expect(page.locator("#toast")).to_contain_text("The server did not respond.")
    expect(page).to_have_url(site(box, "?range=today&tab=entry"))
    page.unroute("**/parts/**")
    page.click(".toast-do")
    expect(page).to_have_url(site(box, "?range=today&tab=exit"))
    expect(page.locator("#toast")).to_be_hidden()
    page.close()


def test_signed_out_user_keeps_the_page_and_returns_to_it(box: Box, browser: Browser) -> None:
    own = browser.new_context()
    page = own.new_page()
    sign_in(page, box)
    visit(box, "/", "anna")
    page.goto(site(box, "?range=today&path=/"))
    expect(page.locator(".live-lost")).to_have_text("")
    other = own.new_page()
    other.goto(f"{box.url}/sites")
    other.click(".account summary")
    other.click("text=Sign out")
    other.wait_for_url("**/sign-in")
    page.bring_to_front()
    expect(page.locator("#toast")).to_contain_text("You are signed out. This page no longer updates.")
    expect(page.locator("#chip-path")).to_contain_text("/")
    page.click(".toast-link")
    sign_in(page, box)
    expect(page).to_have_url(site(box, "?range=today&path=/"))
    own.close()
