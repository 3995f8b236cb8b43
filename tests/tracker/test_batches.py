"""Options of delivery: batches, single events, names of the SDK; the pixel and the console messages."""

import json
import re

import pytest
from playwright.sync_api import Page

from tests.tracker.collector import Collector, Event
from tests.tracker.one_page import on_one_page
from tests.tracker.visits import hide, push, start_clock, stop_clock, track

pytestmark = pytest.mark.browser


def sizes(collector: Collector) -> list[int]:
    return [len(request.events()) for request in collector.accepted if request.route == "/batch"]


@on_one_page(("size", "threshold"), [("3", 3), ("1", 1), ("0", 1), ("500", 50), ('"x"', 1)])
def test_so_many_events_make_a_batch(page: Page, collector: Collector, size: str, threshold: int) -> None:
    start_clock(page)
    page.goto(collector.publish("/", tag=f"data-batch-size={size}"))
    stop_clock(page)
    page.clock.run_for(5_000)  # the page view, if it waits for more
    collector.wait_for("screen_view")
    for _ in range(threshold - 1):
        track(page, "step")
    page.clock.run_for(100)
    assert collector.events("step") == []
    track(page, "step")
    page.clock.run_for(1)
    collector.wait_for("step", threshold)


@on_one_page(("timeout", "ms"), [("700", 700), ("1", 100), ("99999", 30_000)])
def test_a_batch_waits_so_long(page: Page, collector: Collector, timeout: str, ms: int) -> None:
    start_clock(page)
    page.goto(collector.publish("/", tag=f"data-batch-timeout={timeout}"))
    stop_clock(page)
    page.clock.run_for(30_000)
    collector.wait_for("screen_view")
    track(page, "step")
    page.clock.run_for(ms - 1)
    assert collector.events("step") == []
    page.clock.run_for(1)
    collector.wait_for("step")


def test_without_batches_each_event_goes_alone_to_its_own_address(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag="data-enable-batching=false data-track-outgoing-links"))
    collector.wait_for("screen_view")
    page.evaluate("databuddy.track('one'); databuddy.track('two')")
    collector.wait_for("one")
    collector.wait_for("two")
    hide(page)
    collector.wait_for("page_exit")
    for request in collector.accepted:
        assert (request.route, request.query) == ("/", {"client_id": "site-1"})
        assert isinstance(json.loads(request.body), dict)


def test_large_batches_are_cut_for_leaving(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag="data-batch-size=50 data-batch-timeout=30000"))
    page.evaluate("for (let n = 0; n < 49; n++) databuddy.track('step', { text: '漢'.repeat(300) })")
    hide(page)
    collector.wait_for("step", 49)
    assert max(len(request.body) for request in collector.accepted) <= 60_000
    assert max(sizes(collector)) <= 20


def test_the_sdk_names_itself_without_a_preflight(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag="data-sdk=react data-sdk-version=2.6.0"))
    collector.wait_for("screen_view")
    hide(page)
    collector.wait_for("page_exit")
    assert {request.method for request in collector.received} == {"POST"}
    for request in collector.accepted:
        assert request.query == {"client_id": "site-1", "sdk_name": "react", "sdk_version": "2.6.0"}


@on_one_page(
    ("attribute", "value"),
    [
        ("", True),
        ("=true", True),
        ("=false", False),
        ("=12", 12),
        ("=0.5", 0.5),
        ("=auto", "auto"),
        ("='[\"/a\"]'", ["/a"]),
        ("='[broken'", "[broken"),
    ],
)
def test_attributes_are_read_as_what_they_say(page: Page, collector: Collector, attribute: str, value: object) -> None:
    page.goto(collector.publish("/", tag=f"data-max-retries=3 data-some-thing{attribute}"))
    collector.wait_for("screen_view")
    found = page.evaluate("databuddy.options.someThing")
    assert (found, type(found)) == (value, type(value))


def pixels(collector: Collector, kind: str) -> list[Event]:
    return [event for event in collector.sent_to("/px.jpg") if event["type"] == kind]


def test_a_pixel_carries_what_requests_would(page: Page, collector: Collector) -> None:
    tag = "data-use-pixel data-track-errors data-track-web-vitals data-track-outgoing-links"
    body = "<a href=http://elsewhere.example/ onclick='return false'>Go</a>"
    address = collector.publish("/", tag=tag, body=body, title="Hö & me")
    page.goto(address + "?utm_source=x")
    track(page, "bought", {"value": 1, "list": [1, {"a": "é"}]})
    page.click("a")
    page.evaluate("setTimeout(() => { throw new Error('on purpose') })")
    push(page, "/next")
    collector.wait(lambda: len(pixels(collector, "track")) >= 4, "pixels")
    named = {event["name"]: event for event in pixels(collector, "track")}
    assert named["page_exit"]["eventId"].startswith("page_exit")
    assert json.loads(named["bought"]["properties"]) == {"value": 1, "list": [1, {"a": "é"}]}
    views = [event for event in pixels(collector, "track") if event["name"] == "screen_view"]
    first = min(views, key=lambda view: int(view["page_count"]))
    assert (first["path"], first["title"], first["utm_source"]) == (address, "Hö & me", "x")
    assert re.fullmatch(r"\d{13}", first["timestamp"])
    others = ("error", "web_vitals", "outgoing_link")
    collector.wait(lambda: all(pixels(collector, kind) for kind in others), "other pixels")
    assert pixels(collector, "error")[0]["message"] == "on purpose"
    assert pixels(collector, "outgoing_link")[0]["href"] == "http://elsewhere.example/"
    assert {event["client_id"] for event in collector.sent_to("/px.jpg")} == {"site-1"}
    assert {request.method for request in collector.received} == {"GET"}


@pytest.mark.chromium("whole")
def test_a_page_that_is_left_sends_its_pixels_first(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag="data-use-pixel"))
    collector.wait(lambda: bool(pixels(collector, "track")), "the view")
    page.goto("about:blank")
    collector.wait(lambda: "page_exit" in [event["name"] for event in pixels(collector, "track")], "the exit")


@pytest.mark.parametrize("script", ["databuddy-debug.js", "script.js"])
def test_debugging_says_what_is_done(page: Page, collector: Collector, script: str) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    asked = "" if "debug" in script else "data-debug"
    collector.pages["/"] = (f"<script async src={collector.box}/{script} data-client-id=site-1 {asked}></script>", {})
    page.goto(collector.site + "/")
    collector.wait_for("screen_view")
    track(page, "bought", {"plan": "pro"})
    page.evaluate("databuddy.flush()")
    collector.wait_for("bought")
    page.wait_for_function("true")
    said_all = "\n".join(said)
    assert "[analytics] options" in said_all
    assert "[analytics] recorded screen_view" in said_all
    assert "[analytics] recorded bought" in said_all


@pytest.mark.parametrize(
    ("tag", "before", "reason"),
    [
        ("data-disabled", "", "data-disabled is set"),
        ("", "Object.defineProperty(Navigator.prototype, 'doNotTrack', { get: () => '1' })", "Do Not Track"),
        ("", "localStorage.databuddy_opt_out = 'true'", "opted out"),
        ("", "Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => true })", "driven by software"),
    ],
)
def test_debugging_says_why_nothing_is_counted(
    page: Page, collector: Collector, tag: str, before: str, reason: str
) -> None:
    page.add_init_script(before)
    with page.expect_console_message(lambda message: "nothing is counted" in message.text) as said:
        page.goto(collector.publish("/", tag=f"data-debug {tag}"))
    assert reason in said.value.text
    assert collector.received == []
