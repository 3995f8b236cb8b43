"""Goals on the overview: the panel, and what a chosen one adds to figures and lists."""

import re

from tests.flags.world import World
from tests.goals.test_calls import make
from tests.goals.test_pages import get, page


def bars(shown: str, panel: str) -> list[tuple[str, ...]]:
    """The label of each row of a panel, and its numbers."""
    found = re.search(rf'id="{panel}".*?</section>', shown, re.DOTALL)
    assert found is not None, panel
    rows = re.findall(r"<li>.*?</li>", found.group(), re.DOTALL)
    return [tuple(re.findall(r'(?:<bdi>|<span class="number [^>]*>)([^<]*)<', row)) for row in rows]


def test_a_chosen_goal_counts_in_every_list(shared: World) -> None:
    goal = make(shared, "purchase", name="Sold")
    plain = page(shared, "?range=today&wait=all")
    assert "conversions, rate" not in plain
    assert 'id="goal-panel"' in plain
    shown = page(shared, f"?range=today&wait=all&goal={goal['id']}&tab=exit")
    assert bars(shown, "panel-pages") == [
        ("/pricing", "1", "0", "0.0\xa0%"),
        ("/thanks/1", "1", "1", "100.0\xa0%"),
    ]
    assert bars(shown, "panel-browsers") == [("Firefox", "2", "1", "50.0\xa0%")]
    assert ("purchase", "3", "1", "100.0\xa0%") in bars(shown, "panel-events")
    tile = re.search(r'id="tile-goal">.*?</li>', shown, re.DOTALL)
    assert tile is not None
    assert [part.split("<")[0] for part in tile.group().split('number">')[1:]] == ["1", "50.0\xa0%"]
    assert 'id="chip-goal"' in shown
    assert "Visitors, conversions, rate" in shown
    narrowed = page(shared, f"?range=today&wait=all&goal={goal['id']}&path=/pricing")
    assert bars(narrowed, "panel-browsers") == [("Firefox", "1", "0", "0.0\xa0%")]
    part = page(shared, f"/parts/browsers?range=today&goal={goal['id']}")
    assert bars(part, "panel-browsers") == [("Firefox", "2", "1", "50.0\xa0%")]
    shared.good("goals/delete", id=goal["id"])


def test_the_panel_of_goals_has_the_active_ones_and_chooses(shared: World) -> None:
    assert 'id="goal-panel"' not in page(shared, "?range=today&wait=all")
    first = make(shared, "purchase", name="Sold")
    second = make(shared, "/", "PAGE_VIEW", name="Home")
    make(shared, "other", name="Asleep", isActive=False)
    shown = page(shared, "/goal-rates?range=today")
    assert sorted(bars(shown, "goal-panel")) == [("Home", "2", "100.0\xa0%"), ("Sold", "1", "50.0\xa0%")]
    assert f'href="/sites/{shared.shop}?range=today&amp;goal={first["id"]}"' in shown
    chosen = page(shared, f"/goal-rates?range=today&goal={second['id']}&path=/pricing")
    assert sorted(bars(chosen, "goal-panel")) == [("Home", "1", "100.0\xa0%"), ("Sold", "0", "0.0\xa0%")]
    assert 'aria-current="true"' in chosen
    tagged = page(shared, "/goal-rates?range=today&utm_term=nobody&utm_content=nothing")
    assert sorted(bars(tagged, "goal-panel")) == [("Home", "0", "–"), ("Sold", "0", "–")]
    for goal in shared.good("goals/list", websiteId=shared.shop):
        shared.good("goals/delete", id=goal["id"])


def test_a_page_that_waits_or_is_compared_with_what_is_shown_has_the_goals_in_it(shared: World) -> None:
    goal = make(shared, "purchase", name="Sold")
    counted = [("Sold", "1", "50.0\xa0%")]
    here = f"/sites/{shared.shop}?range=today"

    def shown(target: str, **headers: str) -> str:
        return shared.box.get(target, cookie=shared.owner, accept="text/html", **headers).body.decode()

    assert bars(shown(f"{here}&wait=all"), "goal-panel") == counted
    assert bars(shown(here, hx_request="true"), "goal-panel") == counted
    later = shown(here, hx_request="true", hx_boosted="true")  # a click need not wait for them
    assert bars(later, "goal-panel") == [()]
    assert f'<noscript><p class="panel-empty"><a href="{here}&amp;wait=all">' in later.partition('id="goal-panel"')[2]
    shared.good("goals/delete", id=goal["id"])


def test_a_goal_that_is_not_there_says_so(shared: World) -> None:
    shown = page(shared, "?range=today&wait=all&goal=gone")
    assert "There is no such goal any more" in shown
    assert "chip-goal" not in shown
    assert get(shared, "/parts/browsers?range=today&goal=gone").status == 200
