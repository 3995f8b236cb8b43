"""The list of sessions has the sessions of the API, and a session's page all that happened in it, escaped."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from analytics_box.products.overview import session_pages, session_stories
from tests.inprocess import Answer, WholeBox, whole_box
from tests.products.links.world import World

HOSTILE = "<b>bold</b>"
MINUTE = 60_000


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    """Ann comes twice, an hour apart, and the second time she does a bit of everything; Bob views one page."""
    with whole_box(tmp_path_factory.mktemp("sessions") / "data") as inside:
        now = inside.clock.now()
        send(inside, "ann", now - 90 * MINUTE, "screen_view", "/early")
        send(inside, "bob", now - 40 * MINUTE, "screen_view", "/pricing")
        began = now - 20 * MINUTE
        send(inside, "ann", began, "screen_view", "/", title="Home")
        send(inside, "ann", began + 45_000, "page_exit", "/", time_on_page=40, scroll_depth=75)
        send(inside, "ann", began + 50_000, "signup", "/", properties={"plan": HOSTILE, "yearly": True})
        send(inside, "ann", began + 60_000, "$flag_evaluated", "/", properties={"flag": "checkout", "variant": "new"})
        batch(inside, "/errors", "ann", began + 70_000, {"message": f"Broken {HOSTILE}", "stack": "at pay (shop.js:1)"})
        batch(inside, "/vitals", "ann", began + 80_000, {"metricName": "LCP", "metricValue": 2100})
        yield inside


def send(box: WholeBox, who: str, at: int, name: str, path: str, **more: Any) -> None:
    page = f"https://shop.example{path}"
    content = {"name": name, "anonymousId": who, "path": page, "timestamp": at, "websiteId": box.sites["shop"], **more}
    assert box.post("/track", content, key="all").status == 200


def batch(box: WholeBox, route: str, who: str, at: int, content: dict[str, Any]) -> None:
    one = {"anonymousId": who, "path": "https://shop.example/", "timestamp": at, **content}
    answer = box.post(f"{route}?client_id={box.sites['shop']}", [one], origin="https://shop.example")
    assert answer.status == 200, answer.body


def page(box: WholeBox, rest: str, cookie: str = "") -> Answer:
    return box.get(f"/sites/{box.sites['shop']}/{rest}", cookie=cookie or box.cookie, accept="text/html")


def links(answer: Answer) -> list[str]:
    return [unescape(href) for href in re.findall(r'class="session-line" href="([^"]+)"', answer.body.decode())]


def ids(answer: Answer) -> list[str]:
    return [href.partition("&id=")[2] for href in links(answer)]


def asked(box: WholeBox, *filters: dict[str, str]) -> list[str]:
    content = {"parameters": ["session_list"], "preset": "last_7d", "filters": list(filters)}
    answer = box.post(f"/v1/query?website_id={box.sites['shop']}", content, key="all")
    return [row["session_id"] for row in json.loads(answer.body)["data"][0]["data"]]


def opened(box: WholeBox, entry: str, cookie: str = "") -> Answer:
    """The page of the session that began on a page."""
    lines = page(box, "sessions?range=last_7d").body.decode().split('<li><a class="session-line"')[1:]
    (line,) = [line for line in lines if f"<bdi>{entry}</bdi>" in line]
    href = unescape(line.partition('href="')[2].partition('"')[0])
    return box.get(href, cookie=cookie or box.cookie, accept="text/html")


def test_sessions_are_those_of_the_api_newest_first(box: WholeBox) -> None:
    answer = page(box, "sessions?range=last_7d")
    assert answer.status == 200
    assert ids(answer) == asked(box)
    assert len(ids(answer)) == 3
    assert "3 sessions" in answer.body.decode()


def test_filters_of_the_address_narrow_the_sessions_as_in_the_api(box: WholeBox) -> None:
    answer = page(box, "sessions?range=last_7d&path=/pricing")
    assert ids(answer) == asked(box, {"field": "path", "op": "eq", "value": "/pricing"})
    assert len(ids(answer)) == 1
    assert "1 session<" in answer.body.decode()


@pytest.mark.parametrize(
    ("search", "entries"),
    [
        ("PRICING", ["/pricing"]),
        ("signup", ["/"]),
        ("broken", ["/"]),
        ("direct", ["/", "/pricing", "/early"]),
        ("pric.ng", []),
        ("%", []),
        ('"><i>(?=', []),
    ],
)
def test_search_finds_sessions_by_what_they_have_in_any_case(box: WholeBox, search: str, entries: list[str]) -> None:
    answer = page(box, f"sessions?{urlencode({'range': 'last_7d', 'q': search})}")
    assert re.findall(r'class="session-entry"><bdi>([^<]+)<', answer.body.decode()) == entries
    number = len(entries)
    assert f"{number} session{'s' * (number != 1)}<" in answer.body.decode()
    assert ("No session matches" in answer.body.decode()) == (not entries)
    assert "<i>" not in answer.body.decode()


def test_search_finds_one_session_by_its_id_and_keeps_filters_and_order(box: WholeBox) -> None:
    wanted = asked(box)[1]
    answer = page(box, f"sessions?range=last_7d&q={wanted}&device_type=desktop&sort=interesting")
    assert ids(answer) == [wanted]
    text = answer.body.decode()
    form = text.partition('class="details-search"')[2].partition("</form>")[0]
    assert f'name="q" maxlength="200" value="{wanted}"' in form
    assert 'name="device_type" value="desktop"' in form
    assert 'name="sort" value="interesting"' in form
    assert f"q={wanted}" in unescape(re.findall(r'id="sessions-by-1" href="([^"]+)"', text)[0])
    for narrower in ("path=/nowhere", "utm_content=none", "utm_term=none"):
        assert ids(page(box, f"sessions?range=last_7d&q={wanted}&{narrower}")) == []


def test_search_of_any_length_with_as_many_filters_as_an_address_has_is_answered(box: WholeBox) -> None:
    query = urlencode({"q": "." * 5000, **{f"{name}.matches": "x" for name in session_pages.SEARCHED}})
    assert page(box, f"sessions?range=last_7d&{query}").status == 200


def test_the_dashboard_leads_to_the_sessions_that_its_filters_select(box: WholeBox) -> None:
    assert (
        'id="chips-sessions"'
        not in box.get(f"/sites/{box.sites['shop']}?range=last_7d", cookie=box.cookie, accept="text/html").body.decode()
    )
    narrowed = page(box, "details/errors?range=last_7d&error.contains=Broken&sort=users").body.decode()
    href = unescape(re.findall(r'id="chips-sessions" href="([^"]+)"', narrowed)[0])
    answer = box.get(href, cookie=box.cookie, accept="text/html")
    assert ids(answer) == asked(box, {"field": "error", "op": "contains", "value": "Broken"})
    assert len(ids(answer)) == 1


def test_the_most_eventful_session_comes_first_when_asked_for(box: WholeBox) -> None:
    first = (
        page(box, "sessions?range=last_7d&sort=interesting").body.decode().partition('<li><a class="session-line"')[2]
    )
    line = first.partition("</li>")[0]
    assert "<bdi>signup</bdi>" in line
    assert "1 error" in line
    assert "$flag_evaluated" not in line


def test_pages_of_the_list_have_each_session_once(box: WholeBox, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ids(page(box, "sessions?range=last_7d"))
    monkeypatch.setattr(session_pages, "PER_PAGE", 2)
    first, second = (page(box, f"sessions?range=last_7d&page={number}") for number in (1, 2))
    assert [*ids(first), *ids(second)] == whole
    assert 'rel="next"' in first.body.decode()
    assert 'rel="next"' not in second.body.decode()


def test_a_session_tells_everything_in_order_and_escaped(box: WholeBox) -> None:
    text = opened(box, "/", box.cookie).body.decode()
    steps = text.partition('class="session-steps"')[2].partition("</ol>")[0]
    found = [steps.find(part) for part in ("Home", "signup", "checkout → new", "Broken &lt;b&gt;bold&lt;/b&gt;")]
    assert -1 not in found
    assert found == sorted(found)
    assert "40\N{NO-BREAK SPACE}s engaged" in steps
    assert "scrolled 75 %" in steps
    assert "LCP 2.10\N{NO-BREAK SPACE}s" in steps
    assert "<dt><bdi>plan</bdi></dt><dd><bdi>&lt;b&gt;bold&lt;/b&gt;</bdi></dd>" in steps
    assert "at pay (shop.js:1)" in steps
    assert HOSTILE not in text


def test_a_session_longer_than_a_page_shows_its_first_steps(box: WholeBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_stories, "MOST_STEPS", 2)
    text = opened(box, "/").body.decode()
    assert text.count('class="step ') == 2
    assert "2 later steps are not shown." in text
    assert "Broken" not in text


def test_members_see_other_sessions_of_the_visitor_and_viewers_do_not(box: WholeBox) -> None:
    member = opened(box, "/early").body.decode()
    assert "Other sessions of this visitor" in member
    assert ids(opened(box, "/early")) == [asked(box)[0]]
    box.run(box.box.box_db.write(lambda db: db.execute("update members set role = 'viewer'").fetchall()))
    try:
        box.reopen()
        viewer = opened(box, "/early")
        assert viewer.status == 200
        assert "/early" in viewer.body.decode()
        assert "Other sessions of this visitor" not in viewer.body.decode()
    finally:
        box.run(box.box.box_db.write(lambda db: db.execute("update members set role = 'owner'").fetchall()))
        box.reopen()


@pytest.mark.parametrize("rest", ["session", "session?id=", "session?id=00000000fffffff1", f"session?id={'a' * 300}"])
def test_unknown_sessions_answer_404(box: WholeBox, rest: str) -> None:
    assert page(box, rest).status == 404


def test_a_session_of_another_website_answers_404(box: WholeBox) -> None:
    href = links(page(box, "sessions?range=last_7d"))[0]
    other = href.replace(box.sites["shop"], box.sites["blog"])
    assert box.get(href, cookie=box.cookie, accept="text/html").status == 200
    assert box.get(other, cookie=box.cookie, accept="text/html").status == 404


def test_session_names_the_goals_that_it_reached(box: WholeBox) -> None:
    for name, target in (("Signed up", "signup"), ("Never reached", "missing")):
        given = {"websiteId": box.sites["shop"], "type": "EVENT", "target": target, "name": name}
        assert box.post("/goals/create", given, key="all").status == 200
    facts = opened(box, "/").body.decode().partition('class="session-facts"')[2].partition("</dl>")[0]
    assert "<dt>Goals reached</dt><dd><bdi>Signed up</bdi></dd>" in facts
    assert "Goals reached" not in opened(box, "/early").body.decode()


def test_session_names_the_short_link_that_its_visitor_followed(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        world, hour = World(box), 3600
        made = world.link(name="<i>Flyer", targetUrl="https://shop.example/flyer")
        other = world.link(name="Another link", targetUrl="https://shop.example/other")
        land(box, "/early")
        box.clock.advance(seconds=hour)
        world.follow(made["slug"])
        box.clock.advance(seconds=299)
        land(box, "/flyer")
        box.clock.advance(seconds=hour)
        world.follow(other["slug"])
        box.clock.advance(seconds=301)
        land(box, "/too-late")
        assert world.clicks("kind") == [(1,), (1,)]
        named = f'<dt>Short link</dt><dd><a href="/links/{made["id"]}"><bdi>&lt;i&gt;Flyer</bdi></a></dd>'
        assert named in opened(box, "/flyer").body.decode()
        for entry in ("/early", "/too-late"):
            assert "Short link" not in opened(box, entry).body.decode()
        assert world.call("links.delete", id=made["id"]).status == 200
        assert "Short link" not in opened(box, "/flyer").body.decode()


def land(box: WholeBox, path: str) -> None:
    """A page view without an id, as the tracker script sends it."""
    body = json.dumps({"name": "screen_view", "path": f"https://shop.example{path}"}).encode()
    headers = {"content_type": "application/json", "origin": "https://shop.example"}
    assert box.ask("POST", f"/?client_id={box.sites['shop']}", headers=headers, body=body).status == 200
