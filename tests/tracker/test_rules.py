"""What a page keeps back: sampling, skipped and masked paths, its own filter."""

import json
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page

from tests.tracker.collector import Collector
from tests.tracker.one_page import on_one_page
from tests.tracker.visits import hide, leave, push, track

pytestmark = pytest.mark.browser


@dataclass(frozen=True)
class Glob:
    """A pattern and a path; whether it is skipped, and what it is when it is masked."""

    glob: str
    path: str
    skipped: bool
    masked: str


GLOBS = (
    Glob("/users/*", "/users/12", True, "/users/*"),
    Glob("/users/*", "/users/12/", True, "/users/*/"),
    Glob("/users/*", "/users/12/orders", False, "/users/*/orders"),
    Glob("/users/*", "/users", False, "/users"),
    Glob("/users/*", "/my/users/12", False, "/my/users/12"),
    Glob("/users/*/orders/*", "/users/1/orders/2", True, "/users/*/orders/*"),
    Glob("/admin/**", "/admin/a/b/c", True, "/admin/**"),
    Glob("/admin/**", "/admin", True, "/admin"),
    Glob("/admin/**", "/administrator", False, "/administrator"),
    Glob("/**/secret", "/a/b/secret", True, "/**/secret"),
    Glob("/a.b", "/axb", False, "/axb"),
    Glob("/a.b", "/a.b", True, "/a.b"),
    Glob("/report-*.html", "/report-7.html", True, "/report-*.html"),
    Glob("/$&/*", "/$&/1", True, "/$&/*"),
    Glob("/exact", "/exact", True, "/exact"),
    Glob("/exact", "/exactly", False, "/exactly"),
    Glob("**", "/any/thing", True, "**"),
)


def paths(collector: Collector) -> list[str]:
    return [event["path"].removeprefix(collector.site) for event in collector.events("screen_view")]


def asking(option: str, *globs: str) -> str:
    return f"data-{option}-patterns='{json.dumps(globs)}'"


def test_patterns_skip_and_mask_paths(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag="data-disabled"))
    found = page.evaluate(
        """async ([box, cases]) => {
          const rules = (await import(box + "/parts/rules.js")).default;
          const pass = (settings, path) => {
            const core = { settings };
            rules(core);
            const event = { path: location.origin + path };
            return core.rules(event) ? event.path.slice(location.origin.length) : null;
          };
          return cases.map(([glob, path]) => [
            pass({ skipPatterns: [glob] }, path) === null,
            pass({ maskPatterns: [glob] }, path),
          ]);
        }""",
        [collector.box, [(case.glob, case.path) for case in GLOBS]],
    )
    said = {(case.glob, case.path): tuple(result) for case, result in zip(GLOBS, found, strict=True)}
    assert said == {(case.glob, case.path): (case.skipped, case.masked) for case in GLOBS}


def test_a_page_skips_and_masks_by_its_options(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/users/1", tag=f"{asking('skip', '/admin/**')} {asking('mask', '/users/*')}"))
    push(page, "/admin/settings", "Settings")
    page.wait_for_function("document.title == 'Settings'")
    push(page, "/users/1/orders")
    collector.wait_for("screen_view", 2)
    assert sorted(paths(collector)) == ["/users/*", "/users/*/orders"]  # in whatever order they came


def test_a_skipped_page_says_nothing_at_all(page: Page, collector: Collector) -> None:
    every = "data-track-errors data-track-web-vitals data-track-interactions data-track-outgoing-links"
    body = "<a href=http://elsewhere.example/ onclick='return false'>elsewhere</a>"
    page.goto(collector.publish("/admin/users", tag=f"{every} {asking('skip', '/admin/**')}", body=body))
    track(page, "bought")
    page.click("a")
    page.evaluate("setTimeout(() => { throw new Error('on purpose') })")
    push(page, "/open")
    [view] = collector.wait_for("screen_view")
    assert (view["path"], view["referrer"]) == (f"{collector.site}/open", "direct")
    hide(page)
    collector.wait_for("page_exit")
    assert {event["path"] for event in collector.events()} == {f"{collector.site}/open"}


def test_mask_applies_to_referrers_and_errors(page: Page, collector: Collector) -> None:
    page.goto(
        collector.publish(
            "/users/12",
            tag=f"data-track-errors {asking('mask', '/users/*')}",
            body="<button onclick=\"throw new Error('on purpose at ' + location.href)\">Fail</button>",
        )
    )
    page.click("button")
    push(page, "/users/13")
    second = collector.wait_for("screen_view", 2)[1]
    assert second["referrer"] == f"{collector.site}/users/*"
    hide(page)
    [error] = collector.wait_for_route("/errors")
    assert error["path"] == error["filename"] == f"{collector.site}/users/*"
    everything = json.dumps(collector.events())
    assert "users/12" not in everything
    assert "users/13" not in everything


def test_a_list_that_is_no_json_hides_everything(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/users/1", tag="data-mask-patterns=\"['/users/*']\""), wait_until="networkidle")
    leave(page)
    page.goto(collector.publish("/end", tag=""))
    collector.wait_for("screen_view")
    assert paths(collector) == ["/end"]


def test_single_pattern_needs_no_list(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/users/1", tag="data-mask-patterns=/users/*"))
    assert collector.wait_for("screen_view")[0]["path"] == f"{collector.site}/users/*"


@on_one_page(
    ("rate", "drawn", "counted"),
    [("0.5", 0.49, True), ("0.5", 0.5, False), ("0", 0, False), ("1", 0.999, True)],
)
def test_a_page_is_sampled_as_a_whole(page: Page, collector: Collector, rate: str, drawn: float, counted: bool) -> None:
    head = f"<script>Math.random = () => {drawn}</script>"
    page.goto(collector.publish("/start", tag=f"data-sampling-rate={rate}", head=head), wait_until="networkidle")
    track(page, "bought")
    leave(page)
    if counted:
        collector.wait(lambda: "/start" in paths(collector) and collector.events("bought") != [], "both events")
    page.goto(collector.publish("/end", tag=""))
    collector.wait(lambda: "/end" in paths(collector), "the end")
    assert ("/start" in paths(collector), collector.events("bought") != []) == (counted, counted)


@on_one_page(
    ("function", "kept"),
    [
        ("(event) => event.name != 'secret'", ["open"]),
        ("(event) => { event.properties = { cut: true } }", ["secret", "open"]),
        ("() => undefined", ["secret", "open"]),
        ("() => { throw new Error('broken') }", []),
    ],
)
def test_the_pages_filter_has_the_last_word(page: Page, collector: Collector, function: str, kept: list[str]) -> None:
    head = f"<script>window.databuddyConfig = {{ filter: {function} }}</script>"
    page.goto(collector.publish("/", head=head), wait_until="networkidle")
    track(page, "secret", {"text": "x"})
    track(page, "open")
    leave(page)
    page.goto(collector.publish("/end"))
    collector.wait(lambda: "/end" in paths(collector), "the end")
    collector.wait(lambda: len(collector.events("open")) == ("open" in kept), "the event")
    assert [name for name in ("secret", "open") if collector.events(name)] == kept
    if "cut" in function:
        assert collector.events("secret")[0]["properties"] == {"cut": True}


def test_global_properties_of_the_tag_are_on_every_event(page: Page, collector: Collector) -> None:
    properties = {"author": "Ann", "section": "news"}
    page.goto(collector.publish("/", tag=f"data-global-properties='{json.dumps(properties)}'"))
    push(page, "/next")
    for view in collector.wait_for("screen_view", 2):
        assert view["properties"] == properties
    page.evaluate("databuddy.track('read', { section: 'sport' }); databuddy.flush()")
    assert collector.wait_for("read")[0]["properties"] == {"author": "Ann", "section": "sport"}


def test_global_properties_that_are_no_object_add_nothing(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag="data-global-properties='{author: Ann}'"))
    [view] = collector.wait_for("screen_view")
    assert "properties" not in view
