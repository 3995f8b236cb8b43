"""How events travel: no preflight, retries, and pages that forbid or lack things."""

import pytest
from playwright.sync_api import Page

from tests.tracker.collector import Collector
from tests.tracker.one_page import on_one_page
from tests.tracker.visits import hide, install_clock, start_clock, stop_clock, track

pytestmark = pytest.mark.browser

ANSWERS = """
  window.statuses = [];
  window.tries = 0;
  const send = window.fetch;
  window.fetch = (...request) => {
    if (!statuses.length) return send(...request);
    tries++;
    const status = statuses.shift();
    return status ? Promise.resolve(new Response(null, { status })) : Promise.reject(new TypeError("no connection"));
  };
"""
"""A script for the page: fetch answers with `statuses` while there are any, 0 is no connection; it counts `tries`."""


def test_requests_need_no_preflight_and_carry_no_cookie(page: Page, collector: Collector) -> None:
    page.context.add_cookies([{"name": "secret", "value": "1", "url": collector.box}])
    page.goto(collector.publish("/"))
    track(page, "bought")
    page.evaluate("databuddy.flush()")
    collector.wait_for("bought")
    assert {request.method for request in collector.received} == {"POST"}
    for request in collector.received:
        assert request.headers["content-type"].startswith("text/plain")
        assert request.headers["origin"] == collector.site
        assert "cookie" not in request.headers


@pytest.mark.parametrize("refusals", [[503], [429, 408]])
def test_a_refusal_that_may_pass_is_tried_again_with_the_same_ids(
    page: Page, collector: Collector, refusals: list[int]
) -> None:
    collector.refusals = list(refusals)
    page.goto(collector.publish("/"))
    [view] = collector.wait_for("screen_view")
    tried = [request.events()[0]["eventId"] for request in collector.received]
    assert tried == [view["eventId"]] * (len(refusals) + 1)
    assert collector.loaded == ["", "delivery"]


def test_a_refusal_for_good_is_not_tried_again(page: Page, collector: Collector) -> None:
    collector.refusals = [400]
    page.goto(collector.publish("/"))
    collector.wait(lambda: "delivery" in collector.loaded, "delivery")
    page.evaluate("databuddy.track('next')")
    hide(page)
    collector.wait_for("next")
    assert collector.events("screen_view") == []


@on_one_page(
    ("statuses", "tag", "delays_ms"),
    [
        ([503, 503, 503, 503, 503], "data-max-retries=3", [500, 1000, 2000]),  # then it is dropped
        ([0, 0, 200], "data-max-retries=3", [500, 1000]),  # the network is gone
        ([200], "data-max-retries=3", []),
        ([400], "data-max-retries=3", []),
        ([403, 503], "data-max-retries=3", []),
        ([408, 425, 429, 200], "data-max-retries=3", [500, 1000, 2000]),
        ([500, 502, 504, 200], "data-max-retries=3", [500, 1000, 2000]),
        ([503, 503, 503], "data-max-retries=1", [500]),
        ([503, 503], "data-max-retries=0", []),
        ([503, 503], "data-enable-retries=false", []),
        ([503, 503, 200], "data-initial-retry-delay=100", [250, 250]),  # 250 ms at least
        ([503, 503, 200], "data-initial-retry-delay=20000", [20_000, 30_000]),  # 30 s at most
    ],
)
def test_delays_double_and_end(
    page: Page, collector: Collector, statuses: list[int], tag: str, delays_ms: list[int]
) -> None:
    start_clock(page)
    page.goto(collector.publish("/", tag=tag, head=f"<script>{ANSWERS}</script>"))
    collector.wait_for("screen_view")
    stop_clock(page)
    page.evaluate(f"statuses = {statuses}; databuddy.track('event'); databuddy.flush()")
    for delay in delays_ms:
        page.evaluate("Promise.resolve()")
        tried = page.evaluate("tries")
        page.clock.run_for(delay - 1)
        assert page.evaluate("tries") == tried
        page.clock.run_for(1)
        assert page.evaluate("tries") == tried + 1
    page.clock.run_for(120_000)
    assert page.evaluate("tries") == 1 + len(delays_ms)


@pytest.mark.chromium("whole")
def test_events_waiting_for_a_retry_are_sent_when_the_page_is_left(page: Page, collector: Collector) -> None:
    page.add_init_script(ANSWERS)
    install_clock(page)
    page.goto(collector.publish("/", tag="data-max-retries=3"))
    collector.wait_for("screen_view")
    stop_clock(page)
    page.evaluate("statuses = [503]; databuddy.track('event'); databuddy.flush()")
    assert collector.events("event") == []
    page.goto("about:blank")
    collector.wait_for("event")
    collector.wait_for("page_exit")


def test_offline_events_are_sent_later_with_their_time(page: Page, collector: Collector) -> None:
    install_clock(page)
    page.goto(collector.publish("/"))
    collector.wait_for("screen_view")
    page.context.set_offline(True)
    before = page.evaluate("databuddy.track('offline', { number: 1 }); databuddy.flush(); Date.now()")
    page.evaluate("databuddy.track('offline', { number: 2 }); databuddy.flush()")
    assert collector.events("offline") == []
    page.context.set_offline(False)
    back = page.evaluate("Date.now()")
    while len(collector.events("offline")) < 2:
        page.clock.run_for(1_000)
    first, second = collector.wait_for("offline", 2)
    assert first["timestamp"] <= before <= second["timestamp"] <= back


def test_a_collector_that_cannot_be_reached_breaks_nothing(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag='data-api-url="http://127.0.0.1:1"'))
    track(page, "lost")
    page.evaluate("databuddy.flush()")
    assert page.evaluate("document.body.textContent") == "Hello"


@pytest.mark.chromium("whole")
@pytest.mark.parametrize("beacon", ["undefined", "() => false"])
def test_leaving_works_without_beacons(page: Page, collector: Collector, beacon: str) -> None:
    page.add_init_script(f"Object.defineProperty(navigator, 'sendBeacon', {{ value: {beacon} }})")
    page.goto(collector.publish("/"))
    collector.wait_for("screen_view")
    page.goto("about:blank")
    collector.wait_for("page_exit")


def test_an_insecure_page_without_random_uuids_works(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/"))
    assert page.evaluate("[isSecureContext, typeof crypto.randomUUID]") == [False, "undefined"]
    collector.wait_for("screen_view")


def test_a_strict_content_security_policy_is_kept(page: Page, collector: Collector) -> None:
    sources = f"default-src 'none'; script-src {collector.box}; connect-src {collector.box}"
    page.add_init_script(
        "window.violations = []; addEventListener('securitypolicyviolation', "
        "(event) => violations.push(event.violatedDirective), true)"
    )
    page.goto(
        collector.publish("/", headers={"content-security-policy": f"{sources}; require-trusted-types-for 'script'"})
    )
    track(page, "bought")
    page.evaluate("history.pushState(null, '', '/next')")
    collector.wait_for("bought")
    assert page.evaluate("violations") == []
    hide(page)
    collector.wait_for("page_exit", 2)


REPLACED = {
    "fetch throws": "window.fetch = () => { throw new TypeError('on no account') }",
    "fetch returns nothing": "window.fetch = () => undefined",
    "fetch promises nothing": "window.fetch = () => Promise.resolve()",
    "fetch refuses": "window.fetch = () => Promise.reject(new TypeError('blocked'))",
    "sendBeacon throws": "navigator.sendBeacon = () => { throw new TypeError('on no account') }",
    "sendBeacon returns nothing": "navigator.sendBeacon = () => undefined",
    "there is no sendBeacon": "navigator.sendBeacon = undefined",
}


@pytest.mark.chromium("whole")
@on_one_page(("why", "tag"), [(why, tag) for why in REPLACED for tag in ("", "data-max-retries=1")])
def test_page_that_replaces_a_function_loses_nothing(page: Page, collector: Collector, why: str, tag: str) -> None:
    page.goto(collector.publish("/", tag=tag, head=f"<script>{REPLACED[why]}</script>"))
    page.wait_for_function("self.databuddy")
    track(page, "bought")
    page.evaluate("databuddy.flush()")
    if why.startswith("fetch"):  # What comes up only with the exit has no other way.
        page.wait_for_function("databuddy.getProfileId() === null")
    page.goto("about:blank")
    for name in ("screen_view", "bought", "page_exit"):
        collector.wait(lambda name=name: bool(collector.events(name)), f"{why}: {name}")  # type: ignore[misc]


def test_fetch_that_never_works_is_given_up_for_a_beacon(page: Page, collector: Collector) -> None:
    start_clock(page)
    head = f"<script>{REPLACED['fetch throws']}</script>"
    page.goto(collector.publish("/", tag="data-max-retries=2", head=head))
    page.wait_for_function("databuddy.getProfileId() === null")
    while not collector.events():
        page.clock.run_for(500)
        page.evaluate("Promise.resolve()")
    collector.wait_for("screen_view")


def test_old_library_that_writes_arrays_as_texts_changes_nothing(page: Page, collector: Collector) -> None:
    old = "Array.prototype.toJSON = function () { return JSON.stringify([...this].map(String)) }"
    page.goto(collector.publish("/", head=f"<script>{old}</script>"))
    assert collector.wait_for("screen_view")[0]["page_count"] == 1
