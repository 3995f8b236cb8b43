"""The API explorer in a real browser: clean for axe, no wider than the screen, all of it without scripts."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import faults
from tests.browser.tab import REFUSED, quiet
from tests.browser.test_pages import (
    HOSTILE,
    SETTINGS,
    context_of,
    event,
    sign_in,
    site,
    visit,
)
from tests.examples import is_thorough
from tests.running import Box, running_box

pytestmark = pytest.mark.browser

PAGES = (
    "{site}/queries",
    "{site}/queries?type=top_pages&range=today&comparison=previous_period",
    "{site}/queries?type=session_list&range=today",
    "{site}/queries?type=events_by_date&draw=bounce_rate&field1=path&value1=/&rows=4",
    "{site}/queries?type=top_pages&range=custom&limit=x&field1=path&op1=regex&value1=(",
    "{site}/queries?type=top_pages&range=yesterday",
    "/docs/query-types",
    "/docs/query-types/summary",
)
VARIANTS = ("{site}/queries?type=profile_detail", "/docs/query-types/sessions")  # of pages above, for thorough runs


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """A box whose website has had visits, hostile ones among them."""
    with running_box(tmp_path_factory.mktemp("queries") / "data", **SETTINGS) as running:
        for number, path in enumerate(("/", "/", "/prices", *HOSTILE)):
            visit(running, path, number)
            event(running, path)
        yield running


@pytest.fixture
def page(tab: Page) -> Iterator[Page]:
    """The tab of this file, in which nothing may be said on the console but that a query is refused."""
    with quiet(tab, but=(REFUSED,)) as page:
        yield page


def addresses(box: Box) -> list[str]:
    paths = (*PAGES, *(VARIANTS if is_thorough() else ()))
    return [box.url + path.format(site=f"/sites/{box.account.website_id}") for path in paths]


@pytest.mark.node
def test_every_page_is_clean_for_axe_none_scrolls_sideways_and_nothing_that_was_sent_runs(
    browser: Browser, box: Box
) -> None:
    context = context_of(browser)
    page = context.new_page()
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda message: said.append(message.text))
    sign_in(page, box)
    found = []
    for address in addresses(box):
        found += faults(page, address)
        assert page.evaluate("window.broken") is None, address
        assert page.locator("main script, main img").count() == 0
    context.close()
    assert found == []
    assert [text for text in said if not text.startswith(REFUSED)] == []


def rows(page: Page) -> list[str]:
    """The lines of the table, once all of the page is there."""
    page.wait_for_load_state()
    return page.locator(".queries-table tbody tr").all_inner_texts()


def test_a_query_is_tried_without_scripts_from_the_navigation_to_the_sheet(browser: Browser, box: Box) -> None:
    context = context_of(browser, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, box)
    page.goto(site(box))
    page.get_by_role("navigation", name="Main").get_by_role("link", name="API explorer").click()
    page.select_option("#type", "top_pages")
    page.select_option("#range", "today")
    page.fill("#field1", "path")
    page.select_option("#op1", "in")
    page.fill("#value1", "/, /prices")
    page.get_by_role("button", name="Run").click()
    assert parse_qs(urlsplit(page.url).query) == {
        "type": ["top_pages"],
        "range": ["today"],
        "zone": ["UTC"],
        "field1": ["path"],
        "op1": ["in"],
        "value1": ["/, /prices"],
    }
    assert [row.split("\t")[:3] for row in rows(page)] == [["/", "2", "2"], ["/prices", "1", "1"]]
    expect(page.locator("#took")).to_contain_text("ms")
    page.get_by_role("link", name="Sort by name").click()
    page.get_by_role("link", name="Sort by name").click()
    expect(page.locator("th[aria-sort=ascending]")).to_contain_text("name")
    assert [row.split("\t")[0] for row in rows(page)] == ["/", "/prices"]
    with page.expect_download() as started:
        page.get_by_role("link", name="Download as CSV").click()
    assert started.value.suggested_filename == "top_pages.csv"
    lines = Path(started.value.path()).read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[:3] for line in lines[1:]] == [["/", "2", "2"], ["/prices", "1", "1"]]
    context.close()


def test_the_body_that_is_shown_works_with_a_key(page: Page, box: Box) -> None:
    page.goto(site(box, "/queries?type=summary_totals&range=today"))
    shown = page.locator("#body").text_content() or ""
    answer = httpx.post(
        f"{box.url}/v1/query?website_id={box.account.website_id}",
        json=json.loads(shown),
        headers={"x-api-key": box.account.api_key},
    ).json()
    values = [str(value) for value in answer["data"][0]["data"][0].values()]
    assert rows(page)[0].split("\t") == values


def test_a_mistake_is_explained_where_it_was_made_and_mended_there(page: Page, box: Box) -> None:
    page.goto(site(box, "/queries?type=top_pages&range=today&limit=many"))
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.locator("#limit")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#limit-error")).to_have_text("A whole number from 1 to 10,000")
    page.fill("#limit", "1")
    page.keyboard.press("Enter")
    page.wait_for_url("**limit=1**")
    assert len(rows(page)) == 1


def test_the_head_of_the_table_stays_while_its_rows_move(page: Page, box: Box) -> None:
    page.goto(site(box, "/queries?type=realtime_velocity"))
    moved = page.evaluate(
        """() => {
          const box = document.querySelector(".queries-rows");
          const head = () => box.querySelector("th").getBoundingClientRect().top;
          const before = head();
          box.scrollTop = 300;
          return [box.scrollTop, head() - before];
        }"""
    )
    assert moved == [300, 0]


def test_rows_appear_when_used_fields_are_those_of_the_type_and_a_question_is_saved(page: Page, box: Box) -> None:
    page.goto(site(box, "/queries"))
    page.select_option("#type", "outbound_links")
    expect(page.locator("#filters-of")).to_contain_text("href")
    assert "href" in page.locator("#fields option").evaluate_all("all => all.map((one) => one.value)")
    page.select_option("#type", "events_by_date")
    expect(page.locator("#filters-of")).not_to_contain_text("href")
    expect(page.locator("#granularity")).to_be_visible()
    expect(page.locator("#from")).to_be_hidden()
    page.fill("#field1", "path")
    expect(page.locator("#field2")).to_be_visible()
    page.locator("#value1").press_sequentially("/pri")
    suggested = page.locator("#values option")
    expect(suggested).to_have_count(1)
    expect(suggested).to_have_attribute("value", "/prices")
    page.fill("#value1", "/")
    assert page.locator(".queries-filter").count() == 2
    page.get_by_role("button", name="Add another filter").click()
    expect(page.locator("#field2")).to_be_focused()
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url("**value1=/**")
    expect(page.locator("#chart canvas")).to_be_visible()
    page.get_by_text("Save this question").click()
    page.get_by_label("Name").fill("Home, day by day")
    page.get_by_label("Share with the organization").check()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Question saved.")
    page.goto(site(box, "/queries"))
    page.get_by_role("link", name="Home, day by day", exact=True).click()
    assert page.input_value("#value1") == "/"
    page.get_by_role("link", name="Delete Home, day by day").click()
    page.get_by_role("button", name="Delete Home, day by day").click()
    expect(page.get_by_role("status")).to_contain_text("deleted")
    expect(page.get_by_role("link", name="Home, day by day", exact=True)).to_have_count(0)


@pytest.mark.node
def test_the_code_that_is_shown_runs_as_it_is_pasted(page: Page, box: Box) -> None:
    page.goto(site(box, "/queries?type=top_pages&range=today&field1=path&op1=in&value1=/,+/prices"))
    shown = {name: page.locator(f"#{name}").text_content() or "" for name in ("curl", "javascript", "python")}
    commands = {
        "curl": ["sh", "-s"],
        "javascript": ["node", "--input-type=module"],
        "python": [sys.executable, "-"],
    }
    for name, command in commands.items():
        code = shown[name].replace("svc_…", box.account.api_key)
        ran = subprocess.run(command, input=code, capture_output=True, text=True, check=True)
        assert "/prices" in ran.stdout, name
