"""Figures for people without an account in a real browser: a dashboard at its own domain, and the mail of a report."""

from base64 import b64encode
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import apsw
import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.tab import quiet, tab_of
from tests.browser.test_pages import HOSTILE, SETTINGS, context_of, event, visit
from tests.running import Box, running_box

pytestmark = pytest.mark.browser

DOMAIN = "figures.example"
# Chromium says so of every page without https.
HTTP_ONLY = "The Cross-Origin-Opener-Policy header has been ignored"


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    with running_box(tmp_path_factory.mktemp("shared") / "data", **SETTINGS) as running:
        for number, path in enumerate(("/", "/docs", *HOSTILE)):
            visit(running, path, number)
            event(running, path)
        yield running


def call(box: Box, procedure: str, **given: Any) -> Any:
    headers = {"x-api-key": box.account.api_key}
    answer = httpx.post(f"{box.url}/{procedure.replace('.', '/')}", json=given, headers=headers)
    assert answer.is_success, answer.text
    return answer.json()


def prove(box: Box, domain: str) -> None:
    """Verify a domain, as if its TXT record had been found."""
    db = apsw.Connection(str(box.server.data_dir / "box.db"))
    with closing(db), db:
        db.execute(
            """
            insert into domains (id, organization_id, domain, token, created_at, proven_at, proven_by)
            select 'domain-of-figures', organization_id, ?, 'token-of-figures-token-of-figures', 1, 1, 'dns'
            from websites where id = ?
            """,
            (domain, box.account.website_id),
        )


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Page]:
    with tab_of(context_of(browser)) as page:
        yield page


@pytest.fixture
def page(tab: Page) -> Iterator[Page]:
    with quiet(tab, (HTTP_ONLY,)) as silent:
        yield silent


@pytest.mark.parametrize("width", [320, 640])
def test_mail_of_a_report_fits_its_window_loads_nothing_and_runs_nothing(page: Page, box: Box, width: int) -> None:
    given = {"name": "<b>Weekly</b>", "recipients": [], "sections": ["figures", "sources", "pages", "events", "errors"]}
    made = call(box, "reports.create", websiteId=box.account.website_id, **given, frequency="daily", hour=0)
    mail = call(box, "reports.preview", id=made["id"])["html"]
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.set_viewport_size({"width": width, "height": 800})
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.goto(f"data:text/html;base64,{b64encode(mail.encode()).decode()}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        ground = "rgb(255, 255, 255)" if scheme == "light" else "rgb(27, 27, 25)"
        expect(page.locator(".card")).to_have_css("background-color", ground)
    assert not [url for url in requests if not url.startswith("data:")]
    assert page.evaluate("window.broken") is None
    page.emulate_media(color_scheme=None)


def test_dashboard_at_its_own_domain_loads_filters_and_opens_tables_without_leaving_it(page: Page, box: Box) -> None:
    prove(box, DOMAIN)
    call(box, "shares.create", websiteId=box.account.website_id, name="Board", domain=DOMAIN, accent="#c2410c")
    hosts = set()
    page.on("request", lambda request: hosts.add(urlsplit(request.url).hostname))
    home = f"http://{DOMAIN}:{urlsplit(box.url).port}"
    page.goto(f"{home}/?range=today")
    assert page.locator("h1").inner_text() == "Example site"
    page.locator("#panel-pages .bar-link", has_text="/docs").click()
    page.wait_for_url("**path=**")
    assert page.url.startswith(f"{home}/?")
    page.keyboard.press("Control+k")
    page.goto(f"{home}/details/pages?range=today")
    assert page.locator("tbody tr", has_text="/docs").count() == 1
    assert hosts == {DOMAIN}
    assert page.evaluate("window.broken") is None, "names of strangers stay text"
