"""The sessions that events may still belong to, in memory beside events.db. Used by the writer thread alone.

A rolled-back savepoint leaves no trace here, and after a restart they are read back from the facts (recovery.py).
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Set

from msgspec import Struct

from analytics_box.base.store.db import Connection
from analytics_box.ingest import sessions
from analytics_box.ingest.sessions import NONE, Attributes, Signal, Visits, VisitSession

RESERVED = 1_000  # numbers of sessions at once
CAPACITY = 64 << 20  # bytes: some 60,000 sessions, or three million a day
_VISITS, _SESSION, _ALIAS = 400, 750, 250  # what each takes in memory besides its signals, in bytes

# A site with a visitor's id, or with the number of a session id that a client gave, below 0.
Key = tuple[int, int]


class LiveVisits(Struct, frozen=True, gc=False):
    """The visits found under some keys. They are kept under `home`; `others` are keys that should lead there."""

    home: Key
    visits: Visits
    others: tuple[Key, ...] = ()


def visitor_key(site: int, visitor: int) -> Key:
    return site, visitor


def client_key(site: int, client_session: int) -> Key:
    return site, -client_session


class LiveSessions:
    """At most about `capacity` bytes of sessions; the visitors silent for longest are forgotten first."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._live: OrderedDict[Key, Visits | Key] = OrderedDict()
        self._changed: list[tuple[Key, Visits | Key | None]] = []
        self._capacity = capacity
        self._bytes = 0
        self._number = self._last_number = 0
        self._reserved_at = -1  # how much had changed when numbers were reserved that are not committed yet

    def find(self, keys: tuple[Key, ...]) -> LiveVisits:
        """The visits under these keys: today's id of a visitor may lead to those under yesterday's."""
        first = keys[0]
        visits = self._live.get(first)
        if type(visits) is Visits and (len(keys) == 1 or keys[1] not in self._live):  # as nearly always
            return LiveVisits(first, visits)
        found: LiveVisits | None = None
        for key in keys:
            home, visits = key, self._live.get(key)
            while isinstance(visits, tuple):
                home, visits = visits, self._live.get(visits)
            if visits is None:
                continue
            if found is None:
                found = LiveVisits(home, visits, (first,) if home != first else ())
            elif home != found.home:
                found = LiveVisits(found.home, _both(found.visits, visits), (*found.others, home))
        return found or LiveVisits(first, NONE)

    def go_on_at_end(
        self, site: int, visitor: int, other: int, client_session: int, signal: Signal
    ) -> VisitSession | None:
        """Put a signal at the end of the newest session of its visitor, with the other id of the same visitor, or of
        the session id that a client sent. Return the session; None, with nothing changed, if that is not enough."""
        live = self._live
        key = (site, -client_session) if client_session else (site, visitor)
        visits = live.get(key)
        if type(visits) is not Visits or (not client_session and other != visitor and (site, other) in live):
            return None
        session = sessions.in_order(visits, signal, named=client_session != 0)
        if session is not None:
            self._replace_newest(key, visits, session)
        return session

    def start_at_end(
        self, db: Connection, who: Key, other: Key, signal: Signal, own: Callable[[], Attributes]
    ) -> VisitSession | None:
        """Start a session with a signal if all sessions under both keys of its visitor are over. Return the session;
        None, with nothing changed, if that is not enough."""
        live = self._live
        visits = live.get(who, NONE)
        if type(visits) is not Visits or visits.waiting or (other != who and other in live) or not signal.starts:
            return None
        known = visits.sessions
        if known and (
            len(known) >= sessions.MOST_SESSIONS or not sessions.is_far_after(known, signal, named=who[1] < 0)
        ):
            return None
        session = sessions.start_session(self.next_number(db), signal, own())
        self._set(who, Visits((*known, session)))
        return session

    def go_on(self, found: LiveVisits, session: VisitSession) -> None:
        """Replace the newest session of these visits, as nearly every event does."""
        if found.others:
            self.keep(found, Visits((*found.visits.sessions[:-1], session)))
        else:
            self._replace_newest(found.home, found.visits, session)

    def _replace_newest(self, home: Key, before: Visits, session: VisitSession) -> None:
        known = before.sessions
        self._changed.append((home, before))
        self._bytes += session.size - known[-1].size
        self._live[home] = Visits((session,) if len(known) == 1 else (*known[:-1], session))
        self._live.move_to_end(home)

    def keep(self, found: LiveVisits, visits: Visits) -> None:
        """Remember these visits."""
        self._set(found.home, visits)
        for other in found.others:
            self._set(other, found.home)

    def learn(self, keys: tuple[Key, ...], visits: Visits) -> None:
        """Remember what the facts say; what is known already stays as it is."""
        found = self.find(keys)
        known = {session.number for session in found.visits.sessions}
        new = tuple(session for session in visits.sessions if session.number not in known)
        self.keep(found, _both(found.visits, Visits(new, visits.waiting)))
        for other in keys:
            if other != found.home:
                self._set(other, found.home)

    def drop(self, numbers: Set[int]) -> None:
        """End these sessions: what comes next begins a new one."""
        for key, visits in list(self._live.items()):
            if isinstance(visits, Visits) and any(session.number in numbers for session in visits.sessions):
                left = tuple(session for session in visits.sessions if session.number not in numbers)
                self._set(key, Visits(left, visits.waiting))

    def forget_waiting(self, keys: Iterable[Key]) -> None:
        """Forget signals that wait under these keys: their rows were removed."""
        for key in keys:
            found = self.find((key,))
            if found.visits.waiting:
                self._set(found.home, Visits(found.visits.sessions))

    def next_number(self, db: Connection) -> int:
        """The number of a new session. Numbers are reserved in events.db, many at once; a restart leaves a gap."""
        if self._number == self._last_number:
            rows = db.execute(
                "-- sessions.reserve\nupdate session_numbers set next = next + ? returning next - 1", (RESERVED,)
            ).fetchall()
            self._last_number = int(str(rows[0][0]))
            self._number = self._last_number - RESERVED
            self._reserved_at = len(self._changed)
        self._number += 1
        return self._number

    def skip_to(self, db: Connection, number: int) -> None:
        """Give new sessions numbers above this one, which sessions of another server have."""
        db.execute("-- sessions.skip_to\nupdate session_numbers set next = max(next, ?)", (number + 1,))
        self._number = self._last_number

    def _set(self, key: Key, value: Visits | Key) -> None:
        live = self._live
        before = live.get(key)
        self._changed.append((key, before))
        self._bytes += _weight(value) - _weight(before)
        live[key] = value
        if before is not None:
            live.move_to_end(key)

    def mark(self) -> int:
        return len(self._changed)

    def undo(self, mark: int) -> None:
        if self._reserved_at >= mark:
            self._number = self._last_number
            self._reserved_at = -1
        for key, before in reversed(self._changed[mark:]):
            self._bytes += _weight(before) - _weight(self._live.get(key))
            if before is None:
                self._live.pop(key, None)
            else:
                self._live[key] = before
        del self._changed[mark:]

    def committed(self) -> None:
        self._changed.clear()
        self._reserved_at = -1
        while self._bytes > self._capacity:
            _, forgotten = self._live.popitem(last=False)
            self._bytes -= _weight(forgotten)

    def __len__(self) -> int:
        """The number of sessions."""
        return sum(len(visits.sessions) for visits in self._live.values() if isinstance(visits, Visits))


def _weight(value: Visits | Key | None) -> int:
    """About how many bytes an entry takes."""
    if value is None:
        return 0
    if not isinstance(value, Visits):
        return _ALIAS
    weight = _VISITS + len(value.waiting)
    for session in value.sessions:
        weight += _SESSION + session.size
    return weight


def _both(one: Visits, other: Visits) -> Visits:
    """The visits under two ids of the same visitor, merged."""
    together: list[VisitSession] = sorted((*one.sessions, *other.sessions), key=lambda session: session.first)
    waiting = dict.fromkeys((*sessions.unpack_signals(one.waiting), *sessions.unpack_signals(other.waiting)))
    return Visits(tuple(together[-sessions.MOST_SESSIONS :]), sessions.pack_signals(waiting))
