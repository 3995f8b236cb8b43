"""Web vitals, held against Google's own library on the same page (/vitals, wire 4.4)."""

import pytest
from playwright.sync_api import Page

from tests.tracker.collector import TRACKER, Collector, Event
from tests.tracker.visits import hide, leave, push

pytestmark = pytest.mark.browser

NAMES = ("FCP", "LCP", "CLS", "INP", "TTFB")
LIBRARY = TRACKER.parents[1] / "node_modules" / "web-vitals" / "dist" / "web-vitals.iife.js"
PAGE = """
<p id=text>Some text</p>
<img width=300 height=200 src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E">
<button onclick="const until = performance.now() + 120; while (performance.now() < until);">Slow</button>
<div id=late></div>
<p>Pushed down</p>
"""
SHIFT = "() => new Promise(done => { late.style.height = '150px'; setTimeout(() => requestAnimationFrame(done), 100) })"


def measured(events: list[Event]) -> dict[str, float]:
    values = {event["metricName"]: event["metricValue"] for event in events}
    assert len(values) == len(events)  # each once
    return values


@pytest.mark.chromium("whole")
@pytest.mark.parametrize(
    "option", ["data-track-web-vitals", pytest.param("data-track-performance", marks=pytest.mark.thorough)]
)
def test_the_values_are_those_of_the_web_vitals_library(page: Page, collector: Collector, option: str) -> None:
    if not LIBRARY.exists():
        pytest.skip("web/node_modules is missing: run npm ci --ignore-scripts in web/ (packaging/test.sh does it)")
    collector.scripts["/library.js"] = LIBRARY.read_text() + (
        "window.theirs = {}; for (const name of ['FCP', 'LCP', 'CLS', 'INP', 'TTFB']) "
        "webVitals['on' + name]((metric) => { theirs[name] = metric.value }, { reportAllChanges: true })"
    )
    head = "<script src=/library.js></script>"
    address = collector.publish("/page", tag=option, head=head, body=PAGE)
    page.goto(address)
    page.wait_for_function("theirs.FCP && theirs.LCP && theirs.TTFB")
    collector.wait_for("screen_view")
    page.evaluate(SHIFT)
    page.click("button")
    page.wait_for_function("theirs.INP && theirs.CLS")
    push(page, "/elsewhere")
    hide(page)
    collector.wait(lambda: set(NAMES) <= set(measured(collector.sent_to("/vitals"))), "all vitals")
    ours = measured(collector.sent_to("/vitals"))
    theirs = page.evaluate("theirs")
    for name in NAMES:
        assert ours[name] == pytest.approx(theirs[name], abs=0.001), name
    assert ours["CLS"] > 0
    assert ours["INP"] >= 100
    assert {event["path"] for event in collector.sent_to("/vitals")} == {address}


def test_frames_are_counted_in_the_first_second(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag="data-track-web-vitals data-batch-timeout=100"))
    collector.wait(lambda: "FPS" in measured(collector.sent_to("/vitals")), "FPS")
    assert 1 <= measured(collector.sent_to("/vitals"))["FPS"] <= 250


@pytest.mark.chromium("whole")
def test_a_page_that_is_left_twice_is_measured_once(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag="data-track-web-vitals"))
    collector.wait_for("screen_view")
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
    for _ in range(2):
        hide(page)
        page.evaluate(
            "() => { Object.defineProperty(document, 'hidden', { value: false, configurable: true });"
            " document.dispatchEvent(new Event('visibilitychange', { bubbles: true })) }"
        )
    page.goto("about:blank")
    collector.wait_for("page_exit", 3)
    assert "CLS" in measured(collector.sent_to("/vitals"))


def test_a_page_that_was_never_visible_has_no_paint(page: Page, collector: Collector) -> None:
    page.add_init_script("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    page.goto(collector.publish("/", tag="data-track-web-vitals"))
    collector.wait_for_route("/vitals")
    leave(page)
    page.goto(collector.publish("/end", tag=""))
    collector.wait(lambda: len(collector.events("screen_view")) == 2, "the end")
    assert set(measured(collector.sent_to("/vitals"))) == {"TTFB"}
