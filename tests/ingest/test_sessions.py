"""Which events make one session (semantics 10 and 13), also over a restart and after a refused write."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from analytics_box.base.facts.event import PAGE_VIEW, Fact, FactSpan
from analytics_box.base.facts.tables import ATTRIBUTES
from analytics_box.base.store.strings import Strings
from analytics_box.ingest import recovery, sessions
from analytics_box.ingest.ledger import Ledger
from analytics_box.ingest.live import LiveSessions, visitor_key
from analytics_box.ingest.sessions import Signal
from tests.query.happenings import DAY, HOUR, MINUTE, Happening, at
from tests.query.world import World, world_in

EVENING = at(2026, 6, 17, 22)

view = Happening(site=1, time=EVENING, arrived=EVENING, kind="view", person=1)
leave = replace(view, kind="exit", name="page_exit")
custom = replace(view, kind="custom", name="buy")
nobody = replace(custom, person=0)
program = replace(view, bot="known_bot_user_agent")
other = replace(view, person=2)
named = replace(view, client_session="s1")


def after(happening: Happening, delay: int, *, late: int = 0) -> Happening:
    """The same `delay` ms after the evening began, arriving `late` ms after that."""
    return replace(happening, time=EVENING + delay, arrived=EVENING + delay + late)


def every(delay: int, until: int) -> list[Happening]:
    """A page view each `delay` ms."""
    return [after(view, moment) for moment in range(0, until + 1, delay)]


# What arrives, in this order, and the session of each event by number; 0 is none.
STORIES: dict[str, tuple[Sequence[Happening], list[int]]] = {
    "30:00.000 of silence continues": ([view, after(view, 30 * MINUTE)], [1, 1]),
    "30:00.001 of silence splits": ([view, after(view, 30 * MINUTE + 1)], [1, 2]),
    "silence counts from the last event": ([view, after(view, 20 * MINUTE), after(view, 45 * MINUTE)], [1, 1, 1]),
    "exactly 24 hours are one session": (every(30 * MINUTE, DAY), [1] * 49),
    "more than 24 hours are two": (
        [*every(30 * MINUTE, DAY), after(view, DAY + 1), after(view, DAY + 2)],
        [*[1] * 49, 2, 2],
    ),
    "midnight and its new salt do not split": (
        [after(view, HOUR + 50 * MINUTE), after(view, 2 * HOUR + 10 * MINUTE), after(view, 2 * HOUR + 40 * MINUTE)],
        [1, 1, 1],
    ),
    "a leave beacon alone is nobody's": ([leave, after(leave, 1)], [0, 0]),
    "a leave beacon before its page view waits for it": ([leave, after(view, 1)], [1, 1]),
    "leave beacons that wait bring each other": ([leave, after(leave, 30 * MINUTE), after(view, HOUR)], [1, 1, 1]),
    "a leave beacon too early for a page view is nobody's": ([leave, after(view, 30 * MINUTE + 1)], [0, 1]),
    "a leave beacon ends nothing": ([view, after(leave, 20 * MINUTE), after(view, 40 * MINUTE)], [1, 1, 1]),
    "a page that was read for long is one visit": ([view, after(leave, 45 * MINUTE), after(view, HOUR)], [1, 1, 1]),
    "a page that was read for a day and longer is none": ([view, after(leave, DAY + 1)], [1, 0]),
    "a page view that comes late has its leave beacon": (
        [after(leave, 45 * MINUTE), after(view, 0, late=HOUR)],
        [1, 1],
    ),
    "a page that was left and never shown is nobody's": (
        [view, after(replace(leave, path="/other"), 31 * MINUTE), after(view, 62 * MINUTE)],
        [1, 0, 2],
    ),
    "a leave beacon finds its page view among visits": (
        [view, after(replace(view, path="/b"), HOUR), after(leave, HOUR + MINUTE)],
        [1, 2, 1],
    ),
    "a leave beacon before its page view leaves an older view of the page alone": (
        [view, after(leave, 2 * HOUR + 9_000), after(view, 2 * HOUR, late=MINUTE)],
        [1, 2, 2],
    ),
    "a leave beacon in the millisecond of its page view does too": (
        [view, after(leave, 2 * HOUR), after(view, 2 * HOUR)],
        [1, 2, 2],
    ),
    "what followed such a leave beacon goes with it": (
        [view, after(leave, 2 * HOUR), after(custom, 2 * HOUR + MINUTE), after(view, 2 * HOUR - MINUTE, late=HOUR)],
        [1, 2, 2, 2],
    ),
    "a leave beacon goes back to the older view that comes last": (
        [after(replace(view, path="/b"), HOUR), after(leave, 65 * MINUTE), after(view, 0, late=2 * HOUR)],
        [1, 2, 2],
    ),
    "a visit may begin while a page is read": (
        [view, after(leave, 2 * HOUR), after(replace(view, path="/b"), HOUR, late=2 * HOUR)],
        [1, 1, 2],
    ),
    "a late event finds a visit long ago": (
        [view, *(after(view, hour * HOUR) for hour in range(1, 6)), after(custom, MINUTE, late=6 * HOUR)],
        [1, 2, 3, 4, 5, 6, 1],
    ),
    "visits that were apart stay apart": (
        [view, after(view, 50 * MINUTE), after(view, 25 * MINUTE, late=HOUR)],
        [1, 2, 1],
    ),
    "a client's first event may come last": (
        [after(named, 9 * HOUR), after(named, 5 * HOUR, late=5 * HOUR), after(named, 0, late=10 * HOUR)],
        [1, 1, 1],
    ),
    "a custom event starts a session": ([custom, after(view, 1)], [1, 1]),
    "nobody has none": ([nobody, after(view, 1)], [0, 1]),
    "a program has none": ([program, after(view, 1)], [0, 1]),
    "two visitors have two": ([view, other, after(view, 1), after(other, 2)], [1, 2, 1, 2]),
    "two sites have two": ([view, replace(view, site=2)], [1, 2]),
    "a client's session goes on over any silence": ([named, after(named, 5 * HOUR)], [1, 1]),
    "a client's session lasts 24 hours too": ([named, after(named, DAY), after(named, DAY + 1)], [1, 1, 2]),
    "a client's session is not the server's": ([view, after(named, 1), after(view, 2)], [1, 2, 1]),
    "a client's session on two sites are two": ([named, replace(named, site=2)], [1, 2]),
    "a late event joins": ([after(view, 10 * MINUTE), after(view, 0, late=11 * MINUTE)], [1, 1]),
    "a late event reaches 30 minutes back": (
        [after(view, 30 * MINUTE), after(view, 0, late=31 * MINUTE), after(custom, MINUTE, late=31 * MINUTE)],
        [1, 1, 1],
    ),
    "a later event does not end the session before a late one": (
        [view, after(view, HOUR), after(view, 5 * MINUTE, late=HOUR), after(leave, 6 * MINUTE, late=HOUR)],
        [1, 2, 1, 1],
    ),
    "a late event of yesterday joins the session that began after midnight": (
        [after(view, 2 * HOUR + 2 * MINUTE), after(view, 2 * HOUR - MINUTE, late=5 * MINUTE)],
        [1, 1],
    ),
    "a late event of yesterday joins the session that went on after midnight": (
        [
            after(view, HOUR + 20 * MINUTE),
            after(view, HOUR + 45 * MINUTE),
            after(view, 2 * HOUR + 5 * MINUTE),
            after(view, 2 * HOUR - MINUTE, late=10 * MINUTE),
        ],
        [1, 1, 1, 1],
    ),
    "a late event of yesterday too far from all begins one": (
        [after(view, 2 * HOUR + 40 * MINUTE), after(view, 2 * HOUR - MINUTE, late=HOUR), after(view, 3 * HOUR)],
        [1, 2, 1],
    ),
    "a much too late event ends nothing": (
        [after(view, HOUR), after(view, 0, late=HOUR), after(view, HOUR + MINUTE), after(view, MINUTE, late=HOUR)],
        [1, 2, 1, 2],
    ),
}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with world_in(tmp_path) as made:
        yield made


def sessions_of(world: World) -> list[int]:
    """The session of each stored event, numbered as they appear."""
    rows = world.db.read_now(lambda db: db.execute("select session from events order by id").fetchall())
    seen = [number for (number,) in rows]
    order = list(dict.fromkeys(number for number in seen if number))
    return [order.index(number) + 1 if number else 0 for number in seen]


@pytest.mark.parametrize("story", STORIES)
def test_events_make_sessions(world: World, story: str) -> None:
    happenings, expected = STORIES[story]
    world.store(happenings)
    assert sessions_of(world) == expected


# What arrives, and what all rows of the session have in the end: start, source, browser (semantics 11 and 15).
def _saying(happening: Happening, source: str, browser: str) -> Happening:
    return replace(happening, session={"source": source, "browser": browser})


GOOGLE, BING = _saying(after(view, MINUTE), "Google", "Firefox"), _saying(view, "Bing", "Chrome")
BUY = _saying(after(custom, -MINUTE), "Direct", "Safari")
SPEAKERS: dict[str, tuple[Sequence[Happening], tuple[int, str, str]]] = {
    "later events change nothing": ([BING, GOOGLE], (EVENING, "Bing", "Chrome")),
    "an earlier page view moves the start": ([GOOGLE, BING], (EVENING, "Bing", "Chrome")),
    "the source is that of the first page view": ([BUY, BING, GOOGLE], (EVENING - MINUTE, "Bing", "Safari")),
    "whatever comes first": ([GOOGLE, BUY, BING], (EVENING - MINUTE, "Bing", "Safari")),
    "without a page view it is that of the first event": ([BUY, after(BUY, 0)], (EVENING - MINUTE, "Direct", "Safari")),
    "a leave beacon says nothing": (
        [_saying(after(leave, -2 * MINUTE), "Direct", "Safari"), GOOGLE],
        (EVENING + MINUTE, "Google", "Firefox"),
    ),
}


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("story", SPEAKERS)
def test_all_rows_of_a_session_have_its_start_source_and_browser(world: World, story: str, at_once: bool) -> None:
    happenings, expected = SPEAKERS[story]
    vital = FactSpan(
        table="vitals",
        site=1,
        time=EVENING + MINUTE,
        visitor=view.visitor,
        yesterday=0,
        client_session="",
        path="/",
        query_string="",
        attributes=("",) * len(ATTRIBUTES),
        own=(1, 2.0),
    )
    facts: list[Fact] = [vital, *(happening.fact() for happening in happenings)]
    for request in [facts] if at_once else [[fact] for fact in facts]:
        world.store_facts(request)
    rows = world.db.read_now(
        lambda db: db.execute(
            """
            select session_started, sources.value, browsers.value from events
            join strings as sources on sources.id = source
            join strings as browsers on browsers.id = browser
            """
        ).fetchall()
    )
    assert set(rows) == {expected}
    rows = world.db.read_now(
        lambda db: db.execute(
            """
            select session <> 0, sources.value, browsers.value from vitals
            join strings as sources on sources.id = source
            join strings as browsers on browsers.id = browser
            """
        ).fetchall()
    )
    assert rows == [(1, *expected[1:])]


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 1, 3, 2), (3, 2, 1, 0)])
def test_engagement_of_a_page_is_in_the_session_of_its_leave_beacon(world: World, order: tuple[int, ...]) -> None:
    """Also if another page was opened while it was read."""
    shown, left = after(view, -150 * MINUTE), after(leave, -30 * MINUTE)
    engagement = FactSpan(
        table="vitals",
        site=1,
        time=left.time,
        visitor=left.visitor,
        yesterday=left.visitor_on(left.other_day),
        client_session="",
        path=left.path,
        query_string="",
        attributes=("",) * len(ATTRIBUTES),
        own=(1, 2.0),
    )
    beside = after(replace(view, path="/b"), -50 * MINUTE)
    facts: list[Fact] = [shown.fact(), beside.fact(), left.fact(), engagement]
    for number in order:
        world.store_facts([facts[number]])
    rows = world.db.read_now(
        lambda db: db.execute(
            """
            select (select session from vitals) = session, kind from events
            where time in (select min(time) from events union select max(time) from events)
            """
        ).fetchall()
    )
    assert sorted(rows, key=str) == [(1, 1), (1, 3)]


@pytest.mark.parametrize("restart", [False, True])
def test_page_view_after_its_leave_beacon_is_a_visit_with_its_source_on_both_engines(
    world: World, restart: bool
) -> None:
    bing, google = _saying(view, "Bing", "Chrome"), _saying(after(view, 2 * HOUR), "Google", "Firefox")
    world.store([bing, after(leave, 2 * HOUR + 9_000), _saying(after(custom, 2 * HOUR + MINUTE), "Direct", "Firefox")])
    assert sources_and_times(world) == [("Bing", "22:00:00", "00:01:00")]
    world.clock.advance(seconds=(EVENING + 3 * HOUR - world.clock.now()) / 1000)
    if restart:
        live = LiveSessions()
        world.db.read_now(lambda db: recovery.recover(db, live, EVENING + 2 * HOUR))
        world.db.write_now(lambda db: Ledger(Strings(), live).append(db, [google.fact()]))
    else:
        world.store([google])
    assert sources_and_times(world) == [("Bing", "22:00:00", "22:00:00"), ("Google", "00:00:00", "00:01:00")]


def sources_and_times(world: World) -> list[tuple[str, str, str]]:
    """Of each session, its source, and when it began and ended; both engines are asked."""
    body: dict[str, object] = {"parameters": ["session_list"], "startDate": "2026-06-17", "endDate": "2026-06-18"}
    (entry,) = world.entries(body, (1,), now=EVENING + 3 * HOUR)
    assert entry.success, entry.error
    return sorted((row["referrer"], row["first_visit"][11:19], row["last_visit"][11:19]) for row in entry.data)


def test_events_of_a_request_can_be_in_any_order(world: World) -> None:
    world.store_facts([after(view, minute * MINUTE).fact() for minute in (50, 25, 0, 75)])
    assert sessions_of(world) == [1, 1, 1, 1]


def test_a_long_session_no_longer_moves_its_start(world: World) -> None:
    """What one late event may cost is bounded."""
    world.store([after(view, moment) for moment in range(sessions.MOST_SIGNALS + 5)])
    world.store([after(view, -MINUTE, late=HOUR)])
    starts = world.db.read_now(lambda db: db.execute("select distinct session_started from events").fetchall())
    assert starts == [(EVENING,)]
    assert set(sessions_of(world)) == {1}


# Over a restart the live sessions are read back from the events.
RESTARTS: dict[str, tuple[Sequence[Happening], Happening, int]] = {
    "a session goes on": ([view, after(view, MINUTE)], after(view, 31 * MINUTE), 1),
    "a silence is a silence": ([view, after(view, MINUTE)], after(view, 31 * MINUTE + 1), 2),
    "a client's session goes on": ([named], after(named, 5 * HOUR), 1),
    "a leave beacon finds its session": ([view], after(leave, MINUTE), 1),
    "midnight does not split": ([after(view, HOUR + 50 * MINUTE)], after(view, 2 * HOUR + 10 * MINUTE), 1),
    "the newest of a visitor's sessions goes on": ([view, after(view, HOUR)], after(view, HOUR + MINUTE), 2),
    "the one before takes late events": ([view, after(view, HOUR)], after(view, MINUTE, late=HOUR), 1),
    "another visitor is another": ([view], after(other, MINUTE), 2),
    "what was nobody's stays so": ([leave, nobody], after(leave, MINUTE), 0),
    "what waits goes on waiting": ([leave, after(leave, 20 * MINUTE)], after(view, 50 * MINUTE), 1),
    "the page view of a long read is known": ([view], after(leave, HOUR), 1),
    "two days' ids are one visitor's": (
        [after(view, HOUR + 50 * MINUTE), after(view, 2 * HOUR + 10 * MINUTE), after(view, 2 * HOUR + 50 * MINUTE)],
        after(view, HOUR + 40 * MINUTE, late=2 * HOUR),
        1,
    ),
}


@pytest.mark.parametrize("story", RESTARTS)
def test_a_restart_changes_no_session(world: World, story: str) -> None:
    before, happening, expected = RESTARTS[story]
    world.store(before)
    live = LiveSessions()
    world.db.read_now(lambda db: recovery.recover(db, live, happening.arrived))
    ledger = Ledger(Strings(), live)
    world.db.write_now(lambda db: ledger.append(db, [happening.fact()]))
    assert sessions_of(world)[-1] == expected


def test_sessions_that_no_event_can_continue_are_not_read_back(world: World) -> None:
    world.store([view, after(other, DAY)])
    live = LiveSessions()
    world.db.read_now(lambda db: recovery.recover(db, live, EVENING + 2 * DAY + 1))
    assert len(live) == 1


class Refused(Exception):
    """What a write raises that is to be rolled back."""


def test_a_refused_write_leaves_no_session_behind(tmp_path: Path) -> None:
    with world_in(tmp_path) as world:
        strings, live = Strings(), LiveSessions()
        ledger = Ledger(strings, live)
        world.db.attach(strings, live)
        world.db.write_now(lambda db: ledger.append(db, [view.fact()]))
        kept = live.find((visitor_key(1, view.visitor),))

        def refuse(db: apsw.Connection) -> None:
            ledger.append(db, [after(view, MINUTE).fact(), after(view, HOUR).fact(), other.fact()])
            raise Refused

        with pytest.raises(Refused):
            world.db.write_now(refuse)
        assert live.find((visitor_key(1, view.visitor),)) == kept
        assert len(live) == 1
        assert sessions_of(world) == [1]
        world.db.write_now(lambda db: ledger.append(db, [after(view, 30 * MINUTE).fact(), after(other, HOUR).fact()]))
        assert sessions_of(world) == [1, 1, 2]


def test_the_live_sessions_silent_for_longest_are_forgotten_first(tmp_path: Path) -> None:
    with world_in(tmp_path) as world:
        live = LiveSessions(capacity=2_500)  # bytes: two sessions
        ledger = Ledger(Strings(), live)
        world.db.attach(live)
        for person in (1, 2, 1, 3):
            fact = replace(view, person=person).fact()
            world.db.write_now(lambda db, fact=fact: ledger.append(db, [fact]))  # type: ignore[misc]  # a lambda with a default
        assert len(live) == 2
        assert live.find((visitor_key(1, view.visitor),)).visits.sessions
        assert not live.find((visitor_key(1, other.visitor),)).visits.sessions


def test_signals_of_a_write_that_was_rolled_back_are_written_over() -> None:
    live, key = LiveSessions(), visitor_key(1, 42)
    first = sessions.start_session(7, Signal(EVENING, 1, PAGE_VIEW), ())
    live.keep(live.find((key,)), sessions.Visits((first,)))
    live.committed()

    def go_on(*paths: int) -> None:
        for path in paths:
            found = live.find((key,))
            session = sessions.in_order(found.visits, Signal(EVENING + path, path, PAGE_VIEW), named=False)
            assert session is not None
            live.go_on(found, session)

    go_on(2)
    mark = live.mark()
    go_on(3, 4)
    live.undo(mark)
    (session,) = live.find((key,)).visits.sessions
    assert [signal.path for signal in session.remembered] == [1, 2]
    assert not session.has(sessions.pack_signals([Signal(EVENING, 3, PAGE_VIEW)])[8:])
    go_on(5)
    (session,) = live.find((key,)).visits.sessions
    assert [signal.path for signal in session.remembered] == [1, 2, 5]
