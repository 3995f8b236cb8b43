"""The figures of a funnel over RPC and on its page: sessions by step, drop-offs, times and sources."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest

from analytics_box.figures.converting import GoalTarget
from analytics_box.products.funnels import pages
from analytics_box.products.funnels.form import goal_names
from tests.inprocess import WholeBox, whole_box

MINUTE = 60_000
STEPS: list[dict[str, Any]] = [
    {"type": "PAGE_VIEW", "target": "/pricing*", "name": "Pricing"},
    {"type": "PAGE_VIEW", "target": "/signup", "name": "Form"},
    {
        "type": "EVENT",
        "target": "signup",
        "name": "Account",
        "conditions": [{"property": "plan", "operator": "equals", "value": "pro"}],
    },
]
# Visitor, source, and what they do with the minutes after their first page.
VISITS: tuple[tuple[str, str, tuple[tuple[float, str, str], ...]], ...] = (
    ("ann", "https://www.google.com/", ((0, "/", ""), (1, "/pricing", ""), (2, "/signup", ""), (5, "", "pro"))),
    ("bea", "https://www.google.com/", ((0, "/pricing/teams", ""), (4, "/signup", ""), (5, "", "free"))),
    ("cid", "", ((0, "/signup", ""), (1, "/pricing", ""))),  # in the other order
    ("dan", "", ((0, "/pricing", ""), (2, "/signup", ""), (10, "", "pro"))),
    ("eve", "", ((0, "/", ""),)),
)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("funnels") / "data") as inside:
        for who, referrer, steps in VISITS:
            for minutes, path, plan in steps:
                send(inside, who, referrer, inside.clock.now() - 60 * MINUTE + round(minutes * MINUTE), path, plan)
        yield inside


def send(box: WholeBox, who: str, referrer: str, at: int, path: str, plan: str) -> None:
    content: dict[str, Any] = {"anonymousId": who, "timestamp": at, "websiteId": box.sites["shop"]}
    if path:
        content |= {"name": "screen_view", "path": f"https://shop.example{path}", "referrer": referrer}
    else:
        content |= {"name": "signup", "path": "https://shop.example/signup", "properties": {"plan": plan}}
    assert box.post("/track", content, key="all").status == 200


def rpc(box: WholeBox, procedure: str, **given: Any) -> Any:
    answer = box.post(f"/funnels/{procedure}", {"websiteId": box.sites["shop"], **given}, key="all")
    assert answer.status == 200, answer.body
    return answer.json


@pytest.fixture(scope="module")
def funnel(box: WholeBox) -> str:
    return str(rpc(box, "create", name="Sign-up", steps=STEPS)["id"])


def test_analytics_count_sessions_by_step_in_order(box: WholeBox, funnel: str) -> None:
    found = rpc(box, "getAnalytics", funnelId=funnel)
    assert [(step["step_name"], step["users"], step["dropoffs"]) for step in found["steps_analytics"]] == [
        ("Pricing", 4, 0),
        ("Form", 3, 1),
        ("Account", 2, 1),
    ]
    assert (found["total_users_entered"], found["total_users_completed"]) == (4, 2)
    assert found["overall_conversion_rate"] == 50.0
    assert found["avg_completion_time"] == 60 * (4 + 10) / 2
    assert (found["biggest_dropoff_step"], found["biggest_dropoff_rate"]) == (3, 33.33)


def test_value_of_a_property_without_an_operator_is_refused(box: WholeBox) -> None:
    steps = [STEPS[0], {**STEPS[2], "conditions": [{"property": "plan", "value": "pro"}]}]
    given = {"websiteId": box.sites["shop"], "name": "Half a condition", "steps": steps}
    answer = box.post("/funnels/create", given, key="all")
    assert answer.status == 400
    assert "operator" in answer.body.decode()


def test_an_empty_name_and_a_missing_step_are_refused_together(box: WholeBox) -> None:
    given = {"websiteId": box.sites["shop"], "name": "", "steps": STEPS[:1]}
    answer = box.post("/funnels/create", given, key="all")
    assert answer.status == 400
    assert [detail["field"] for detail in answer.json["details"]] == ["name", "steps"]


def test_analytics_by_referrer_sum_up_to_the_whole(box: WholeBox, funnel: str) -> None:
    found = rpc(box, "getAnalyticsByReferrer", funnelId=funnel)["referrer_analytics"]
    by_name = {one["referrer_parsed"]["name"]: (one["total_users"], one["completed_users"]) for one in found}
    assert by_name == {"Google": (2, 1), "Direct": (2, 1)}


def test_any_order_counts_the_visitor_who_came_from_the_form(box: WholeBox) -> None:
    made = rpc(box, "create", name="Any order", steps=STEPS[:2], order="any")
    found = rpc(box, "getAnalytics", funnelId=made["id"])
    assert [step["users"] for step in found["steps_analytics"]][-1] == 4


def test_the_page_shows_the_same_figures(box: WholeBox, funnel: str) -> None:
    address = f"/sites/{box.sites['shop']}/funnels/{funnel}?range=today"
    answer = box.get(address, cookie=box.cookie, accept="text/html")
    assert answer.status == 200
    text = answer.body.decode().replace("\N{NO-BREAK SPACE}", " ")
    for shown in ("4 sessions", "3 sessions", "2 sessions", "50.0 %", "Google"):
        assert shown in text, shown


def test_sessions_that_dropped_are_one_click_away(box: WholeBox) -> None:
    steps = [{"type": "PAGE_VIEW", "target": "/*", "name": "Any"}, *STEPS[1:2]]
    made = rpc(box, "create", name="To the form", steps=steps)
    address = f"/sites/{box.sites['shop']}/funnels/{made['id']}?range=today"
    text = box.get(address, cookie=box.cookie, accept="text/html").body.decode()
    (href,) = re.findall(r'<a href="([^"]+)">Sessions without this step', text)
    listed = box.get(unescape(href), cookie=box.cookie, accept="text/html").body.decode()
    assert re.findall(r'class="session-entry"><bdi>([^<]+)', listed) == ["/"]


def test_goal_in_the_form_is_chosen_by_name(box: WholeBox) -> None:
    given = {"websiteId": box.sites["shop"], "name": "Signed up", "type": "EVENT", "target": "signup"}
    goal = box.post("/goals/create", given, key="all").json["id"]
    form = {"name": "To the goal", "kind-0": "page", "target-0": "/pricing*", "kind-1": "goal", "isActive": "on"}
    headers = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin"}
    made = box.post(
        f"/sites/{box.sites['shop']}/funnels/new",
        urlencode({**form, "target-1": "signed UP"}).encode(),
        key=None,
        cookie=box.cookie,
        **headers,
    )
    assert made.status == 303, made.body
    (funnel,) = [one for one in rpc(box, "list") if one["name"] == "To the goal"]
    assert [step["target"] for step in funnel["steps"]] == ["/pricing*", goal]
    edited = box.get(f"/sites/{box.sites['shop']}/funnels/{funnel['id']}/edit", cookie=box.cookie, accept="text/html")
    text = edited.body.decode()
    assert 'value="Signed up"' in text
    assert goal not in text


def test_goals_that_share_a_name_are_chosen_by_id() -> None:
    goals = [GoalTarget("g1", "Sale"), GoalTarget("g2", "sale")]
    assert goal_names(goals) == {"g1": "g1", "g2": "g2"}


def test_late_funnels_leave_their_list_readable(box: WholeBox, funnel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MOST_SECONDS", 0.0)
    answer = box.get(f"/sites/{box.sites['shop']}/funnels?range=today", cookie=box.cookie, accept="text/html")
    assert answer.status == 200
    text = answer.body.decode()
    assert funnel in text
    assert "The funnels took too long" in text
