"""The leave beacon: engaged time, depth and interactions of a page view."""

import pytest
from playwright.sync_api import Page

from tests.tracker.collector import Collector
from tests.tracker.visits import hide, install_clock, leave, push, show, stop_clock

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("either")]

LONG = "<div style='height: 2400px'></div>"


@pytest.mark.chromium("whole")
def test_leaving_sends_one_exit_by_beacon(page: Page, collector: Collector) -> None:
    address = collector.publish("/read")
    page.goto(address)
    [view] = collector.wait_for("screen_view")
    page.goto("about:blank")
    [exit_] = collector.wait_for("page_exit")
    assert exit_["eventId"].startswith("page_exit")
    said = {name: exit_[name] for name in view if name not in ("name", "eventId", "timestamp")}
    assert said == {name: view[name] for name in said}
    assert exit_["scroll_depth"] == 100
    assert exit_["time_on_page"] < 60
    beacon = collector.accepted[-1]
    assert (beacon.route, beacon.query) == ("/batch", {"client_id": "site-1"})
    assert beacon.headers["content-type"].startswith("text/plain")


def test_only_visible_time_counts_and_later_exits_add_to_it(page: Page, collector: Collector) -> None:
    install_clock(page)
    page.goto(collector.publish("/"))
    stop_clock(page)
    page.evaluate("databuddy.screenView()")  # a view that begins with the clock stopped
    page.clock.fast_forward(5_700)
    hide(page)
    page.clock.fast_forward(600_000)
    hide(page)  # told twice
    show(page)
    page.clock.fast_forward(1_400)
    hide(page)
    show(page)
    page.clock.fast_forward(12_000)
    push(page, "/next")
    page.clock.run_for(1_000)
    exits = [exit_ for exit_ in collector.wait_for("page_exit", 4) if exit_["page_count"] == 2]
    assert sorted(exit_["time_on_page"] for exit_ in exits) == [2, 5, 12]
    assert len({exit_["eventId"] for exit_ in exits}) == 3


def test_a_page_that_was_never_visible_has_no_exit(page: Page, collector: Collector) -> None:
    page.add_init_script("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    page.goto(collector.publish("/"))
    collector.wait_for("screen_view")
    page.evaluate("databuddy.track('last')")
    leave(page)
    collector.wait_for("last")
    assert collector.events("page_exit") == []


def test_depth_is_the_lowest_part_seen_in_percent(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", body=LONG, head="<style>body { margin: 0 }</style>"))
    hide(page)
    show(page)
    page.evaluate("new Promise(done => { addEventListener('scroll', done); scrollTo(0, 600) })")
    page.evaluate("new Promise(done => { addEventListener('scroll', done); scrollTo(0, 0) })")
    hide(page)
    assert sorted(exit_["scroll_depth"] for exit_ in collector.wait_for("page_exit", 2)) == [25, 50]


def test_navigation_inside_the_page_leaves_the_old_path(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/old", title="Old"))
    collector.wait_for("screen_view")
    push(page, "/new", "New")
    [exit_] = collector.wait_for("page_exit")
    assert (exit_["path"], exit_["title"]) == (f"{collector.site}/old", "Old")
    # It travels with the view that follows.
    assert [event["name"] for event in collector.accepted[-1].events()] == ["page_exit", "screen_view"]
