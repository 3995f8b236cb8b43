"""Putting what comes into its session, and moving the rows beside it that have to follow. Runs in the writer thread."""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from msgspec import Struct

from analytics_box.base.facts.event import CUSTOM, PAGE_EXIT, PAGE_VIEW
from analytics_box.base.facts.layout import KINDS, STORED_ATTRIBUTES, stored_table
from analytics_box.base.facts.tables import FACT_NAMES, SPANS
from analytics_box.base.store.db import Connection
from analytics_box.ingest import sessions
from analytics_box.ingest.live import Key, LiveSessions
from analytics_box.ingest.retelling import retell
from analytics_box.ingest.sessions import SPAN_KINDS, Attributes, Move, Signal, VisitSession

# Rows that a single request may move, or pass by where others lie at the same instants; more with an API key.
MOST_MOVED, MOST_MOVED_BY_KEY = 1_000, 200_000

_TABLES = {kind: table for table, kind in SPAN_KINDS.items()}
_ATTRIBUTES = ", ".join(STORED_ATTRIBUTES)
_CHANGES = ", ".join(("session = ?", *(f"{name} = ?" for name in STORED_ATTRIBUTES)))
_WAITING = " and client_session = ? and (client_session <> 0 or visitor in (select value from json_each(?)))"


def _at(table: str) -> tuple[str, str]:
    """Rows of a site at these instants."""
    return f"{stored_table(table)} indexed by {table}_by_time", "site = ? and time in (select value from json_each(?))"


def _count(table: str) -> str:
    rows, where = _at(table)
    return f"-- placing.count\nselect count(*) from (select 1 from {rows} where {where} limit ?)"


def _had(table: str, *, waiting: bool) -> str:
    """SQL for the signals of a session, or of a client's session id or a visitor without one."""
    rows, where = _at(table)
    return f"-- placing.had\nselect distinct {_ATTRIBUTES} from {rows} where {where}{_whose(table, waiting=waiting)}"


def _move(table: str, *, waiting: bool) -> str:
    """Put these rows into another session."""
    rows, where = _at(table)
    start = ", since_start = time - ?" if table == "events" else ""
    return f"-- placing.move\nupdate {rows} set {_CHANGES}{start} where {where}{_whose(table, waiting=waiting)}"


def _whose(table: str, *, waiting: bool) -> str:
    return f" and session = ?{' and bot = 0' if table == 'events' else ''}{_WAITING * waiting}"


_COUNT = {table: _count(table) for table in FACT_NAMES}
_HAD = {table: (_had(table, waiting=False), _had(table, waiting=True)) for table in FACT_NAMES}
_MOVE = {table: (_move(table, waiting=False), _move(table, waiting=True)) for table in FACT_NAMES}


class SessionOwner(Struct, frozen=True, gc=False):
    """The owner of a session: a visitor under the ids of two days, or the number of a client's session id (0: none)."""

    site: int
    visitor: int
    other: int
    client_session: int


def _keys(who: SessionOwner) -> tuple[Key, ...]:
    """Under what visits are known (live.client_key, live.visitor_key: asking them would take as long as the rest)."""
    site, visitor, other = who.site, who.visitor, who.other
    if who.client_session:
        return ((site, -who.client_session),)
    return ((site, visitor), (site, other)) if other != visitor else ((site, visitor),)


class Placing:
    """Finds the session of each fact. `flush` writes the rows of facts that are placed and not yet in their tables."""

    def __init__(
        self, live: LiveSessions, flush: Callable[[Connection], None] = lambda _: None, most_moved: int = MOST_MOVED
    ) -> None:
        self._live, self._flush = live, flush
        self._left = most_moved

    def begin(self, most_moved: int) -> None:
        """Begin a request, which may move up to `most_moved` rows."""
        self._left = most_moved

    def place(
        self, db: Connection, who: SessionOwner, signal: Signal, own: Callable[[], Attributes]
    ) -> VisitSession | None:
        """The session that this belongs to; None for what waits for one. `own` are the event's own attributes."""
        named = who.client_session != 0
        keys = _keys(who)
        session = self._live.start_at_end(db, keys[0], keys[-1], signal, own)
        if session is not None:
            return session
        found = self._live.find(keys)
        session = sessions.in_order(found.visits, signal, named=named)
        if session is not None:
            self._live.go_on(found, session)
            return session
        tell = partial(retell, found.visits, signal, own, lambda: self._live.next_number(db), named=named)
        after = tell(most_moved=self._left)
        if after.moves and not self._may_move(db, who.site, after.moves):
            after = tell(most_moved=-1)
        if after.moves:
            self._flush(db)
            for move in after.moves:
                self._move(db, who, {who.visitor, who.other, found.home[1]}, move)
        self._live.keep(found, after.visits)
        return after.session

    def _may_move(self, db: Connection, site: int, moves: Sequence[Move]) -> bool:
        """Whether few enough rows lie at these instants: others' rows there have to be passed by."""
        for move in moves:
            for table in _tables_of(move):
                rows = db.execute(_COUNT[table], (site, _times(move), max(self._left, 0) + 1)).fetchall()
                self._left -= int(str(rows[0][0]))
        return self._left >= 0

    def _move(self, db: Connection, who: SessionOwner, visitors: Iterable[int], move: Move) -> None:
        session, times = move.session, _times(move)
        waiting = move.source == 0
        whose = (who.client_session, json.dumps(sorted(visitors))) if waiting else ()
        for table in _tables_of(move):
            rows = db.execute(_HAD[table][waiting], (who.site, times, move.source, *whose)).fetchall()
            for row in rows:
                note_replaced(db, who.site, session, tuple(int(str(number)) for number in row))
            start = (session.started,) if table == "events" else ()
            values = (session.number, *session.attributes, *start, who.site, times, move.source, *whose)
            db.execute(_MOVE[table][waiting], values)


def note_replaced(db: Connection, site: int, session: VisitSession, had: Attributes) -> None:
    """Remember what a row of a session had and no longer has, for the removal of its visitor."""
    left = zip(KINDS, had, session.attributes, strict=True)
    db.executemany(
        """
        -- placing.note_replaced
        insert into replaced (site, session, kind, number) values (?, ?, ?, ?) on conflict do nothing
        """,
        [(site, session.number, kind, number) for kind, number, now in left if number and number != now],
    )


def _times(move: Move) -> str:
    return json.dumps([signal.time for signal in move.signals])


def _tables_of(move: Move) -> list[str]:
    """The tables with rows of these signals; page events may have brought timings, custom ones a flag's exposure or a
    payment."""
    kinds = {signal.what for signal in move.signals}
    found = {_TABLES.get(kind, "events") for kind in kinds}
    if kinds & {PAGE_VIEW, PAGE_EXIT}:
        found.add("vitals")
    if CUSTOM in kinds:
        found |= {"flag_exposures", "transactions"}
    return [table for table in ("events", *SPANS) if table in found]
