"""Ctrl-K leads anywhere with the keyboard alone; what was chosen last comes first; a note is a flag on the chart."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_pages import SETTINGS, site, visit
from tests.running import Box, running_box

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    with running_box(tmp_path_factory.mktemp("palette") / "data", **SETTINGS) as running:
        visit(running, "/", 1)
        yield running


def test_the_palette_leads_anywhere_without_a_mouse_and_remembers(page: Page, box: Box) -> None:
    palette, field = page.locator("#palette"), page.locator("#palette-q")
    chosen = palette.locator('[role="option"][aria-selected="true"]')
    page.goto(f"{box.url}/sites")
    page.keyboard.press("/")
    expect(field).to_be_focused()
    expect(chosen).to_have_count(1)
    page.keyboard.type("create link")
    expect(chosen).to_have_text(re.compile("Create link"))
    expect(field).to_have_attribute("aria-activedescendant", "palette-option-0")
    page.keyboard.press("Enter")
    page.wait_for_url("**/links/new")
    page.goto(f"{box.url}/sites")
    page.keyboard.press("Control+k")
    expect(palette.locator(".palette-title").first).to_have_text("Recent")
    expect(chosen).to_have_text(re.compile("Create link"))
    expect(palette.locator('[data-href="/links/new"]')).to_have_count(1)
    page.keyboard.type("<b>none")
    expect(palette.locator(".palette-none")).to_contain_text("“<b>none”")
    page.keyboard.press("Escape")
    expect(palette).to_be_hidden()
    page.keyboard.press("Control+k")
    page.keyboard.type("dark mode")
    expect(chosen).to_have_text(re.compile("Switch theme"))
    expect(page.locator("#palette-count")).to_have_text(re.compile("results?"))
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(palette).to_be_hidden()


def test_a_note_is_written_shown_on_the_chart_and_deleted_on_the_page(page: Page, box: Box) -> None:
    page.goto(site(box, "?range=last_30d"))
    page.wait_for_load_state("networkidle")  # panels that come late would close what is open
    page.click(".notes-add summary")
    page.fill("#text", "Version 2 & more")
    page.click(".notes-add button[type=submit]")
    page.wait_for_url(re.compile(r"#figures$"))
    flag = page.locator(".chart-flag a")
    flag.focus()
    expect(page.locator(".chart-flag-text")).to_be_visible()
    expect(page.locator(".chart-flag-text")).to_contain_text("Version 2 & more")
    chart, shown = page.locator("#chart").bounding_box(), flag.bounding_box()
    assert chart is not None
    assert shown is not None
    assert shown["x"] > chart["x"] + chart["width"] / 2  # today is at the right end
    page.click("#notes li a")
    page.get_by_role("link", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete Version 2 & more").click()
    page.wait_for_url(re.compile(r"#figures$"))
    expect(page.locator(".chart-flag")).to_have_count(0)


WATCH_FLAGS = """
window.places = [];
new MutationObserver((changes) => {
  for (const { target } of changes) if (target.matches(".chart-flag")) window.places.push(target.style.left);
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["style"] });
"""


def test_a_flag_is_put_where_its_day_is_at_once(page: Page, box: Box) -> None:
    page.goto(site(box, "?range=last_30d"))
    page.click(".notes-add summary")
    page.fill("#text", "Ten days ago")
    page.fill("#xValue", (datetime.now(UTC) - timedelta(days=10)).date().isoformat())
    page.click(".notes-add button[type=submit]")
    page.wait_for_url(re.compile(r"#figures$"))
    page.add_init_script(WATCH_FLAGS)
    page.goto(site(box, "?range=last_30d"))
    expect(page.locator(".chart-flags.placed .chart-flag")).to_have_count(1)
    places = page.evaluate("window.places")
    assert len({*places}) == 1, places
    chart, shown = page.locator("#chart").bounding_box(), page.locator(".chart-flag").bounding_box()
    assert chart is not None
    assert shown is not None
    assert 0.6 < (shown["x"] - chart["x"]) / chart["width"] < 0.75, "twenty days of thirty"
