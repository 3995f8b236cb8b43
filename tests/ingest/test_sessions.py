"""Which events make one session (semantics 10 and 13), also over a restart and after a refused write."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from analytics_box.ingest import sessions
from analytics_box.ingest.ledger import Ledger
from analytics_box.ingest.sessions import LiveSessions
from analytics_box.store.strings import Strings
from tests.query.happenings import DAY, HOUR, MINUTE, Happening, at
from tests.query.stage import Stage, stage_in

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
    "a leave beacon alone starts nothing": ([leave, after(view, 1)], [0, 1]),
    "a leave beacon ends nothing": ([view, after(leave, 20 * MINUTE), after(view, 40 * MINUTE)], [1, 1, 1]),
    "a leave beacon after the session is nobody's": ([view, after(leave, 31 * MINUTE), after(view, HOUR)], [1, 0, 2]),
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
def stage(tmp_path: Path) -> Iterator[Stage]:
    with stage_in(tmp_path) as made:
        yield made


def sessions_of(stage: Stage) -> list[int]:
    """The session of each stored event, numbered as they appear."""
    rows = stage.db.read_now(lambda db: db.execute("select session from events order by id").fetchall())
    seen = [number for (number,) in rows]
    order = list(dict.fromkeys(number for number in seen if number))
    return [order.index(number) + 1 if number else 0 for number in seen]


@pytest.mark.parametrize("story", STORIES)
def test_events_make_sessions(stage: Stage, story: str) -> None:
    happenings, expected = STORIES[story]
    stage.store(happenings)
    assert sessions_of(stage) == expected


def test_a_session_keeps_the_source_and_browser_of_its_first_event(stage: Stage) -> None:  # semantics 15
    first = replace(view, time=EVENING + MINUTE, session={"source": "Google", "browser": "Firefox"})
    late = replace(view, arrived=EVENING + 2 * MINUTE, session={"source": "Bing", "browser": "Chrome"})
    later = replace(first, time=EVENING + 3 * MINUTE, session={"source": "Direct", "browser": "Safari"})
    stage.store([first, late, later])
    rows = stage.db.read_now(
        lambda db: db.execute(
            """
            select session_started, sources.value, browsers.value from events
            join strings as sources on sources.id = source
            join strings as browsers on browsers.id = browser
            """
        ).fetchall()
    )
    assert set(rows) == {(EVENING + MINUTE, "Google", "Firefox")}


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
}


@pytest.mark.parametrize("story", RESTARTS)
def test_a_restart_changes_no_session(stage: Stage, story: str) -> None:
    before, happening, expected = RESTARTS[story]
    stage.store(before)
    live = LiveSessions()
    stage.db.read_now(lambda db: sessions.recover(db, live, happening.arrived))
    ledger = Ledger(Strings(), live)
    stage.db.write_now(lambda db: ledger.append(db, [happening.fact()]))
    assert sessions_of(stage)[-1] == expected


def test_sessions_that_no_event_can_continue_are_not_read_back(stage: Stage) -> None:
    stage.store([view, after(other, DAY)])
    live = LiveSessions()
    stage.db.read_now(lambda db: sessions.recover(db, live, EVENING + 2 * DAY + 1))
    assert len(live) == 1


class Refused(Exception):
    """What a write raises that is to be rolled back."""


def test_a_refused_write_leaves_no_session_behind(tmp_path: Path) -> None:
    with stage_in(tmp_path) as stage:
        strings, live = Strings(), LiveSessions()
        ledger = Ledger(strings, live)
        stage.db.accompany(strings, live)
        stage.db.write_now(lambda db: ledger.append(db, [view.fact()]))
        kept = live.find(((1, "visitor", view.visitor),), EVENING)

        def refuse(db: apsw.Connection) -> None:
            ledger.append(db, [after(view, MINUTE).fact(), after(view, HOUR).fact(), other.fact()])
            raise Refused

        with pytest.raises(Refused):
            stage.db.write_now(refuse)
        assert live.find(((1, "visitor", view.visitor),), EVENING) == kept
        assert len(live) == 1
        assert sessions_of(stage) == [1]
        stage.db.write_now(lambda db: ledger.append(db, [after(view, 30 * MINUTE).fact(), after(other, HOUR).fact()]))
        assert sessions_of(stage) == [1, 1, 2]


def test_the_live_sessions_silent_for_longest_are_forgotten_first(tmp_path: Path) -> None:
    with stage_in(tmp_path) as stage:
        live = LiveSessions(capacity=2)
        ledger = Ledger(Strings(), live)
        stage.db.accompany(live)
        for person in (1, 2, 1, 3):
            fact = replace(view, person=person).fact()
            stage.db.write_now(lambda db, fact=fact: ledger.append(db, [fact]))  # type: ignore[misc]  # a lambda with a default
        assert len(live) == 2
        assert live.find(((1, "visitor", view.visitor),), EVENING) is not None
        assert live.find(((1, "visitor", other.visitor),), EVENING) is None
