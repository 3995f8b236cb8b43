"""The pages of goals and of custom events."""

import json
import re
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest

from analytics_box.products.goals import pages
from analytics_box.products.overview import event_pages
from tests.cases import each
from tests.inprocess import Answer
from tests.products.flags.world import World
from tests.products.goals.conftest import ANA, track
from tests.products.goals.test_calls import make
from tests.tenants.keys.world import cookie_of

HOSTILE = '"><img src=x onerror=alert(1)>'


def get(world: World, path: str, cookie: str = "") -> Answer:
    return world.box.get(f"/sites/{world.shop}{path}", cookie=cookie or world.owner, accept="text/html")


def tile(shown: str, name: str) -> str:
    """The number of a tile."""
    found = re.search(rf'id="tile-{name}".*?number">([^<]*)<', shown, re.DOTALL)
    assert found is not None, name
    return found.group(1)


def post(world: World, path: str, cookie: str = "", **form: str) -> Answer:
    headers = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin"}
    target = f"/sites/{world.shop}/goals/{path}"
    return world.box.post(target, urlencode(form).encode(), key=None, cookie=cookie or world.owner, **headers)


def page(world: World, path: str, cookie: str = "") -> str:
    answer = get(world, path, cookie)
    assert answer.status == 200
    return answer.body.decode()


@each(
    ("form", "kind", "target", "said"),
    [
        ({"kind": "page", "target": "/pricing"}, "PAGE_VIEW", "/pricing", "Visits /pricing"),
        ({"kind": "scroll", "target": "80"}, "CUSTOM", "scroll:80", "Scrolls 80 % of a page"),
        ({"kind": "time", "target": "60"}, "CUSTOM", "time:60", "Stays for 60 s"),
        ({"kind": "outgoing", "target": "partner.example"}, "CUSTOM", "outgoing:partner.example", "Clicks a link to"),
        (
            {"kind": "event", "target": "purchase", "property-0": "plan", "operator-0": "in", "value-0": "pro, free"},
            "EVENT",
            "purchase",
            "Event purchase, with plan is one of pro, free",
        ),
        (
            {"kind": "event", "target": "purchase", "property-1": "plan", "amount": "amount"},
            "EVENT",
            "purchase",
            "Event purchase, with plan is set",
        ),
    ],
)
def test_a_goal_is_made_and_listed_with_its_figures(
    shared: World, form: dict[str, str], kind: str, target: str, said: str
) -> None:
    made = post(shared, "new", **form, name="My goal", active="on")
    assert (made.status, made.headers["location"]) == (303, f"/sites/{shared.shop}/goals?done=created")
    (goal,) = shared.good("goals/list", websiteId=shared.shop)
    assert (goal["type"], goal["target"], goal["isActive"]) == (kind, target, True)
    shown = page(shared, "/goals?done=created")
    assert "Goal created." in shown
    assert said in shown
    assert ">My goal<" in shown
    assert "50.0" in shown
    assert ("24.50" in shown) == ("amount" in form)
    filled = page(shared, f"/goals/{goal['id']}")
    assert all(f'value="{value}"' in filled for name, value in form.items() if not name.startswith("operator"))
    saved = post(shared, goal["id"], **form, name="Other")
    assert saved.headers["location"].endswith("?done=saved")
    assert shared.good("goals/getById", id=goal["id"]) == goal | {
        "name": "Other",
        "isActive": False,
        "updatedAt": shared.good("goals/getById", id=goal["id"])["updatedAt"],
    }
    assert "Inactive" in page(shared, "/goals")
    assert "Delete the goal Other?" in page(shared, f"/goals/{goal['id']}/delete")
    assert post(shared, f"{goal['id']}/delete").headers["location"].endswith("?done=deleted")
    assert shared.good("goals/list", websiteId=shared.shop) == []


def test_invalid_input_is_reported_at_its_field(shared: World) -> None:
    again = post(shared, "new", kind="scroll", target="much", name="", **{"property-0": "kept"})
    body = again.body.decode()
    assert again.status == 400
    assert "Enter a name of 1 to" in body
    again = post(shared, "new", kind="scroll", target="much", name="Deep")
    body = again.body.decode()
    assert (again.status, "A scroll depth is 1 to 100 percent" in body) == (400, True)
    assert 'value="scroll" aria-describedby="kind-scroll-help" checked' in body
    assert 'value="much"' in body


def test_filters_of_the_api_stay_when_the_form_is_saved(shared: World) -> None:
    narrow = [{"field": "country", "operator": "not_equals", "value": "Germany"}]
    goal = make(shared, "purchase", filters=narrow)
    assert "Filters added over the API: country" in page(shared, f"/goals/{goal['id']}")
    post(shared, goal["id"], kind="event", target="purchase", name="Goal", active="on")
    assert shared.good("goals/getById", id=goal["id"])["filters"] == narrow
    shared.good("goals/delete", id=goal["id"])


def test_a_custom_event_has_a_page_with_its_properties(shared: World) -> None:
    listed = page(shared, "/goals")
    assert f'href="/sites/{shared.shop}/events?event_name=purchase"' in listed
    shown = page(shared, "/events?name=purchase")
    assert [tile(shown, name) for name in ("total_events", "unique_users", "unique_sessions")] == ["3", "1", "1"]
    assert "50.0\xa0% of all 2 visitors sent it." in shown
    for text in (">plan<", ">pro<", ">free<", ">amount<", ">19.5<", ">/thanks/1<", "66.7\xa0%"):
        assert text in shown, text
    assert f"/sites/{shared.shop}/goals/new?event=purchase" in shown
    assert 'value="purchase"' in page(shared, "/goals/new?event=purchase")
    nothing = page(shared, "/events?" + urlencode({"name": HOSTILE, "range": "last_7d"}))
    assert "No properties." in nothing
    assert HOSTILE not in nothing
    assert get(shared, "/events").status == 404


def test_properties_of_an_event_have_figures_of_their_numbers_and_lead_to_its_sessions(shared: World) -> None:
    shown = page(shared, "/events?name=purchase")
    assert shown.count("Sum ") == 1
    assert "Sum 19.5 · average 19.5 · median 19.5 · 90th percentile 19.5" in shown
    leads = re.search(r'href="([^"]*)" data-whole><bdi>pro<', shown)
    assert leads is not None
    sessions = unescape(leads[1]).removeprefix(f"/sites/{shared.shop}")
    assert sessions == "?event=purchase&event_property=plan%3Dpro"
    assert '<strong class="tile-value number">1<' in page(shared, f"{sessions}&wait=all")


def test_an_event_with_very_many_properties_shows_some(shared: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "and more" not in page(shared, "/events?name=purchase")
    monkeypatch.setattr("analytics_box.products.overview.event_pages.MOST_KEYS", 1)
    shown = page(shared, "/events?name=purchase")
    assert (shown.count('aria-labelledby="property-'), "and more" in shown) == (1, True)


def drawn(shown: str) -> dict[str, Any]:
    """What the chart of a page draws."""
    found = re.search(r"data-chart='([^']*)'", shown)
    assert found is not None
    return dict(json.loads(found.group(1)))


def test_charts_of_events_and_goals_have_the_notes_of_the_website(shared: World) -> None:
    note = shared.good("annotations/create", websiteId=shared.shop, chartType="metrics", text="Prices went up")["id"]
    goal = make(shared, "purchase", name="Sold", revenueProperty="amount")["id"]
    for path in ("/events?event_name=purchase", f"/goal?goal={goal}"):
        shown = page(shared, f"{path}&range=today")
        assert f'id="note-{note}"' in shown
        assert "Prices went up" in drawn(shown)["notes"][-1] or "Prices went up" in "".join(drawn(shown)["notes"])
        assert "data-hx-get" not in shown.partition('id="figures"')[2].partition("</section>")[0]
    assert sum(value or 0 for value in drawn(page(shared, "/events?event_name=purchase&range=today"))["values"]) == 3
    shared.good("annotations/delete", id=note)
    shared.good("goals/delete", id=goal)


def test_a_goal_has_a_page_with_what_became_of_it(shared: World) -> None:
    goal = make(shared, "purchase", name="Sold", description="The shop", revenueProperty="amount")["id"]
    assert f'href="/sites/{shared.shop}/goal?goal={goal}"' in page(shared, "/goals")
    shown = page(shared, f"/goal?goal={goal}&range=today&beside=visitors")
    assert [tile(shown, name) for name in ("conversions", "conversion_rate", "visitors")] == ["1", "50.0\xa0%", "2"]
    assert (sum(value or 0 for value in drawn(shown)["values"]), drawn(shown)["secondUnit"]) == (1, "count")
    for text in ("Event purchase", "The shop", "Revenue: 24.50", "recalculates its history"):
        assert text in shown, text
    assert f'href="/sites/{shared.shop}?range=today&amp;metric=conversions&amp;goal={goal}"' in shown
    assert f'href="/sites/{shared.shop}?range=today&amp;reached_goal={goal}"' in shown
    assert "chip-goal" not in shown
    viewed = page(shared, f"/goal?goal={goal}", cookie_of(shared.box, "viewer"))
    assert f"/goals/{goal}" not in viewed
    shared.good("goals/delete", id=goal)
    assert get(shared, f"/goal?goal={goal}").status == 404


@each(
    ("form", "said"),
    [
        ({"kind": "page", "target": "/thanks/*"}, "1 page matches. 1 of 2 visitors would have reached it: 50.0\xa0%."),
        ({"kind": "page", "target": "/*"}, "4 pages match. 2 of 2 visitors would have reached it: 100.0\xa0%."),
        ({"kind": "page", "target": "/thank"}, "0 pages match. 0 of 2 visitors would have reached it: 0.0\xa0%. Check"),
        ({"kind": "event", "target": "purchase", "amount": "amount"}, "1 of 2 visitors would have reached it: 50.0"),
    ],
)
def test_a_form_is_tried_without_saving_it(shared: World, form: dict[str, str], said: str) -> None:
    tried = post(shared, "new", **form, name="", **{"try": "1"})
    assert (tried.status, said in tried.body.decode()) == (200, True)
    assert f'value="{form["target"]}"' in tried.body.decode()
    assert shared.good("goals/list", websiteId=shared.shop) == []


def test_a_trial_of_what_is_no_goal_says_what_is_wrong_and_one_of_a_stored_goal_changes_nothing(shared: World) -> None:
    refused = post(shared, "new", kind="scroll", target="150", name="", **{"try": "1"})
    assert (refused.status, "A scroll depth is 1 to 100 percent" in refused.body.decode()) == (400, True)
    goal = make(shared, "purchase", filters=[{"field": "browser_name", "operator": "equals", "value": "Chrome"}])
    tried = post(shared, goal["id"], kind="event", target="purchase", name="Other", **{"try": "1"})
    assert "0 of 2 visitors would have reached it" in tried.body.decode()
    assert "recalculates its history" in tried.body.decode()
    assert shared.good("goals/getById", id=goal["id"]) == goal
    shared.good("goals/delete", id=goal["id"])


def test_viewers_see_goals_and_change_none(shared: World) -> None:
    goal, viewer = make(shared, "purchase", name=HOSTILE[:100]), cookie_of(shared.box, "viewer")
    shown = page(shared, "/goals", viewer)
    assert HOSTILE not in shown
    assert "/goals/new" not in shown
    assert f"/goals/{goal['id']}" not in shown
    assert "/goals/new" not in page(shared, "/events?name=purchase", viewer)
    for path in ("/goals/new", f"/goals/{goal['id']}", f"/goals/{goal['id']}/delete"):
        assert get(shared, path, viewer).status == 403
        assert post(shared, path.removeprefix("/goals/"), viewer, name="x").status == 403
    elsewhere = shared.box.sites["blog"]
    answer = shared.box.get(f"/sites/{elsewhere}/goals/{goal['id']}", cookie=shared.owner, accept="text/html")
    assert answer.status == 404
    shared.good("goals/delete", id=goal["id"])


def test_goals_are_listed_by_conversions_with_inactive_ones_last(shared: World) -> None:
    made = [
        shared.good("goals/create", websiteId=shared.shop, name=name, type="PAGE_VIEW", target=target, isActive=active)
        for name, target, active in (
            ("Unreached", "/never", True),
            ("Paused", "/*", False),
            ("Thanks", "/thanks/*", True),
            ("Any page", "/*", True),
        )
    ]
    shown = page(shared, "/goals")
    names = ["Any page", "Thanks", "Unreached", "Paused"]
    places = [shown.index(f">{name}<") for name in names]
    assert places == sorted(places)
    for goal in made:
        shared.good("goals/delete", id=goal["id"])


def test_a_website_without_goals_says_what_to_do(shared: World) -> None:
    shown = page(shared, "/goals?range=today")
    assert "No goals yet" in shown
    assert "aria-current" in shown
    assert page(shared, "/goals?range=nonsense").count("No goals yet") == 1


def test_lists_that_are_cut_say_so(shared: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Showing the" not in page(shared, "/goals?range=today")
    assert "and more" not in page(shared, "/events?name=purchase&range=today")
    for path in ("/", "/pricing"):
        track(shared, ANA, path, name="second")
    monkeypatch.setattr(pages, "MOST_EVENTS", 1)
    monkeypatch.setattr(event_pages, "MOST_PAGES", 1)
    assert "Showing the 1 most frequent" in page(shared, "/goals?range=today")
    assert "and more" in page(shared, "/events?name=second&range=today")
