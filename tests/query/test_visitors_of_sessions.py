"""A session's visitor is the id of its start, on every engine (semantics 11)."""

from collections.abc import Sequence
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.query.happenings import HOUR, MINUTE, Happening, at
from tests.query.oracle import Asked
from tests.query.world import World

UTC = ZoneInfo("UTC")
NOON, MIDNIGHT = at(2026, 6, 17, 12), at(2026, 6, 18)
PEOPLE = 10


def view(site: int, time: int, person: int, path: str = "/", kind: str = "view") -> Happening:
    name = {"view": "screen_view", "exit": "page_exit"}.get(kind, "buy")
    return Happening(site, time, time, kind, person, name=name, path=path)


def over_midnight(site: int) -> list[Happening]:
    """Each person comes at noon, and again shortly before midnight, to stay until after it."""
    told = []
    for person in range(1, PEOPLE + 1):
        told += [
            view(site, NOON + person * MINUTE, person),
            view(site, MIDNIGHT - 2 * MINUTE, person),
            view(site, MIDNIGHT + person, person),
        ]
    return sorted(told, key=lambda happening: happening.time)


def rows(world: World, query_type: str, site: int, first: date, last: date) -> list[dict[str, Any]]:
    return world.rows(Asked(query_type, (site,), first, last, UTC, limit=1_000))


@pytest.mark.parametrize(
    ("query_type", "wanted"),
    [
        ("sessions_time_series", [PEOPLE, 0]),
        ("sessions_by_device", [PEOPLE]),
        ("sessions_by_browser", [PEOPLE]),
        ("session_duration_distribution", [PEOPLE, 0, PEOPLE, 0, 0, 0]),
        ("entry_pages", [PEOPLE]),
        ("exit_pages", [PEOPLE]),
        ("entry_exit_flow", [PEOPLE]),
    ],
)
def test_a_visit_over_midnight_does_not_make_another_visitor(
    world: World, query_type: str, wanted: Sequence[int]
) -> None:
    (site,) = world.new_sites(1)
    world.store(over_midnight(site))
    found = rows(world, query_type, site, date(2026, 6, 17), date(2026, 6, 18))
    assert [row["visitors"] for row in found] == list(wanted)


def test_the_list_of_sessions_names_the_visitor_of_the_start(world: World) -> None:
    (site,) = world.new_sites(1)
    told = over_midnight(site)
    world.store(told)
    starts = {happening.visitor for happening in told if happening.time < MIDNIGHT}
    for query_type in ("session_list", "interesting_sessions"):
        found = rows(world, query_type, site, date(2026, 6, 17), date(2026, 6, 18))
        assert len(found) == 2 * PEOPLE
        assert {int(row["visitor_id"], 16) for row in found} == starts, query_type


@pytest.mark.parametrize("query_type", ["entry_pages", "exit_pages", "entry_exit_flow", "sessions_by_device"])
def test_a_session_that_starts_with_an_event_before_midnight_has_the_visitor_of_that_event(
    world: World, query_type: str
) -> None:
    (site,) = world.new_sites(1)
    world.store(
        [
            view(site, MIDNIGHT - 3 * HOUR, 1, "/a"),
            view(site, MIDNIGHT - MINUTE, 1, "/a", kind="custom"),
            view(site, MIDNIGHT + MINUTE, 1, "/a"),
        ]
    )
    (row,) = rows(world, query_type, site, date(2026, 6, 17), date(2026, 6, 18))
    assert row["visitors"] == 1


@pytest.mark.parametrize("query_type", ["entry_pages", "exit_pages", "entry_exit_flow"])
def test_a_session_without_a_page_view_has_neither_first_nor_last_page(world: World, query_type: str) -> None:
    (site,) = world.new_sites(1)
    world.store([view(site, NOON, 1, kind="custom"), view(site, NOON + MINUTE, 1, kind="exit")])
    assert rows(world, query_type, site, date(2026, 6, 17), date(2026, 6, 17)) == []


@pytest.mark.parametrize("query_type", ["exit_pages", "entry_exit_flow", "sessions_by_device", "session_list"])
def test_session_without_its_start_belongs_to_the_visitor_of_its_earliest_day(world: World, query_type: str) -> None:
    (site,) = world.new_sites(1)
    begin, middle, end = MIDNIGHT - 20 * MINUTE, MIDNIGHT - 10 * MINUTE, MIDNIGHT + 10 * MINUTE
    told = [view(site, time, 1, "/a") for time in (begin, middle, end)] + [view(site, middle - 5 * HOUR, 1, "/a")]
    world.store(sorted(told, key=lambda happening: happening.time))
    world.db.write_now(lambda db: db.execute("delete from stored_events where site = ? and time = ?", (site, begin)))
    found = rows(world, query_type, site, date(2026, 6, 17), date(2026, 6, 18))
    if query_type == "session_list":
        assert {int(row["visitor_id"], 16) for row in found} == {told[0].visitor}
    else:
        assert [row["visitors"] for row in found] == [1]
