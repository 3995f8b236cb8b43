"""Which session an event belongs to (semantics 10). The live sessions are in memory; the facts are the truth.

Used by the writer thread alone. A rolled-back savepoint leaves no trace here, and after a restart the live
sessions are read back from the last events.
"""

from collections import OrderedDict
from collections.abc import Set
from typing import NamedTuple, cast

from analytics_box.clock import DAY, MINUTE
from analytics_box.ingest.facts import SPANS, STORED_ATTRIBUTES, stored
from analytics_box.store.db import Connection

IDLE = 30 * MINUTE  # 30:00.000 continues, 30:00.001 splits
LONGEST = DAY
RESERVED = 1_000  # numbers of sessions at once
_RECOVERED = 2 * DAY  # an event may be a day late (semantics 1) and continue a session that had begun a day before it

# A visitor's id, or a session id that the client gave (as its number in strings), on one site.
Key = tuple[int, str, int]
_BEFORE = " before"  # beside a key's newest session stands the one before it, for events that come late


class Session(NamedTuple):
    """A live session: when it began and was last heard of (UTC ms), and what its events repeat.

    Without attributes it has not begun yet: something of its page came before its first event.
    """

    number: int
    started: int
    last: int
    attributes: tuple[int, ...]


class LiveSessions:
    """At most `capacity` live sessions; the ones silent for longest are forgotten first."""

    def __init__(self, capacity: int = 200_000) -> None:
        self._live: OrderedDict[Key, Session] = OrderedDict()
        self._changed: list[tuple[Key, Session | None]] = []
        self._capacity = capacity
        self._number = self._last_number = 0
        self._reserved_at = -1  # how much had changed when numbers were reserved that are not committed yet

    def begin(self, db: Connection, time: int, attributes: tuple[int, ...], number: int | None = None) -> Session:
        """A session that begins with an event at this time; its number where it has been announced. To be kept."""
        return Session(number or self._next_number(db), time, time, attributes)

    def _next_number(self, db: Connection) -> int:
        """Numbers are reserved in events.db, many at once; a restart leaves a gap."""
        if self._number == self._last_number:
            rows = db.execute(
                "-- sessions.reserve\nupdate session_numbers set next = next + ? returning next - 1", (RESERVED,)
            ).fetchall()
            self._last_number = int(str(rows[0][0]))
            self._number = self._last_number - RESERVED
            self._reserved_at = len(self._changed)
        self._number += 1
        return self._number

    def find(self, keys: tuple[Key, ...], time: int) -> Session | None:
        """The session under these keys that an event at this time continues, the newest where it fits several; late
        events may fit the session before a key's newest."""
        best = None
        for key in keys:
            session = self._live.get(key)
            if session is None:
                continue
            if not continues(session, key, time):
                session = self._live.get(before(key))
                if session is None or not continues(session, key, time):
                    continue
            if best is None or session.started > best.started:
                best = session
        return best

    def keep(self, key: Key, session: Session) -> None:
        """Remember this state of a session under this key. One that begins earlier never takes the newest's place."""
        newest = self._live.get(key)
        if newest is not None and newest.number != session.number:
            if newest.started > session.started:
                key = before(key)
            else:
                self._set(before(key), newest)
        self._set(key, session)

    def _set(self, key: Key, session: Session) -> None:
        self._changed.append((key, self._live.get(key)))
        self._live[key] = session
        self._live.move_to_end(key)

    def drop(self, numbers: Set[int]) -> None:
        """End these sessions: what comes next begins a new one."""
        for key in [key for key, session in self._live.items() if session.number in numbers]:
            self._changed.append((key, self._live.pop(key)))

    def mark(self) -> int:
        return len(self._changed)

    def undo(self, mark: int) -> None:
        if self._reserved_at >= mark:
            self._number = self._last_number
            self._reserved_at = -1
        for key, before in reversed(self._changed[mark:]):
            if before is None:
                self._live.pop(key, None)
            else:
                self._live[key] = before
        del self._changed[mark:]

    def committed(self) -> None:
        self._changed.clear()
        self._reserved_at = -1
        while len(self._live) > self._capacity:
            self._live.popitem(last=False)

    def __len__(self) -> int:
        return len(self._live)


def before(key: Key) -> Key:
    """Where the session before the newest one stands."""
    return key[0], key[1] + _BEFORE, key[2]


def continues(session: Session, key: Key, time: int) -> bool:
    """Whether an event at this time still belongs to the session.

    A session of our own making ends after 30 minutes of silence; one that the client named goes on as long as the
    client says so. None is longer than 24 hours, and none reaches further back than 30 minutes before its start.
    """
    if time < session.started - IDLE or time - session.started > LONGEST:
        return False
    return key[1] == "client" or time - session.last <= IDLE


def heard(session: Session, time: int) -> Session:
    """The session when something of it came from this time; one that has not begun yet may begin earlier."""
    number, started, last, attributes = session
    if not attributes and time < started:
        started = time
    return Session(number, started, time if time > last else last, attributes)


def recover(db: Connection, live: LiveSessions, now: int, newest: int = 300_000) -> None:
    """Read the live sessions back from the newest rows."""
    rows = _begun(db, now, newest)
    numbers = {row[3] for row in rows}
    begun = [
        (_key(site, visitor, client_session), Session(number, started, last, tuple(attributes)))
        for site, visitor, client_session, number, started, last, *attributes in rows
        if client_session or last >= now - DAY - IDLE  # what a browser may still send (semantics 1 and 10)
    ]
    announced = [
        (_key(site, visitor, client_session), Session(number, first, last, ()))
        for site, visitor, client_session, number, first, last in _announced(db, now, newest // 4)
        if number not in numbers
    ]
    for key, session in sorted([*begun, *announced], key=lambda item: item[1].last):
        live.keep(key, session)
    live.committed()


def _key(site: int, visitor: int, client_session: int) -> Key:
    return (site, "client", client_session) if client_session else (site, "visitor", visitor)


def _begun(db: Connection, now: int, newest: int) -> list[tuple[int, ...]]:
    """The sessions of the newest events: where they are found, when they began and were last heard of."""
    rows = db.execute(
        f"""
        -- sessions.recover
        select site, visitor, client_session, session, time - since_start, time, {", ".join(STORED_ATTRIBUTES)}
        from {stored("events")}
        where id in (
          select newest from (
            select max(time), id as newest
            from events
            where id > (select coalesce(max(id), 0) from events) - :newest
              and time >= :since and session <> 0
            group by session
          )
        )
        """,
        {"newest": newest, "since": now - _RECOVERED},
    ).fetchall()
    return cast(list[tuple[int, ...]], rows)  # the table is strict


def _announced(db: Connection, now: int, newest: int) -> list[tuple[int, ...]]:
    """The sessions that the newest spans stand in, with the times of the first and the last of them."""
    spans = " union all ".join(
        f"""
        select site, visitor, client_session, session, time from {table}
        where id > (select coalesce(max(id), 0) from {table}) - :newest and time >= :since and session <> 0
        """
        for table in SPANS
    )
    rows = db.execute(
        f"""
        -- sessions.recover
        select site, visitor, client_session, session, min(time), max(time) from ({spans}) group by session
        """,
        {"newest": newest, "since": now - _RECOVERED},
    ).fetchall()
    return cast(list[tuple[int, ...]], rows)
