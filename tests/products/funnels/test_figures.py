"""The figures of a funnel over RPC and on its page: sessions by step, drop-offs, times and sources."""

import io
import re
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest

from analytics_box.figures.converting import GoalTarget
from analytics_box.products.funnels import pages
from analytics_box.products.funnels.form import goal_names
from tests.cases import each
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


BUYING: dict[str, Any] = {"type": "EVENT", "target": "signup", "name": "Account"}


@each(
    ("given", "entries"),
    [
        ({"steps": [{"type": "PAGE_VIEW", "target": "/*", "name": "Any"}, *STEPS[1:2]]}, ["/", "/signup"]),
        ({"steps": STEPS[1:]}, ["/pricing/teams", "/signup"]),  # an event with another property, and none at all
        ({"steps": [BUYING, {"type": "PAGE_VIEW", "target": "/pricing*"}]}, ["/", "/pricing", "/pricing/teams"]),
        (
            {"steps": STEPS[1:], "filters": [{"field": "referrer", "operator": "equals", "value": "Google"}]},
            ["/pricing/teams"],
        ),
        ({"steps": STEPS[1:], "order": "strict"}, ["/pricing/teams", "/signup"]),
    ],
)
def test_sessions_that_dropped_out_of_any_funnel_are_one_click_away(
    box: WholeBox, given: dict[str, Any], entries: list[str]
) -> None:
    made = rpc(box, "create", name="Dropping", **given)
    for query in ("?range=today", "?range=today&match=any&country=Nowhere&viewed_page.contains=/"):
        address = f"/sites/{box.sites['shop']}/funnels/{made['id']}{query}"
        text = box.get(address, cookie=box.cookie, accept="text/html").body.decode()
        (href,) = re.findall(r'<a href="([^"]+)" data-whole>Sessions that dropped out', text)
        listed = box.get(unescape(href), cookie=box.cookie, accept="text/html").body.decode()
        assert sorted(re.findall(r'class="session-entry"><bdi>([^<]+)', listed)) == entries
        assert "Dropping, before step 2 (" in unescape(listed)
    rpc(box, "delete", id=made["id"])
    assert "a deleted funnel" in box.get(unescape(href), cookie=box.cookie, accept="text/html").body.decode()


def test_dropoff_is_chosen_by_its_name(box: WholeBox, funnel: str) -> None:
    site = f"/sites/{box.sites['shop']}"
    options = box.get(f"{site}/values?field=funnel_dropoff&q=step+3", cookie=box.cookie, accept="text/html")
    assert "Sign-up, before step 3 (Account)" in unescape(options.body.decode())
    query = urlencode(
        {"range": "today", "field": "funnel_dropoff", "op": "is", "value": "sign-up, before step 3 (account)"}
    )
    answer = box.get(f"{site}?{query}", cookie=box.cookie, accept="text/html")
    assert answer.headers["location"].endswith(f"?range=today&funnel_dropoff={funnel}%3A3")


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


def page(box: WholeBox, funnel: str, **own: str) -> str:
    query = urlencode({"range": "today", **own})
    answer = box.get(f"/sites/{box.sites['shop']}/funnels/{funnel}?{query}", cookie=box.cookie, accept="text/html")
    assert answer.status == 200, answer.body[:500]
    return unescape(answer.body.decode().replace("\N{NO-BREAK SPACE}", " "))


def segment(box: WholeBox, name: str, value: str) -> str:
    filters = [{"field": "referrer", "op": "eq", "value": value}]
    given = {"websiteId": box.sites["shop"], "name": name, "filters": filters, "isShared": True}
    return str(box.post("/segments/create", given, key="all").json["id"])


@pytest.fixture(scope="module")
def segments(box: WholeBox) -> list[str]:
    return [segment(box, "From Google", "Google"), segment(box, "Straight", "Direct")]


def lines_of(text: str) -> dict[str, list[str]]:
    table = text.partition('id="funnel-segments-title"')[2].partition("</table>")[0]
    rows = table.split("<tr>")[2:]
    return {re.findall(r"<bdi>([^<]+)", row)[0]: re.findall(r'class="funnel-cell">([^<]+)', row) for row in rows}


def test_segments_are_side_by_side_and_sum_to_the_whole(box: WholeBox, funnel: str, segments: list[str]) -> None:
    found = lines_of(page(box, funnel, segments=",".join(segments)))
    assert found == {"All sessions": ["4", "3", "2"], "From Google": ["2", "2", "1"], "Straight": ["2", "1", "1"]}


def test_unknown_segments_are_left_out(box: WholeBox, funnel: str, segments: list[str]) -> None:
    found = lines_of(page(box, funnel, segments=f"nothing,{segments[0]}"))
    assert list(found) == ["All sessions", "From Google"]


def test_funnel_page_filters_by_a_segment_of_its_menu(box: WholeBox, funnel: str, segments: list[str]) -> None:
    assert f'id="segment-{segments[0]}"' in page(box, funnel)
    assert "2 sessions" in page(box, funnel, segment=segments[0])


def test_file_of_a_funnel_has_the_figures_of_its_page(box: WholeBox, funnel: str, segments: list[str]) -> None:
    query = urlencode({"range": "today", "split": "source", "segments": segments[0]})
    answer = box.get(f"/sites/{box.sites['shop']}/funnels/{funnel}/export/json?{query}", cookie=box.cookie)
    assert answer.status == 200, answer.body
    found = answer.json
    assert [(row["step_name"], row["users"]) for row in found["steps"]] == [("Pricing", 4), ("Form", 3), ("Account", 2)]
    assert {row["source"]: row["converted"] for row in found["breakdown"]} == {"Google": 1, "Direct": 1}
    assert sum(row["converted"] for row in found["times"]) == 2
    assert sum(row["started"] for row in found["trend"]) == 4
    assert [(row["segment"], row["users"]) for row in found["segments"]] == [
        ("From Google", 2),
        ("From Google", 2),
        ("From Google", 1),
    ]


def test_file_of_a_funnel_is_an_archive_of_tables(box: WholeBox, funnel: str) -> None:
    answer = box.get(f"/sites/{box.sites['shop']}/funnels/{funnel}/export/csv?range=today", cookie=box.cookie)
    names = zipfile.ZipFile(io.BytesIO(answer.body)).namelist()
    assert {"steps.csv", "breakdown.csv", "times.csv", "trend.csv"} <= set(names)


def test_journeys_of_dropped_sessions_are_one_click_away(box: WholeBox) -> None:
    steps = [{"type": "PAGE_VIEW", "target": "/pricing", "name": "Pricing"}, *STEPS[1:2]]
    made = rpc(box, "create", name="From the prices", steps=steps)
    (href,) = re.findall(r'<a href="([^"]+)" data-whole>What they did instead', page(box, made["id"]))
    assert "/journeys?" in href
    assert "anchor=page" in href
    shown = box.get(href, cookie=box.cookie, accept="text/html").body.decode()
    assert box.get(href, cookie=box.cookie, accept="text/html").status == 200
    assert "Journeys" in shown


def test_step_shows_its_share_in_the_compared_range(box: WholeBox, funnel: str) -> None:
    today = datetime.fromtimestamp(box.clock.now() / 1000, UTC).date().isoformat()
    assert "before: 75.0 %" in page(box, funnel, compare="own", cfrom=today, cto=today)


def suggest(box: WholeBox, **goal: str) -> list[tuple[str, str]]:
    given = {"websiteId": box.sites["shop"], "name": "Suggesting", **goal}
    made = box.post("/goals/create", given, key="all").json["id"]
    answer = box.get(f"/sites/{box.sites['shop']}/funnels/new?goal={made}", cookie=box.cookie, accept="text/html")
    text = unescape(answer.body.decode())
    kinds = [re.findall(r'value="(\w+)" selected', part)[0] for part in text.split('name="kind-')[1:]]
    targets = [re.findall(r'value="([^"]*)"', part)[0] for part in text.split('name="target-')[1:]]
    box.post("/goals/delete", {"id": made}, key="all")
    return [pair for pair in zip(kinds, targets, strict=True) if pair[1]]


@each(
    ("goal", "wanted"),
    [
        ({"type": "EVENT", "target": "signup"}, [("page", "/pricing"), ("page", "/signup"), ("goal", "Suggesting")]),
        ({"type": "PAGE_VIEW", "target": "/signup"}, [("page", "/pricing"), ("goal", "Suggesting")]),
        ({"type": "PAGE_VIEW", "target": "/sign*"}, [("page", "/pricing"), ("goal", "Suggesting")]),
        ({"type": "EVENT", "target": "never"}, [("goal", "Suggesting")]),
    ],
)
def test_goal_suggests_the_most_common_way_to_it(
    box: WholeBox, goal: dict[str, str], wanted: list[tuple[str, str]]
) -> None:
    assert suggest(box, **goal) == wanted


def test_goal_page_leads_to_a_funnel_to_the_goal(box: WholeBox) -> None:
    given = {"websiteId": box.sites["shop"], "name": "Led", "type": "EVENT", "target": "signup"}
    made = box.post("/goals/create", given, key="all").json["id"]
    text = box.get(f"/sites/{box.sites['shop']}/goal?goal={made}", cookie=box.cookie, accept="text/html").body.decode()
    assert f"/funnels/new?goal={made}" in text
    assert (
        "Led</bdi>"
        in box.get(f"/sites/{box.sites['shop']}/funnels/new", cookie=box.cookie, accept="text/html").body.decode()
    )


def test_goal_with_a_short_link_can_be_a_step(box: WholeBox) -> None:
    filters = [{"field": "link", "operator": "equals", "value": "spring"}]
    given = {"websiteId": box.sites["shop"], "name": "From the link", "type": "EVENT", "target": "signup"}
    goal = box.post("/goals/create", {**given, "filters": filters}, key="all").json["id"]
    made = rpc(box, "create", name="By a link", steps=[STEPS[0], {"type": "GOAL", "target": goal}])
    found = rpc(box, "getAnalytics", funnelId=made["id"])
    assert [step["users"] for step in found["steps_analytics"]] == [4, 0]
