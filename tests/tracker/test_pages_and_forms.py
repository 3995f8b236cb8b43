"""Missing pages and submitted forms as events."""

from dataclasses import dataclass

import pytest
from playwright.sync_api import Page

from tests.tracker.collector import Collector
from tests.tracker.one_page import on_one_page

pytestmark = pytest.mark.browser


@dataclass(frozen=True)
class Answered:
    """A page, and whether it counts as missing."""

    why: str
    missing: bool
    title: str = "Inkwell"
    head: str = ""
    status: int = 200


ANSWERS = (
    Answered("the status is 404", True, status=404),
    Answered("the status is 410", True, status=410),
    Answered("the status is 403", False, status=403),
    Answered("the status is 200, whatever the title says", False, title="Page not found"),
    Answered("the page says that it is missing", True, head="<meta name=page data-page-status=404>"),
    Answered("the page says that it is not", False, head="<meta name=page data-page-status=200>", status=404),
)


@on_one_page("case", ANSWERS, ids=lambda case: case.why)
def test_missing_page_is_an_event_with_the_page_that_linked_there(
    page: Page, collector: Collector, case: Answered
) -> None:
    target = collector.publish(
        "/target", tag="data-track-not-found", title=case.title, head=case.head, status=case.status
    )
    start = collector.publish("/start", body=f"<a id=it href='{target}'>Go</a>")
    page.goto(start)
    page.evaluate("document.getElementById('it').click()")
    page.wait_for_url(target)
    collector.wait(lambda: target in {event["path"] for event in collector.events("screen_view")}, "the target")
    page.evaluate(
        "new Promise((done) => setTimeout(done, 1)).then(() => { databuddy.track('last'); databuddy.flush() })"
    )
    collector.wait_for("last")
    missing = [(event["path"], event["properties"]["referrer"]) for event in collector.events("not_found")]
    assert missing == [(target, start)] * case.missing


def test_title_decides_for_views_inside_the_page(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag="data-track-not-found"))
    collector.wait_for("screen_view")
    page.evaluate("history.pushState(0, '', '/missing'); document.title = '404 – nothing here'")
    [event] = collector.wait_for("not_found")
    assert event["path"].endswith("/missing")
    assert event["interactive"] is False


def test_search_term_of_a_page_of_results_is_an_event(page: Page, collector: Collector) -> None:
    address = collector.publish("/results", tag='data-track-search="keyword,q"')
    page.goto(f"{address}?page=2&q=%20Blue%20Shoes&keyword=")
    [event] = collector.wait_for("site_search")
    assert (event["path"], event["properties"]) == (address, {"term": "blue shoes"})


def test_page_without_a_search_term_is_no_search(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/results", tag="data-track-search") + "?page=2&keyword=shoes")
    collector.wait_for("screen_view")
    page.evaluate("databuddy.track('last'); databuddy.flush()")
    collector.wait_for("last")
    assert collector.events("site_search") == []


def test_submitted_form_is_an_event_without_what_was_typed(page: Page, collector: Collector) -> None:
    form = "<form id=news action='/subscribe?secret=1'><input name=id value=typed></form>"
    stay = "<script>addEventListener('submit', (event) => event.preventDefault())</script>"
    address = collector.publish("/", tag="data-track-forms", body=form + stay)
    page.goto(address)
    collector.wait_for("screen_view")
    page.evaluate("document.forms[0].requestSubmit(); databuddy.flush()")
    [event] = collector.wait_for("form_submit")
    assert event["properties"]["form"] == "news"
    assert event["properties"]["action"].endswith("/subscribe")
    assert "typed" not in str(event)
