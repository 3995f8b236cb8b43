"""A real browser follows links: to the target, through a password, past a link that is over."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page

from tests.browser.axe import faults
from tests.browser.chromium import launch
from tests.running import BROWSER, UNLIMITED, Box, running_box


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    path: Path = tmp_path_factory.mktemp("browser") / "data"
    with running_box(path, **(UNLIMITED | {"limit_rpc": 0, "limit_key": 0, "limit_sign_in": 0})) as found:
        yield found


class Target(BaseHTTPRequestHandler):
    """The website that links lead to; it remembers where its visitors came from."""

    referrers: list[str]

    def do_GET(self) -> None:
        if self.path.startswith("/here"):
            self.referrers.append(self.headers.get("referer", ""))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>There</title><h1>Arrived</h1>")

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    Target.referrers = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Target)  # a browser opens connections that it does not use
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://target.example:{server.server_port}/here?a=1"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launch(arguments=[f"--user-agent={BROWSER}"]) as found:
        yield found


@pytest.fixture(scope="module")
def page(browser: Browser) -> Page:
    return browser.new_context().new_page()


def link(box: Box, **given: object) -> dict[str, str]:
    content = {"name": "A link", "targetUrl": "https://example.com/"} | given
    answer = httpx.post(f"{box.url}/links/create", json=content, headers={"x-api-key": box.account.api_key})
    assert answer.status_code == 200, answer.text
    made: dict[str, str] = answer.json()
    return made


def clicks(box: Box, made: dict[str, str]) -> int:
    answer = httpx.post(f"{box.url}/links/get", json={"id": made["id"]}, headers={"x-api-key": box.account.api_key})
    return int(answer.json()["clicks"])


@pytest.mark.browser
def test_a_link_leads_to_its_target_which_sees_where_people_came_from(box: Box, page: Page, target: str) -> None:
    made = link(box, targetUrl=f"{target}#there")
    start = target.replace("target.example", "start.example").replace("/here", "/start")
    page.goto(start)
    page.set_content(f'<a href="{box.url}/l/{made["slug"]}">Go</a>')
    page.click("a")
    page.wait_for_url("**/here?a=1#there")
    assert page.inner_text("h1") == "Arrived"
    assert Target.referrers == [start.rpartition("/start")[0] + "/"]
    assert clicks(box, made) == 1


@pytest.mark.browser
def test_a_protected_link_leads_on_after_its_password(box: Box, page: Page, target: str) -> None:
    """The answer to the form leads to another host, which the policy of the page has to allow."""
    made = link(box, targetUrl=target, password="hush hush")
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
    page.goto(f"{box.url}/l/{made['slug']}")
    page.fill("input[name=password]", "wrong one")
    page.click("button[type=submit]")
    page.wait_for_selector("[role=alert]")
    assert "/l/" in page.url
    page.fill("input[name=password]", "hush hush")
    page.click("button[type=submit]")
    page.wait_for_url("**/here?a=1")
    assert page.inner_text("h1") == "Arrived"
    assert [text for text in refused if "Content Security Policy" in text] == []
    assert clicks(box, made) == 1


@pytest.mark.browser
def test_a_link_that_is_over_and_one_that_never_was_say_so(box: Box, page: Page) -> None:
    made = link(box, expiresAt="2020-01-01T00:00:00Z")
    page.goto(f"{box.url}/l/{made['slug']}")
    assert page.inner_text("h1") == "This link has expired"
    page.goto(f"{box.url}/l/never-was")
    assert page.inner_text("h1") == "Link not found"
    width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert width == 0


@pytest.mark.browser
def test_the_pages_of_links_are_clean_for_axe_and_fit(box: Box, browser: Browser) -> None:
    protected, shared = link(box, password="hush hush"), link(box, ogTitle="Look here", ogDescription="Words. " * 40)
    context = browser.new_context()
    looking = context.new_page()
    for path in (protected["slug"], f"{shared['slug']}/preview", "never-was"):
        assert faults(looking, f"{box.url}/l/{path}") == []
    context.close()
