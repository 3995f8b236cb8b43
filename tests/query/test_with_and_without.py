"""With and without: each filter of each type by each operator, and the opposite, add up to the whole."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from random import Random
from typing import Any
from unittest.mock import patch
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace as replaced

from analytics_box.base.store.strings import Strings
from analytics_box.products.goals.goal import GoalDefinition, GoalFilter, Property
from analytics_box.products.goals.rules import check_goal, selecting
from analytics_box.products.links.clicks import rows as click_rows
from analytics_box.query import happened
from analytics_box.query.catalog import registry
from analytics_box.query.engines import shared
from analytics_box.query.filters import ConditionGroup, FilterCondition, FilterGroup, conditions, fitting
from analytics_box.query.filters import Filter as Narrowing
from analytics_box.query.named import Meant
from analytics_box.query.request import MAX_PARAMETERS
from analytics_box.query.run import ParameterAnswer
from tests.cases import each
from tests.examples import is_thorough
from tests.query import calendars, questions
from tests.query.brute.facts import Filter, Question
from tests.query.brute.filters import IDS
from tests.query.checks_of_all_kinds import store_a_monitor
from tests.query.clicks_of_all_kinds import click, clicks_of_all_kinds
from tests.query.facts_of_all_kinds import visit
from tests.query.questions import Asked
from tests.query.stories import Story, tell
from tests.query.test_combinations import forget
from tests.query.test_partitions import (
    ASKED,
    LISTED,
    ONCE,
    OPPOSITE,
    PARTED,
    answer,
    counted,
    counts_of,
    sums_of,
)
from tests.query.test_shared import WITH_NONE
from tests.query.world import World, world_in

GOALS = {
    "page": GoalDefinition("PAGE_VIEW", "/a"),
    "pages": GoalDefinition("PAGE_VIEW", "/b/*"),
    "event": GoalDefinition("EVENT", "buy"),
    "plan": GoalDefinition("EVENT", "buy", conditions=(Property("plan"),)),
    "amount": GoalDefinition("EVENT", "buy", amount="k"),
    "scroll": GoalDefinition("CUSTOM", "scroll:50"),
    "time": GoalDefinition("CUSTOM", "time:10"),
    "outgoing": GoalDefinition("CUSTOM", "outgoing:x.example"),
    "from France": GoalDefinition("EVENT", "buy", filters=(GoalFilter("country", "equals", "France"),)),
    "not on /a": GoalDefinition("EVENT", "buy", filters=(GoalFilter("path", "not_equals", "/a"),)),
    "on / with q": GoalDefinition(
        "PAGE_VIEW", "/", filters=(GoalFilter("path", "equals", "/"), GoalFilter("query_string", "contains", "q"))
    ),
}
# Values of fields that only clicks and checks have, or links and their slugs.
SPELLED: dict[str, tuple[str, ...]] = {
    "variant": ("", "b", "other"),
    "rule": ("", "iosUrl", "other"),
    "http_code": ("0", "200", "404", "503", "40"),
    "status": ("0", "1", "2"),
    "reason": ("", "timeout", "connect", "assertion"),
    "link": ("spring", "autumn"),
    "funnel_dropoff": ("f:2", "f:3"),
}
PATH, KEY = (FilterCondition(column, "is", ("a",), negated=False) for column in ("path", "key"))
ROWS, GOALS_ASKED = 10, 4  # of a type, in an ordinary run
ONLY_EQUAL = {"website_id", "client_id", *IDS}


class Slugs:
    """Of each website a link that is called spring, with the same number."""

    async def numbers(self, sites: tuple[int, ...], called: tuple[str, ...]) -> tuple[int, ...]:
        return tuple(site for site in sites if "spring" in called)


class Known:
    """The goals of every website, by their names."""

    async def meant(self, site: int, goal_ids: Iterable[str]) -> Mapping[str, Meant]:
        return {one: selecting(check_goal(GOALS[one])) for one in goal_ids if one in GOALS}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world_in(tmp_path_factory.mktemp("world"), goals=Known(), links=Slugs()) as made:
        yield made


@pytest.fixture(scope="module")
def stories(world: World) -> tuple[Story, ...]:
    """Stories that go on until an hour after they were told, each with a short link and a monitor of the number of its
    first website."""
    told = tuple(tell(world, seed) for seed in range(70, 76))
    for story in told:
        first, now = min(story.websites), asked_at(story)
        world.store_facts(visit(first, now))
        clicks = clicks_of_all_kinds(first, now, landing=first, visitor=first * 16 + 1)
        clicks += [click(first, now - 60_000, country="", region="", city="", device="", browser="", language="")]
        world.db.write_now(partial(click_rows.append, strings=Strings(), clicks=clicks, orphans={}))
        store_a_monitor(world.db, first, now)
    return told


def rows(name: str, stories: Sequence[Story]) -> list[tuple[Story, Filter]]:
    """All filters of a type that have an opposite, each about a story and with its values; in an ordinary run some of
    them, of goals more than of others."""
    known = registry.TYPES[name]
    # Settings of a study are no conditions, so they have no opposite.
    fields = sorted(set(known.filters) - {*known.needs, *known.alone, "conversion"})
    draw = Random(name)
    found = [
        (story := draw.choice(stories), (field, operator, values(story, field, operator, draw)))
        for field in fields
        if field != "reached_goal"
        for operator in ("eq", "in", "contains", "starts_with", "is_set")
        if operator == "eq" or field != "funnel_dropoff"
        if operator in {"eq", "in"} or field not in {*ONLY_EQUAL, *happened.LIMITS}
    ]
    goals = [(draw.choice(stories), ("reached_goal", "eq", [goal])) for goal in (*GOALS, "gone")]
    goals += [(draw.choice(stories), ("reached_goal", "in", ["page", "from France", "gone"]))]
    if "reached_goal" not in fields:
        goals = []
    if is_thorough():
        return found + goals
    return draw.sample(found, min(ROWS, len(found))) + draw.sample(goals, min(GOALS_ASKED, len(goals)))


def values(story: Story, field: str, operator: str, draw: Random) -> list[str]:
    if operator == "is_set":
        return []
    known = SPELLED[field] if field in SPELLED else questions.values(story, field)
    return draw.sample(known, 2) if operator == "in" else [draw.choice(known)]


@pytest.mark.parametrize("name", ASKED)
def test_a_filter_and_its_opposite_add_up_to_all(stories: tuple[Story, ...], name: str) -> None:
    for story, (field, operator, wanted) in rows(name, stories):
        asked = everything(story, name)
        opposite = (field, OPPOSITE[operator], wanted)
        whole, part, rest = (
            answer(story, asked, {"all": those} if those else {}).data
            for those in ([], [(field, operator, wanted)], [opposite])
        )
        told = (name, story.zone, field, operator, wanted)
        if name in PARTED:
            assert counted(name, part) + counted(name, rest) == counted(name, whole), told
        once = ONCE & {output.name for output in registry.TYPES[name].outputs} - counts_of(name)
        if name in LISTED or registry.TYPES[name].follows:
            continue
        of_all, with_it, without_it = (sums_of(name, data, once) for data in (whole, part, rest))
        assert with_it <= of_all, told
        assert without_it <= of_all, told
        assert of_all <= with_it + without_it, told


COMPOUND: tuple[dict[str, Any], ...] = (
    {"field": "reached_goal", "op": "ne", "value": "not on /a"},
    {"field": "reached_goal", "op": "not_in", "value": ["page", "on / with q"]},
    {"any": [{"field": "reached_goal", "op": "ne", "value": "page"}, {"field": "path", "op": "eq", "value": "/ü"}]},
    {"all": [{"field": "path", "op": "eq", "value": "/a"}, {"field": "event_name", "op": "eq", "value": "buy"}]},
    {"field": "path", "op": "ne", "value": "/a"},
    {"any": [{"field": "path", "op": "not_contains", "value": "/b"}, {"field": "country", "op": "eq", "value": ""}]},
    {"all": [{"field": "path", "op": "eq", "value": "/a"}, {"field": "query_string", "op": "is_not_set"}]},
    {"all": [{"field": "country", "op": "ne", "value": "France"}, {"field": "path", "op": "not_in", "value": ["/"]}]},
)


@each("group", COMPOUND)
def test_groups_find_the_same_in_a_copy(stories: tuple[Story, ...], group: dict[str, Any]) -> None:
    names = [name for name in WITH_NONE if set(registry.TYPES[name].filters) >= {"reached_goal", "path"}]
    for story, parameters in itertools.product(stories[:3], batches(names)):
        day = calendars.shown(story.around, ZoneInfo(story.zone)).date().isoformat()
        body: dict[str, Any] = {"parameters": parameters, "startDate": day, "endDate": day, "filters": [group]}
        alone, copied = (found_in(story, body, fewest) for fewest in (10_000, 1))
        assert alone == copied, (story.zone, group)


def batches(names: Sequence[str]) -> list[Sequence[str]]:
    return [names[first : first + MAX_PARAMETERS] for first in range(0, len(names), MAX_PARAMETERS)]


def found_in(story: Story, body: dict[str, Any], fewest: int) -> list[ParameterAnswer]:
    """The answers, if at least `fewest` plans read a copy."""
    forget(story.world)
    with patch.object(shared, "FEWEST", fewest):
        found = story.world.entries(body, story.scope(1, owner=False), now=story.around + 3_600_000, both=False)
    assert all(entry.success for entry in found), [entry.error for entry in found]
    return sorted(found, key=lambda entry: entry.parameter)


@each("name", [name for name in PARTED if "property_key" in registry.TYPES[name].filters])
def test_properties_or_a_goal_with_filters_are_found_together(stories: tuple[Story, ...], name: str) -> None:
    asked = everything(stories[0], name)
    goal: Filter = ("reached_goal", "eq", ["from France"])
    whole, either, with_key = (
        counted(name, answer(stories[0], asked, group).data)
        for group in ({}, {"any": [("property_key", "eq", ["k"]), goal]}, {"all": [("property_key", "eq", ["k"])]})
    )
    assert with_key <= either <= whole


@each(
    ("where", "left"),
    [
        (ConditionGroup(False, (PATH, KEY)), ConditionGroup(False, (PATH,))),
        (ConditionGroup(True, (PATH, KEY)), None),
        (ConditionGroup(False, (PATH, KEY), negated=True), None),
        (ConditionGroup(False, (ConditionGroup(False, (PATH, KEY)), PATH), negated=True), None),
        (
            ConditionGroup(True, (ConditionGroup(False, (PATH, KEY)), PATH)),
            ConditionGroup(True, (ConditionGroup(False, (PATH,)), PATH)),
        ),
    ],
)
def test_unknown_conditions_are_left_out_where_that_finds_no_less(
    where: ConditionGroup, left: ConditionGroup | None
) -> None:
    assert fitting((where,), lambda condition: condition != KEY) == ((left,) if left is not None else ())


def test_unknown_field_below_a_negated_group_ignores_all_of_it() -> None:
    inner = FilterGroup(any=False, items=(Narrowing("path", "eq", ("/a",)), Narrowing("message", "eq", ("x",))))
    outer = FilterGroup(any=True, items=(inner, Narrowing("path", "eq", ("/b",))), negated=True)
    assert conditions((outer,), ("path",)) == ((), ("path", "message"))


def everything(story: Story, name: str) -> Asked:
    """A question about all days of a story's first website."""
    around = calendars.shown(story.around, ZoneInfo(story.zone)).date()
    day, known = timedelta(days=1), registry.TYPES[name]
    needs = known.needs
    needed: list[Filter] = []
    if known.study:
        settings = {"activation_event": "buy", "return_event": "buy", "horizon_days": "1"}
        settings["observation_end"] = (around + day).isoformat()
        needed = [(need, "eq", [settings[need]]) for need in needs]
    elif needs:
        wanted = questions.values(story, needs[0])
        needed = [(needs[0], "eq", [wanted[0]]) if known.needs_one else (needs[0], "in", list(wanted))]
    question = Question(around - day, around + day, ZoneInfo(story.zone), tuple(needed), now=asked_at(story))
    return Asked(name, question, replaced(story.scope(1, owner=False), subject=registry.TYPES[name].subject))


def asked_at(story: Story) -> int:
    """The time at which questions about the last minutes are asked (UTC ms)."""
    return story.around + 60 * calendars.MINUTE
