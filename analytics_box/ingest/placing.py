"""Putting what comes into its session, and moving the rows beside it that have to follow. Runs in the writer thread."""

import json
from collections.abc import Callable, Iterable

from msgspec import Struct

from analytics_box.ingest import sessions
from analytics_box.ingest.facts import KINDS, PAGE_EXIT, PAGE_VIEW, SPANS, STORED_ATTRIBUTES, TABLES, stored
from analytics_box.ingest.live import Key, LiveSessions, client_key, visitor_key
from analytics_box.ingest.sessions import SPAN_KINDS, Attributes, Move, Session, Signal, Visits
from analytics_box.store.db import Connection

MOST_MOVED = 1_000  # rows that a single request may move

_TABLES = {kind: table for table, kind in SPAN_KINDS.items()}
_CHANGES = ", ".join(("session = ?", *(f"{name} = ?" for name in STORED_ATTRIBUTES)))


_WAITING = """
      and client_session = ? and (client_session <> 0 or visitor in (select value from json_each(?)))"""


def _statement(table: str, *, waiting: bool) -> str:
    """Put rows of a site at these instants into another session: those of a session, or those of a client's session id
    or a visitor that have none."""
    start, people = (", since_start = time - ?", " and bot = 0") if table == "events" else ("", "")
    return f"""
    -- placing.move
    update {stored(table)} indexed by {table}_by_time set {_CHANGES}{start}
    where site = ? and time in (select value from json_each(?)) and session = ?{people}{_WAITING * waiting}
    """


_MOVE = {table: (_statement(table, waiting=False), _statement(table, waiting=True)) for table in TABLES}


class Who(Struct, frozen=True, gc=False):
    """Whose session it is: a visitor under the ids of two days, or a session id that a client gave (its number, else
    0)."""

    site: int
    visitor: int
    other: int
    client_session: int


def _keys(who: Who) -> tuple[Key, ...]:
    """Under what visits are known."""
    site, visitor, other = who.site, who.visitor, who.other
    if who.client_session:
        return (client_key(site, who.client_session),)
    return (visitor_key(site, visitor), visitor_key(site, other)) if other != visitor else (visitor_key(site, visitor),)


class Placing:
    """Finds the session of each fact. `flush` writes the rows of facts that are placed and not yet in their tables."""

    def __init__(
        self, live: LiveSessions, flush: Callable[[Connection], None] = lambda _: None, most_moved: int = MOST_MOVED
    ) -> None:
        self._live, self._flush = live, flush
        self._most = self._left = most_moved

    def begin(self) -> None:
        """A new request: it may move as many rows as any other."""
        self._left = self._most

    def place(self, db: Connection, who: Who, signal: Signal, own: Callable[[], Attributes]) -> Session | None:
        """The session that this belongs to; None for what waits for one. `own` are the event's own attributes."""
        named = who.client_session != 0
        found = self._live.find(_keys(who))
        session = sessions.in_order(found.visits, signal, named=named)
        if session is not None:
            self._live.keep(found, Visits((session,)))
            return session
        told = sessions.told(
            found.visits, signal, own, lambda: self._live.next_number(db), named=named, most_moved=self._left
        )
        if told.moves:
            self._flush(db)
            _note_replaced(db, who.site, found.visits, told.session)
            for move in told.moves:
                self._move(db, who, {who.visitor, who.other, found.home[1]}, move)
        self._live.keep(found, told.visits)
        return told.session

    def _move(self, db: Connection, who: Who, visitors: Iterable[int], move: Move) -> None:
        session = move.session
        self._left -= len(move.signals)
        times = json.dumps([signal.time for signal in move.signals])
        waiting = move.source == 0
        for table in _tables_of(move):
            db.execute(
                _MOVE[table][waiting],
                (
                    *(session.number, *session.attributes),
                    *((session.started,) if table == "events" else ()),
                    *(who.site, times, move.source),
                    *((who.client_session, json.dumps(sorted(visitors))) if waiting else ()),
                ),
            )


def _note_replaced(db: Connection, site: int, before: Visits, now: Session | None) -> None:
    """Remember what no row of a session has any more, for whoever removes its person."""
    old = next((one.attributes for one in before.sessions if now is not None and one.number == now.number), None)
    if old is None or now is None:
        return
    left = zip(KINDS, old, now.attributes, strict=True)
    db.executemany(
        "-- placing.note_replaced\ninsert or ignore into replaced (site, session, kind, number) values (?, ?, ?, ?)",
        [(site, now.number, kind, number) for kind, number, other in left if number and number != other],
    )


def _tables_of(move: Move) -> list[str]:
    """Where the rows of these signals lie; page events may have brought timings."""
    kinds = {signal.what for signal in move.signals}
    found = {_TABLES.get(kind, "events") for kind in kinds}
    if kinds & {PAGE_VIEW, PAGE_EXIT}:
        found.add("vitals")
    return [table for table in ("events", *SPANS) if table in found]
