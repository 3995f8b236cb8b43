"""Which options ask for which part, and that nothing is lost on the way."""

from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page, Route

from tests.tracker.collector import Collector
from tests.tracker.one_page import on_one_page
from tests.tracker.visits import install_clock, leave, push, track

pytestmark = pytest.mark.browser


def outgoing_links(collector: Collector) -> list[dict[str, Any]]:
    """The accepted clicks on outgoing links, as soon as there is one."""
    collector.wait(lambda: any(event.get("type") == "outgoing_link" for event in collector.events()), "a link")
    return [event for event in collector.events() if event.get("type") == "outgoing_link"]


@dataclass(frozen=True)
class Asked:
    """An option, and the parts that it brings besides parts.js and delivery, which always come together."""

    tag: str
    parts: tuple[str, ...] = ()
    config: str = "{}"


OF_THE_CORE = (
    "",
    "data-track-hash-changes",
    "data-disabled=false",
    "data-api-url={box}",
    "data-databuddy-injected data-cfasync=false nonce=abc crossorigin=anonymous",
)
OF_PARTS = (
    Asked("data-sampling-rate=1", ("rules",)),
    Asked("data-skip-patterns='[\"/never\"]'", ("rules",)),
    Asked("data-mask-patterns='[\"/never\"]'", ("rules",)),
    Asked("", ("rules",), "{ filter: () => true }"),
    Asked("data-store-visitor-ids", ("ids",)),
    Asked("data-track-attributes", ("clicks",)),
    Asked("data-track-downloads", ("clicks",)),
    Asked("data-track-outgoing-links", ("clicks",)),
    Asked("data-track-attributes data-track-downloads", ("clicks",)),
    Asked("data-track-interactions", ("interactions",)),
    Asked("data-track-errors", ("errors",)),
    Asked("data-track-web-vitals", ("vitals",)),
    Asked("data-track-performance", ("vitals",)),
    Asked("data-debug", ("debug",)),
    Asked("data-use-pixel", ("pixel",)),
    Asked("data-enable-batching=false"),
    Asked("data-batch-size=2"),
    Asked("data-batch-timeout=100"),
    Asked("data-enable-retries=false"),
    Asked("data-max-retries=1"),
    Asked("data-initial-retry-delay=300"),
    Asked("data-anonymize-visitor-ids=auto"),
    Asked("data-sdk=web data-sdk-version=2.6.0"),
    Asked("data-ignore-bot-detection"),
    Asked("data-ignore-privacy-signals"),
    Asked("data-track-localhost"),
    Asked("data-track-errors=false data-track-web-vitals=false data-use-pixel=false data-store-visitor-ids=false"),
    Asked("data-track-errors data-track-web-vitals", ("errors", "vitals")),
)
EVERYTHING = (
    "data-track-hash-changes data-track-outgoing-links data-store-visitor-ids data-track-attributes "
    "data-track-downloads data-track-interactions data-track-errors data-track-web-vitals "
    "data-sampling-rate=1 data-batch-size=10 "
    "data-mask-patterns='[\"/users/*\"]' data-skip-patterns='[\"/never\"]'"
)


@on_one_page("tag", OF_THE_CORE)
def test_the_cores_own_options_load_nothing(page: Page, collector: Collector, tag: str) -> None:
    page.goto(collector.publish("/", tag=tag.format(box=collector.box)), wait_until="networkidle")
    collector.wait_for("screen_view")
    assert collector.loaded == []


@on_one_page("asked", OF_PARTS, ids=lambda asked: asked.tag or asked.config)
def test_an_option_loads_its_part_and_no_other(page: Page, collector: Collector, asked: Asked) -> None:
    head = f"<script>window.databuddyConfig = {asked.config}</script>"
    page.goto(collector.publish("/", tag=asked.tag, head=head))
    collector.wait(lambda: len(collector.received) > 0, "a page view")
    assert sorted(collector.loaded) == sorted(["", "delivery", *asked.parts])


def test_events_while_parts_load_are_sent_with_their_time_and_page(page: Page, collector: Collector) -> None:
    collector.may_load.clear()
    body = "<button data-track=marked>One</button><a href=http://elsewhere.example/ onclick='return false'>two</a>"
    page.goto(collector.publish("/first", tag=EVERYTHING, body=body))
    before = page.evaluate("Date.now()")
    track(page, "early", {"number": 1})
    page.click("button")
    page.evaluate("setTimeout(() => { throw new Error('on purpose') })")
    page.click("a")
    page.evaluate("databuddy.identify('user-1', { plan: 'pro' })")
    track(page, "known")
    push(page, "/users/2", "Second")
    page.wait_for_function("document.title == 'Second'")
    after = page.evaluate("Date.now()")
    assert collector.accepted == []
    collector.may_load.set()
    views = collector.wait_for("screen_view", 2)
    assert [view["path"] for view in views] == [f"{collector.site}/first", f"{collector.site}/users/*"]
    [early], [marked], [known] = (collector.wait_for(name) for name in ("early", "marked", "known"))
    assert ("profileId" in early, known["profileId"]) == (False, "user-1")
    [error] = collector.wait_for_route("/errors")
    [identified] = collector.wait_for_route("/identify")
    assert identified["traits"] == {"plan": "pro"}
    [link] = [event for event in collector.events() if event.get("type") == "outgoing_link"]
    for event in (early, marked, known, error, link):
        assert event["path"] == f"{collector.site}/first"
        assert before <= event["timestamp"] <= after
    assert collector.wait_for("page_exit")[0]["path"] == f"{collector.site}/first"


@pytest.mark.chromium("whole")
def test_an_outgoing_link_that_is_followed_before_its_part_has_come_is_sent(page: Page, collector: Collector) -> None:
    page.route("**/parts/clicks.js*", lambda route: None)
    body = "<a href='http://other.example:1/x?y'>Go <b>there</b></a>"
    page.goto(collector.publish("/first", tag="data-track-outgoing-links", body=body) + "?a=b")
    page.wait_for_function("databuddy.getProfileId() === null")  # parts.js is there
    page.click("b")
    [link] = outgoing_links(collector)
    assert (link["href"], link["text"], link["path"]) == (
        "http://other.example:1/x?y",
        "Go there",
        f"{collector.site}/first",
    )


def test_parts_that_the_page_preloads_are_loaded_once_and_are_there_with_the_script(
    page: Page, collector: Collector
) -> None:
    scripts: list[Route] = []

    def hold(route: Route) -> None:
        scripts.append(route)

    page.route("**/script.js", hold)
    head = f"<link rel=modulepreload href='{collector.box}/parts.js'>"
    with page.expect_response("**/parts.js"):
        page.goto(collector.publish("/", tag="data-track-outgoing-links", head=head), wait_until="commit")
    page.wait_for_function("performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/parts.js'))")
    scripts[0].continue_()
    collector.wait_for("screen_view")
    assert collector.loaded.count("") == 1


def test_clicks_that_a_page_has_sent_for_a_missing_part_are_read_again_for_the_rest_only(
    page: Page, collector: Collector
) -> None:
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    page.route("**/parts/clicks.js*", hold)
    body = (
        "<a href='http://other.example:1/a.zip' data-track=marked>Go</a><a id=own href='/own'>Stay</a>"
        "<script>addEventListener('click', (event) => event.preventDefault())</script>"
    )
    tag = "data-track-outgoing-links data-track-downloads data-track-attributes"
    page.goto(collector.publish("/", tag=tag, body=body))
    page.wait_for_function("databuddy.getProfileId() === null")
    page.click("a")
    page.click("#own")
    page.evaluate("document.dispatchEvent(new MouseEvent('click'))")
    leave(page)  # and it comes back
    leave(page)
    assert len(outgoing_links(collector)) == 1
    assert collector.events("marked") == []
    waiting[0].continue_()
    for name in ("marked", "file_download"):
        collector.wait_for(name)
    assert len(outgoing_links(collector)) == 1


@pytest.mark.chromium("whole")
def test_a_page_that_is_left_before_its_parts_have_come_sends_what_it_has(page: Page, collector: Collector) -> None:
    page.route("**/parts/errors.js*", lambda route: None)
    page.goto(collector.publish("/", tag="data-track-errors"))
    page.wait_for_function("databuddy.getProfileId() === null")  # parts.js is there
    track(page, "early")
    page.goto("about:blank")
    for name in ("screen_view", "early", "page_exit"):
        collector.wait_for(name)


def test_request_that_failed_is_sent_when_the_page_is_left_before_its_part_has_come(
    page: Page, collector: Collector
) -> None:
    page.route("**/parts/delivery.js*", lambda route: None)
    head = "<script>window.fetch = () => Promise.reject(new TypeError('blocked'))</script>"
    page.goto(collector.publish("/", head=head))
    page.wait_for_function("databuddy.getProfileId() === null")  # parts.js is there, because the request has failed
    leave(page)
    for name in ("screen_view", "page_exit"):
        collector.wait_for(name)


@pytest.mark.chromium("whole")
def test_a_page_that_is_left_with_much_sends_it_in_several_requests(page: Page, collector: Collector) -> None:
    page.route("**/parts/errors.js*", lambda route: None)
    page.goto(collector.publish("/", tag="data-track-errors"))
    page.wait_for_function("databuddy.getProfileId() === null")  # parts.js is there
    page.evaluate("for (let n = 0; n < 150; n++) databuddy.track('step', { n })")
    page.goto("about:blank")
    steps = collector.wait_for("step", 150)
    assert sorted(step["properties"]["n"] for step in steps) == list(range(150))
    assert max(len(request.events()) for request in collector.accepted) <= 100  # what the box takes


@pytest.mark.parametrize(
    ("missing", "loaded"),
    [("parts.js", "self.databuddy"), ("parts/rules.js*", "databuddy.getProfileId() === null")],
)
def test_a_page_with_rules_is_never_sent_without_them(
    page: Page, collector: Collector, missing: str, loaded: str
) -> None:
    collector.publish("/next")
    page.route(f"**/{missing}", lambda route: None)
    page.goto(collector.publish("/users/1", tag="data-mask-patterns='[\"/users/*\"]'"))
    page.wait_for_function(loaded)
    track(page, "early")
    page.evaluate("databuddy.flush()")
    leave(page)
    page.goto(collector.site + "/next")
    collector.wait_for("screen_view")
    assert [event["path"] for event in collector.events()] == [f"{collector.site}/next"]


def test_a_part_that_cannot_be_loaded_is_done_without(page: Page, collector: Collector) -> None:
    page.route("**/parts/errors.js*", lambda route: route.abort())
    body = "<p data-track=marked>Click"
    with page.expect_event("requestfailed"):
        page.goto(collector.publish("/", tag="data-track-errors data-track-attributes", body=body))
    page.click("p")
    collector.wait_for("screen_view")
    collector.wait_for("marked")


def test_interactions_are_kept_for_a_missing_part_up_to_a_bound(page: Page, collector: Collector) -> None:
    asked: list[Route] = []

    def hold(route: Route) -> None:
        asked.append(route)

    page.route("**/parts/clicks.js*", hold)
    page.goto(collector.publish("/", tag="data-track-attributes", body="<p data-track=first>1<p data-track=last>2"))
    page.wait_for_function("databuddy.getProfileId() === null")  # parts.js is there
    page.click("p")
    page.evaluate("for (let n = 0; n < 2000; n++) dispatchEvent(new Event('scroll'))")
    page.click("p + p")
    track(page, "bought")
    asked[0].continue_()
    page.evaluate("databuddy.flush()")
    for name in ("screen_view", "first", "bought"):
        collector.wait_for(name)
    assert collector.events("last") == []


@pytest.mark.parametrize("missing", ["parts.js", "parts/rules.js*", "parts/delivery.js*"])
def test_failed_core_part_is_loaded_again_without_losses(page: Page, collector: Collector, missing: str) -> None:
    install_clock(page)
    page.route(f"**/{missing}", lambda route: route.abort(), times=1)
    with page.expect_event("requestfailed"):
        page.goto(collector.publish("/", tag="data-sampling-rate=1"))
    track(page, "early")
    while not collector.accepted:
        page.clock.run_for(1_000)
    collector.wait_for("screen_view")
    page.clock.run_for(5_000)
    collector.wait_for("early")


def test_every_option_keeps_a_strict_policy_and_says_nothing_in_the_console(page: Page, collector: Collector) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.add_init_script(
        "window.violations = []; addEventListener('securitypolicyviolation', "
        "(event) => violations.push(event.violatedDirective), true)"
    )
    sources = f"default-src 'none'; script-src {collector.box}; connect-src {collector.box}; img-src {collector.box}"
    policy = {"content-security-policy": f"{sources}; require-trusted-types-for 'script'"}
    page.goto(collector.publish("/", tag=EVERYTHING, headers=policy, body="<button data-track=marked>One</button>"))
    collector.wait_for("screen_view")
    page.click("button")
    page.evaluate("databuddy.identify('user-1')")
    push(page, "/next")
    collector.wait_for("marked")
    collector.wait_for_route("/vitals")
    page.goto(collector.publish("/pixel", tag="data-use-pixel", headers=policy))
    collector.wait(lambda: bool(collector.sent_to("/px.jpg")), "a pixel")
    assert page.evaluate("violations") == []
    assert said == []


def test_a_policy_of_nonces_covers_the_parts(page: Page, collector: Collector) -> None:
    policy = {"content-security-policy": f"default-src 'none'; script-src 'nonce-abc'; connect-src {collector.box}"}
    page.goto(collector.publish("/", tag="nonce=abc data-sampling-rate=1", headers=policy))
    collector.wait_for("screen_view")
    assert collector.loaded != []


def test_a_call_that_the_core_does_not_know_brings_the_parts_once(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/"))
    collector.wait_for("screen_view")
    assert collector.loaded == []
    page.evaluate("databuddy.setGlobalProperties({ plan: 'pro' }); databuddy.setGlobalProperties({ role: 'admin' })")
    track(page, "bought")
    page.evaluate("databuddy.flush()")
    assert collector.wait_for("bought")[0]["properties"] == {"plan": "pro", "role": "admin"}
    assert collector.loaded == ["", "delivery"]


@on_one_page("tag", ["", "data-max-retries=3"])
def test_window_databuddy_has_the_names_of_the_sdk(page: Page, collector: Collector, tag: str) -> None:
    page.goto(collector.publish("/", tag=tag))
    collector.wait_for("screen_view")
    names = (
        "track screenView identify setTraits clearProfile getProfileId getTrackingIds flush clear setGlobalProperties"
    )
    assert page.evaluate("names => names.filter(name => typeof databuddy[name] != 'function')", names.split()) == []
    assert page.evaluate("typeof databuddy.options") == "object"
    # It is no promise, and what nobody knows does nothing.
    assert page.evaluate("Promise.resolve(databuddy).then((it) => it === databuddy && it.unheardOf() === undefined)")
