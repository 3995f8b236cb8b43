"""Error groups: their states, the list and the page of one."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from analytics_box.base.clock import DAY, MINUTE
from analytics_box.products.errors.figures import GoalEffect
from analytics_box.products.errors.group import ErrorGroup, Occurrences, State, state_of
from tests.cases import each
from tests.inprocess import Answer, WholeBox, whole_box
from tests.rooms import FORM

STACK = "TypeError: x\n    at pay (https://shop.example/shop.1a2b3c4d.js:12:7)"
ONE = {"message": "Order 1 of <b>Ann</b> failed", "stack": STACK, "errorType": "TypeError", "release": "1"}


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as inside:
        yield inside


def send(box: WholeBox, who: str, *, ago: int = 10 * MINUTE, path: str = "/cart", **more: Any) -> None:
    at, page = box.clock.now() - ago, f"https://shop.example{path}"
    query, origin = f"client_id={box.sites['shop']}", "https://shop.example"
    view = {"anonymousId": who, "path": page, "timestamp": at - 1_000, "name": "screen_view"}
    assert box.post(f"/batch?{query}", [view], origin=origin).status == 200
    error = {"anonymousId": who, "path": page, "timestamp": at, **ONE, **more}
    assert box.post(f"/errors?{query}", [error], origin=origin).status == 200


def page(box: WholeBox, rest: str = "", cookie: str = "") -> Answer:
    return box.get(f"/sites/{box.sites['shop']}/errors{rest}", cookie=cookie or box.cookie, accept="text/html")


def groups(box: WholeBox, rest: str = "?range=last_7d") -> list[str]:
    """The messages and badges of the list."""
    answer = page(box, rest)
    assert answer.status == 200, answer.body
    rows = re.findall(r'<th scope="row"><a href="[^"]+" data-whole>(.*?)<small>', answer.body.decode(), re.DOTALL)
    return [unescape(re.sub(r"<[^>]+>", "", row)).strip() for row in rows]


def fingerprint(box: WholeBox) -> str:
    content = {"parameters": ["error_fingerprints"], "preset": "last_7d"}
    answer = box.post(f"/v1/query?website_id={box.sites['shop']}", content, key="all")
    return str(json.loads(answer.body)["data"][0]["data"][0]["fingerprint"])


def decide(box: WholeBox, state: State, **more: str) -> None:
    path = f"/sites/{box.sites['shop']}/errors/{fingerprint(box)}/state"
    answer = box.ask(
        "POST", path, headers={**FORM, "cookie": box.cookie}, body=urlencode({"state": state, **more}).encode()
    )
    assert answer.status == 303, answer.body


@each(
    ("group", "occurrences", "expected"),
    [
        (None, [("", 5, 9)], ("open", False)),
        ("open", [("", 5, 9)], ("open", False)),
        ("ignored", [("", 5, 19)], ("ignored", False)),
        ("resolved", [("", 5, 9)], ("resolved", False)),
        ("resolved", [("", 5, 10)], ("resolved", False)),
        ("resolved", [("", 5, 11)], ("open", True)),
        ("next", [("1", 5, 11)], ("resolved", False)),
        ("next", [("1", 5, 11), ("2", 11, 11)], ("open", True)),
    ],
)
def test_state_follows_from_the_decision_and_from_what_happened_since(
    group: str | None, occurrences: list[tuple[str, int, int]], expected: tuple[State, bool]
) -> None:
    """The decision was made at 10; `next` is resolved in the next release."""
    state: State = "ignored" if group == "ignored" else "open" if group == "open" else "resolved"
    known = None if group is None else ErrorGroup("id", "site", "f", state, group == "next", 10, "ann", 10, 10)
    assert state_of(known, [Occurrences(*one) for one in occurrences]) == expected


def test_errors_with_one_cause_are_one_line_with_its_visitors(box: WholeBox) -> None:
    send(box, "ann")
    send(box, "bob", message="Order 2 of <b>Ann</b> failed")
    send(box, "cyd", message="Failed to fetch", stack="")
    text = page(box, "?range=last_7d").body.decode()
    assert groups(box) == ["Order 2 of <b>Ann</b> failed New in 1", "Failed to fetch New in 1"]
    assert "<b>Ann</b>" not in text
    assert '<td class="number">2</td><td class="number">2</td>' in text


def test_error_that_happened_before_the_range_is_not_new(box: WholeBox) -> None:
    send(box, "ann")
    assert groups(box, "?range=today") == [f"{ONE['message']} New in 1"]
    box.clock.advance(seconds=2 * DAY / 1000)
    send(box, "ann")
    assert groups(box, "?range=today") == [ONE["message"]]


def test_resolved_error_leaves_the_list_and_comes_back_when_it_happens_again(box: WholeBox) -> None:
    send(box, "ann")
    decide(box, "resolved")
    assert groups(box) == []
    assert groups(box, "?range=last_7d&state=resolved") == [ONE["message"]]
    box.clock.advance(seconds=300)
    send(box, "bob", ago=MINUTE)
    assert groups(box) == [f"{ONE['message']} Back after fix"]


def test_error_resolved_in_the_next_release_stays_resolved_in_the_old_one(box: WholeBox) -> None:
    send(box, "ann")
    decide(box, "resolved", next="on")
    box.clock.advance(seconds=300)
    send(box, "bob", ago=MINUTE)
    assert groups(box) == []
    send(box, "bob", ago=MINUTE, release="2")
    assert groups(box) == [f"{ONE['message']} Back after fix"]


def test_ignored_error_stays_ignored_until_it_is_reopened(box: WholeBox) -> None:
    send(box, "ann")
    decide(box, "ignored")
    box.clock.advance(seconds=300)
    send(box, "ann", ago=MINUTE)
    assert groups(box) == []
    decide(box, "open")
    assert len(groups(box)) == 1


def test_page_of_a_group_has_its_stack_breakdowns_and_latest_session(box: WholeBox) -> None:
    send(box, "ann", path="/first")
    send(box, "bob", path="/second", ago=MINUTE)
    send(box, "cyd", message="Another")
    text = page(box, f"/{fingerprint(box)}?range=last_7d").body.decode()
    assert "at pay (https://shop.example/shop.1a2b3c4d.js:12:7)" in text
    assert all(f"<bdi>{path}</bdi>" in text for path in ("/first", "/second"))
    assert "Order 1 of &lt;b&gt;Ann&lt;/b&gt; failed" in text
    for link, count in ((r"/session\?[^\"]+", 1), (r"/sessions\?[^\"]+", 2)):
        (href,) = re.findall(rf'href="(/sites/[^"/]+{link})"', text)
        shown = box.get(unescape(href), cookie=box.cookie, accept="text/html")
        assert shown.status == 200
        assert count == 1 or len(re.findall('class="session-line"', shown.body.decode())) == count


def test_group_that_did_not_happen_in_the_range_says_so(box: WholeBox) -> None:
    assert "Choose a longer range" in page(box, "/0123456789abcdef").body.decode()
    for name in ("x", "m", "m!", "0123"):
        assert page(box, f"/{name}").status == 404


def test_group_names_its_counts_in_the_compared_range(box: WholeBox) -> None:
    for who in ("ann", "ann", "bob"):
        send(box, who)
    box.clock.advance(seconds=DAY / 1000)
    send(box, "cyd")
    group = fingerprint(box)
    text = page(box, f"/{group}?range=today").body.decode()
    notes = re.findall(r'funnel-value">(\d+)</dd><dd class="funnel-note">before: (\d+)<', text)
    assert notes == [("1", "3"), ("1", "2"), ("1", "2")]
    assert "before:" not in page(box, f"/{group}?range=today&compare=off").body.decode()


def test_group_of_an_earlier_version_is_reached_by_its_message(box: WholeBox) -> None:
    send(box, "ann")
    box.box.events.db.write_now(lambda db: db.execute("update stored_errors set error_group = 0"))
    (href,) = re.findall(r'data-whole><bdi>Order|href="(/sites/[^"]+/errors/m[^"]+)"', page(box).body.decode())[:1]
    assert "at pay" in box.get(unescape(href), cookie=box.cookie, accept="text/html").body.decode()


def test_state_is_set_and_listed_over_the_api(box: WholeBox) -> None:
    send(box, "ann")
    given = {"websiteId": box.sites["shop"], "fingerprint": fingerprint(box), "state": "ignored"}
    answer = box.post("/errorGroups/update", given, key="all")
    assert answer.status == 200, answer.body
    (listed,) = json.loads(box.post("/errorGroups/list", {"websiteId": box.sites["shop"]}, key="all").body)
    assert (listed["state"], listed["fingerprint"]) == ("ignored", given["fingerprint"])
    refused = box.post("/errorGroups/update", {**given, "inNextRelease": True}, key="all")
    assert refused.status == 400


def test_chip_of_an_error_filter_shows_its_message(box: WholeBox) -> None:
    send(box, "ann")
    group = fingerprint(box)
    path = f"/sites/{box.sites['shop']}/sessions?range=last_7d&error={group}"
    text = box.get(path, cookie=box.cookie, accept="text/html").body.decode()
    (chip,) = re.findall(r'<a[^>]* id="chip-error"[^>]*>.*?</a>|id="chip-error".*?</li>', text, re.DOTALL)[:1]
    assert "Order 1 of &lt;b&gt;Ann&lt;/b&gt; failed" in chip
    assert group not in re.sub(r"<[^>]+>", "", chip)


def test_error_groups_and_one_group_are_exported_with_the_filters_of_the_page(box: WholeBox) -> None:
    send(box, "ann", path="/first")
    send(box, "bob", path="/second")
    send(box, "cyd", path="/second", message="Another")
    listed = json.loads(page(box, "/export/json?range=last_7d").body)
    assert {(row["name"], row["count"], row["state"]) for row in listed["errors"]} == {
        (ONE["message"], 2, "open"),
        ("Another", 1, "open"),
    }
    narrow = json.loads(page(box, "/export/json?range=last_7d&path=/first").body)
    assert [row["count"] for row in narrow["errors"]] == [1]
    (one,) = (row for row in listed["errors"] if row["count"] == 2)
    group = json.loads(page(box, f"/{one['fingerprint']}/export/json?range=last_7d").body)
    assert [(row["name"], row["count"]) for row in sorted(group["path"], key=lambda row: str(row["name"]))] == [
        ("/first", 1),
        ("/second", 1),
    ]


def test_page_of_a_group_is_filtered_like_other_pages(box: WholeBox) -> None:
    send(box, "ann", path="/first")
    send(box, "bob", path="/second")
    text = page(box, f"/{fingerprint(box)}?range=last_7d&path=/first").body.decode()
    assert 'id="filter-button"' in text
    assert "<bdi>/first</bdi>" in text
    assert '<th scope="row"><span class="goal-bar w100"></span><bdi>/second</bdi>' not in text


@each(
    ("counts", "lost"),
    [((10, 1, 20, 10), 4), ((10, 5, 20, 10), 0), ((10, 9, 20, 10), 0), ((10, 1, 0, 0), 0), ((0, 0, 20, 10), 0)],
)
def test_lost_sessions_follow_from_the_rate_without_the_error(counts: tuple[int, int, int, int], lost: int) -> None:
    assert GoalEffect(*counts).missing_sessions == lost


def test_group_shows_its_effect_on_a_goal_on_the_pages_with_the_error(box: WholeBox) -> None:
    for name in ("bought", "read"):
        goal = {"websiteId": box.sites["shop"], "type": "EVENT", "target": name, "name": f"Has {name}"}
        assert box.post("/goals/create", goal, key="all").status == 200
        box.clock.advance(seconds=1)
    query, origin = f"client_id={box.sites['shop']}", "https://shop.example"
    at = box.clock.now() - 9 * MINUTE
    for number in range(2):
        send(box, f"failing {number}")
    for number in range(4):
        page_of = "/cart" if number < 3 else "/elsewhere"
        one = {"anonymousId": f"fine {number}", "path": f"{origin}{page_of}", "timestamp": at}
        sent = [{**one, "name": "screen_view"}, {**one, "name": "bought", "timestamp": at + 1}]
        assert box.post(f"/batch?{query}", sent[: 2 if number != 2 else 1], origin=origin).status == 200
    text = page(box, f"/{fingerprint(box)}?range=last_7d").body.decode()
    assert "with this error: 0 of 2 sessions" in text
    assert "without it, on the same pages: 2 of 3 sessions" in text
    assert "1 more session would have reached the goal" in text
    (other,) = re.findall(r'<a href="([^"]+)"><bdi>Has read</bdi>', text)
    text = box.get(unescape(other), cookie=box.cookie, accept="text/html").body.decode()
    assert "without it, on the same pages: 0 of 3 sessions" in text
