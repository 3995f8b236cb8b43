"""How a page was used: /engagement with each exit (wire 4.4)."""

import pytest
from playwright.sync_api import Page

from tests.tracker.collector import Collector, Event
from tests.tracker.one_page import on_one_page
from tests.tracker.visits import hide, install_clock, push, show, stop_clock

pytestmark = pytest.mark.browser

TAG = "data-track-interactions"


def told(collector: Collector, count: int = 1) -> list[Event]:
    return collector.wait_for_route("/engagement", count)


def test_interactions_are_counted_since_the_page_was_shown(page: Page, collector: Collector) -> None:
    body = "<button onclick='this.textContent += 1'>One</button><input name=city><div style='height: 3000px'></div>"
    address = collector.publish("/", tag=TAG, body=body)
    page.goto(address)
    collector.wait_for("screen_view")
    page.click("button")
    page.click("input")
    page.keyboard.type("~|^")
    page.keyboard.press("Tab")
    page.evaluate("document.execCommand('copy')")
    page.evaluate("new Promise(done => { addEventListener('scroll', done); scrollTo(0, 600) })")
    hide(page)
    show(page)
    page.click("button")
    hide(page)
    first, second = sorted(told(collector, 2), key=lambda engagement: int(engagement["timestamp"]))
    assert (first["clickCount"], first["keyCount"], first["interactionCount"]) == (2, 4, 6)
    assert (first["formFieldCount"], first["lastFormField"]) == (1, "city")
    assert first["scrollCount"] >= 1
    assert (first["exitType"], first["pageIndex"], first["path"]) == ("hidden", 1, address)
    assert 0 < first["maxScrollDepth"] <= 100
    assert first["timeToFirstInteraction"] >= 0
    assert 0 < first["activeTime"] <= first["timeOnPage"] + 1
    assert (second["clickCount"], second.get("keyCount")) == (1, None)
    exits = sorted(collector.wait_for("page_exit", 2), key=lambda exit_: int(exit_["timestamp"]))
    assert [exit_["interaction_count"] for exit_ in exits] == [6, 1]
    assert "~" not in str(first), "what was typed is nobody's business"


def test_times_are_of_the_visible_page(page: Page, collector: Collector) -> None:
    install_clock(page)
    page.goto(collector.publish("/", tag=TAG))
    collector.wait_for("screen_view")
    stop_clock(page)
    page.evaluate("databuddy.screenView()")
    page.clock.fast_forward(60_000)
    hide(page)
    page.clock.fast_forward(600_000)
    show(page)
    page.clock.fast_forward(5_000)
    hide(page)
    exits = sorted(told(collector, 3), key=lambda engagement: int(engagement["timestamp"]))[1:]
    assert [engagement["pageIndex"] for engagement in exits] == [2, 2]
    assert [engagement["timeOnPage"] for engagement in exits] == [60_000, 5_000]
    assert [engagement["activeTime"] for engagement in exits] == [0, 0]


@on_one_page(
    ("leave", "exit_type"),
    [
        ("history.pushState(null, '', '/next')", "spa"),
        ("document.querySelector('a').click()", "navigation"),
        ("location.href = '/out'", "unload"),
    ],
)
def test_an_exit_says_how_the_page_was_left(page: Page, collector: Collector, leave: str, exit_type: str) -> None:
    collector.publish("/out", tag="data-disabled")
    page.goto(collector.publish("/", tag=TAG, body="<a href=/out>Out</a>"))
    collector.wait_for("screen_view")
    if exit_type == "navigation":
        page.click("a")
    else:
        page.evaluate(leave)
    assert told(collector)[0]["exitType"] == exit_type


def test_clicks_of_rage_are_three_at_one_place_within_a_second(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag=TAG, body="<p id=wall class='big grey'>Wall</p>"))
    collector.wait_for("screen_view")
    page.click("#wall", click_count=3)
    hide(page)
    [engagement] = told(collector)
    assert (engagement["rageClickCount"], engagement["rageClickTarget"]) == (1, "p#wall.big.grey")
    assert engagement["clickCount"] == 3


def test_clicks_apart_are_no_rage(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag=TAG, body="<p>A</p><p style='margin-top: 200px'>B</p><p>C</p>"))
    collector.wait_for("screen_view")
    for place in ((20, 30), (20, 280), (400, 30)):
        page.mouse.click(*place)
    hide(page)
    assert "rageClickCount" not in told(collector)[0]


@on_one_page(
    ("html", "dead"),
    [
        ("<button id=it>Nothing</button>", True),
        ("<a id=it href='#'>Nothing</a>", True),
        ("<button id=it onclick=\"this.textContent = 'changed'\">Something</button>", False),
        ("<button id=it onclick=\"history.pushState(null, '', '#there')\">Elsewhere</button>", False),
        ("<button id=it onclick='window.scrollTo(0, 200)'>Down</button><div style='height: 3000px'></div>", False),
        ("<button id=it onclick='other.focus()'>Elsewhere</button><input id=other>", False),
        ("<p id=it>Text</p>", False),
    ],
)
def test_dead_clicks_are_those_that_change_nothing(page: Page, collector: Collector, html: str, dead: bool) -> None:
    page.goto(collector.publish("/", tag=TAG, body=html))
    collector.wait_for("screen_view")
    page.click("#it")
    page.evaluate("new Promise((done) => setTimeout(done, 1_100))")  # a second of the page's own time
    hide(page)
    [engagement] = told(collector)
    assert engagement.get("deadClickCount") == (1 if dead else None)
    if dead:
        assert engagement["deadClickTarget"].endswith("#it")


def test_forms_and_errors_are_counted(page: Page, collector: Collector) -> None:
    body = (
        "<form onsubmit='event.preventDefault()'><input name=mail><input name=password type=password>"
        "<select id=size><option>S<option>L</select><button>Send</button></form>"
    )
    page.goto(collector.publish("/", tag=TAG, body=body))
    collector.wait_for("screen_view")
    page.fill("[name=mail]", "a@example.com")
    page.fill("[name=password]", "hunter2")
    page.press("[name=password]", "Tab")
    page.select_option("select", "L")
    page.click("button")
    page.evaluate("setTimeout(() => { throw new Error('on purpose') })")
    page.evaluate("new Promise((done) => setTimeout(done))")
    hide(page)
    [engagement] = told(collector)
    assert (engagement["formFieldCount"], engagement["formSubmitCount"]) == (3, 1)
    assert (engagement["lastFormField"], engagement["errorCount"]) == ("size", 1)
    assert "hunter2" not in str(collector.events())
    assert "a@example.com" not in str(collector.events())


def test_nothing_is_told_unless_asked(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag="data-max-retries=3"))
    push(page, "/next")
    collector.wait_for("screen_view", 2)
    hide(page)
    collector.wait_for("page_exit", 2)
    assert collector.sent_to("/engagement") == []
