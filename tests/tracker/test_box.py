"""The tracker against a real box: what each of its endpoints stores, and that the box serves all its files."""

import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import apsw
import httpx
import pytest
from playwright.sync_api import Page

from tests.browser.chromium import SITE, as_people_have_it
from tests.running import Box, serving, set_up
from tests.tracker.collector import PATIENCE_S, TRACKER, Collector
from tests.tracker.visits import hide

pytestmark = pytest.mark.browser

PARTS = sorted((TRACKER / "parts").iterdir())
EVENTS = """
select name.value, path.value, events.properties, profile.value, client_session.value, events.scroll from events
join strings name on name.id = events.name
join strings path on path.id = events.path
join strings profile on profile.id = events.profile
join strings client_session on client_session.id = events.client_session
where bot = 0 order by events.id
"""
SPANS = {
    "vitals": "select metric, value from vitals",
    "errors": "select message.value, path.value from errors"
    " join strings message on message.id = errors.message join strings path on path.id = errors.path",
    "engagement": "select clicks, keys from engagement",
    "outgoing_links": "select href.value, path.value from outgoing_links"
    " join strings href on href.id = outgoing_links.href join strings path on path.id = outgoing_links.path",
    "profiles": "select profile.value, traits is not null from profiles"
    " join strings profile on profile.id = profiles.profile",
}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    data_dir = tmp_path_factory.mktemp("box") / "data"
    account = set_up(data_dir, domain=SITE)
    with serving(data_dir) as server:
        yield Box(server, account)


def rows(box: Box, sql: str) -> list[tuple[Any, ...]]:
    db = apsw.Connection(str(box.server.data_dir / "events.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return list(db.execute(sql).fetchall())
    finally:
        db.close()


def eventually(look: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not look():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.05)


def events(box: Box, path: str) -> dict[str, list[Any]]:
    """What events of a path have, by their name: properties, profile, session, depth."""
    return {name: rest for name, where, *rest in rows(box, EVENTS) if where == path}


def visit(page: Page, collector: Collector, box: Box, path: str, tag: str, body: str = "Hello") -> None:
    """Opens a page of the site with the script of the box."""
    script = f'<script async src="{box.url}/script.js" data-client-id="{box.account.website_id}" {tag}></script>'
    collector.pages[path] = (f"<!doctype html><title>Page</title>{script}<body>{body}", {})
    as_people_have_it(page)
    page.goto(collector.site + path)
    page.wait_for_function("window.databuddy")


@pytest.mark.parametrize(
    ("path", "tag"),
    [
        pytest.param("/core", "", marks=pytest.mark.chromium("whole")),
        ("/parts", "data-max-retries=3"),
        ("/alone", "data-enable-batching=false"),
        ("/pixel", "data-use-pixel"),
    ],
)
def test_page_events_and_custom_events_are_stored(
    page: Page, collector: Collector, box: Box, path: str, tag: str
) -> None:
    visit(page, collector, box, path, tag)
    eventually(lambda: "screen_view" in events(box, path))
    page.evaluate("databuddy.track('bought', { plan: 'größer' }); databuddy.flush()")
    eventually(lambda: "bought" in events(box, path))
    if path == "/core":
        page.goto("about:blank")
    else:
        hide(page)
    eventually(lambda: "page_exit" in events(box, path))
    assert events(box, path)["bought"][0] == '{"plan":"größer"}'
    assert events(box, path)["page_exit"][3] == 100


def test_spans_are_stored(page: Page, collector: Collector, box: Box) -> None:
    tag = "data-track-web-vitals data-track-errors data-track-interactions data-track-outgoing-links"
    body = "<a href=https://elsewhere.example/ onclick='return false'>Go</a>"
    visit(page, collector, box, "/spans", tag, body)
    eventually(lambda: "screen_view" in events(box, "/spans"))
    page.evaluate("setTimeout(() => { throw new Error('on purpose') })")
    page.click("a")
    hide(page)
    eventually(lambda: all(rows(box, SPANS[table]) for table in ("vitals", "errors", "engagement", "outgoing_links")))
    assert rows(box, SPANS["errors"]) == [("on purpose", "/spans")]
    assert rows(box, SPANS["outgoing_links"]) == [("https://elsewhere.example/", "/spans")]
    assert rows(box, SPANS["engagement"]) == [(1, 0)]
    eventually(lambda: len(rows(box, SPANS["vitals"])) >= 4)  # FCP, TTFB, LCP, CLS


def test_a_person_is_stored(page: Page, collector: Collector, box: Box) -> None:
    visit(page, collector, box, "/person", "data-store-visitor-ids")
    page.evaluate("databuddy.identify('user-1', { email: 'a@example.com' }); databuddy.track('known')")
    hide(page)
    eventually(lambda: "known" in events(box, "/person") and bool(rows(box, SPANS["profiles"])))
    assert rows(box, SPANS["profiles"]) == [("user-1", 1)]
    _, profile, session, _ = events(box, "/person")["known"]
    assert (profile, session[:5]) == ("user-1", "sess_")


def test_a_person_is_the_visitor_of_its_events_and_no_other(page: Page, collector: Collector, box: Box) -> None:
    """An id that lasts is one visitor, so the person is linked with that and with no id of the day."""
    visit(page, collector, box, "/lasting", "data-store-visitor-ids data-anonymize-visitor-ids=false")
    eventually(lambda: "screen_view" in events(box, "/lasting"))
    page.evaluate("databuddy.identify('user-2')")
    linked = "select visitor from visitor_profiles join strings on strings.id = profile where strings.value = 'user-2'"
    eventually(lambda: bool(rows(box, linked)))
    seen = "select distinct visitor from events join strings on strings.id = path where strings.value = '/lasting'"
    assert rows(box, linked) == rows(box, seen)


@pytest.fixture(scope="module")
def asked() -> Iterator[httpx.Client]:
    with httpx.Client() as client:
        yield client


def test_the_box_serves_every_file_of_the_tracker_to_every_site(box: Box, asked: httpx.Client) -> None:
    names = {"/script.js": "script.js", "/databuddy.js": "script.js", "/databuddy-debug.js": "debug.js"}
    names |= {"/parts.js": "parts.js", **{f"/parts/{file.name}": f"parts/{file.name}" for file in PARTS}}
    for address, name in names.items():
        answer = asked.get(box.url + address)
        assert answer.content == (TRACKER / name).read_bytes()
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["content-type"].startswith("text/javascript")
        assert "immutable" not in answer.headers["cache-control"]


def test_a_part_is_kept_for_ever_under_the_hash_of_all_parts_only(box: Box, asked: httpx.Client) -> None:
    [tag] = re.findall(r"v=([0-9a-f]{12})", asked.get(f"{box.url}/parts.js").text)
    for file in PARTS:
        for version, immutable in ((tag, True), ("0" * 12, False)):
            answer = asked.get(f"{box.url}/parts/{file.name}", params={"v": version})
            assert answer.status_code == 200
            assert ("immutable" in answer.headers["cache-control"]) is immutable
    assert asked.get(f"{box.url}/parts/unheard-of.js").status_code == 404
    assert asked.get(f"{box.url}/parts/..%2Fscript.js").status_code == 404
