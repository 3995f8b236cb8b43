"""Monitors in a real browser: set one up, try it, see what it found; pages that are clean and fit a phone."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import faults
from tests.browser.chromium import launch
from tests.browser.test_pages import context_of, sign_in
from tests.examples import is_thorough
from tests.running import UNLIMITED, Box, running_box

pytestmark = pytest.mark.browser

SETTINGS = UNLIMITED | {"limit_sign_in": 0, "limit_rpc": 0, "allowed_private_targets": "127.0.0.1/32"}


class Shop(BaseHTTPRequestHandler):
    """The server that is watched."""

    def do_GET(self) -> None:
        content = b'{"status": "ok"}'
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/health"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    with running_box(tmp_path_factory.mktemp("monitors") / "data", **SETTINGS) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launch(light=True) as found:
        yield found


@pytest.fixture(scope="module")
def page(browser: Browser, box: Box) -> Iterator[Page]:
    context = context_of(browser)
    page = context.new_page()
    sign_in(page, box)
    yield page
    context.close()


@pytest.fixture(scope="module")
def monitor(page: Page, box: Box, shop: str) -> str:
    """The path of a monitor that was tried, set up and checked."""
    page.goto(f"{box.url}/monitors/new")
    page.fill("#url", shop)
    page.fill("#name", "Shop")
    page.click("summary:has-text('Advanced')")
    page.click("#add-assertion")
    page.select_option("[id='assertions.0.subject']", "json")
    page.select_option("[id='assertions.0.comparison']", "equals")
    page.fill("[id='assertions.0.property']", "/status")
    page.fill("[id='assertions.0.value']", "ok")
    page.click("#try")
    expect(page.locator("#trial .trial-found")).to_contain_text("Up")
    expect(page.locator("#trial")).to_contain_text("First byte")
    expect(page.locator("#trial")).to_contain_text("Was ok")
    expect(page.locator("#url")).to_have_value(shop)
    page.click(".form-foot .button-main")
    page.wait_for_url("**?done=created")
    page.click("text=Check now")
    page.wait_for_url("**?done=checked")
    expect(page.locator(".head .state")).to_have_text("Up")
    return page.url.removeprefix(box.url).partition("?")[0]


def test_a_monitor_is_tried_set_up_and_checked(page: Page, box: Box, monitor: str) -> None:
    page.goto(f"{box.url}{monitor}?range=today")
    expect(page.locator(".monitor-uptimes dd").first).to_contain_text("100\N{NO-BREAK SPACE}%")
    expect(page.locator("#panel-codes .bar").first).to_contain_text("200")
    page.goto(f"{box.url}/monitors")
    expect(page.locator("li.monitor-line")).to_contain_text("Shop")
    expect(page.locator("li.monitor-line .state")).to_have_text("Up")


def test_each_kind_shows_its_own_fields(page: Page, box: Box) -> None:
    page.goto(f"{box.url}/monitors/new")
    page.click("summary:has-text('Other types')")
    page.click("summary:has-text('Advanced')")
    for kind, there, gone in (("tcp", "#send", "#record"), ("dns", "#record", "#send"), ("push", "#grace", "#url")):
        page.focus("input[name=kind]:checked")
        page.check(f"#kind-{kind}", force=True)
        expect(page.locator(there)).to_be_visible()
        expect(page.locator(gone)).to_be_hidden()


PAGES = (
    *("/monitors", "{monitor}", "{monitor}?show=table&range=today", "{monitor}/edit"),
    *("/monitors/new", "{monitor}/delete", "/monitors/maintenance", "/monitors/maintenance/new", "/monitors/moving"),
)
VARIANTS = ("/monitors?state=down",)  # of pages above, for thorough runs


@pytest.mark.node
def test_pages_are_clean_for_axe_and_fit(browser: Browser, box: Box, monitor: str) -> None:
    context = context_of(browser)
    page = context.new_page()
    sign_in(page, box)
    found = []
    for path in (*PAGES, *(VARIANTS if is_thorough() else ())):
        found += faults(page, box.url + path.format(monitor=monitor))
    context.close()
    assert found == []
