"""Who is not counted."""

from dataclasses import dataclass

import pytest
from playwright.sync_api import Page

from tests.tracker.collector import Collector
from tests.tracker.one_page import on_one_page
from tests.tracker.visits import NOT_AUTOMATED, hide, track

pytestmark = pytest.mark.browser

SPY = """
  window.attempts = [];
  window.fetch = (address) => { attempts.push(address); return Promise.resolve(new Response()); };
  navigator.sendBeacon = (address) => attempts.push(address) > 0;
"""
EVERYTHING = """() => {
  databuddy.track("bought");
  databuddy.screenView();
  history.pushState(null, "", "/next");
  databuddy.flush();
  dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  Object.defineProperty(document, "hidden", { value: true });
  document.dispatchEvent(new Event("visibilitychange"));
  dispatchEvent(new PageTransitionEvent("pagehide"));
}"""


def navigator_says(name: str, value: str) -> str:
    """An init script: the browser's `navigator` answers so."""
    return f"Object.defineProperty(Navigator.prototype, '{name}', {{ get: () => {value} }})"


GPC = navigator_says("globalPrivacyControl", "true")
DNT = navigator_says("doNotTrack", "'1'")


@dataclass(frozen=True)
class Case:
    """A visit, and whether it is counted."""

    why: str
    counted: bool
    tag: str = ""
    before: str = NOT_AUTOMATED
    host: str = "site.example"


CASES = [
    Case("an ordinary visit", True),
    Case("global privacy control", False, before=NOT_AUTOMATED + ";" + GPC),
    Case("do not track", False, before=NOT_AUTOMATED + ";" + DNT),
    Case("do not track, unset", True, before=NOT_AUTOMATED + ";" + navigator_says("doNotTrack", "'unspecified'")),
    Case(
        "no switch overrules a visitor",
        False,
        "data-ignore-bot-detection data-track-localhost",
        GPC,
    ),
    Case("opted out", False, before=NOT_AUTOMATED + "; localStorage.databuddy_opt_out = 'true'"),
    Case("disabled by the page", False, "data-disabled"),
    Case("disabled in words", False, 'data-disabled="true"'),
    Case("not disabled in words", True, 'data-disabled="false"'),
    Case("automated browser", False, before=""),
    Case("automated browser, wanted", True, "data-ignore-bot-detection", before=""),
    Case("localhost", False, host="localhost"),
    Case("loopback address", False, host="127.0.0.1"),
    Case("localhost, wanted", True, "data-track-localhost", host="localhost"),
    Case("loopback address, wanted", True, 'data-track-localhost="true"', host="127.0.0.1"),
    Case("localhost, not wanted", False, 'data-track-localhost="false"', host="localhost"),
    Case("localhost, bots wanted", True, "data-ignore-bot-detection", before="", host="localhost"),
    Case("a name in .local", False, host="shop.local"),
    Case("a name in .local, wanted", True, "data-track-localhost", host="shop.local"),
    Case("names that only look local", True, host="localhost.example"),
    Case("a name that begins like the address of no host", True, host="0.30000000000000004.example"),
    Case("a name that begins like a loopback address", True, host="127.example"),
    Case("localhost with the root's dot", False, host="localhost."),
    Case("a name that begins like a loopback address, options", True, "data-max-retries=3", host="127.0.example"),
    Case("localhost, automated", False, "data-track-localhost", before="", host="localhost"),
    Case("do not track, overruled by the page", True, "data-ignore-privacy-signals", NOT_AUTOMATED + ";" + DNT),
    Case("privacy control, overruled by the page", True, "data-ignore-privacy-signals", NOT_AUTOMATED + ";" + GPC),
    Case("not overruled in words", False, 'data-ignore-privacy-signals="false"', NOT_AUTOMATED + ";" + DNT),
    Case("overruling signals counts no robots", False, "data-ignore-privacy-signals", before=""),
    Case("an option more changes nothing", False, "data-track-errors", NOT_AUTOMATED + ";" + GPC),
]


@on_one_page("case", CASES, ids=lambda case: case.why)
def test_only_visits_that_may_be_counted_send_anything(automated_page: Page, collector: Collector, case: Case) -> None:
    page = automated_page
    collector.publish("/", tag=case.tag, head=f"<script>{SPY}; {case.before}</script>")
    page.goto(f"http://{case.host}:{collector.port}/", wait_until="networkidle")  # parts too
    page.evaluate(EVERYTHING)
    assert (page.evaluate("attempts.length") > 0) is case.counted


def test_a_visitor_who_is_not_counted_is_neither_watched_nor_given_an_id(page: Page, collector: Collector) -> None:
    page.add_init_script(GPC)
    page.goto(collector.publish("/", tag="data-store-visitor-ids data-track-errors"), wait_until="networkidle")
    page.evaluate("databuddy.identify('someone'); databuddy.track('bought')")
    page.wait_for_load_state("networkidle")
    assert sorted(collector.loaded) == ["", "ids"]
    assert page.evaluate("[localStorage.length, sessionStorage.length]") == [0, 0]
    assert collector.accepted == []


def test_opting_out_stops_at_once_and_is_remembered(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/"))
    collector.wait_for("screen_view")
    page.add_init_script(SPY)
    page.evaluate("window.databuddyOptOut()")
    assert page.evaluate("[databuddyOptedOut, databuddyDisabled, {...localStorage}]") == [
        True,
        True,
        {"databuddy_opt_out": "true", "databuddy_disabled": "true"},
    ]
    track(page, "after")
    page.reload()
    page.evaluate(EVERYTHING)
    assert page.evaluate("attempts") == []
    assert [event["name"] for event in collector.events()] == ["screen_view"]


def test_waiting_events_are_discarded_on_opt_out(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/"))
    collector.wait_for("screen_view")
    page.evaluate("databuddy.track('before'); databuddyOptOut(); databuddy.flush(); databuddyOptIn()")
    collector.wait_for("screen_view", 2)
    assert collector.events("before") == []


def test_opting_in_again_counts_the_page_from_then_on(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag="data-disabled"))
    page.evaluate("databuddyOptOut()")
    page.goto(collector.publish("/in"))
    page.evaluate("databuddyOptIn()")
    [view] = collector.wait_for("screen_view")
    assert view["path"] == f"{collector.site}/in"
    assert page.evaluate("[databuddyOptedOut, databuddyDisabled, localStorage.length]") == [False, False, 0]
    page.evaluate("databuddyOptIn()")  # already in: nothing more
    page.reload()
    collector.wait_for("screen_view", 2)
    assert len(collector.events("page_exit")) <= 1  # none of the time before


def test_opting_out_holds_for_the_page_where_storage_is_blocked(page: Page, collector: Collector) -> None:
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError') } })"
    )
    page.goto(collector.publish("/"))
    collector.wait_for("screen_view")
    page.evaluate("databuddyOptOut(); databuddy.track('after'); databuddy.flush()")
    page.evaluate("databuddyOptIn()")
    collector.wait_for("screen_view", 2)
    assert collector.events("after") == []


@pytest.mark.parametrize(
    "tag",
    [
        "",
        "data-track-errors data-track-web-vitals data-track-interactions data-track-attributes data-sampling-rate=1 "
        "data-anonymize-visitor-ids=false data-store-visitor-ids=false",
    ],
)
def test_a_visit_leaves_nothing_in_the_browser_and_sends_no_id(page: Page, collector: Collector, tag: str) -> None:
    page.add_init_script(
        """for (const name of ["setItem", "removeItem", "clear"]) {
          Storage.prototype[name] = () => { throw new Error("storage is touched") };
        }"""
    )
    page.goto(collector.publish("/", tag=tag))
    track(page, "bought")
    page.evaluate("databuddy.flush()")
    collector.wait_for("bought")
    assert page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""]
    assert page.context.cookies() == []
    hide(page)
    collector.wait_for("page_exit")
    for event in collector.events():
        assert not {"anonymousId", "sessionId", "profileId", "sessionStartTime"} & set(event)
