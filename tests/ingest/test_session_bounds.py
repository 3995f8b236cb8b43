"""What is remembered of visits has bounds; within them nothing splits, and at them nobody pays for others."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from analytics_box.base.facts.event import Event, FactSpan
from analytics_box.base.facts.tables import ATTRIBUTES
from analytics_box.base.store.strings import Strings
from analytics_box.ingest import recovery
from analytics_box.ingest.ledger import Ledger
from analytics_box.ingest.live import LiveSessions, visitor_key
from analytics_box.ingest.placing import MOST_MOVED
from analytics_box.ingest.sessions import MOST_SIGNALS, Signal, Visits, start_session
from tests.ingest.rows import rows
from tests.inprocess import whole_box
from tests.query.happenings import DAY, HOUR, MINUTE, SECOND, Happening, at
from tests.query.world import World, world_in

NOON = at(2026, 6, 17, 12)
view = Happening(site=1, time=NOON, arrived=NOON, kind="view", person=1, client_session="")


def lasting(happening: Happening, time: int) -> Event:
    """Something at this time of a visitor whose id is the same on all days."""
    return structs.replace(happening.fact(), time=time, visitor=7, yesterday=7)


def error(time: int) -> FactSpan:
    return FactSpan(
        table="errors",
        site=1,
        time=time,
        visitor=7,
        yesterday=7,
        client_session="",
        path="/",
        query_string="",
        attributes=("",) * len(ATTRIBUTES),
        own=("", "x", "", 1, 1, ""),
    )


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with world_in(tmp_path) as made:
        yield made


def asked(world: World, sql: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in world.db.read_now(lambda db: db.execute(sql).fetchall())]


@pytest.mark.parametrize("order", ["oldest first", "newest first", "all first views first"])
def test_two_months_of_a_visitor_are_as_many_visits_in_any_order(world: World, order: str) -> None:
    first = [NOON + day * DAY for day in range(60)]
    times = sorted([*first, *(time + MINUTE for time in first)], reverse=order == "newest first")
    if order == "all first views first":
        times = [*first, *(time + MINUTE for time in first)]
    for time in times:
        world.store_facts([lasting(view, time)])
    assert asked(world, "select count(distinct session) from events") == [(60,)]


def test_errors_leave_room_for_an_earlier_page_view(world: World) -> None:
    world.store_facts([lasting(view, NOON)])
    for second in range(MOST_SIGNALS + 10):
        world.store_facts([error(NOON + second * SECOND)])
    world.store_facts([lasting(view, NOON - MINUTE)])
    assert asked(world, "select distinct session_started from events") == [(NOON - MINUTE,)]


def test_abandoned_pending_events_make_room(world: World) -> None:
    leave = replace(view, kind="exit", name="page_exit")
    for second in range(MOST_SIGNALS + 10):
        world.store_facts([error(NOON - 20 * HOUR + second * SECOND)])
    world.store_facts([lasting(leave, NOON)])
    world.store_facts([lasting(view, NOON + SECOND)])
    assert asked(world, "select count(distinct session), min(session) <> 0 from events") == [(1, 1)]


def test_rows_of_others_at_the_same_instant_are_not_passed_by_for_ever(world: World) -> None:
    """Then a start stays where it was, in all rows of its session."""
    crowd = [replace(view, person=person).fact() for person in range(2, MOST_MOVED + 10)]
    world.store_facts(crowd)
    world.store_facts([lasting(view, NOON), lasting(view, NOON + MINUTE)])
    world.store_facts([lasting(view, NOON - MINUTE)])
    found = asked(world, "select session_started, count(*) from events where visitor = 7 group by session_started")
    assert found == [(NOON, 3)]


def test_a_key_may_send_custom_events_of_many_visitors_before_their_page_views(tmp_path: Path) -> None:
    with whole_box(tmp_path) as box:
        now, people = box.clock.now(), range(100)

        def send(name: str, ago: int, **more: str) -> None:
            events = [
                {"name": name, "path": "/a", "websiteId": box.sites["shop"], "anonymousId": f"p{person}"}
                | {"timestamp": now - ago * SECOND, **more}
                for person in people
            ]
            assert box.post("/track", events, key="all").status == 200

        for ago in range(31, 20, -1):
            send("buy", ago)
        send("screen_view", 10, referrer="https://www.google.com/")
        assert {source for (source,) in rows(box, "events", "source")} == {"Google"}


def test_visitor_is_found_under_the_ids_of_several_days() -> None:
    live = LiveSessions()
    one, two, three = (visitor_key(1, visitor) for visitor in (10, 20, 30))
    session = Visits((start_session(1, Signal(NOON, 1, 1), (0,)),))
    other = Visits((start_session(2, Signal(NOON + HOUR, 1, 1), (0,)),))
    live.keep(live.find((one,)), session)
    live.keep(live.find((two, one)), session)
    live.keep(live.find((three,)), other)
    both = live.find((three, one))
    live.keep(both, both.visits)
    for key in (one, two, three):
        assert [found.number for found in live.find((key,)).visits.sessions] == [1, 2]


def test_without_its_key_file_the_box_takes_no_history(tmp_path: Path) -> None:
    with whole_box(tmp_path) as box:
        (box.box.settings.data_dir / "secret.key").write_bytes(b"short")
        event = {
            "name": "a",
            "websiteId": box.sites["shop"],
            "anonymousId": "p",
            "timestamp": box.clock.now() - 40 * DAY,
        }
        answer = box.post("/track", event, key="all")
        assert answer.status == 503
        assert "secret.key" in answer.json["error"]


def test_restart_keeps_the_source_of_a_session_with_an_old_start(world: World) -> None:
    google = replace(view, session={"source": "Google"})
    bing = replace(view, session={"source": "Bing"})
    world.store_facts([lasting(google, NOON)])
    world.store_facts([lasting(replace(google, kind="custom", name="buy"), NOON + SECOND)])
    live = LiveSessions()
    world.db.read_now(lambda db: recovery.recover(db, live, NOON + MINUTE, newest=1))
    ledger = Ledger(Strings(), live)
    world.db.write_now(lambda db: ledger.append(db, [lasting(bing, NOON + MINUTE)]))
    named = "select distinct (select value from strings where id = source) from events"
    assert asked(world, named) == [("Google",)]
