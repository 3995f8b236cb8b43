"""Sessions told again with what arrives late (semantics 10 to 15). Nothing here reads or writes.

All sessions nearby are told in the order of their times, as if everything had arrived in it. That may move the start of
a session and its attributes, and may part one: a leave beacon that arrived before its page view went with an older view
of that path, and what followed with it. Sessions that are apart are not merged, and what has had a session keeps one.
Rows repeat the attributes of their session, so that an event which begins another one brings those along.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter

from msgspec.structs import replace

from analytics_box.base.facts.event import PAGE_EXIT, PAGE_VIEW
from analytics_box.ingest.sessions import (
    FROM_FIRST_EVENT,
    IDLE,
    LONGEST,
    MOST_BYTES,
    MOST_SIGNALS,
    MOST_SPAN_BYTES,
    PAGE,
    Attributes,
    Move,
    Signal,
    SignalResult,
    Visits,
    VisitSession,
    fresh,
    home_of,
    in_order,
    is_far_after,
    pack_signals,
    reaches,
    start_session,
    unpack_signals,
    with_session,
)

_MOST_SIGNAL_BYTES = 4 * MOST_BYTES  # of all sessions that are told again: they take some milliseconds
_NEW, _WAITING = -1, 0  # the sources of the signal that arrives, and of those that have no session

_Sourced = tuple[Signal, int]  # a signal with the number of the session that it has been in


def retell(
    visits: Visits,
    signal: Signal,
    own: Callable[[], Attributes],
    number: Callable[[], int],
    *,
    named: bool,
    most_moved: int,
) -> SignalResult:
    """The visits with this signal, whenever it comes. `named` are those under a client's session id, which go on over
    any silence. `own` are the attributes of the event itself, `number` gives a new session its number; both are asked
    only where they are needed. Where more than `most_moved` rows would have to follow, none does."""
    sessions, waiting = visits.sessions, visits.waiting
    if not any(_concerns(signal, one, named=named) for one in unpack_signals(waiting)):
        session = in_order(Visits(sessions), signal, named=named) if waiting else None
        if session is not None:
            return SignalResult(Visits((*sessions[:-1], session), waiting), session)
        if signal.starts and is_far_after(sessions, signal, named=named):
            session = start_session(number(), signal, own())
            return SignalResult(Visits(with_session(sessions, None, session), waiting), session)
    if signal.lasts:
        again = _told_again(visits, signal, own, number, named=named, most_moved=most_moved)
        if again is not None:
            return again
    return _append_signal(visits, signal, own, number, named=named)


def _concerns(signal: Signal, waiting: Signal, *, named: bool) -> bool:
    """Whether one that waits may come into a session because of this signal."""
    is_left = signal.what == PAGE_VIEW and waiting.what == PAGE_EXIT and signal.path == waiting.path
    return named or is_left or abs(waiting.time - signal.time) <= IDLE


def _told_again(
    visits: Visits,
    signal: Signal,
    own: Callable[[], Attributes],
    number: Callable[[], int],
    *,
    named: bool,
    most_moved: int,
) -> SignalResult | None:
    """The visits, told again with this signal; None if that takes too long, or too many rows would have to follow."""
    first, last = signal.time - LONGEST, signal.time + LONGEST
    sessions = [one for one in visits.sessions if first <= one.last and one.first <= last]
    if sum(one.size for one in sessions) > _MOST_SIGNAL_BYTES or not all(map(_is_whole, sessions)):
        return None
    telling = _Telling(sessions, fresh(visits.waiting, signal), signal, named=named)
    return telling.told(visits, own, number, most_moved=most_moved)


def _append_signal(
    visits: Visits, signal: Signal, own: Callable[[], Attributes], number: Callable[[], int], *, named: bool
) -> SignalResult:
    """The visits with this signal at the end of a session, which changes nothing else."""
    home = home_of(visits.sessions, signal, named=named)
    if home is None and not signal.starts:
        return SignalResult(Visits(visits.sessions, _waiting_with(visits.waiting, signal)), None)
    session = start_session(number(), signal, own()) if home is None else _with_signal(home, signal)
    return SignalResult(Visits(with_session(visits.sessions, home, session), visits.waiting), session)


def _with_signal(session: VisitSession, signal: Signal) -> VisitSession:
    """The session with a signal, which is remembered if there is room for it."""
    signals = bytearray(session.signals[: session.size])
    if len(signals) < (MOST_BYTES if signal.lasts else MOST_SPAN_BYTES):
        signals += pack_signals([signal])
    session = replace(session, signals=signals, size=len(signals))
    if not signal.lasts:
        return session
    return replace(session, first=min(session.first, signal.time), last=max(session.last, signal.time))


def _waiting_with(waiting: bytes, signal: Signal) -> bytes:
    """The waiting signals, with one more; the oldest gives way where there are many."""
    if len(waiting) < MOST_BYTES:
        return waiting + pack_signals([signal])
    return pack_signals([*sorted(fresh(waiting, signal), key=attrgetter("time"))[1 - MOST_SIGNALS :], signal])


def _is_whole(session: VisitSession) -> bool:
    """Whether everything is remembered that decides where its signals belong."""
    return session.size < MOST_BYTES and any(one.time == session.started and one.starts for one in session.remembered)


class _SessionGroup:
    """A session while it is told again; without a number until one is known for it."""

    def __init__(self, number: int | None, signals: Iterable[_Sourced]) -> None:
        self.number = number
        self.signals = list(signals)
        times = [one.time for one, _ in self.signals if one.lasts]
        self.first, self.last = (min(times), max(times)) if times else (0, 0)

    @property
    def remembered(self) -> list[Signal]:
        """Its signals one by one."""
        return [one for one, _ in self.signals]

    def has(self, page: bytes) -> bool:
        """Whether it has this page view or leave beacon, packed."""
        return any(PAGE.pack(one.path, one.what) == page for one, _ in self.signals)

    def add(self, signal: Signal, source: int) -> None:
        """Take this signal from a session."""
        if signal.lasts:
            self.first = min(self.first, signal.time) if self.signals else signal.time
            self.last = max(self.last, signal.time) if self.signals else signal.time
        self.signals.append((signal, source))


class _Telling:
    """Sessions of one visitor, told again with a signal that has arrived."""

    def __init__(
        self, sessions: Sequence[VisitSession], waiting: Sequence[Signal], new: Signal, *, named: bool
    ) -> None:
        self._sessions = {one.number: one for one in sessions}
        self._named = named
        self._groups: list[_SessionGroup] = []
        self._owners: dict[int, _SessionGroup] = {}
        self._pending: list[_Sourced] = []
        all_of_them = [(signal, one.number) for one in sessions for signal in one.remembered]
        all_of_them += [(signal, _WAITING) for signal in waiting]
        lasting = [(new, _NEW), *(one for one in all_of_them if one[0].lasts)]
        for signal, source in sorted(lasting, key=_place):
            self._take(signal, source)
        self._put_back()
        self._waiting = [signal for signal, _ in self._pending]
        self._take_spans([item for item in all_of_them if not item[0].lasts])

    def _open(self, number: int | None, signals: Iterable[_Sourced]) -> _SessionGroup:
        group = _SessionGroup(number, signals)
        self._groups.append(group)
        if number is not None:
            self._owners[number] = group
        return group

    def _take(self, signal: Signal, source: int) -> None:
        group = home_of(self._groups, signal, named=self._named)
        if not signal.starts:
            if group is None:
                self._pending.append((signal, source))
                return
        elif group is None or self._is_apart(group, source):
            group = self._open(source if self._is_unseen(source) else None, ())
        elif self._is_unseen(source):
            group.number = source
            self._owners[source] = group
        group.add(signal, source)
        self._gather(group)

    def _is_unseen(self, source: int) -> bool:
        """Whether this is the first event of its session that may begin one."""
        return source > 0 and source not in self._owners

    def _is_apart(self, group: _SessionGroup, source: int) -> bool:
        """Whether this first event of a session would come into another session."""
        return self._is_unseen(source) and group.number is not None

    def _gather(self, group: _SessionGroup) -> None:
        """Take the leave beacons that have waited for this session; each may bring others within reach."""
        while True:
            found = next((one for one in self._pending if self._belongs(group, one[0])), None)
            if found is None:
                return
            self._pending.remove(found)
            group.add(*found)

    def _belongs(self, group: _SessionGroup, signal: Signal) -> bool:
        near = reaches(group.first, group.last, signal, named=self._named)
        return near or home_of((group,), signal, named=self._named) is not None

    def _put_back(self) -> None:
        """Put back what no session takes."""
        for signal, source in [item for item in self._pending if item[1] > 0]:
            self._pending.remove((signal, source))
            self._owners[source].add(signal, source)

    def _take_spans(self, spans: Iterable[_Sourced]) -> None:
        for signal, source in spans:
            group = home_of(self._groups, signal, named=self._named) or self._owners.get(source)
            if group is None:
                self._waiting.append(signal)
            else:
                group.add(signal, source)

    def told(
        self, visits: Visits, own: Callable[[], Attributes], number: Callable[[], int], *, most_moved: int
    ) -> SignalResult | None:
        """The visits as they are now; None if too many rows would have to follow."""
        if sum(source != group.number for group in self._groups for _, source in group.signals) > most_moved:
            return None
        sessions = tuple(one for one in visits.sessions if one.number not in self._sessions)
        moves: list[Move] = []
        home = None
        for group in self._groups:
            session = self._session(group, own, number)
            sessions = with_session(sessions, None, session)
            moves += self._moves(group, session)
            if any(source == _NEW for _, source in group.signals):
                home = session
        return SignalResult(Visits(sessions, pack_signals(self._waiting)), home, moves)

    def _session(self, group: _SessionGroup, own: Callable[[], Attributes], number: Callable[[], int]) -> VisitSession:
        starting = sorted((item for item in group.signals if item[0].starts), key=_place)
        first = starting[0]
        view = next((item for item in starting if item[0].what == PAGE_VIEW), None)
        of_first, of_page = (
            own() if source == _NEW else self._sessions[source].attributes for _, source in (first, view or first)
        )
        attributes = tuple(
            one if from_first else other
            for one, other, from_first in zip(of_first, of_page, FROM_FIRST_EVENT, strict=True)
        )
        lasting = [one for one in group.remembered if one.lasts]
        spans = [one for one in group.remembered if not one.lasts]
        signals = bytearray(pack_signals([*lasting, *spans[: MOST_SIGNALS // 2]]))
        viewed = view[0].time if view is not None else 0
        known = number() if group.number is None else group.number
        return VisitSession(known, first[0].time, group.first, group.last, viewed, attributes, signals, len(signals))

    def _moves(self, group: _SessionGroup, session: VisitSession) -> list[Move]:
        """The rows that have to follow."""
        before = self._sessions.get(session.number)
        is_same = before is not None and (before.started, before.attributes) == (session.started, session.attributes)
        sources = dict.fromkeys(source for _, source in group.signals if source != _NEW)
        return [
            Move(source, session, [one for one, of in group.signals if of == source])
            for source in sources
            if source != session.number or not is_same
        ]


def _place(item: _Sourced) -> tuple[int, bool]:
    """The place of a signal in the order of times: a page is shown before it is left."""
    return item[0].time, item[0].what == PAGE_EXIT
