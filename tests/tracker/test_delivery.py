"""How events travel: no preflight, retries, and pages that forbid or lack things."""

from itertools import pairwise

import pytest
from playwright.sync_api import Page

from tests.tracker.collector import Collector
from tests.tracker.visits import REMEMBER_SENDINGS, stop_clock, track, wait_until_answered

pytestmark = pytest.mark.browser


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


@pytest.mark.parametrize("refusals", [[503], [429, 408], [500, 502, 504]])
def test_a_refusal_that_may_pass_is_tried_again_with_the_same_ids(
    page: Page, collector: Collector, refusals: list[int]
) -> None:
    collector.refusals = list(refusals)
    page.add_init_script(REMEMBER_SENDINGS)
    page.clock.install()
    page.goto(collector.publish("/"))
    for failed in range(1, len(refusals) + 1):
        wait_until_answered(page)
        page.clock.run_for(2_000 << failed)
    [view] = collector.wait_for("screen_view")
    tried = [request.events()[0]["eventId"] for request in collector.received]
    assert tried == [view["eventId"]] * (len(refusals) + 1)


@pytest.mark.parametrize(
    ("statuses", "delays_s"),
    [
        ([503, 503, 503, 503, 503], [4, 8, 16]),  # then it is dropped
        ([0, 0, 200], [4, 8]),  # the network is gone
        ([200], []),
        ([400], []),
        ([403, 503], []),
    ],
)
def test_delays_double_and_end(page: Page, collector: Collector, statuses: list[int], delays_s: list[int]) -> None:
    page.add_init_script(
        f"""
        window.calls = 0;
        const statuses = {statuses};
        window.fetch = () => {{
          const status = statuses[calls++];
          return status ? Promise.resolve(new Response(null, {{ status }})) : Promise.reject(new TypeError("offline"));
        }};
        """
    )
    page.clock.install()
    page.goto(collector.publish("/", tag="data-ignore-bot-detection data-disabled"))
    stop_clock(page)
    page.evaluate("databuddy.options.disabled = false; databuddy.track('event'); databuddy.flush()")
    seen = []
    for second in range(61):
        seen.append(page.evaluate("calls"))
        if second < 60:
            page.clock.run_for(1_000)
    tries = [second for second in range(1, 61) if seen[second] > seen[second - 1]]
    assert [after - before for before, after in pairwise([0, *tries])] == delays_s
    assert seen[-1] == 1 + len(delays_s)


def test_what_waits_for_another_try_leaves_with_the_page(page: Page, collector: Collector) -> None:
    collector.refusals = [503]
    page.add_init_script(REMEMBER_SENDINGS)
    page.clock.install()
    page.goto(collector.publish("/"))
    wait_until_answered(page)
    page.goto("about:blank")
    collector.wait_for("screen_view")
    collector.wait_for("page_exit")


def test_a_collector_that_cannot_be_reached_breaks_nothing(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag='data-ignore-bot-detection data-api-url="http://127.0.0.1:1"'))
    track(page, "lost")
    page.evaluate("databuddy.flush()")
    assert page.evaluate("document.body.textContent") == "Hello"


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
    page.goto("about:blank")
    collector.wait_for("page_exit", 2)
