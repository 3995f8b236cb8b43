"""window.databuddy: what the page's own code can say."""

import re

import pytest
from playwright.sync_api import Page

from tests.tracker.collector import Collector
from tests.tracker.visits import install_clock, push, stop_clock, track

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("either")]


def test_a_custom_event_carries_its_path_and_properties(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/shop") + "?utm_source=letter")
    track(page, "purchase", {"value": 12.5, "plan": "größer", "items": [1, 2]})
    page.evaluate("databuddy.flush()")
    [event] = collector.wait_for("purchase")
    assert re.fullmatch(r"purchase0\.\d+(e-\d+)?", event.pop("eventId"))
    assert isinstance(event.pop("timestamp"), int)
    assert event == {
        "name": "purchase",
        "path": f"{collector.site}/shop",
        "properties": {"value": 12.5, "plan": "größer", "items": [1, 2]},
    }
    request = collector.accepted[-1]
    assert (request.route, request.query) == ("/batch", {"client_id": "site-1"})


def test_events_wait_for_company_and_go_out_together(page: Page, collector: Collector) -> None:
    install_clock(page)
    page.goto(collector.publish("/"))
    collector.wait_for("screen_view")
    stop_clock(page)
    for number in range(3):
        track(page, "step", {"number": number})
    assert collector.events("step") == []
    page.clock.run_for(5_000)
    assert [event["properties"]["number"] for event in collector.wait_for("step", 3)] == [0, 1, 2]
    assert [len(request.events()) for request in collector.accepted] == [1, 3]


def test_flush_sends_what_waits_at_once(page: Page, collector: Collector) -> None:
    install_clock(page)
    page.goto(collector.publish("/"))
    stop_clock(page)
    page.evaluate("databuddy.track('now'); databuddy.flush()")
    collector.wait_for("now")


@pytest.mark.chromium("whole")
def test_a_flood_of_events_is_cut_into_small_requests_and_none_is_lost(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/"), wait_until="networkidle")  # with the parts that it asks for
    page.evaluate("for (let number = 0; number < 250; number++) databuddy.track('flood', { number })")
    page.goto("about:blank")
    events = collector.wait_for("flood", 250)
    assert sorted(event["properties"]["number"] for event in events) == list(range(250))
    assert max(len(request.events()) for request in collector.accepted) <= 20


def test_no_request_is_larger_than_browsers_take_from_a_page_that_leaves(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/"))
    page.evaluate("for (let n = 0; n < 9; n++) databuddy.track('long', { text: '漢'.repeat(n == 8 ? 10_000 : 1_800) })")
    collector.wait_for("long", 9)
    assert max(len(request.body) for request in collector.accepted) <= 60_000


def test_global_properties_ride_on_later_events_until_cleared(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/"))
    page.evaluate(
        """() => {
          databuddy.setGlobalProperties({ plan: "hobby", role: "admin" });
          databuddy.setGlobalProperties({ plan: "pro" });
          databuddy.track("first", { role: "guest" });
          databuddy.flush();
        }"""
    )
    push(page, "/next")
    views = {view["path"]: view for view in collector.wait_for("screen_view", 2)}  # in whatever order they arrive
    assert "properties" not in views[f"{collector.site}/"]
    assert views[f"{collector.site}/next"]["properties"] == {"plan": "pro", "role": "admin"}
    page.evaluate("databuddy.clear(); databuddy.track('second'); databuddy.flush()")
    assert collector.wait_for("first")[0]["properties"] == {"plan": "pro", "role": "guest"}
    assert "properties" not in collector.wait_for("second")[0]


def test_properties_are_taken_as_they_are_at_the_call(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/"))
    page.evaluate("const cart = { items: 1 }; databuddy.track('cart', cart); cart.items = 2; databuddy.flush()")
    assert collector.wait_for("cart")[0]["properties"] == {"items": 1}


def test_value_that_is_not_json_is_dropped_alone_without_an_error(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/"))
    page.evaluate(
        """() => {
          const cycle = {};
          cycle.self = cycle;
          databuddy.track("cycle", cycle);
          databuddy.track("big", { number: 1n });
          databuddy.track("good", { fine: true });
          databuddy.flush();
        }"""
    )
    collector.wait_for("good")
    assert collector.events("cycle") == collector.events("big") == []


def test_db_is_a_short_name_unless_the_page_uses_it(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/"))
    assert page.evaluate("db === databuddy && databuddy.options.clientId") == "site-1"
    page.goto(collector.publish("/own", head="<script>var db = 'mine'</script>"))
    assert page.evaluate("[db, typeof databuddy.track]") == ["mine", "function"]


def test_a_tracker_on_the_page_twice_counts_once(page: Page, collector: Collector) -> None:
    again = f'<script async src="{collector.box}/script.js" data-client-id=other></script>'
    page.goto(collector.publish("/", head="", body=again))
    push(page, "/next")
    collector.wait_for("screen_view", 2)
    assert len({request.query["client_id"] for request in collector.accepted}) == 1


def test_analytics_box_is_the_same_global_under_its_own_name(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/"))
    collector.wait_for("screen_view")
    assert page.evaluate("analyticsBox === databuddy")
    page.evaluate("analyticsBox.track('bought', { plan: 'pro' }); analyticsBox.flush()")
    [event] = collector.wait_for("bought")
    assert event["properties"] == {"plan": "pro"}


def test_option_marks_an_event_as_non_interactive(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/"))
    page.evaluate("analyticsBox.track('autoplay', { video: 1 }, { interactive: false, name: 'other' })")
    page.evaluate("analyticsBox.track('play'); analyticsBox.flush()")
    [quiet], [usual] = collector.wait_for("autoplay"), collector.wait_for("play")
    assert (quiet["interactive"], quiet["properties"]) == (False, {"video": 1})
    assert "interactive" not in usual
