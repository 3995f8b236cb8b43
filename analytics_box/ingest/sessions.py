"""The session that an event belongs to (semantics 10 to 15). Pure: nothing here reads or writes.

The order of arrival does not matter: whatever comes late is told together with what is known of its visitor
(retelling.py). Only sessions that were already apart stay apart.
"""

import struct
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, TypeVar

from msgspec import Struct

from analytics_box.base.clock import DAY, MINUTE
from analytics_box.base.facts.event import CUSTOM, PAGE_EXIT, PAGE_VIEW
from analytics_box.base.facts.layout import STORED_ATTRIBUTES
from analytics_box.base.facts.tables import SPANS

IDLE = 30 * MINUTE  # 30:00.000 continues, 30:00.001 splits
LONGEST = DAY
MOST_SIGNALS = 200  # of a session that are remembered one by one; after them its start and attributes stay
MOST_SESSIONS = 100  # of a visitor that are remembered; a day has room for fifty
MOST_LOOKS = 4  # at sessions that lie one in another

# What a signal is: a kind of event, or a table of spans.
SPAN_KINDS = {table: number for number, table in enumerate(SPANS, start=PAGE_EXIT + 1)}
SIGNAL, PAGE = struct.Struct(">qqB"), struct.Struct(">qB")
MOST_BYTES = MOST_SIGNALS * SIGNAL.size
MOST_SPAN_BYTES = MOST_BYTES // 2  # a page with many errors still has room for its page views

# Attributes that are those of a session's first event; all others are those of its first page view (semantics 15).
_OF_FIRST_EVENT = frozenset(("place", "client"))
FROM_FIRST_EVENT = tuple(name in _OF_FIRST_EVENT for name in STORED_ATTRIBUTES)

Attributes = tuple[int, ...]


class Signal(Struct, frozen=True, gc=False):
    """Something that came of a visitor: when (UTC ms), of which page (a number of strings), and what it was."""

    time: int
    path: int
    what: int

    @property
    def starts(self) -> bool:
        """Whether a session may begin with it (semantics 13)."""
        return self.what in {PAGE_VIEW, CUSTOM}

    @property
    def lasts(self) -> bool:
        """Whether a session lasts until it; spans only lie within."""
        return self.what <= PAGE_EXIT


class VisitSession(Struct, frozen=True, gc=False):
    """A session: its start, its first and last signal and its first page view (0: none), all UTC ms, what its rows
    repeat, and the signals of its rows, packed: the first `size` bytes of `signals`. The session that follows from it
    shares them and may have written on; where that was rolled back, the next one writes over it."""

    number: int
    started: int
    first: int
    last: int
    viewed: int
    attributes: Attributes
    signals: bytearray
    size: int

    @property
    def remembered(self) -> list[Signal]:
        """Its signals one by one."""
        return unpack_signals(self.signals[: self.size])

    def has(self, page: bytes) -> bool:
        """Whether it probably has this page view or leave beacon, packed."""
        return self.signals.find(page, 0, self.size) >= 0


class Spanning(Protocol):
    """The part of a session that decides which signals belong to it."""

    @property
    def first(self) -> int: ...
    @property
    def last(self) -> int: ...
    @property
    def remembered(self) -> list[Signal]: ...
    def has(self, page: bytes) -> bool: ...


AnySession = TypeVar("AnySession", bound=Spanning)


class Visits(Struct, frozen=True, gc=False):
    """The visits of a visitor, or of a client's session id: sessions by their first signal, and signals that wait for
    a session."""

    sessions: tuple[VisitSession, ...] = ()
    waiting: bytes = b""


NONE = Visits()


class Move(NamedTuple):
    """Rows that are to follow their session: those of these signals that stand in the session `source`, or in none
    (0)."""

    source: int
    session: VisitSession
    signals: Sequence[Signal]


class SignalResult(NamedTuple):
    """The result of a signal: its visitor's visits, the session it belongs to, and the rows that have to follow."""

    visits: Visits
    session: VisitSession | None
    moves: Sequence[Move] = ()


def pack_signals(signals: Iterable[Signal]) -> bytes:
    """Signals as they are remembered."""
    return b"".join([SIGNAL.pack(one.time, one.path, one.what) for one in signals])[:MOST_BYTES]


def unpack_signals(signals: bytes | bytearray) -> list[Signal]:
    """Remembered signals one by one."""
    return [Signal(*values) for values in SIGNAL.iter_unpack(signals)]


def start_session(number: int, signal: Signal, attributes: Attributes) -> VisitSession:
    """A session that this event starts."""
    time, what = signal.time, signal.what
    viewed = time if what == PAGE_VIEW else 0
    signals = bytearray(SIGNAL.pack(time, signal.path, what))
    return VisitSession(number, time, time, time, viewed, attributes, signals, len(signals))


def in_order(visits: Visits, signal: Signal, *, named: bool) -> VisitSession | None:
    """The newest session with this signal at its end, which changes nothing before it; None if the signal may change
    more. Nearly all signals come in order."""
    sessions = visits.sessions
    if not sessions or visits.waiting:
        return None
    session = sessions[-1]
    time, what, last, viewed, size = signal.time, signal.what, session.last, session.viewed, session.size
    if (
        time < last
        or (time == last and what == PAGE_VIEW and session.has(PAGE.pack(signal.path, PAGE_EXIT)))
        or time - session.first > LONGEST
        or not (named or time - last <= IDLE)
    ):
        return None
    if len(sessions) > 1 and not _stands_alone(sessions, signal):
        return None
    if what == PAGE_VIEW and not viewed:
        return None
    if what <= PAGE_EXIT:
        last = time
    signals = session.signals
    if size < (MOST_BYTES if what <= PAGE_EXIT else MOST_SPAN_BYTES):
        if len(signals) > size:
            del signals[size:]
        signals += SIGNAL.pack(time, signal.path, what)
        size += SIGNAL.size
    return VisitSession(session.number, session.started, session.first, last, viewed, session.attributes, signals, size)


def _stands_alone(sessions: Sequence[VisitSession], signal: Signal) -> bool:
    """Whether no session before the newest may have to do with this signal."""
    newest = sessions[-1]
    if signal.what == PAGE_EXIT and not newest.has(PAGE.pack(signal.path, PAGE_VIEW)):
        return False
    return all(one.last + IDLE < newest.first for one in sessions[:-1])


def is_far_after(sessions: Iterable[VisitSession], signal: Signal, *, named: bool) -> bool:
    """Whether all sessions are over at the time of this signal."""
    if named:
        return all(one.last < signal.time - LONGEST for one in sessions)
    return all(one.last < signal.time - IDLE for one in sessions)


def with_session(
    sessions: Sequence[VisitSession], before: VisitSession | None, after: VisitSession
) -> tuple[VisitSession, ...]:
    """The sessions with one of them as it is now, or with a new one; of too many the furthest from it is left out."""
    others = [one for one in sessions if one is not before]
    if len(others) >= MOST_SESSIONS:
        others.remove(max(others, key=lambda one: abs(one.first - after.first)))
    return tuple(sorted((*others, after), key=_first))


def fresh(waiting: bytes, signal: Signal) -> list[Signal]:
    """The waiting signals that may still join a session with this signal: leave beacons within 24 hours of it, and
    spans within 24 hours of those."""
    near = {True: LONGEST, False: 2 * LONGEST}
    return [one for one in unpack_signals(waiting) if abs(one.time - signal.time) <= near[one.lasts]]


def _first(session: Spanning) -> int:
    return session.first


def reaches(first: int, last: int, signal: Signal, *, named: bool) -> bool:
    """Whether a session with these signals can have this one as well: none is longer than 24 hours, and one of our own
    making has no silence of more than 30 minutes. Spans before it make it no longer."""
    time = signal.time
    if time < first:
        return (last if signal.lasts else first) - time <= LONGEST and (named or first - time <= IDLE)
    return time - first <= LONGEST and (named or time - last <= IDLE)


def home_of(visits: Sequence[AnySession], signal: Signal, *, named: bool) -> AnySession | None:
    """The session of a signal: for a leave beacon that of its page view; for a span that of its page view if it is
    within reach; else the newest that had begun by then, or the first after it, of those within reach."""
    if signal.what == PAGE_EXIT and (showing := _showing(visits, signal)) is not None:
        return showing
    near = [one for one in visits if reaches(one.first, one.last, signal, named=named)]
    if len(near) > 1 and not signal.lasts and (showing := _showing(near, signal)) is not None:
        return showing
    begun = [one for one in near if one.first <= signal.time]
    return max(begun, key=_first) if begun else min(near, key=_first, default=None)


def _showing(visits: Sequence[AnySession], leaving: Signal) -> AnySession | None:
    """The session that last showed the page of a leave beacon or a span."""
    view = PAGE.pack(leaving.path, PAGE_VIEW)
    latest, looks = 0, 0
    found: AnySession | None = None
    for one in reversed(visits):
        if one.last > latest and one.has(view) and looks < MOST_LOOKS:  # few are ever unpacked
            looks += 1
            shown = _last_shown(one.first, one.remembered, leaving)
            latest, found = (shown, one) if shown > latest else (latest, found)
    return found


def _last_shown(first: int, signals: Iterable[Signal], leaving: Signal) -> int:
    """The last time before its beacon that the page was shown, in the session that begins with `first`; 0 if it was
    not.
    """
    if leaving.time - first > LONGEST:
        return 0
    return max(
        (
            signal.time
            for signal in signals
            if signal.what == PAGE_VIEW and signal.path == leaving.path and signal.time <= leaving.time
        ),
        default=0,
    )
