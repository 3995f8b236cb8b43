"""Goals by their procedures (wire 10.5): what they are, who may change them, and who reached them."""

from typing import Any

import pytest

from analytics_box.products.goals.figures import LATE
from tests.cases import each
from tests.products.flags.world import World
from tests.tenants.keys.world import cookie_of

RATE = 50.0
REACHED = {"one": (2, 1, RATE), "both": (2, 2, 100.0), "nobody": (2, 0, 0.0)}


def make(world: World, target: str, kind: str = "EVENT", **given: Any) -> Any:
    return world.good(
        "goals/create", **{"websiteId": world.shop, "type": kind, "target": target, "name": "Goal"} | given
    )


@each(
    ("kind", "target", "more", "who"),
    [
        ("PAGE_VIEW", "/pricing", {}, "one"),
        ("PAGE_VIEW", "/pricing/", {}, "one"),
        ("PAGE_VIEW", "https://shop.example/pricing?a=b", {}, "one"),
        ("PAGE_VIEW", "https://shop.example/%C3%BCber/#top", {}, "one"),
        ("PAGE_VIEW", "/%C3%BC*", {}, "one"),
        ("PAGE_VIEW", "/thanks/*", {}, "one"),
        ("PAGE_VIEW", "/*", {}, "both"),
        ("PAGE_VIEW", "/thanks.1", {}, "nobody"),
        ("CUSTOM", "outgoing:www.partner.example", {}, "one"),
        ("CUSTOM", "outgoing:WWW.Partner.example.", {}, "one"),
        ("CUSTOM", "outgoing:partner.example.evil", {}, "nobody"),
        ("EVENT", "purchase", {}, "one"),
        ("EVENT", "purchase", {"conditions": [{"property": "plan"}]}, "one"),
        ("EVENT", "purchase", {"conditions": [{"property": "plan", "operator": "equals", "value": "pro"}]}, "one"),
        ("EVENT", "purchase", {"conditions": [{"property": "plan", "operator": "contains", "value": "ro"}]}, "one"),
        ("EVENT", "purchase", {"conditions": [{"property": "lan", "operator": "contains", "value": "ro"}]}, "nobody"),
        ("EVENT", "purchase", {"conditions": [{"property": "plan", "operator": "in", "value": ["x", "free"]}]}, "one"),
        (
            "EVENT",
            "purchase",
            {
                "conditions": [
                    {"property": "plan", "operator": "equals", "value": "free"},
                    {"property": "amount", "operator": "equals", "value": "19.5"},
                ]
            },
            "nobody",  # of two events
        ),
        ("CUSTOM", "purchase", {}, "one"),
        ("CUSTOM", "scroll:80", {}, "one"),
        ("CUSTOM", "scroll:81", {}, "nobody"),
        ("CUSTOM", "time:75", {}, "one"),
        ("CUSTOM", "time:76", {}, "nobody"),
        ("CUSTOM", "outgoing:Partner.example", {}, "one"),
        ("CUSTOM", "outgoing:https://partner.example/a", {}, "one"),
        ("CUSTOM", "outgoing:https://partner.example/b", {}, "nobody"),
        ("PAGE_VIEW", "/", {"filters": [{"field": "event", "operator": "equals", "value": "purchase"}]}, "one"),
        ("PAGE_VIEW", "/", {"filters": [{"field": "event", "operator": "not_equals", "value": "purchase"}]}, "one"),
        ("PAGE_VIEW", "/", {"filters": [{"field": "referrer", "operator": "in", "value": ["Google"]}]}, "nobody"),
    ],
)
def test_a_goal_is_reached_by_those_who_did_what_it_says(
    shared: World, kind: str, target: str, more: dict[str, Any], who: str
) -> None:
    goal = make(shared, target, kind, **more)
    found = shared.good("goals/getAnalytics", goalId=goal["id"], websiteId=shared.shop)
    visitors, conversions, rate = REACHED[who]
    assert found == {
        "overall_conversion_rate": rate,
        "total_users_entered": visitors,
        "total_users_completed": conversions,
        "avg_completion_time": 0.0,
        "avg_completion_time_formatted": "0s",
        "steps_analytics": [
            {
                "step_number": 1,
                "step_name": "Goal",
                "users": conversions,
                "total_users": visitors,
                "conversion_rate": rate,
                "dropoffs": 0,
                "dropoff_rate": 0.0,
                "avg_time_to_complete": 0.0,
            }
        ],
        "revenue": None,
        "payments": [],
    }
    shared.good("goals/delete", id=goal["id"])


def test_amounts_are_added_up(shared: World) -> None:
    goal = make(shared, "purchase", revenueProperty="amount")
    found = shared.good("goals/getAnalytics", goalId=goal["id"], websiteId=shared.shop)
    assert (found["total_users_completed"], found["revenue"]) == (1, 24.5)  # what is no number is nothing
    narrow = [{"field": "country", "operator": "equals", "value": "Nowhere"}]
    shared.good("goals/update", id=goal["id"], filters=narrow)
    found = shared.good("goals/getAnalytics", goalId=goal["id"], websiteId=shared.shop)
    assert (found["total_users_completed"], found["revenue"]) == (0, 0)
    shared.good("goals/delete", id=goal["id"])


@each("prop", ["amount", "discount"])
def test_goal_with_an_amount_counts_events_without_it_as_zero(shared: World, prop: str) -> None:
    goal = make(shared, "purchase", revenueProperty=prop)
    found = shared.good("goals/getAnalytics", goalId=goal["id"], websiteId=shared.shop)
    assert (found["total_users_completed"], found["revenue"]) == (1, 24.5 if prop == "amount" else 0)
    shared.good("goals/delete", id=goal["id"])


def test_many_goals_are_analysed_at_once(shared: World) -> None:
    first, second = make(shared, "purchase"), make(shared, "/nowhere", "PAGE_VIEW")
    ids = [first["id"], "unknown", second["id"]]
    found = shared.good("goals/bulkAnalytics", websiteId=shared.shop, goalIds=ids)
    assert list(found) == ids
    assert [found[name].get("total_users_completed") for name in ids] == [1, None, 0]
    assert found["unknown"] == {"error": "There is no goal with this id"}
    days = {"startDate": "2026-05-01", "endDate": "2026-05-02T10:00:00Z"}
    earlier = shared.good("goals/bulkAnalytics", websiteId=shared.shop, goalIds=[first["id"]], **days)
    assert (earlier[first["id"]]["total_users_entered"], earlier[first["id"]]["overall_conversion_rate"]) == (0, 0)
    for goal_id in (first["id"], second["id"]):
        shared.good("goals/delete", id=goal_id)


def test_a_goal_is_made_changed_listed_and_deleted(shared: World) -> None:
    conditions = [{"property": "plan", "operator": "in", "value": ["pro", "free"]}]
    made = make(shared, " purchase ", name=" Sold ", description="All we live on", conditions=conditions)
    assert made == made | {
        "websiteId": shared.shop,
        "type": "EVENT",
        "target": "purchase",
        "name": "Sold",
        "description": "All we live on",
        "filters": [],
        "conditions": conditions,
        "revenueProperty": None,
        "isActive": True,
    }
    assert shared.good("goals/list", websiteId=shared.shop) == [made]
    changed = shared.good("goals/update", id=made["id"], name="Bought", isActive=False, description=None)
    assert changed == made | {
        "name": "Bought",
        "isActive": False,
        "description": None,
        "updatedAt": changed["updatedAt"],
    }
    assert changed["updatedAt"] > made["updatedAt"]
    assert shared.good("goals/update", id=made["id"], name="Bought") == changed
    assert shared.good("goals/getById", id=made["id"], websiteId=shared.shop) == changed
    shared.good("goals/update", id=made["id"], type="CUSTOM", target="scroll:50", conditions=[])
    assert shared.good("goals/delete", id=made["id"]) == {"success": True}
    assert shared.refused("goals/getById", id=made["id"]) == (404, "There is no goal with this id")
    logged = "select action from audit where subject = 'goal' and subject_id = ? order by rowid"
    assert [action for (action,) in shared.rows(logged, made["id"])] == ["created", "updated", "updated", "deleted"]


@each(
    ("given", "said"),
    [
        ({"name": " "}, "Enter a name"),
        ({"name": "\u202egnihton"}, "Enter a name"),
        ({"filters": [{"field": "path", "operator": "in", "value": ["x" * 999] * 30}]}, "can have up to 20,000 bytes"),
        ({"name": "n" * 101}, "Must be at most 100 characters"),
        ({"target": " "}, "Enter a target of 1 to 1000 characters"),
        ({"type": "VISIT"}, "Must be one of: CUSTOM, EVENT, PAGE_VIEW"),
        ({"type": "CUSTOM", "target": "scroll:101"}, "A scroll depth is 1 to 100 percent"),
        ({"type": "CUSTOM", "target": "scroll:²"}, "A scroll depth is 1 to 100 percent"),
        ({"type": "CUSTOM", "target": "time:soon"}, "A time is 1 to 86400 seconds"),
        ({"type": "CUSTOM", "target": "outgoing:"}, "Enter a host or address"),
        ({"type": "PAGE_VIEW", "target": "/", "conditions": [{"property": "a"}]}, "Only events have properties"),
        (
            {"type": "CUSTOM", "target": "time:5", "revenueProperty": "amount"},
            "Only events can have a revenue property",
        ),
        ({"conditions": [{"property": ""}]}, "Enter a property name of 1 to 128 characters"),
        ({"conditions": [{"property": "a", "operator": "equals"}]}, "Enter a value for a"),
        ({"conditions": [{"property": "a"}] * 6}, "A goal can have up to 5 conditions"),
        ({"filters": [{"field": "shoe_size", "operator": "equals", "value": "44"}]}, "Goals cannot be filtered by"),
        ({"filters": [{"field": "scroll", "operator": "equals", "value": "deep"}]}, "scroll is a whole number"),
        ({"filters": [{"field": "country", "operator": "like", "value": "x"}]}, "Must be one of: "),
        (
            {"filters": [{"field": "country", "operator": "equals", "value": "x"}] * 11},
            "A goal can have up to 10 filters",
        ),
        ({"startDate": "2026-01-01"}, "not a known field"),
    ],
)
def test_invalid_goal_is_refused(shared: World, given: dict[str, Any], said: str) -> None:
    plain = {"websiteId": shared.shop, "type": "EVENT", "target": "purchase", "name": "Goal"}
    status, message = shared.refused("goals/create", **plain | given)
    assert status == 400
    assert said in message
    assert shared.good("goals/list", websiteId=shared.shop) == []


def test_a_range_that_cannot_be_read_is_refused(shared: World) -> None:
    goal = make(shared, "purchase")
    asked = {"goalId": goal["id"], "websiteId": shared.shop}
    for days in (
        {"startDate": "yesterday"},
        {"endDate": "2026-05-01"},
        {"startDate": "2026-05-02", "endDate": "2026-05-01"},
    ):
        assert shared.refused("goals/getAnalytics", **asked, **days)[0] == 400
    shared.good("goals/delete", id=goal["id"])


def test_goals_beyond_the_time_limit_are_marked(shared: World, monkeypatch: pytest.MonkeyPatch) -> None:
    goal = make(shared, "purchase")
    monkeypatch.setattr("analytics_box.products.goals.figures.MOST_SECONDS", -1.0)
    given = {"websiteId": shared.shop, "goalIds": [goal["id"]]}
    assert shared.good("goals/bulkAnalytics", **given) == {goal["id"]: {"error": LATE}}
    shared.good("goals/delete", id=goal["id"])


def test_a_website_has_a_hundred_goals(shared: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analytics_box.products.goals.lookup.MOST_GOALS", 1)
    goal = make(shared, "purchase")
    given = {"websiteId": shared.shop, "type": "EVENT", "target": "purchase", "name": "Goal"}
    assert shared.refused("goals/create", **given) == (409, "A website can have up to 1 goals; delete one first")
    shared.good("goals/delete", id=goal["id"])


def test_goals_are_hidden_from_other_organizations(shared: World) -> None:
    goal = make(shared, "purchase")
    viewer = cookie_of(shared.box, "viewer")
    assert [one["id"] for one in shared.good("goals/list", websiteId=shared.shop, cookie=viewer)] == [goal["id"]]
    for by, cookie, status in (("foreign", "", 404), ("reading", "", 403), ("all", viewer, 403)):
        given = {"by": by, "cookie": cookie}
        assert shared.refused("goals/update", id=goal["id"], name="Mine", **given)[0] == status
        assert shared.refused("goals/delete", id=goal["id"], **given)[0] == status
    for name, key in (("goals/getById", "id"), ("goals/getAnalytics", "goalId")):
        asked = {key: goal["id"], "websiteId": shared.shop}
        assert shared.refused(name, by="foreign", **asked)[0] == 404
        shared.good(name, by="reading", **asked)
    assert shared.refused("goals/getById", id=goal["id"], websiteId=shared.box.sites["blog"])[0] == 404
    shared.good("goals/delete", id=goal["id"])
