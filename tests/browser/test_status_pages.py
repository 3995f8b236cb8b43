"""Public status pages in a real browser: clean for axe, true to their policy, no wider than the window, all without a
script."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, ViewportSize, expect

from analytics_box.web.front import CONTENT_SECURITY_POLICY
from tests.browser.axe import faults
from tests.products.status_pages.serving.all_pages import all_pages
from tests.products.status_pages.serving.world import ASSETS

pytestmark = pytest.mark.browser

HOST = "http://status.example"
PHONE: ViewportSize = {"width": 360, "height": 740}
DESKTOP: ViewportSize = {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Every page by its name, made where no browser keeps an event loop busy."""
    with ThreadPoolExecutor(1) as other:
        return other.submit(all_pages, tmp_path_factory.mktemp("status")).result()


@pytest.fixture
def context(browser: Browser, shown: dict[str, str]) -> Iterator[BrowserContext]:
    """A browser for which one host has these pages and the box's files; nothing may be said on its console."""
    context = browser.new_context(bypass_csp=False)
    said: list[str] = []
    context.on("console", lambda message: said.append(message.text))
    context.route(f"{HOST}/**", lambda route: answer(route, shown))
    yield context
    context.close()
    assert said == []


def answer(route: Route, shown: dict[str, str]) -> None:
    path = route.request.url.removeprefix(HOST).partition("?")[0]
    if path.startswith("/static/"):
        file = ASSETS.files[path.removeprefix("/static/")]
        route.fulfill(body=file.content, content_type=file.type)
    else:
        page = shown[path.removeprefix("/page/").replace("%20", " ")]
        headers = {"content-security-policy": CONTENT_SECURITY_POLICY, "content-type": "text/html; charset=utf-8"}
        route.fulfill(body=page, headers=headers)


def addresses(shown: dict[str, str]) -> list[str]:
    return [f"{HOST}/page/{name}" for name in shown]


@pytest.mark.node
def test_every_page_is_clean_for_axe_and_none_scrolls_sideways(context: BrowserContext, shown: dict[str, str]) -> None:
    page = context.new_page()
    assert [wrong for address in addresses(shown) for wrong in faults(page, address)] == []


def test_the_page_does_all_without_a_script(browser: Browser, shown: dict[str, str]) -> None:
    context = browser.new_context(java_script_enabled=False)
    context.route(f"{HOST}/**", lambda route: answer(route, shown))
    page = context.new_page()
    page.goto(f"{HOST}/page/busy")
    expect(page.get_by_role("heading", name="Major outage")).to_be_visible()
    details = page.locator(".one details").first
    expect(details.locator("li").first).to_be_hidden()
    details.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(details.locator("li").first).to_be_visible()
    context.close()


@pytest.mark.parametrize(
    ("scheme", "theme", "dark"), [("light", "busy", False), ("dark", "busy", True), ("light", "calm", True)]
)
def test_page_is_dark_if_the_page_or_the_visitor_prefers_dark(
    context: BrowserContext, scheme: str, theme: str, dark: bool
) -> None:
    page = context.new_page()
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(f"{HOST}/page/{theme}")
    assert background(page) < 100 if dark else background(page) > 200


def background(page: Page) -> int:
    """How light the page is, from 0 to 255."""
    found = str(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    return int(found.partition("(")[2].partition(",")[0])
