"""Which events make one session (semantics 10 to 15), in the plainest way: looking at all that is known each time."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from tests.query.happenings import DAY, MINUTE, Happening

IDLE = 30 * MINUTE
LONGEST = DAY


@dataclass(eq=False)
class Visit:
    """A session while it is being told; spans come to it at the end."""

    named: bool
    happenings: list[Happening] = field(default_factory=list)
    spans: list[Happening] = field(default_factory=list)

    @property
    def first(self) -> int:
        return min(happening.time for happening in self.happenings)

    @property
    def last(self) -> int:
        return max(happening.time for happening in self.happenings)

    @property
    def beginnings(self) -> list[Happening]:
        """Page views and custom events by their times, equal ones as they arrived."""
        return sorted((one for one in self.happenings if one.kind != "exit"), key=lambda one: one.time)

    @property
    def views(self) -> list[Happening]:
        return [one for one in self.beginnings if one.kind == "view"]

    @property
    def started(self) -> int:
        return self.beginnings[0].time

    @property
    def visitor(self) -> int:
        return self.beginnings[0].visitor

    def counted(self) -> "Visit":
        """Without what left a page long before it began."""
        earliest = self.started - IDLE
        left = [one for one in self.happenings if one.kind != "exit" or one.time >= earliest]
        return Visit(self.named, left, self.spans)

    def kept(self, names_of_first_event: Iterable[str]) -> dict[str, str]:
        """What all of it has: of its first page view, and of its first event what is named here (semantics 15)."""
        first = self.beginnings[0]
        page = (self.views or [first])[0]
        own = set(names_of_first_event)
        return {name: (first if name in own else page).session[name] for name in first.session}

    def reaches(self, time: int, *, is_span: bool = False) -> bool:
        """Whether a signal at this time may be one of it; a span before it makes it no longer."""
        first, last = min(self.first, time), max(self.last, time)
        if is_span and time < self.first:
            last = self.first
        near = self.first - IDLE <= time <= self.last + IDLE
        return (self.named or near) and last - first <= LONGEST

    def showed(self, leaving: Happening) -> int:
        """When it last showed the page that this beacon leaves; 0 where it did not."""
        if leaving.kind != "exit" or not 0 <= leaving.time - self.first <= LONGEST:
            return 0
        views = [one.time for one in self.views if one.path == leaving.path and one.time <= leaving.time]
        return max(views, default=0)


def whose(happening: Happening) -> Hashable:
    """What an event's session is looked for by."""
    if happening.client_session:
        return happening.site, "client", happening.client_session
    return happening.site, "person", happening.person


def visits(told: Sequence[Happening], is_span: Callable[[Happening], bool] = lambda _: False) -> list[Visit]:
    """The sessions of these happenings, which come in this order. Bots and nobody have none."""
    known: dict[Hashable, list[Visit]] = {}
    waiting: dict[Hashable, list[Happening]] = {}
    spans: list[Happening] = []
    for happening in told:
        if happening.bot or not happening.person:
            continue
        if is_span(happening):
            spans.append(happening)
            continue
        own, beacons = known.setdefault(whose(happening), []), waiting.setdefault(whose(happening), [])
        visit = _home(own, happening)
        if visit is None and happening.kind == "exit":
            beacons.append(happening)
            continue
        if visit is None:
            visit = Visit(bool(happening.client_session))
            own.append(visit)
        visit.happenings.append(happening)
        while (
            found := next((one for one in beacons if visit.reaches(one.time) or visit.showed(one)), None)
        ) is not None:
            beacons.remove(found)
            visit.happenings.append(found)
    for span in spans:
        visit = _nearest(known.get(whose(span), []), span.time, is_span=True)
        if visit is not None:
            visit.spans.append(span)
    return [visit for own in known.values() for visit in own]


def _home(own: Sequence[Visit], happening: Happening) -> Visit | None:
    showing = [visit for visit in own if visit.showed(happening)]
    if showing:
        return max(showing, key=lambda visit: visit.showed(happening))
    return _nearest(own, happening.time)


def _nearest(own: Sequence[Visit], time: int, *, is_span: bool = False) -> Visit | None:
    """The newest that had begun by then, or the first after it, of those within reach."""
    near = [visit for visit in own if visit.reaches(time, is_span=is_span)]
    begun = [visit for visit in near if visit.first <= time]
    return (
        max(begun, key=lambda visit: visit.first) if begun else min(near, key=lambda visit: visit.first, default=None)
    )


def apart(told: Sequence[Happening]) -> list[list[Happening]]:
    """What makes one session in whatever order it comes: all that touches, leave beacons with the page views that they
    leave. All of it must lie within 24 hours."""
    groups = [[happening] for happening in told if happening.person and not happening.bot]
    while (pair := next((pair for pair in combinations(groups, 2) if _touch(*pair)), None)) is not None:
        one, other = pair
        groups.remove(other)
        one += other
    return groups


def _touch(one: Sequence[Happening], other: Sequence[Happening]) -> bool:
    if whose(one[0]) != whose(other[0]):
        return False
    if one[0].client_session:
        return True
    first, last = min(happening.time for happening in one), max(happening.time for happening in one)
    near = any(first - IDLE <= happening.time <= last + IDLE for happening in other)
    first, last = min(happening.time for happening in other), max(happening.time for happening in other)
    near = near or any(first - IDLE <= happening.time <= last + IDLE for happening in one)
    return near or _leaves(one, other) or _leaves(other, one)


def _leaves(one: Sequence[Happening], other: Sequence[Happening]) -> bool:
    """Whether one has a leave beacon of a page that the other showed before."""
    beacons = [happening for happening in one if happening.kind == "exit"]
    views = [happening for happening in other if happening.kind == "view"]
    return any(view.path == beacon.path and view.time <= beacon.time for beacon in beacons for view in views)
