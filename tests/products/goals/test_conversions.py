"""Conversions of a chosen goal in tables, files, the chart, the map and the week; and goals as filters. All of it says
what the API says."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.products.flags.world import World
from tests.products.goals.test_calls import make
from tests.products.goals.test_pages import get, page, tile


@pytest.fixture(scope="module")
def sold(shared: World) -> Iterator[str]:
    """The goal that Ana has reached, and Ben has not."""
    goal = str(make(shared, "purchase", name="Sold")["id"])
    yield goal
    shared.good("goals/delete", id=goal)


def asked(world: World, name: str, *filters: dict[str, Any]) -> list[dict[str, Any]]:
    content = {"parameters": [name], "preset": "today", "filters": list(filters)}
    answer = world.box.post(f"/v1/query?website_id={world.shop}", content, key="all")
    return list(json.loads(answer.body)["data"][0]["data"])


def reached(goal: str, op: str = "eq") -> dict[str, str]:
    return {"field": "reached_goal", "op": op, "value": goal}


def as_file(world: World, path: str) -> dict[str, Any]:
    answer = get(world, path)
    assert answer.status == 200
    return dict(json.loads(answer.body))


def test_a_table_has_conversions_of_each_row_and_can_be_sorted_by_them(shared: World, sold: str) -> None:
    found = as_file(shared, f"/details/pages/json?range=today&goal={sold}&sort=conversion_rate&order=asc")
    assert found["goal"] == {"id": sold, "name": "Sold"}
    everybody = {row["path"]: row["visitors"] for row in asked(shared, "top_pages")}
    converted = {row["path"]: row["visitors"] for row in asked(shared, "top_pages", reached(sold))}
    assert {row["path"]: (row["visitors"], row["conversions"]) for row in found["rows"]} == {
        path: (visitors, converted.get(path, 0)) for path, visitors in everybody.items()
    }
    assert [(row["path"], row["conversion_rate"]) for row in found["rows"]] == [
        ("/pricing", 0.0),
        ("/über", 0.0),
        ("/", 50.0),
        ("/thanks/1", 100.0),
    ]
    shown = page(shared, f"/details/pages?range=today&goal={sold}&sort=conversions")
    assert re.search(r'aria-sort="descending" class="number"><a class="sort" id="sort-conversions"', shown)
    assert re.findall(r'<td class="number">([^<]*)</td>', shown)[:4] == ["2", "100.0\xa0%", "1", "50.0\xa0%"]
    assert "conversions" not in page(shared, "/details/pages?range=today")
    events = as_file(shared, f"/details/events/json?range=today&goal={sold}")["rows"]
    assert [(row["name"], row["unique_users"], row["conversions"]) for row in events] == [("purchase", 1, 1)]


def test_a_whole_page_as_a_file_has_them_in_every_table(shared: World, sold: str) -> None:
    found = as_file(shared, f"/export/json?range=today&goal={sold}")
    (totals,) = asked(shared, "summary_totals", reached(sold))
    figures = {row["figure"]: row["value"] for row in found["figures"]}
    assert (figures["conversions"], figures["conversion_rate"]) == (totals["visitors"], 50.0)
    assert sum(row["conversions"] for row in found["series"]) == 1
    assert {row["name"]: row["conversions"] for row in found["browsers"]} == {"Firefox": 1}
    assert sum(row["conversions"] for row in found["hour_of_week"]) == 1
    assert "conversions" not in as_file(shared, "/export/json?range=today")["series"][0]


def test_conversions_and_their_rate_can_be_drawn_and_stand_beside(shared: World, sold: str) -> None:
    shown = page(shared, f"?range=today&wait=all&goal={sold}&metric=conversions&beside=conversion_rate")
    assert tile(shown, "conversions") == "1"
    drawn = re.search(r"data-chart='([^']*)'", shown)
    assert drawn is not None
    columns = json.loads(drawn.group(1))
    assert (sum(value or 0 for value in columns["values"]), columns["secondUnit"]) == (1, "percent")
    assert {value for value in columns["second"] if value} == {50.0}
    none = page(shared, "?range=today&wait=all&metric=conversions")
    assert "conversions" in none
    assert 'aria-current="true"' in none.partition('id="tile-visitors"')[2][:200]
    gone = page(shared, "?range=today&wait=all&goal=gone&metric=conversions&beside=conversion_rate")
    assert "This goal no longer exists" in gone
    assert "tile-conversions" not in gone


def test_colour_shows_visitors_conversions_or_the_rate(shared: World, sold: str) -> None:
    shown = page(shared, f"?range=today&wait=all&goal={sold}&shade=conversion_rate")
    week = shown.partition('id="panel-week"')[2].partition("</section>")[0].replace("\xa0", " ")
    assert "Most conversion rate" not in week
    assert re.search(
        r"The highest: \w+, \d\d:00 to \d\d:00: visitors: 2, conversions: 1, conversion rate: 50.0 %", week
    )
    assert re.search(r'shade=conversion_rate" aria-current="true">Conversion rate<', week)
    assert "Color by" not in page(shared, "?range=today&wait=all")


def test_a_goal_is_a_filter_of_the_api_and_of_the_page(shared: World, sold: str) -> None:
    for op, query, views in (("eq", "reached_goal", 2), ("ne", "reached_goal.not", 3)):
        (totals,) = asked(shared, "summary_totals", reached(sold, op))
        assert (totals["visitors"], totals["pageviews"]) == (1, views)
        shown = page(shared, f"?range=today&wait=all&{query}={sold}")
        assert (tile(shown, "visitors"), tile(shown, "pageviews")) == ("1", str(views))
        assert re.search(
            r'id="chip-reached_goal[^"]*"[^>]*><span>Reached goal[^<]*</span> <strong><bdi>Sold</bdi>', shown
        )
        assert len(as_file(shared, f"/details/pages/json?range=today&{query}={sold}")["rows"]) == views
    either = {"any": [reached(sold), {"field": "viewed_page", "op": "eq", "value": "/pricing"}]}
    assert asked(shared, "summary_totals", either)[0]["visitors"] == 2
    assert asked(shared, "custom_events", reached(sold))[0]["unique_users"] == 1
    assert asked(shared, "custom_events", reached(sold, "ne")) == []


def test_a_filter_on_a_goal_holds_whatever_else_a_query_type_can_be_filtered_by(shared: World) -> None:
    narrow = [{"field": "browser_name", "operator": "equals", "value": "Chrome"}]
    goal = make(shared, "purchase", name="In Chrome", filters=narrow)["id"]
    assert asked(shared, "custom_events", reached(goal)) == []
    assert asked(shared, "custom_events", reached(goal, "ne"))[0]["unique_users"] == 1
    of_a_goal = [{"field": "reached_goal", "operator": "equals", "value": goal}]
    given = {"websiteId": shared.shop, "type": "EVENT", "target": "purchase", "name": "Of a goal"}
    assert shared.refused("goals/create", **given, filters=of_a_goal)[0] == 400
    shared.good("goals/delete", id=goal)


def test_the_form_takes_the_name_of_a_goal_and_suggests_it(shared: World, sold: str) -> None:
    options = page(shared, "/values?field=reached_goal&q=so")
    assert f'data-value="{sold}"><bdi>Sold</bdi>' in options
    answer = get(shared, "?range=today&field=reached_goal&op=is&value=sold")
    assert answer.status == 303
    assert answer.headers["location"].endswith(f"?range=today&reached_goal={sold}")


def test_a_goal_that_is_gone_says_so_in_addresses_and_segments(shared: World) -> None:
    goal = make(shared, "purchase", name="Short-lived")["id"]
    filters = [reached(goal), {"field": "browser_name", "op": "eq", "value": "Firefox"}]
    segment = shared.good("segments/create", websiteId=shared.shop, name="Buyers", filters=filters, isShared=True)["id"]
    assert tile(page(shared, f"?range=today&wait=all&segment={segment}"), "visitors") == "1"
    assert "Reached goal: Short-lived" in page(shared, "/segments")
    shared.good("goals/delete", id=goal)
    shown = page(shared, f"?range=today&wait=all&segment={segment}")
    assert tile(shown, "visitors") == "2"
    assert "Not applied: a condition about a goal that no longer exists" in shown
    assert "Reached goal: a deleted goal" in page(shared, "/segments")
    by_address = page(shared, f"?range=today&wait=all&reached_goal={goal}")
    assert tile(by_address, "visitors") == "2"
    assert "Not applied: this goal no longer exists" in by_address
    assert asked(shared, "summary_totals", reached(goal))[0]["visitors"] == 0
    assert "only supports “is” and “is not”" in page(shared, f"?range=today&wait=all&reached_goal.contains={goal}")
    shared.good("segments/delete", id=segment)
