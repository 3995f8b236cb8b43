"""JavaScript errors (wire 4.4, /errors)."""

import pytest
from playwright.sync_api import Page

from tests.tracker.collector import Collector
from tests.tracker.one_page import on_one_page
from tests.tracker.visits import hide, track

pytestmark = pytest.mark.browser

TAG = "data-track-errors"


@on_one_page(
    ("script", "message", "kind"),
    [
        ("setTimeout(() => { throw new TypeError('on purpose') })", "on purpose", "TypeError"),
        ("setTimeout(() => { throw 'on purpose, a text' })", "Uncaught on purpose, a text", "Error"),
        ("Promise.reject(new RangeError('on purpose'))", "on purpose", "RangeError"),
        ("Promise.reject('on purpose')", "on purpose", "UnhandledRejection"),
        ("Promise.reject()", "undefined", "UnhandledRejection"),
        (
            "class Odd extends Error { name = 'OddError' }; Promise.reject(new Odd('on purpose'))",
            "on purpose",
            "OddError",
        ),
    ],
)
def test_uncaught_errors_are_reported(
    automated_page: Page, collector: Collector, script: str, message: str, kind: str
) -> None:
    page = automated_page
    page.add_init_script("addEventListener('unhandledrejection', (event) => event.preventDefault())")
    address = collector.publish("/", tag=f"{TAG} data-ignore-bot-detection")
    page.goto(address)
    collector.wait_for("screen_view")
    page.evaluate(f"() => {{ {script} }}")
    page.evaluate("databuddy.flush()")
    hide(page)
    [error] = collector.wait_for_route("/errors")
    assert (error["message"], error["errorType"], error["path"]) == (message, kind, address)
    assert isinstance(error["timestamp"], int)


def test_an_error_says_where_without_queries(page: Page, collector: Collector) -> None:
    collector.scripts["/app.js"] = (
        "function fail() {\n  throw new Error('on purpose')\n}\naddEventListener('load', () => setTimeout(fail))"
    )
    address = collector.publish("/", tag=TAG, head=f"<script src={collector.site}/app.js?key=secret></script>")
    with page.expect_event("pageerror"):
        page.goto(address, wait_until="networkidle")
    hide(page)
    [error] = collector.wait_for_route("/errors")
    assert error["filename"] == f"{collector.site}/app.js"
    assert (error["lineno"], error["colno"]) == (2, 9)
    assert "app.js:2:9" in error["stack"]
    assert "secret" not in str(error)


def test_pictures_that_do_not_load_and_extensions_are_no_errors_of_the_page(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag=TAG, body="<img src=/missing.png>"), wait_until="networkidle")
    page.evaluate(
        """dispatchEvent(new ErrorEvent("error", {
          message: "not ours",
          filename: "chrome-extension://abc/content.js",
          error: new Error("not ours"),
        }))"""
    )
    track(page, "last")
    hide(page)
    collector.wait_for("last")
    assert collector.sent_to("/errors") == []


def test_a_loop_of_errors_does_not_flood(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag=TAG), wait_until="networkidle")
    page.evaluate(
        """for (let number = 0; number < 100; number++) {
          dispatchEvent(new ErrorEvent("error", { message: "again", error: new Error("again") }));
        }"""
    )
    track(page, "last")
    hide(page)
    collector.wait_for("last")
    assert len(collector.wait_for_route("/errors", 30)) == 30
    requests = [request for request in collector.accepted if request.route == "/errors"]
    assert max(len(request.events()) for request in requests) <= 50


def test_errors_are_not_told_unless_asked(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag="data-track-attributes"), wait_until="networkidle")
    page.evaluate("setTimeout(() => { throw new Error('on purpose') })")
    hide(page)
    collector.wait_for("page_exit")
    assert collector.sent_to("/errors") == []
