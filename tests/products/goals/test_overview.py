"""Goals on the overview: the panel, and what a chosen one adds to figures and lists."""

import json
import re

from tests.products.flags.world import World
from tests.products.goals.test_calls import make
from tests.products.goals.test_pages import get, page, tile


def bars(shown: str, panel: str) -> list[tuple[str, ...]]:
    """The label of each row of a panel, and its numbers."""
    found = re.search(rf'id="{panel}".*?</section>', shown, re.DOTALL)
    assert found is not None, panel
    rows = re.findall(r"<li>.*?</li>", found.group(), re.DOTALL)
    return [tuple(re.findall(r'(?:<bdi>|<span class="number [^>]*>)([^<]*)<', row)) for row in rows]


def test_a_chosen_goal_counts_in_every_list(shared: World) -> None:
    goal = make(shared, "purchase", name="Sold")
    plain = page(shared, "?range=today&wait=all")
    assert "<span>Conversions</span>" not in plain.partition('id="panel-sources"')[2].partition("</section>")[0]
    assert 'id="panel-goals"' in plain
    shown = page(shared, f"?range=today&wait=all&goal={goal['id']}&tab=exit")
    assert bars(shown, "panel-pages") == [
        ("/pricing", "1", "0", "0.0\xa0%"),
        ("/thanks/1", "1", "1", "100.0\xa0%"),
    ]
    assert bars(shown, "panel-browsers") == [("Firefox", "2", "1", "50.0\xa0%")]
    assert ("purchase", "3", "1", "100.0\xa0%") in bars(shown, "panel-events")
    assert tile(shown, "conversions") == "1"
    assert tile(shown, "conversion_rate") == "50.0\xa0%"
    assert 'id="chip-goal"' in shown
    heads = '<li class="bar-heads"><span>Exit</span><span>Visitors</span><span>Conversions</span><span>Rate</span></li>'
    assert heads in shown
    narrowed = page(shared, f"?range=today&wait=all&goal={goal['id']}&path=/pricing")
    assert bars(narrowed, "panel-browsers") == [("Firefox", "1", "0", "0.0\xa0%")]
    part = page(shared, f"/parts/browsers?range=today&goal={goal['id']}")
    assert bars(part, "panel-browsers") == [("Firefox", "2", "1", "50.0\xa0%")]
    shared.good("goals/delete", id=goal["id"])


def test_the_panel_of_goals_has_the_active_ones_and_chooses(shared: World) -> None:
    assert 'id="panel-goals"' not in page(shared, "?range=today&wait=all")
    first = make(shared, "purchase", name="Sold")
    second = make(shared, "/", "PAGE_VIEW", name="Home")
    make(shared, "other", name="Asleep", isActive=False)
    shown = page(shared, "/parts/goals?range=today")
    assert sorted(bars(shown, "panel-goals")) == [("Home", "2", "", "100.0\xa0%"), ("Sold", "1", "", "50.0\xa0%")]
    assert f'href="/sites/{shared.shop}?range=today&amp;goal={first["id"]}"' in shown
    campaigns = f'href="/sites/{shared.shop}?range=today&amp;tab=utm_campaign&amp;goal='
    assert f'{campaigns}{second["id"]}"' in shown  # which was reached most
    chosen = page(shared, f"/parts/goals?range=today&goal={second['id']}&path=/pricing")
    assert sorted(bars(chosen, "panel-goals")) == [("Home", "1", "", "100.0\xa0%"), ("Sold", "0", "", "0.0\xa0%")]
    assert 'aria-current="true"' in chosen
    assert (
        f'&amp;goal={first["id"]}"'
        in page(shared, f"/parts/goals?range=today&goal={first['id']}").partition("by-campaign")[2]
    )
    told = json.loads(page(shared, "/export/json?range=today&path=/pricing"))
    assert sorted(told["goals"], key=lambda row: row["goal"]) == [
        {"goal": "Home", "conversions": 1, "conversion_rate": 100},
        {"goal": "Sold", "conversions": 0, "conversion_rate": 0},
    ]
    tagged = page(shared, "/parts/goals?range=today&utm_term=nobody&utm_content=nothing")
    assert sorted(bars(tagged, "panel-goals")) == [("Home", "0", "", "–"), ("Sold", "0", "", "–")]
    for goal in shared.good("goals/list", websiteId=shared.shop):
        shared.good("goals/delete", id=goal["id"])


def test_a_page_that_waits_or_is_compared_with_what_is_shown_has_the_goals_in_it(shared: World) -> None:
    goal = make(shared, "purchase", name="Sold")
    here = f"/sites/{shared.shop}?range=today"
    for target, headers in ((f"{here}&wait=all", {}), (here, {"hx_request": "true"})):
        shown = shared.box.get(target, cookie=shared.owner, accept="text/html", **headers).body.decode()
        assert bars(shown, "panel-goals") == [("Sold", "1", "", "50.0\xa0%")]
    shared.good("goals/delete", id=goal["id"])
    assert get(shared, "/parts/goals?range=today").status == 404


def test_conversions_are_set_against_as_much_of_the_days_before(shared: World) -> None:
    goal = make(shared, "/", "PAGE_VIEW", name="Home")
    shared.box.clock.advance(seconds=86_400 + 3_600)
    shown = page(shared, "/parts/goals?range=today&compare=own&cfrom=2026-06-17&cto=2026-06-17")
    shared.box.clock.advance(seconds=-86_400 - 3_600)
    shared.good("goals/delete", id=goal["id"])
    assert re.search(r'change-bad">.*?<span class="hidden">down </span>100\.0\xa0%</span>', shown, re.DOTALL)
    assert 'title="Before: 2 conversions, 100.0\xa0%"' in shown


def test_a_goal_that_is_not_there_says_so(shared: World) -> None:
    shown = page(shared, "?range=today&wait=all&goal=gone")
    assert "This goal no longer exists" in shown
    assert "chip-goal" not in shown
    assert get(shared, "/parts/browsers?range=today&goal=gone").status == 200
