"""Funnels: every engine counts what is told visit by visit, in any order, strictly, and within any time."""

import random
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from analytics_box.base.clock import DAY, HOUR, MINUTE, SECOND
from analytics_box.base.errors import InvalidQuery
from analytics_box.base.facts.event import CUSTOM, PAGE_EXIT, Event
from analytics_box.base.facts.tables import ATTRIBUTES
from analytics_box.base.money import major
from analytics_box.products.funnels.figures import BY, TOTALS, TREND, FunnelQuery
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog.funnels import REACHED
from analytics_box.query.filters import Filter, FilterGroup, FunnelOrder, FunnelSteps
from analytics_box.query.ranges import DayRange
from analytics_box.query.run import ParameterAnswer
from tests.cases import each
from tests.examples import some
from tests.query.brute import facts as stored
from tests.query.brute.facts import CUSTOM as DEED
from tests.query.brute.facts import EXIT, VIEW, Facts, Question
from tests.query.brute.funnels import Test, Told, passages, payers, steps_told
from tests.query.brute.revenue import total
from tests.query.facts_of_all_kinds import page_view, payment
from tests.query.happenings import at
from tests.query.world import World

NOON = at(2026, 6, 17, 12)
DAY_OF_IT = {"startDate": "2026-06-17", "endDate": "2026-06-17"}
ASKED = Question(date(2026, 6, 17), date(2026, 6, 17), ZoneInfo("UTC"), now=NOON)


def step(*items: tuple[str, str, str]) -> FilterGroup:
    return FilterGroup(False, tuple(Filter(field, op, (value,)) for field, op, value in items))  # type: ignore[arg-type]


def page(path: str) -> tuple[FilterGroup, Test]:
    return step(("viewed_page", "eq", path)), lambda row: row["kind"] == VIEW and row["path"] == path


def event(name: str) -> tuple[FilterGroup, Test]:
    return step(("event", "eq", name)), lambda row: row["kind"] == DEED and row["name"] == name


ANY_PAGE: tuple[FilterGroup, Test] = (
    step(("viewed_page", "regex", "^/.*$")),
    lambda row: bool(row["kind"] == VIEW),
)
PRO: tuple[FilterGroup, Test] = (
    step(("event", "eq", "buy"), ("event_property", "eq", "plan=pro")),
    lambda row: row["kind"] == DEED and row["name"] == "buy" and row["properties"] == '{"plan":"pro"}',
)
DEEP: tuple[FilterGroup, Test] = (
    step(("scroll", "eq", "50")),
    lambda row: row["kind"] == EXIT and (row["scroll"] or 0) >= 50,
)
EITHER: tuple[FilterGroup, Test] = (
    FilterGroup(True, (step(("viewed_page", "eq", "/b")), step(("event", "eq", "buy")))),
    lambda row: (row["kind"] == VIEW and row["path"] == "/b") or (row["kind"] == DEED and row["name"] == "buy"),
)
STEPS = {
    "pages": (page("/a"), page("/b"), page("/c")),
    "twice the same": (page("/a"), page("/a")),
    "one event for two steps": (page("/a"), ANY_PAGE, event("buy")),
    "properties": (page("/a"), event("look"), PRO),
    "scroll": (page("/b"), DEEP, event("buy")),
    "either": (ANY_PAGE, EITHER, page("/c"), event("buy"), event("look")),
    "never": (page("/nothing"), page("/a")),
}


class Known:
    """Funnels by their ids."""

    def __init__(self) -> None:
        self.funnels: dict[str, FunnelSteps] = {}

    async def find(self, site: int, funnel_id: str) -> FunnelSteps | None:
        return self.funnels.get(funnel_id)


KNOWN = Known()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("funnels"), funnels=KNOWN)
    yield made
    made.close()


@pytest.fixture(scope="module")
def site(world: World) -> int:
    """A website with 120 visitors, half of them with lasting ids, who do this and that for three days."""
    return with_visits(world, seed=7)


def with_visits(world: World, seed: int) -> int:
    (number,) = world.new_sites(1)
    draw = random.Random(seed)
    facts: list[Event] = []
    for visitor in range(120):
        own = 2 * (visitor + 1) + visitor % 2
        time = NOON - 14 * HOUR + draw.randrange(30) * HOUR
        for _ in range(draw.randrange(1, 12)):
            time += draw.choice((0, SECOND, 20 * SECOND, 3 * MINUTE, 20 * MINUTE, 20 * HOUR))
            facts.append(_something(draw, number, time, own))
    world.store_facts(sorted(facts, key=lambda fact: fact.time))
    return number


def _something(draw: random.Random, site: int, time: int, visitor: int) -> Event:
    view = page_view(site, time, draw.choice(("/a", "/b", "/c", "/d")), visitor)
    what = draw.randrange(8)
    if what == 0:
        return replace(view, kind=CUSTOM, name="look")
    if what == 1:
        return replace(
            view, kind=CUSTOM, name="buy", properties=draw.choice((None, '{"plan":"pro"}', '{"plan":"free"}'))
        )
    if what == 2:
        return replace(view, kind=PAGE_EXIT, name="page_exit", engaged=3, scroll=draw.choice((20, 80)))
    return view


def ask(world: World, site: int | ReadScope, funnel: FunnelSteps, *more: dict[str, Any]) -> ParameterAnswer:
    KNOWN.funnels["f"] = funnel
    items = [*more, {"field": "funnel", "op": "eq", "value": "f"}]
    body: dict[str, object] = {"parameters": ["funnel"], **DAY_OF_IT, "filters": items}
    (entry,) = world.entries(body, site if isinstance(site, ReadScope) else (site,), now=NOON)
    return entry


def users(world: World, site: int, funnel: FunnelSteps, *more: dict[str, Any]) -> list[int]:
    entry = ask(world, site, funnel, *more)
    assert entry.success, entry.error
    return [row["users"] for row in entry.data]


def facts_of(world: World, site: int) -> Facts:
    return world.db.read_now(lambda db: stored.read(db, {site: "w"}))


def _cases() -> list[tuple[str, FunnelOrder, int, bool]]:
    orders: tuple[FunnelOrder, ...] = ("ordered", "strict", "any")
    limits = ((0, False), (MINUTE, False), (2 * HOUR, False), (DAY, True), (2 * DAY, True))
    return [(name, order, within, people) for name in STEPS for order in orders for within, people in limits]


@pytest.mark.parametrize(("name", "order", "within", "people"), some(_cases(), 35))
def test_each_engine_counts_what_is_told_visit_by_visit(
    world: World, site: int, name: str, order: FunnelOrder, within: int, people: bool
) -> None:
    own = STEPS[name]
    names = tuple(str(number) for number in range(len(own)))
    funnel = FunnelSteps(names, tuple(one for one, _ in own), order, within, people)
    told = Told(tuple(test for _, test in own), order, within, people)
    found = passages(facts_of(world, site), ASKED, told)
    entry = ask(world, site, funnel)
    assert entry.success, entry.error
    assert entry.data == steps_told(found, names)
    if name != "never":
        assert found


@each("name", STEPS)
def test_steps_never_grow_and_any_order_finds_at_least_those_in_order(world: World, site: int, name: str) -> None:
    steps = tuple(one for one, _ in STEPS[name])
    names = tuple(map(str, range(len(steps))))
    counts: dict[FunnelOrder, list[int]] = {
        order: users(world, site, FunnelSteps(names, steps, order)) for order in ("strict", "ordered", "any")
    }
    assert all(own == sorted(own, reverse=True) for own in counts.values())
    for fewer, more in (("strict", "ordered"), ("ordered", "any")):
        assert all(one <= other for one, other in zip(counts[fewer], counts[more], strict=True))  # type: ignore[index]


def dropped(world: World, site: int, funnel: FunnelSteps, *filters: dict[str, Any]) -> list[int]:
    """The sessions, or visitors, that each step after the first has lost, by filters on pages about anything."""
    KNOWN.funnels["f"] = funnel
    name, column = ("summary_metrics", "unique_visitors") if funnel.people else ("session_metrics", "total_sessions")
    counts = []
    for number in range(2, len(funnel.steps) + 1):
        items = [*filters, {"field": "funnel_dropoff", "op": "eq", "value": f"f:{number}"}]
        body: dict[str, object] = {"parameters": [name], **DAY_OF_IT, "filters": items}
        (entry,) = world.entries(body, (site,), now=NOON)
        assert entry.success, entry.error
        counts.append(entry.data[0][column] if entry.data else 0)
    return counts


@pytest.mark.parametrize(("name", "order", "within", "people"), some(_cases(), 20))
def test_filter_by_a_dropoff_finds_those_that_the_funnel_has_lost(
    world: World, site: int, name: str, order: FunnelOrder, within: int, people: bool
) -> None:
    steps = tuple(one for one, _ in STEPS[name])
    funnel = FunnelSteps(tuple(map(str, range(len(steps)))), steps, order, within, people)
    counted = users(world, site, funnel)
    assert dropped(world, site, funnel) == [before - after for before, after in pairwise(counted)]


@each("people", [False, True])
def test_dropoffs_of_filtered_funnels_and_pages_are_those_of_the_selected_sessions(
    world: World, mixed_site: int, people: bool
) -> None:
    steps = tuple(one for one, _ in (ANY_PAGE, page("/b"), event("buy")))
    own = (Filter("country", "in", ("a", "b")),)
    funnel = FunnelSteps(("1", "2", "3"), steps, within=DAY if people else 0, people=people, filters=own)
    narrow = {"field": "viewed_page", "op": "ne", "value": "/c"}
    counted = users(world, mixed_site, funnel, narrow)
    assert counted[0] > counted[2]
    lost = [before - after for before, after in pairwise(counted)]
    assert dropped(world, mixed_site, funnel, narrow) == lost


@pytest.fixture(scope="module")
def paying_site(world: World) -> int:
    """A website whose visitors pay during some of their sessions."""
    number = with_visits(world, seed=23)
    events = facts_of(world, number)["events"]
    paid = [row for row in events if row["session"] and row["id"] % 3 == 0]
    world.store_facts([payment(number, row["time"], row["visitor"], row["id"]) for row in paid])
    return number


@pytest.mark.parametrize(("name", "order", "within", "people"), some(_cases(), 20))
def test_payments_of_a_funnel_are_those_of_the_visits_that_completed_it(
    world: World, paying_site: int, name: str, order: FunnelOrder, within: int, people: bool
) -> None:
    own = STEPS[name]
    facts = facts_of(world, paying_site)
    sessions = payers(facts, ASKED, Told(tuple(test for _, test in own), order, within, people))
    of_them = [row for row in facts["transactions"] if ASKED.has(row["time"]) and row["session"] in sessions]
    expected = [("EUR", major(total(of_them), "EUR"), len(of_them))] if of_them else []
    funnel = FunnelSteps(tuple(map(str, range(len(own)))), tuple(one for one, _ in own), order, within, people)
    for queries in world.runners:
        asked = FunnelQuery(queries, paying_site, funnel, ZoneInfo("UTC"), NOON)
        found = world.run(asked.payments(DayRange(ASKED.first, ASKED.last)))
        assert found is not None
        assert [(one.currency, one.revenue, one.transactions) for one in found] == expected
    if name == "pages" and order == "any" and not within:
        assert expected


@each("order", ["ordered", "any", "strict"])
def test_dropoff_of_the_longest_funnel_filters_journeys_and_sessions(
    world: World, site: int, order: FunnelOrder
) -> None:
    steps = (ANY_PAGE, PRO, EITHER, page("/c"), event("buy"), event("look"), DEEP, ANY_PAGE, page("/a"), page("/b"))
    names = tuple(map(str, range(len(steps))))
    own = (Filter("viewed_page", "ne", ("/nothing",)),)
    KNOWN.funnels["f"] = FunnelSteps(names, tuple(one for one, _ in steps), order, filters=own)
    asked = ["journeys", "session_metrics", "session_list", "lifecycle", "error_fingerprints", "top_pages"]
    items = [{"field": "funnel_dropoff", "op": "eq", "value": f"f:{len(steps)}"}]
    entries = world.entries({"parameters": asked, **DAY_OF_IT, "filters": items}, (site,), now=NOON)
    assert all(entry.success for entry in entries)


def test_query_has_one_dropoff(world: World, site: int) -> None:
    items = [{"field": "funnel_dropoff", "op": "in", "value": ["f:2", "f:3"]}]
    with pytest.raises(InvalidQuery, match="up to 20 session filters"):
        world.entries({"parameters": ["session_metrics"], **DAY_OF_IT, "filters": items}, (site,), now=NOON)


@each("value", ["f:1", "f:9", "f:", "f", ":2", "gone:2", "f:²", "f:2:2"])
def test_unknown_dropoff_matches_nothing(world: World, site: int, value: str) -> None:
    KNOWN.funnels["f"] = FunnelSteps(("a", "b"), tuple(one for one, _ in STEPS["pages"][:2]))
    found = []
    for op in ("eq", "ne"):
        items = [{"field": "funnel_dropoff", "op": op, "value": value}]
        body: dict[str, object] = {"parameters": ["session_metrics"], **DAY_OF_IT, "filters": items}
        (entry,) = world.entries(body, (site,), now=NOON)
        found.append(entry.data[0]["total_sessions"])
    assert found[0] == 0
    assert found[1] > 0


def test_public_cannot_ask_about_a_funnel(world: World, site: int) -> None:
    funnel = FunnelSteps(("a", "b"), tuple(one for one, _ in STEPS["pages"][:2]))
    entry = ask(world, ReadScope((site,), public=True), funnel)
    assert not entry.success


def test_filters_select_sessions(world: World, site: int) -> None:
    funnel = FunnelSteps(("a", "b"), tuple(one for one, _ in STEPS["pages"][:2]))
    assert users(world, site, funnel, {"field": "country", "op": "eq", "value": "Germany"}) == users(
        world, site, funnel
    )
    assert users(world, site, funnel, {"field": "country", "op": "eq", "value": "France"}) == [0, 0]
    with_filters = FunnelSteps(funnel.names, funnel.steps, filters=(Filter("country", "ne", ("Germany",)),))
    assert users(world, site, with_filters) == [0, 0]


@pytest.fixture(scope="module")
def mixed_site(world: World) -> int:
    """A website whose visitors come from everywhere."""
    (number,) = world.new_sites(1)
    draw = random.Random(11)
    facts: list[Event] = []
    for visitor in range(150):
        own = 2 * (visitor + 1) + visitor % 2
        kept = tuple(draw.choice(("", "a", "b", "c")) for _ in ATTRIBUTES)
        time = NOON - 10 * HOUR + draw.randrange(20) * HOUR
        for _ in range(draw.randrange(1, 9)):
            time += draw.choice((0, SECOND, 20 * SECOND, 3 * MINUTE))
            facts.append(replace(_something(draw, number, time, own), attributes=kept))
    world.store_facts(sorted(facts, key=lambda fact: fact.time))
    return number


@pytest.mark.parametrize(
    ("order", "within", "people"), [("ordered", 0, False), ("any", 0, False), ("ordered", DAY, True)]
)
def test_parts_of_each_breakdown_and_days_of_the_trend_sum_to_the_whole(
    world: World, mixed_site: int, order: FunnelOrder, within: int, people: bool
) -> None:
    steps = tuple(one for one, _ in (ANY_PAGE, page("/b"), event("buy")))
    funnel = FunnelSteps(("a", "b", "c"), steps, order, within, people)
    days = DayRange(date(2026, 6, 16), date(2026, 6, 18))
    for queries in world.runners:
        asked = FunnelQuery(queries, mixed_site, funnel, ZoneInfo("UTC"), NOON)
        found = world.run(asked.rows(days, [TOTALS, *BY.values(), TREND]))
        assert not isinstance(found, str), found
        (whole,), *parts = found
        assert whole["step_3"] > 0
        for rows in parts:
            assert {name: sum(row[name] for row in rows) for name in REACHED} == {name: whole[name] for name in REACHED}
        assert all(len(rows) > 1 for rows in parts)
