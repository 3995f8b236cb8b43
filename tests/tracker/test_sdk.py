"""npm's @databuddy/sdk 2.6 in a browser, unchanged, with the tracker that it loads from the box."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.tracker.collector import TRACKER, Collector

SDK = TRACKER.parents[1] / "node_modules" / "@databuddy" / "sdk" / "dist"
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not SDK.exists(), reason="run npm ci --ignore-scripts in web/ (packaging/test.sh does it)"),
]


def served(collector: Collector, file: Path) -> None:
    collector.scripts[f"/sdk/{file.relative_to(SDK).as_posix()}"] = file.read_text()


@pytest.fixture
def sdk_page(page: Page, collector: Collector) -> Page:
    """An empty page; `sdk` is the package's core, `install(options)` loads the tracker as its components do."""
    for file in SDK.rglob("*.mjs"):
        served(collector, file)
    collector.pages["/"] = ("<!doctype html><title>App</title>", {})
    page.goto(collector.site + "/")
    page.evaluate(
        """async (box) => {
          window.sdk = await import("/sdk/core/index.mjs");
          window.install = (options) => document.head.append(sdk.createScript({
            clientId: "site-1", scriptUrl: box + "/databuddy.js", apiUrl: box, ...options,
          }));
        }""",
        collector.box,
    )
    return page


def test_calls_before_the_tracker_has_come_are_replayed(sdk_page: Page, collector: Collector) -> None:
    sdk_page.evaluate(
        """() => {
          sdk.track("early", { number: 1 });
          sdk.setGlobalProperties({ plan: "pro" });
          sdk.identify("user-1", { email: "a@example.com" });
          sdk.track("known");
          sdk.flush();
          install({});
        }"""
    )
    [early], [known] = collector.wait_for("early"), collector.wait_for("known")
    assert early["properties"] == {"number": 1}
    assert (known["properties"], known["profileId"]) == ({"plan": "pro"}, "user-1")
    [identified] = collector.wait_for_route("/identify")
    assert (identified["profileId"], identified["traits"]) == ("user-1", {"email": "a@example.com"})
    [view] = collector.wait_for("screen_view")
    assert view["title"] == "App"
    assert collector.accepted[0].query == {"client_id": "site-1", "sdk_version": "2.6.0"}


def test_every_option_of_its_script_tag_is_understood(sdk_page: Page, collector: Collector) -> None:
    options = {
        "batchSize": 5,
        "batchTimeout": 200,
        "enableBatching": True,
        "enableRetries": True,
        "initialRetryDelay": 300,
        "maxRetries": 2,
        "maskPatterns": ["/users/*"],
        "skipPatterns": ["/admin/**"],
        "samplingRate": 1,
        "trackAttributes": True,
        "trackErrors": True,
        "trackHashChanges": True,
        "trackInteractions": True,
        "trackOutgoingLinks": True,
        "trackPerformance": False,
        "trackWebVitals": True,
        "anonymizeVisitorIds": "auto",
    }
    sdk_page.evaluate("(options) => install(options)", options)
    collector.wait_for("screen_view")
    found = sdk_page.evaluate("(names) => names.map((name) => databuddy.options[name])", list(options))
    assert json.dumps(found) == json.dumps(list(options.values()))
    assert sorted(collector.loaded) == sorted(["", "clicks", "delivery", "errors", "interactions", "rules", "vitals"])


def test_its_getters_agree_with_the_tracker(sdk_page: Page, collector: Collector) -> None:
    sdk_page.evaluate("install({ storeVisitorIds: true })")
    [view] = collector.wait_for("screen_view")
    sdk_page.evaluate("sdk.identify('user-1')")
    assert sdk_page.evaluate("[sdk.isTrackerAvailable(), sdk.getProfileId()]") == [True, "user-1"]
    ids = {"anonId": view["anonymousId"], "sessionId": view["sessionId"]}
    assert sdk_page.evaluate("sdk.getTrackingIds()") == ids == sdk_page.evaluate("databuddy.getTrackingIds()")
    sdk_page.evaluate("sdk.clearProfile()")
    assert sdk_page.evaluate("sdk.getProfileId()") is None
    sdk_page.evaluate("sdk.setTraits({ a: 1 }); sdk.trackError('failed', { error_type: 'Mine' }); sdk.flush()")
    [error] = collector.wait_for("error")
    assert error["properties"] == {"message": "failed", "error_type": "Mine"}
    # A site that the visitor goes on to takes the ids over.
    collector.publish("/other", tag="data-store-visitor-ids")
    handed = sdk_page.evaluate("sdk.getTrackingParams()")
    sdk_page.evaluate("sdk.clear()")
    sdk_page.goto(f"{collector.site}/other?{handed}")
    assert collector.wait_for("screen_view", 2)[1]["anonymousId"] == ids["anonId"]


def test_disabled_loads_and_sends_nothing(sdk_page: Page, collector: Collector) -> None:
    sdk_page.evaluate("install({ disabled: true })")
    sdk_page.wait_for_function("window.databuddy")
    sdk_page.evaluate("sdk.track('x'); sdk.flush()")
    sdk_page.wait_for_load_state("networkidle")
    assert collector.received == []
