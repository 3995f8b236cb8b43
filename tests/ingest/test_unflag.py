"""Quarantined events of an allowed bot count, with the sessions that they would have had (semantics 10, 19)."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from analytics_box.base.clock import DAY, HOUR, MINUTE
from analytics_box.base.facts.event import CUSTOM, PAGE_EXIT, PAGE_VIEW, Event
from analytics_box.base.facts.tables import ATTRIBUTES
from analytics_box.base.store import schema
from analytics_box.base.store.db import Connection
from analytics_box.ingest import exposures
from analytics_box.ingest import unflag as unflagging
from analytics_box.ingest.enrich import EventTarget
from analytics_box.ingest.unflag import unflag
from tests.examples import examples
from tests.ledgers import NOON, SITE, Books, open_books
from tests.migrated import migrated
from tests.query.happenings import Happening
from tests.query.visits import visits

REASON, AGENT = "known_bot_user_agent", "Labrador"
IDLE = 30 * MINUTE
NAMES = {PAGE_VIEW: "screen_view", PAGE_EXIT: "page_exit", CUSTOM: "buy"}

KINDS = {PAGE_VIEW: "view", PAGE_EXIT: "exit", CUSTOM: "custom"}


class Hit(NamedTuple):
    """One event: ms after noon, whose it is, and whether it was held."""

    time: int
    visitor: int = 1
    held: bool = True
    kind: int = PAGE_VIEW
    client: str = ""
    agent: str = AGENT


def event(hit: Hit, *, held: bool | None = None) -> Event:
    flagged = hit.held if held is None else held
    path = f"/{hit.time}"
    return Event(
        site=SITE,
        time=NOON + hit.time,
        kind=hit.kind,
        name=NAMES[hit.kind],
        namespace="",
        visitor=hit.visitor,
        yesterday=0,
        path=path,
        query_string="",
        title="",
        engaged=0,
        scroll=0,
        bot=REASON if flagged else "",
        origin="",
        client_session=hit.client,
        attributes=tuple(path if name == "entry" else name for name in ATTRIBUTES),
        properties='{"a":1}',
        agent=hit.agent if flagged else "",
    )


@cache
def empty() -> bytes:
    """A new events.db."""
    with TemporaryDirectory() as folder:
        migrated(Path(folder))
        return (Path(folder) / schema.EVENTS_FILE).read_bytes()


@contextmanager
def books(directory: Path) -> Iterator[Books]:
    (directory / schema.EVENTS_FILE).write_bytes(empty())
    opened = open_books(directory / schema.EVENTS_FILE, durability="normal")
    try:
        yield opened
    finally:
        opened.db.close()


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Books]:
    with books(tmp_path) as opened:
        yield opened


def tell(opened: Books, hits: Sequence[Hit], *, held: bool | None = None) -> None:
    def write(db: Connection) -> None:
        for hit in hits:
            opened.ledger.append(db, [event(hit, held=held)])

    opened.db.write_now(write)


def count(opened: Books, agent: str = AGENT) -> int:
    target = EventTarget(SITE)
    return asyncio.run(unflag(opened.db, opened.live, opened.strings, target, str.encode, reason=REASON, agent=agent))


class Seen(NamedTuple):
    """A stored event: its time, whose it is, its session's number as they begin, and the session's first page."""

    time: int
    visitor: int
    session: int
    entry: str
    held: bool


def stored(opened: Books) -> list[Seen]:
    rows = opened.db.read_now(
        lambda db: db.execute(
            """
            select time, visitor, session, session_started, bot <> 0 or agent <> 0,
                   (select value from strings where id = entry), properties
            from events order by time, visitor, client_session, kind, id
            """
        ).fetchall()
    )
    assert all(row[6] == '{"a":1}' for row in rows)
    numbers = list(dict.fromkeys(row[2] for row in rows if row[2]))
    return [
        Seen(
            int(str(time)) - NOON,
            int(str(visitor)),
            numbers.index(session) + 1 if session else 0,
            str(entry),
            bool(held),
        )
        for time, visitor, session, _, held, entry, _ in rows
    ]


STORIES: dict[str, tuple[list[Hit], list[int]]] = {
    "one visit": ([Hit(0), Hit(MINUTE), Hit(2 * MINUTE, kind=PAGE_EXIT)], [1, 1, 1]),
    "30:00.000 of silence continues": ([Hit(0), Hit(IDLE)], [1, 1]),
    "30:00.001 of silence splits": ([Hit(0), Hit(IDLE + 1)], [1, 2]),
    "two visitors have two": ([Hit(0), Hit(0, visitor=2), Hit(1), Hit(1, visitor=2)], [1, 2, 1, 2]),
    "nobody has none": ([Hit(0, visitor=0), Hit(1)], [0, 1]),
    "a leave beacon alone starts nothing": ([Hit(0, kind=PAGE_EXIT), Hit(HOUR)], [0, 1]),
    "a session that the client named": ([Hit(0, client="s"), Hit(5 * HOUR, client="s")], [1, 1]),
    "what was counted before goes on": ([Hit(0, held=False), Hit(20 * MINUTE)], [1, 1]),
    "what was counted after is reached": ([Hit(20 * MINUTE, held=False), Hit(0)], [1, 1]),
    "what was counted stays apart": ([Hit(0, held=False), Hit(40 * MINUTE), Hit(80 * MINUTE, held=False)], [1, 2, 3]),
    "no session is longer than a day": (
        [Hit(moment) for moment in range(0, DAY + IDLE + 1, IDLE)],
        [1] * 49 + [2],
    ),
}


@pytest.mark.parametrize("story", STORIES)
def test_held_events_get_their_sessions(ledger: Books, story: str) -> None:
    hits, expected = STORIES[story]
    tell(ledger, hits)
    assert count(ledger) == sum(hit.held for hit in hits)
    assert [seen.session for seen in stored(ledger)] == expected
    assert not any(seen.held for seen in stored(ledger))
    assert count(ledger) == 0


def test_events_of_another_program_stay_held(ledger: Books) -> None:
    tell(ledger, [Hit(0), Hit(1, agent="Poodle"), Hit(2, agent="")])
    assert count(ledger) == 1
    assert [seen.held for seen in stored(ledger)] == [False, True, True]
    assert count(ledger, agent="Unheard-of") == 0


def test_later_events_continue_the_released_session(ledger: Books) -> None:
    tell(ledger, [Hit(0), Hit(MINUTE)])
    count(ledger)
    tell(ledger, [Hit(20 * MINUTE, held=False), Hit(55 * MINUTE, held=False)])
    assert [(seen.session, seen.entry) for seen in stored(ledger)] == [(1, "/0"), (1, "/0"), (1, "/0"), (2, "/3300000")]


def test_released_rows_are_rewritten_and_never_changed_in_place(ledger: Books) -> None:
    """What is derived from the ledger finds new rows by their number."""
    tell(ledger, [Hit(0), Hit(1)])
    count(ledger)
    assert ledger.db.read_now(lambda db: db.execute("select id from events order by id").fetchall()) == [(3,), (4,)]


def test_released_flag_exposures_count_as_on_arrival(ledger: Books) -> None:
    given = replace(
        event(Hit(MINUTE, kind=CUSTOM)), name=exposures.NAME, properties='{"flag":"price","value":1.5,"enabled":true}'
    )
    unnamed = replace(given, properties=None)

    def write(db: Connection) -> None:
        ledger.ledger.append(db, [event(Hit(0)), given, unnamed])
        at_once = replace(given, bot="", agent="", exposure=("price", "1.5"), visitor=2)
        ledger.ledger.append(db, [replace(event(Hit(0)), bot="", agent="", visitor=2), at_once])

    ledger.db.write_now(write)
    assert count(ledger) == 3
    names = ", ".join(("site", "time", "profile", "path", "query_string", "flag", "variant", *ATTRIBUTES))
    statement = f"select visitor, {names} from flag_exposures where session <> 0 order by visitor"
    first, second = ledger.db.read_now(lambda db: db.execute(statement).fetchall())
    assert (first[0], second[0], first[1:]) == (1, 2, second[1:])


def test_many_are_counted_in_small_writes(ledger: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unflagging, "CHUNK", 3)
    tell(ledger, [Hit(moment * 10 * MINUTE, visitor=moment % 2 + 1) for moment in range(10)])
    assert count(ledger) == 10
    assert [seen.session for seen in stored(ledger)] == [1, 2] * 5


def oracle(hits: Sequence[Hit]) -> list[int]:
    """The sessions of these hits: those that are held come after all others."""
    happenings = [
        Happening(
            site=SITE,
            time=NOON + hit.time,
            arrived=NOON + hit.time,
            kind=KINDS[hit.kind],
            person=hit.visitor,
            path=f"/{hit.time}",
            client_session=hit.client,
        )
        for hit in hits
    ]
    order = sorted(range(len(hits)), key=lambda number: (hits[number].held, number))
    told = visits([happenings[number] for number in order])
    found = {id(one): number for number, visit in enumerate(told, 1) for one in visit.happenings}
    return [found.get(id(one), 0) for one in happenings]


SILENCES = (0, 1, 5 * MINUTE, IDLE - 1, IDLE, IDLE + 1, 40 * MINUTE, 3 * HOUR, 12 * HOUR, DAY, DAY + 1)
HITS = st.lists(
    st.tuples(
        st.sampled_from(SILENCES),
        st.integers(0, 2),
        st.booleans(),
        st.sampled_from([PAGE_VIEW, PAGE_VIEW, CUSTOM, PAGE_EXIT]),
        st.sampled_from(["", "", "s"]),
    ),
    max_size=14,
)


def hits_of(drawn: Sequence[tuple[int, int, bool, int, str]], *, held: bool | None = None) -> list[Hit]:
    """In the order of time, no two at the same."""
    time, found = 0, []
    for silence, visitor, flagged, kind, client in drawn:
        time += max(silence, 1)
        # a client's session id is one visitor's
        found.append(
            Hit(time, visitor, flagged if held is None else held, kind, f"{client}{visitor}" if client else "")
        )
    return found


def partition(sessions: Sequence[int]) -> list[int]:
    order = list(dict.fromkeys(number for number in sessions if number))
    return [order.index(number) + 1 if number else 0 for number in sessions]


@examples(50)
@given(HITS, st.sampled_from([2, 5, 2_000]))
@example([(1, 1, False, PAGE_VIEW, ""), (IDLE, 1, True, PAGE_VIEW, ""), (IDLE, 1, True, PAGE_VIEW, "")], 2)
def test_incremental_release_equals_a_full_one(drawn: list[tuple[int, int, bool, int, str]], chunk: int) -> None:
    hits = hits_of(drawn)
    with TemporaryDirectory() as folder, books(Path(folder)) as opened, pytest.MonkeyPatch.context() as patch:
        patch.setattr(unflagging, "CHUNK", chunk)
        tell(opened, hits)
        assert count(opened) == sum(hit.held for hit in hits)
        assert [seen.session for seen in stored(opened)] == partition(oracle(hits))


@examples(50)
@given(HITS, HITS)
def test_all_held_and_then_counted_is_as_if_none_had_ever_been_held(
    drawn: list[tuple[int, int, bool, int, str]], later: list[tuple[int, int, bool, int, str]]
) -> None:
    first = hits_of(drawn, held=True)
    end = first[-1].time if first else 0
    second = [hit._replace(time=hit.time + end) for hit in hits_of(later, held=False)]
    with TemporaryDirectory() as one, TemporaryDirectory() as two:
        with books(Path(one)) as opened:
            tell(opened, first)
            count(opened)
            tell(opened, second)
            found = stored(opened)
        with books(Path(two)) as opened:
            tell(opened, [*first, *second], held=False)
            assert found == stored(opened)
