"""Retention: every engine finds who came back, whatever the periods, the events and the people."""

import random
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from analytics_box.base.clock import DAY, HOUR, MINUTE
from analytics_box.base.facts.event import CUSTOM, Event
from analytics_box.query.access import ReadScope
from tests.cases import each
from tests.query.brute import facts as stored
from tests.query.brute import retention
from tests.query.brute.facts import Facts, Question, Row
from tests.query.brute.retention import did, visited
from tests.query.facts_of_all_kinds import page_view
from tests.query.happenings import at
from tests.query.world import World

NOON = at(2026, 6, 17, 12)  # a Wednesday
FIRST, LAST = date(2026, 5, 11), date(2026, 6, 17)
ZONES = ("UTC", "America/New_York", "Asia/Kathmandu")
Given = dict[str, Any]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("retention"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def site(world: World) -> int:
    """A website with 300 visitors of 60 days: some with lasting ids, some whom the website identifies."""
    (number,) = world.new_sites(1)
    world.store_facts(sorted(events(number, random.Random(5)), key=lambda event: event.time))
    return number


def events(site: int, draw: random.Random) -> Iterator[Event]:
    for visitor in range(300):
        lasting = visitor % 3 != 0
        own = 2 * (visitor + 1) + lasting
        person = f"person {visitor // 10}" if visitor % 5 == 0 else ""
        time = NOON - 60 * DAY + draw.randrange(60 * 24) * HOUR
        for _ in range(draw.randrange(1, 9)):
            time += draw.choice((MINUTE, 3 * HOUR, DAY, 2 * DAY, 7 * DAY, 20 * DAY))
            if time < NOON:
                view = page_view(site, time, draw.choice(("/a", "/b")), own)
                yield replace(view, profile=person if draw.random() < 0.7 else "")
                name = draw.choice(("", "sign up", "buy"))
                if name:
                    yield replace(view, time=time + 1, kind=CUSTOM, name=name, profile=person)


def filters_of(settings: Given) -> list[Given]:
    return [{"field": name, "op": "eq", "value": value} for name, value in settings.items()]


def ask(world: World, site: int, name: str, zone: str = "UTC", *more: Given, **settings: str) -> list[Row]:
    body: Given = {
        "parameters": [name],
        "startDate": FIRST.isoformat(),
        "endDate": LAST.isoformat(),
        "timeZone": zone,
        "limit": 10_000,
        "filters": [*filters_of(settings), *more],
    }
    (entry,) = world.entries(body, (site,), now=NOON)
    assert entry.success, entry.error
    return entry.data


def facts_of(world: World, site: int) -> Facts:
    return world.db.read_now(lambda db: stored.read(db, {site: "w"}))


def asked(zone: str = "UTC", *filters: tuple[str, str, list[str]]) -> Question:
    return Question(FIRST, LAST, ZoneInfo(zone), filters, now=NOON)


@each(("zone", "width"), [(zone, width) for zone in ZONES for width in ("day", "week", "month")])
def test_cohorts_and_lifecycle_are_those_told_visitor_by_visitor(
    world: World, site: int, zone: str, width: str
) -> None:
    world.clock.advance(seconds=(NOON - world.clock.now()) / 1000)
    facts = facts_of(world, site)
    assert ask(world, site, "retention", zone, period=width) == retention.cohorts(facts, asked(zone), width)
    assert ask(world, site, "lifecycle", zone, period=width) == retention.lifecycle(facts, asked(zone), width)
    assert ask(world, site, "stickiness", zone) == retention.active(facts, asked(zone))


@each(("first", "again"), [("sign up", ""), ("", "buy"), ("sign up", "buy"), ("buy", "buy")])
def test_cohorts_of_events_are_those_told_visitor_by_visitor(world: World, site: int, first: str, again: str) -> None:
    world.clock.advance(seconds=(NOON - world.clock.now()) / 1000)
    tests = [did(name) if name else visited for name in (first, again)]
    settings = {"activation_event": first, "return_event": again}
    found = ask(world, site, "retention", period="week", **{name: value for name, value in settings.items() if value})
    assert found == retention.cohorts(facts_of(world, site), asked(), "week", *tests)
    assert any(0 < row["visitors"] < row["cohort_size"] for row in found if row["period"])


def test_identified_people_are_retained_as_told_person_by_person(world: World, site: int) -> None:
    world.clock.advance(seconds=(NOON - world.clock.now()) / 1000)
    settings = {
        "activation_event": "sign up",
        "return_event": "buy",
        "horizon_days": "7",
        "observation_end": "2026-06-20",
    }
    question = asked("UTC", *((name, "eq", [value]) for name, value in settings.items()))
    found = ask(world, site, "identified_profile_retention", **settings)
    assert found == retention.profiles(facts_of(world, site), question)
    assert 0 < found[0]["retained_profiles"] < found[0]["eligible_profiles"] < found[0]["activated_profiles"]
    for name in ("activated_profiles", "activation_events", "retained_profiles"):
        assert found[0][name] == sum(row[name] for row in found[1:])


def test_first_column_is_the_whole_cohort_and_none_is_larger(world: World, site: int) -> None:
    for row in ask(world, site, "retention", period="week"):
        assert row["period"] or row["visitors"] == row["cohort_size"]
        assert 0 <= row["visitors"] <= row["cohort_size"]


def test_unfinished_period_is_marked_and_has_no_dormant_visitors(world: World, site: int) -> None:
    last = ask(world, site, "lifecycle", period="week")[-1]
    assert (last["is_complete"], last["dormant"]) == (False, None)
    assert all(not row["is_complete"] for row in ask(world, site, "retention", period="week")[-1:])


def test_visitors_of_a_period_return_or_are_dormant_in_the_next(world: World, site: int) -> None:
    rows = ask(world, site, "lifecycle", period="week")
    for before, row in pairwise(rows[:-1]):
        assert before["visitors"] == row["returning"] + row["dormant"]
        assert row["visitors"] == row["new"] + row["returning"] + row["resurrected"]


def test_filters_select_cohorts_by_their_first_session(world: World, site: int) -> None:
    german = {"field": "country", "op": "eq", "value": "Germany"}
    assert ask(world, site, "retention", "UTC", german, period="week") == ask(world, site, "retention", period="week")
    path = {"field": "path", "op": "eq", "value": "/a"}
    found = ask(world, site, "retention", "UTC", path, period="week")
    assert found == retention.cohorts(facts_of(world, site), asked("UTC", ("path", "eq", ["/a"])), "week")
    assert (
        0
        < sum(row["cohort_size"] for row in found)
        < sum(row["cohort_size"] for row in ask(world, site, "retention", period="week"))
    )


def refused(world: World, site: int | ReadScope, name: str, **settings: str) -> str:
    scope = site if isinstance(site, ReadScope) else (site,)
    body: Given = {
        "parameters": [name],
        "startDate": "2026-01-01",
        "endDate": "2026-06-17",
        "filters": filters_of(settings),
    }
    (entry,) = world.entries(body, scope, now=NOON)
    assert not entry.success
    return str(entry.error)


WRONG: Sequence[tuple[str, Given, str]] = (
    ("retention", {"period": "hour"}, "period is one of day, week, month"),
    ("retention", {"period": "day"}, "supports up to 100 periods"),
    ("identified_profile_retention", {"activation_event": "a"}, "requires a filter eq on"),
    (
        "identified_profile_retention",
        {"activation_event": "a", "return_event": "b", "horizon_days": "8", "observation_end": "2026-06-01"},
        "horizon_days is one of 7, 30",
    ),
    (
        "identified_profile_retention",
        {"activation_event": "a", "return_event": "b", "horizon_days": "7", "observation_end": "soon"},
        "Invalid date: soon",
    ),
    (
        "identified_profile_retention",
        {"activation_event": "a", "return_event": "b", "horizon_days": "7", "observation_end": "2026-06-01"},
        "supports up to 90 days",
    ),
)


@each(("name", "settings", "why"), WRONG)
def test_wrong_settings_are_refused(world: World, site: int, name: str, settings: Given, why: str) -> None:
    assert why in refused(world, site, name, **settings)


def test_public_cannot_ask_about_identified_people(world: World, site: int) -> None:
    assert refused(world, ReadScope((site,), public=True, people=False), "identified_profile_retention")
