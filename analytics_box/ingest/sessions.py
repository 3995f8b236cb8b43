"""Which session an event belongs to (semantics 10 to 15). Pure: nothing here reads or writes.

The order of arrival does not matter: whatever comes late is told together with what is known of its visitor, and may
move the start of a session, its attributes, and what lay beside it. Only sessions that were already apart stay apart.
"""

import struct
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.clock import DAY, MINUTE
from analytics_box.facts.event import CUSTOM, PAGE_EXIT, PAGE_VIEW
from analytics_box.facts.layout import STORED_ATTRIBUTES
from analytics_box.facts.tables import SPANS

IDLE = 30 * MINUTE  # 30:00.000 continues, 30:00.001 splits
LONGEST = DAY
MOST_SIGNALS = 200  # of a session that are remembered one by one; after them its start and attributes stay
MOST_SESSIONS = 100  # of a visitor that are remembered; a day has room for fifty
_MOST_LOOKS = 4  # at sessions that lie one in another

# What a signal is: a kind of event, or a table of spans.
SPAN_KINDS = {table: number for number, table in enumerate(SPANS, start=PAGE_EXIT + 1)}
_SIGNAL, _PAGE = struct.Struct(">qqB"), struct.Struct(">qB")
_MOST_BYTES = MOST_SIGNALS * _SIGNAL.size
_MOST_SPAN_BYTES = _MOST_BYTES // 2  # a page with many errors still has room for its page views

# Attributes that are those of a session's first event; all others are those of its first page view (semantics 15).
_OF_FIRST_EVENT = frozenset(("country", "region", "city", "client"))
_FROM_FIRST_EVENT = tuple(name in _OF_FIRST_EVENT for name in STORED_ATTRIBUTES)

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


class Session(Struct, frozen=True, gc=False):
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
        return unpacked(self.signals[: self.size])

    def shows(self, page: bytes) -> bool:
        """Whether it has this page view, packed."""
        return self.signals.find(page, 0, self.size) >= 0


class Visits(Struct, frozen=True, gc=False):
    """What is known of a visitor, or of a session id that a client gave: sessions by their first signal, and signals
    that wait for one."""

    sessions: tuple[Session, ...] = ()
    waiting: bytes = b""


NONE = Visits()


class Move(NamedTuple):
    """Rows that are to follow their session: those of these signals that stand in the session `source`, or in none
    (0)."""

    source: int
    session: Session
    signals: Sequence[Signal]


class Told(NamedTuple):
    """What a signal makes of its visitor's visits, the session it belongs to, and the rows that have to follow."""

    visits: Visits
    session: Session | None
    moves: Sequence[Move] = ()


def packed(signals: Iterable[Signal]) -> bytes:
    """Signals as they are remembered."""
    return b"".join([_SIGNAL.pack(one.time, one.path, one.what) for one in signals])[:_MOST_BYTES]


def unpacked(signals: bytes | bytearray) -> list[Signal]:
    """Remembered signals one by one."""
    return [Signal(*values) for values in _SIGNAL.iter_unpack(signals)]


def started(number: int, signal: Signal, attributes: Attributes) -> Session:
    """A session that this event starts."""
    time, what = signal.time, signal.what
    viewed = time if what == PAGE_VIEW else 0
    signals = bytearray(_SIGNAL.pack(time, signal.path, what))
    return Session(number, time, time, time, viewed, attributes, signals, len(signals))


def in_order(visits: Visits, signal: Signal, *, named: bool) -> Session | None:
    """The newest session with this signal at its end, which changes nothing before it, as nearly all do; None where it
    takes a closer look."""
    sessions = visits.sessions
    if not sessions or visits.waiting:
        return None
    session = sessions[-1]
    time, what, last, viewed, size = signal.time, signal.what, session.last, session.viewed, session.size
    if time < last or time - session.first > LONGEST or not (named or time - last <= IDLE):
        return None
    if len(sessions) > 1 and not _stands_alone(sessions, signal):
        return None
    if what == PAGE_VIEW and not viewed:
        return None
    if what <= PAGE_EXIT:
        last = time
    signals = session.signals
    if size < (_MOST_BYTES if what <= PAGE_EXIT else _MOST_SPAN_BYTES):
        if len(signals) > size:
            del signals[size:]
        signals += _SIGNAL.pack(time, signal.path, what)
        size += _SIGNAL.size
    return Session(session.number, session.started, session.first, last, viewed, session.attributes, signals, size)


def _stands_alone(sessions: Sequence[Session], signal: Signal) -> bool:
    """Whether no session before the newest may have to do with this signal."""
    newest = sessions[-1]
    if signal.what == PAGE_EXIT and not newest.shows(_PAGE.pack(signal.path, PAGE_VIEW)):
        return False
    return all(one.last < newest.first for one in sessions[:-1])


def told(
    visits: Visits,
    signal: Signal,
    own: Callable[[], Attributes],
    number: Callable[[], int],
    *,
    named: bool,
    most_moved: int,
) -> Told:
    """The visits with this signal, whenever it comes. `named` are those under a client's session id, which go on over
    any silence. `own` are the attributes of the event itself, `number` gives a new session its number; both are asked
    only where they are needed. Where more than `most_moved` rows would have to follow, none does."""
    if signal.starts and not visits.sessions and not visits.waiting:
        session = started(number(), signal, own())
        return Told(Visits((session,)), session)
    home = _home_of(visits.sessions, signal, named=named)
    if home is None and not signal.starts:
        return Told(Visits(visits.sessions, _waiting_with(visits.waiting, signal)), None)
    if home is not None and home.size >= _MOST_BYTES:
        reached = _reaching(home, signal)
        return Told(Visits(_with(visits.sessions, home, reached), visits.waiting), reached)
    if home is None:
        draft = _Draft(started(number(), signal, own()))
    else:
        draft = _Draft(home)
        draft.take(signal, own if len(draft.rows) <= most_moved else None)
    waiting, sessions = visits.waiting, visits.sessions
    if signal.lasts and len(draft.rows) + len(waiting) // _SIGNAL.size <= most_moved:
        if waiting:
            waiting = packed(draft.gather(_fresh(waiting, signal), named=named))
        for later in [one for one in sessions if one.first > draft.first and one is not home]:
            sessions = _with(sessions, later, draft.gather_from(later, named=named))
    session = draft.session()
    return Told(Visits(_with(sessions, home, session), waiting), session, draft.moves(session))


def _with(sessions: Sequence[Session], before: Session | None, after: Session) -> tuple[Session, ...]:
    """The sessions with one of them as it is now, or with a new one; of too many the furthest from it is left out."""
    others = [one for one in sessions if one is not before]
    if len(others) >= MOST_SESSIONS:
        others.remove(max(others, key=lambda one: abs(one.first - after.first)))
    return tuple(sorted((*others, after), key=_first))


def _waiting_with(waiting: bytes, signal: Signal) -> bytes:
    """What waits, with one more; the oldest gives way where there are many."""
    if len(waiting) < _MOST_BYTES:
        return waiting + packed([signal])
    return packed([*sorted(_fresh(waiting, signal), key=_time)[1 - MOST_SIGNALS :], signal])


def _fresh(waiting: bytes, signal: Signal) -> list[Signal]:
    """What may still come into a session with this signal: leave beacons within 24 hours of it, and spans within 24
    hours of those."""
    near = {True: LONGEST, False: 2 * LONGEST}
    return [one for one in unpacked(waiting) if abs(one.time - signal.time) <= near[one.lasts]]


def _reaching(session: Session, signal: Signal) -> Session:
    """A session that remembers no more signals, with another one."""
    if not signal.lasts:
        return session
    return replace(session, first=min(session.first, signal.time), last=max(session.last, signal.time))


class _Draft:
    """A session while something is told that changes more than its end."""

    def __init__(self, session: Session) -> None:
        self.number, self.started, self.viewed, self.attributes = (
            session.number,
            session.started,
            session.viewed,
            session.attributes,
        )
        self.first, self.last = session.first, session.last
        self.signals = session.remembered
        self.rows = tuple(self.signals)  # they follow when start or attributes change
        self._changed = False
        self._gained: dict[int, list[Signal]] = {}

    def take(self, signal: Signal, own: Callable[[], Attributes] | None) -> None:
        """Add the signal that has come; without its attributes the start stays."""
        if own is not None and signal.starts:
            self._begin_with(signal, own)
        self._add(signal)

    def _begin_with(self, signal: Signal, own: Callable[[], Attributes]) -> None:
        """An earlier start, or an earlier first page view (semantics 15)."""
        starts = signal.time < self.started
        shows = signal.what == PAGE_VIEW and (not self.viewed or signal.time < self.viewed)
        if not starts and not shows:
            return
        of_page = shows or (starts and not self.viewed)
        self.attributes = tuple(
            [
                its if (starts if from_first_event else of_page) else before
                for its, before, from_first_event in zip(own(), self.attributes, _FROM_FIRST_EVENT, strict=True)
            ]
        )
        self.started = min(self.started, signal.time)
        self.viewed = signal.time if shows else self.viewed
        self._changed = True

    def _add(self, signal: Signal) -> None:
        if signal.lasts or len(self.signals) < MOST_SIGNALS // 2:
            self.signals.append(signal)
        if signal.lasts:
            self.first, self.last = min(self.first, signal.time), max(self.last, signal.time)

    def gather(self, waiting: Sequence[Signal], *, named: bool) -> list[Signal]:
        """Take what waited for this session; what goes on waiting. Each leave beacon may bring others within reach."""
        shown: dict[int, int] = {}  # when each page was shown first
        for one in self.signals:
            if one.what == PAGE_VIEW:
                shown[one.path] = min(one.time, shown.get(one.path, one.time))

        def leaves(one: Signal) -> bool:
            return shown.get(one.path, one.time + 1) <= one.time <= self.first + LONGEST

        def near(one: Signal) -> bool:
            return _reaches(self.first, self.last, one, named=named)

        beacons = self._gain_those(sorted((one for one in waiting if one.lasts), key=_time), leaves)
        beacons = self._gain_those(beacons, near)
        beacons = self._gain_those(reversed(beacons), near)
        return [*beacons, *self._gain_those([one for one in waiting if not one.lasts], near)]

    def _gain_those(self, waiting: Iterable[Signal], belongs: Callable[[Signal], bool]) -> list[Signal]:
        """Take those that belong here, one after the other; the others."""
        left = []
        for one in waiting:
            if belongs(one):
                self._gain(one, 0)
            else:
                left.append(one)
        return left

    def gather_from(self, later: Session, *, named: bool) -> Session:
        """Take the spans before a later session that belong to this one; the later session without them."""
        kept = _SIGNAL.iter_unpack(later.signals[: later.size])  # of many sessions, so that few are made signals
        before = (Signal(*one) for one in kept if one[2] > PAGE_EXIT and self.first <= one[0] < later.first)
        own = [one for one in before if _reaches(self.first, self.last, one, named=named)]
        if not own:
            return later
        for span in own:
            self._gain(span, later.number)
        left = bytearray(packed([signal for signal in later.remembered if signal not in own]))
        return replace(later, signals=left, size=len(left))

    def _gain(self, signal: Signal, source: int) -> None:
        self._gained.setdefault(source, []).append(signal)
        self._add(signal)

    def session(self) -> Session:
        """The session as it is now."""
        signals = bytearray(packed(self.signals))
        times = self.started, self.first, self.last, self.viewed
        return Session(self.number, *times, self.attributes, signals, len(signals))

    def moves(self, session: Session) -> list[Move]:
        """The rows that have to follow."""
        gained = [Move(source, session, signals) for source, signals in self._gained.items()]
        return [Move(self.number, session, self.rows), *gained] if self._changed and self.rows else gained


def _first(session: Session) -> int:
    return session.first


def _time(signal: Signal) -> int:
    return signal.time


def _reaches(first: int, last: int, signal: Signal, *, named: bool) -> bool:
    """Whether a session with these signals can have this one, too: none is longer than 24 hours, and one of our own
    making has no silence of more than 30 minutes. Spans before it make it no longer."""
    time = signal.time
    if time < first:
        return (last if signal.lasts else first) - time <= LONGEST and (named or first - time <= IDLE)
    return time - first <= LONGEST and (named or time - last <= IDLE)


def _home_of(visits: Sequence[Session], signal: Signal, *, named: bool) -> Session | None:
    """The session of a signal: for a leave beacon that of its page view; else the newest that had begun by then, or the
    first after it, of those within reach."""
    if signal.what == PAGE_EXIT and (showing := _showing(visits, signal)) is not None:
        return showing
    near = [one for one in visits if _reaches(one.first, one.last, signal, named=named)]
    begun = [one for one in near if one.first <= signal.time]
    return max(begun, key=_first) if begun else min(near, key=_first, default=None)


def _showing(visits: Sequence[Session], leaving: Signal) -> Session | None:
    """The session that last showed the page that a beacon leaves."""
    view = _PAGE.pack(leaving.path, PAGE_VIEW)
    latest, found, looks = 0, None, 0
    for one in reversed(visits):
        if one.last > latest and one.shows(view) and looks < _MOST_LOOKS:  # few are ever unpacked
            looks += 1
            shown = _shown(one.first, one.remembered, leaving)
            latest, found = (shown, one) if shown > latest else (latest, found)
    return found


def _shown(first: int, signals: Iterable[Signal], leaving: Signal) -> int:
    """When the page that a beacon leaves was last shown before, in the session that begins with `first`; 0 where it was
    not."""
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
