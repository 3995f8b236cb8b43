"""Journeys: every engine finds the steps of sessions, from a page or event or to it, with the rest as one node."""

import random
from collections import Counter
from collections.abc import Iterator
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from analytics_box.base.clock import SECOND
from analytics_box.base.facts.event import CUSTOM, Event
from tests.cases import each
from tests.query.brute import facts as stored
from tests.query.brute.facts import CUSTOM as DEED
from tests.query.brute.facts import VIEW, Question, Row
from tests.query.brute.journeys import journeys
from tests.query.facts_of_all_kinds import page_view
from tests.query.happenings import at
from tests.query.world import World

NOON = at(2026, 6, 17, 12)
ASKED = Question(date(2026, 6, 17), date(2026, 6, 17), ZoneInfo("UTC"), now=NOON)
PATHS = ("/", "/pricing", "/blog/a", "/blog/b", "/docs/x", "/docs/y/z", "/signup", *(f"/rare/{n}" for n in range(12)))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("journeys"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def site(world: World) -> int:
    (number,) = world.new_sites(1)
    world.store_facts(sorted(events(number, random.Random(3)), key=lambda event: event.time))
    return number


def events(site: int, draw: random.Random) -> Iterator[Event]:
    weights = [40, 20, 12, 12, 8, 8, 10, *([1] * 12)]
    for visitor in range(1, 201):
        time = NOON - 10_000 * SECOND + draw.randrange(5_000) * SECOND
        for _ in range(draw.randrange(1, 9)):
            time += draw.choice((0, SECOND, 60 * SECOND))
            view = page_view(site, time, draw.choices(PATHS, weights)[0], visitor)
            yield view
            if draw.random() < 0.2:
                yield replace(view, time=time + 1, kind=CUSTOM, name=draw.choice(("look", "buy")))


def ask(world: World, site: int, first: str = "2026-06-17", **settings: Any) -> list[Row]:
    filters = [
        {"field": name, "op": "in" if isinstance(value, list) else "eq", "value": value}
        for name, value in settings.items()
    ]
    body: dict[str, object] = {
        "parameters": ["journeys"],
        "startDate": first,
        "endDate": "2026-06-17",
        "limit": 10_000,
        "filters": filters,
    }
    (entry,) = world.entries(body, (site,), now=NOON)
    assert entry.success, entry.error
    return entry.data


def is_page(path: str) -> Any:
    return lambda row: row["kind"] == VIEW and row["path"] == path


def is_event(name: str) -> Any:
    return lambda row: row["kind"] == DEED and row["name"] == name


BLOG = ("/blog/*", "/docs/*/z", "/rare/3")
ASKING: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "all": ({}, {}),
    "few nodes": ({"nodes": "2", "steps": "3"}, {"nodes": 2, "steps": 3}),
    "from a page": ({"from_page": "/pricing"}, {"begins": is_page("/pricing")}),
    "to pages that match a pattern": (
        {"to_page": "/blog/*"},
        {"begins": lambda row: row["kind"] == VIEW and row["path"].startswith("/blog/"), "backwards": True},
    ),
    "from an event": ({"from_event": "buy"}, {"begins": is_event("buy")}),
    "to a page": ({"to_page": "/signup"}, {"begins": is_page("/signup"), "backwards": True}),
    "to an event": (
        {"to_event": "buy", "events": "true"},
        {"begins": is_event("buy"), "backwards": True, "events": True},
    ),
    "backwards": ({"direction": "backwards"}, {"backwards": True}),
    "collapsed": ({"collapse": [*BLOG], "nodes": "4"}, {"patterns": BLOG, "nodes": 4}),
    "events": ({"events": "true", "steps": "6"}, {"events": True, "steps": 6}),
}


@each("name", ASKING)
def test_each_engine_finds_the_steps_told_session_by_session(world: World, site: int, name: str) -> None:
    given, told = ASKING[name]
    facts = world.db.read_now(lambda db: stored.read(db, {site: "w"}))
    found = ask(world, site, **given)
    assert found
    assert found == journeys(facts, ASKED, **told)


@each("name", ASKING)
def test_sessions_at_a_node_leave_it_or_go_on(world: World, site: int, name: str) -> None:
    into: Counter[tuple[Any, ...]] = Counter()
    out: Counter[tuple[Any, ...]] = Counter()
    rows = ask(world, site, **ASKING[name][0])
    for row in rows:
        out[row["step"], row["node_type"], row["node"]] += row["sessions"]
        into[row["step"] + 1, row["next_type"], row["next"]] += row["sessions"]
    last = max(row["step"] for row in rows)
    for key, count in into.items():
        assert key[1] == "end" or key[0] > last or out[key] == count, key


def test_rare_pages_are_one_node(world: World, site: int) -> None:
    rows = ask(world, site, nodes="3", steps="4")
    assert len(rows) <= 3 * 4 * 5
    assert any(row["node_type"] == "other" for row in rows)


@pytest.fixture(scope="module")
def long_site(world: World) -> int:
    """168 days, of which the replica orders up to 62 at a time: sessions around both edges between its parts."""
    (number,) = world.new_sites(1)
    start, end = at(2026, 1, 1), at(2026, 6, 18)
    found = list(events(number, random.Random(5)))
    for part in (1, 2):
        by = start + (end - start) * part // 3 - (NOON - 7_000 * SECOND)
        found += [replace(event, time=event.time + by, visitor=event.visitor + 1_000 * part) for event in found[:400]]
    world.store_facts(sorted(found, key=lambda event: event.time))
    return number


@each("name", ASKING)
def test_journeys_of_a_long_range_include_sessions_around_the_edges_of_parts(
    world: World, long_site: int, name: str
) -> None:
    given, told = ASKING[name]
    facts = world.db.read_now(lambda db: stored.read(db, {long_site: "w"}))
    asked = Question(date(2026, 1, 1), date(2026, 6, 17), ZoneInfo("UTC"), now=NOON)
    assert ask(world, long_site, "2026-01-01", **given) == journeys(facts, asked, **told)


def test_two_places_to_begin_at_are_refused(world: World, site: int) -> None:
    filters = [{"field": name, "op": "eq", "value": "/a"} for name in ("from_page", "to_page")]
    body: dict[str, object] = {"parameters": ["journeys"], "preset": "today", "filters": filters}
    (entry,) = world.entries(body, (site,), now=NOON)
    assert not entry.success
