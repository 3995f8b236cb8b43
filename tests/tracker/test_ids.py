"""Client-id mode, sessions, profiles and what is kept in the browser (wire 5.2)."""

import re

import pytest
from playwright.sync_api import Page

from tests.tracker.collector import Collector
from tests.tracker.one_page import on_one_page
from tests.tracker.visits import REMEMBER_SENDINGS, hide, install_clock, stop_clock, track, wait_until_answered

pytestmark = pytest.mark.browser

KEPT = "data-store-visitor-ids"
UUID = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
STORED = "[{ ...localStorage }, { ...sessionStorage }]"
VISITOR = "anon_00000000-0000-4000-8000-000000000001"
SESSION = "sess_00000000-0000-4000-8000-000000000002"


def test_ids_are_kept_in_the_browser_and_ride_on_everything(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag=f"{KEPT} data-track-errors"))
    [view] = collector.wait_for("screen_view")
    assert re.fullmatch(f"anon_{UUID}", view["anonymousId"])
    assert re.fullmatch(f"sess_{UUID}", view["sessionId"])
    local, session = page.evaluate(STORED)
    assert local == {"did": view["anonymousId"]}
    assert session.pop("did_session") == view["sessionId"]
    assert set(session) == {"did_session_start", "did_session_timestamp"}
    assert view["sessionStartTime"] == int(session["did_session_start"])
    track(page, "bought")
    page.evaluate("setTimeout(() => { throw new Error('on purpose') })")
    hide(page)
    page.goto(collector.publish("/next", tag=KEPT))
    later = [*collector.wait_for("bought"), *collector.wait_for_route("/errors"), *collector.wait_for("screen_view", 2)]
    assert {(event["anonymousId"], event["sessionId"]) for event in later} == {(view["anonymousId"], view["sessionId"])}
    assert page.evaluate("databuddy.getTrackingIds()") == {
        "anonId": view["anonymousId"],
        "sessionId": view["sessionId"],
    }
    assert page.context.cookies() == []


@pytest.mark.parametrize(("idle_ms", "same"), [(30 * 60_000 - 2_000, True), (30 * 60_000 + 1, False)])
def test_a_session_ends_after_thirty_minutes_without_an_event(
    page: Page, collector: Collector, idle_ms: int, same: bool
) -> None:
    install_clock(page)
    page.goto(collector.publish("/", tag=KEPT))
    [view] = collector.wait_for("screen_view")
    stop_clock(page)
    page.clock.fast_forward(idle_ms)
    page.evaluate("databuddy.screenView(); databuddy.track('last')")
    page.clock.run_for(5_000)
    second = collector.wait_for("screen_view", 2)[1]
    assert (second["sessionId"] == view["sessionId"]) is same
    assert (second["sessionStartTime"] == view["sessionStartTime"]) is same
    assert second["anonymousId"] == view["anonymousId"]


@on_one_page(
    ("query", "handed_over"),
    [
        (f"anonId={VISITOR}&sessionId={SESSION}", True),
        ("anonId=anon_%3Cscript%3E&sessionId=sess_a'b", False),
        ("anonId=someone&sessionId=1", False),
    ],
)
def test_ids_come_from_another_site_of_the_owner(
    page: Page, collector: Collector, query: str, handed_over: bool
) -> None:
    page.goto(collector.publish("/", tag=KEPT) + "?" + query)
    [view] = collector.wait_for("screen_view")
    assert (view["anonymousId"] == VISITOR) is handed_over
    assert (view["sessionId"] == SESSION) is handed_over
    assert page.evaluate("localStorage.did") == view["anonymousId"]


def test_without_the_option_ids_in_the_address_are_ignored(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag="data-max-retries=3") + f"?anonId={VISITOR}&sessionId={SESSION}")
    [view] = collector.wait_for("screen_view")
    assert not {"anonymousId", "sessionId", "sessionStartTime", "anonymizeVisitorIds"} & set(view)
    assert page.evaluate(STORED) == [{}, {}]
    assert page.evaluate("databuddy.getTrackingIds()") == {"anonId": None, "sessionId": None}


@on_one_page(("value", "sent"), [("false", False), ("true", True), ("auto", "auto")])
def test_whether_ids_are_made_anonymous_is_passed_on(
    page: Page, collector: Collector, value: str, sent: bool | str
) -> None:
    page.goto(collector.publish("/", tag=f"{KEPT} data-anonymize-visitor-ids={value}"))
    assert collector.wait_for("screen_view")[0]["anonymizeVisitorIds"] is sent or sent == "auto"


def test_click_ids_are_kept_for_the_events_that_follow(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag=KEPT) + "?gclid=abc&utm_source=x")
    collector.wait_for("screen_view")
    assert page.evaluate("JSON.parse(localStorage.did_params)") == {"gclid": "abc"}
    page.goto(collector.publish("/pay", tag=KEPT))
    track(page, "bought")
    hide(page)
    assert collector.wait_for("bought")[0]["gclid"] == "abc"
    # A page view says only what its own address does: it decides where a session comes from.
    assert "gclid" not in collector.wait_for("screen_view", 2)[1]


@pytest.mark.parametrize("tag", [KEPT, ""])
def test_a_profile_rides_on_events_from_then_on(page: Page, collector: Collector, tag: str) -> None:
    page.goto(collector.publish("/", tag=tag))
    collector.wait_for("screen_view")
    page.evaluate(
        """() => {
          databuddy.track("before");
          databuddy.identify("user-1", { email: "a@example.com", plan: "pro", gone: null });
          databuddy.track("known");
          databuddy.setTraits({ plan: "free" });
          databuddy.clearProfile();
          databuddy.setTraits({ plan: "nobody's" });
          databuddy.track("after");
          databuddy.flush();
        }"""
    )
    known = collector.wait_for("known")[0]
    assert known["profileId"] == "user-1"
    collector.wait_for("before")
    for name in ("before", "after"):
        assert "profileId" not in collector.wait_for(name)[0]
    first, second = collector.wait_for_route("/identify", 2)
    assert (first["profileId"], first["traits"]) == (
        "user-1",
        {"email": "a@example.com", "plan": "pro", "gone": None},
    )
    assert second["traits"] == {"plan": "free"}
    assert first.get("anonymousId") == known.get("anonymousId")
    assert page.evaluate("databuddy.getProfileId()") is None
    if not tag:
        assert "anonymousId" not in first
        assert page.evaluate(STORED) == [{}, {}]


ANSWERED_BY_HAND = """
  window.told = [];
  const send = window.fetch;
  window.fetch = (url, request) => /identify/.test(url)
    ? new Promise(done => {
        const answer = status => done(new Response(null, { status }));
        told.push({ ...JSON.parse(request.body), answer });
      })
    : send(url, request);
"""
"""An init script: what is said of profiles is in `told`, each with a function that answers it."""


@pytest.mark.parametrize(("statuses", "plans"), [([200], ["pro", "free"]), ([503, 200], ["pro", "pro", "free"])])
def test_profile_calls_are_sent_in_order(
    page: Page, collector: Collector, statuses: list[int], plans: list[str]
) -> None:
    page.add_init_script(ANSWERED_BY_HAND)
    page.goto(collector.publish("/", tag=KEPT))
    page.evaluate("databuddy.identify('user-1', { plan: 'pro' })")
    for number, status in enumerate(statuses, 1):
        page.wait_for_function(f"told.length == {number}")
        page.evaluate(f"databuddy.setTraits({{ plan: 'free' }}); databuddy.track('later-{number}'); databuddy.flush()")
        collector.wait_for(f"later-{number}")  # a request that was made after a second one would have been
        assert page.evaluate("told.length") == number
        page.evaluate(f"told[{number - 1}].answer({status})")
    page.wait_for_function(f"told.length == {len(plans)}")
    assert page.evaluate("told.map(said => said.traits.plan)") == plans


@on_one_page(("tag", "said"), [("=false", False), ("=auto", "auto"), ("", True)])
def test_a_profile_is_told_of_the_id_as_its_events_are(
    page: Page, collector: Collector, tag: str, said: bool | str
) -> None:
    page.goto(collector.publish("/", tag=f"{KEPT} data-anonymize-visitor-ids{tag}"))
    page.evaluate("databuddy.identify('user-1')")
    for event in [*collector.wait_for("screen_view"), *collector.wait_for_route("/identify")]:
        assert event["anonymizeVisitorIds"] == said


def test_a_kept_profile_is_told_once_a_session(page: Page, collector: Collector) -> None:
    page.add_init_script(REMEMBER_SENDINGS)
    for path in ("/one", "/two"):
        page.goto(collector.publish(path, tag=KEPT))
        page.evaluate("databuddy.identify('user-1', { plan: 'pro' })")
        collector.wait_for_route("/identify")
        wait_until_answered(page)  # the page remembers what was taken
    page.goto(collector.publish("/three", tag=KEPT))
    collector.wait(lambda: len(collector.events("screen_view")) == 3, "the third page")
    assert page.evaluate("databuddy.getProfileId()") == "user-1"
    assert collector.events("screen_view")[-1]["profileId"] == "user-1"
    page.evaluate("databuddy.identify('user-1', { plan: 'free' })")
    assert [said["traits"]["plan"] for said in collector.wait_for_route("/identify", 2)] == ["pro", "free"]
    assert "free" not in str(page.evaluate(STORED))  # traits are not kept in the browser


def test_clear_makes_new_ids_and_forgets_the_rest(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag=KEPT) + "?gclid=abc")
    [view] = collector.wait_for("screen_view")
    page.evaluate(
        "databuddy.identify('user-1'); databuddy.setGlobalProperties({ a: 1 }); databuddy.clear();"
        "databuddy.track('fresh'); databuddy.flush()"
    )
    [fresh] = collector.wait_for("fresh")
    assert fresh["anonymousId"] != view["anonymousId"]
    assert fresh["sessionId"] != view["sessionId"]
    assert not {"profileId", "properties", "gclid"} & set(fresh)
    assert set(page.evaluate("({ ...localStorage })")) == {"did"}


def test_a_visitor_who_opts_out_is_forgotten(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag=KEPT))
    collector.wait_for("screen_view")
    page.evaluate("databuddyOptOut()")
    page.goto(collector.publish("/next", tag=KEPT), wait_until="networkidle")
    local, session = page.evaluate(STORED)
    assert local == {"databuddy_opt_out": "true", "databuddy_disabled": "true"}
    assert session == {}


@pytest.mark.parametrize("storage", ["localStorage", "sessionStorage"])
def test_blocked_storage_leaves_ids_for_the_page(page: Page, collector: Collector, storage: str) -> None:
    page.add_init_script(
        f"Object.defineProperty(window, '{storage}', {{ get() {{ throw new DOMException('no', 'SecurityError') }} }})"
    )
    page.goto(collector.publish("/", tag=KEPT))
    [view] = collector.wait_for("screen_view")
    track(page, "bought")
    page.evaluate("databuddy.flush()")
    [bought] = collector.wait_for("bought")
    assert (bought["anonymousId"], bought["sessionId"]) == (view["anonymousId"], view["sessionId"])
