"""Ways to load the script: as a module, in a bundle, from a path of the website itself."""

import pytest
from playwright.sync_api import Page

from tests.tracker.collector import SCRIPT, TRACKER, Collector
from tests.tracker.one_page import on_one_page
from tests.tracker.visits import install_clock, track

pytestmark = pytest.mark.browser

CONFIG = "<script>window.databuddyConfig = {{ clientId: 'site-1', apiUrl: '{box}', trackAttributes: true }}</script>"


@on_one_page("tag", ["type=module", "type=module data-max-retries=3"])
def test_script_as_a_module_counts_the_page(page: Page, collector: Collector, tag: str) -> None:
    page.goto(collector.publish("/", tag=tag))
    collector.wait_for("screen_view")
    assert collector.accepted[0].query == {"client_id": "site-1"}
    assert page.evaluate("databuddy.options.apiUrl") == collector.box


def test_script_that_is_inserted_by_another_counts_the_page(page: Page, collector: Collector) -> None:
    insert = (
        "const tag = document.createElement('script'); tag.dataset.clientId = 'site-1';"
        f"tag.src = '{collector.box}/script.js'; document.head.append(tag); tag.remove()"
    )
    collector.pages["/"] = (f"<!doctype html><title>Home</title><script>{insert}</script>", {})
    page.goto(collector.site)
    collector.wait_for("screen_view")


@pytest.mark.parametrize("kind", ["", "type=module"])
def test_bundled_script_gets_its_parts_from_where_events_go(page: Page, collector: Collector, kind: str) -> None:
    install_clock(page)
    page.route(f"{collector.site}/parts.js", lambda route: route.abort())
    collector.scripts["/bundle/all.js"] = f"const other = 1; {SCRIPT.read_text()}"
    bundle = f"<script {kind} src=/bundle/all.js></script>"
    html = f"<!doctype html><title>Home</title>{CONFIG.format(box=collector.box)}{bundle}<p data-track=marked>Click"
    collector.pages["/"] = (html, {})
    page.goto(collector.site)
    page.click("p")
    while not collector.accepted:
        page.clock.run_for(1_000)
    collector.wait_for("screen_view")
    page.clock.run_for(5_000)
    collector.wait_for("marked")
    assert "delivery" in collector.loaded


def test_inline_script_counts_the_page(page: Page, collector: Collector) -> None:
    html = f"<!doctype html><title>Home</title>{CONFIG.format(box=collector.box)}<script>{SCRIPT.read_text()}</script>"
    collector.pages["/"] = (html, {})
    page.goto(collector.site)
    collector.wait_for("screen_view")


@pytest.mark.parametrize("tag", ["", "data-api-url=/stats"])
def test_script_behind_a_path_of_the_website_keeps_to_that_path(page: Page, collector: Collector, tag: str) -> None:
    for file in TRACKER.rglob("*.js"):
        collector.scripts[f"/stats/{file.relative_to(TRACKER)}"] = file.read_text()
    script = f"<script async src=/stats/script.js data-client-id=site-1 data-track-attributes {tag}></script>"
    collector.pages["/"] = (f"<!doctype html><title>Home</title>{script}<p data-track=marked>Click", {})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(collector.site)))
    page.goto(collector.site)
    collector.wait_for("screen_view")
    page.click("p")
    page.evaluate("databuddy.flush()")
    collector.wait_for("marked")
    assert {request.route for request in collector.accepted} == {"/stats/batch"}
    assert {address.partition("?")[0] for address in asked} == {
        "/",
        *(f"/stats/{name}" for name in ("script.js", "parts.js", "parts/clicks.js", "parts/delivery.js", "batch")),
    }


def test_page_without_the_part_that_sends_sends_all_the_same(page: Page, collector: Collector) -> None:
    """A proxy may forward the scripts that its owner knows of and no others."""
    install_clock(page)
    for name in ("script.js", "parts.js"):
        collector.scripts[f"/stats/{name}"] = (TRACKER / name).read_text()
    script = "<script async src=/stats/script.js data-client-id=site-1 data-track-downloads></script>"
    collector.pages["/"] = (f"<!doctype html><title>Home</title>{script}", {})
    page.goto(collector.site)
    collector.wait_for("screen_view")
    track(page, "bought")
    while not collector.events("bought"):
        page.clock.run_for(1_000)
    collector.wait_for("bought")
    collector.wait_for("screen_view")
