"""The events of each session (semantics 10 to 15), in the plainest way: with each that arrives, all that is known is
told again in the order of times."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from tests.query.happenings import DAY, MINUTE, Happening

IDLE = 30 * MINUTE
LONGEST = DAY


@dataclass(eq=False)
class Visit:
    """A session while it is being told; spans come to it at the end."""

    named: bool
    happenings: list[Happening] = field(default_factory=list)
    spans: list[Happening] = field(default_factory=list)
    number: int = 0  # 0 until it is known

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
    def heads(self) -> list[tuple[int, int]]:
        """Its first event, and its first page view, which say what all of it has; by id()."""
        first = self.beginnings[0]
        return [(0, id(first)), (1, id((self.views or [first])[0]))]

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

    def showed(self, leaving: Happening, *, is_span: bool = False) -> int:
        """The time at which it last showed the page of this beacon or span; 0 if it did not."""
        if not (is_span or leaving.kind == "exit") or not 0 <= leaving.time - self.first <= LONGEST:
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
    return _arrived(told, is_span)[0]


def is_bound_by_the_past(told: Sequence[Happening], is_span: Callable[[Happening], bool] = lambda _: False) -> bool:
    """Whether something in these sessions is so because it was so before the last of it arrived: what was in two
    sessions is never in one (semantics 10), and what was in a session is never in none."""
    return _arrived(told, is_span)[1]


def _arrived(told: Sequence[Happening], is_span: Callable[[Happening], bool]) -> tuple[list[Visit], bool]:
    known: dict[Hashable, list[Happening]] = {}
    visits_of: dict[Hashable, list[Visit]] = {}
    numbers: dict[int, int] = {}  # of the session that each of them is in, by id()
    heads: dict[Hashable, set[tuple[int, int]]] = {}
    is_bound = False
    for happening in told:
        if happening.bot or not happening.person:
            continue
        who = whose(happening)
        own = known.setdefault(who, [])
        own.append(happening)
        found, so_far = _in_order(own, is_span, numbers)
        now = {head for visit in found for head in visit.heads}
        lost = {one for _, one in now - heads.get(who, set())} - {id(happening)}
        is_bound = is_bound or so_far or bool(lost)
        visits_of[who], heads[who] = found, now
    return [visit for own in visits_of.values() for visit in own], is_bound


def _in_order(
    own: Sequence[Happening], is_span: Callable[[Happening], bool], numbers: dict[int, int]
) -> tuple[list[Visit], bool]:
    """The sessions of a visitor's happenings, told in the order of their times: a page is shown before it is left. What
    has begun a session begins it again, whatever is near; and what has had a session has one. Whether any of it was."""
    found: list[Visit] = []
    waiting: list[Happening] = []
    is_bound = False
    for one in sorted((one for one in own if not is_span(one)), key=lambda one: (one.time, one.kind == "exit")):
        visit = _home(found, one)
        if one.kind == "exit" and visit is None:
            waiting.append(one)
            continue
        number = numbers.get(id(one), 0) if one.kind != "exit" else 0
        if any(other.number == number for other in found):
            number = 0
        if visit is None or (number and visit.number):
            is_bound = is_bound or visit is not None
            visit = Visit(bool(one.client_session))
            found.append(visit)
        visit.number = visit.number or number
        visit.happenings.append(one)
        while (left := next((it for it in waiting if visit.reaches(it.time) or visit.showed(it)), None)) is not None:
            waiting.remove(left)
            visit.happenings.append(left)
    for visit in found:
        visit.number = visit.number or max(numbers.values(), default=0) + 1
        numbers.update((id(one), visit.number) for one in visit.happenings)
    of_number = {visit.number: visit for visit in found}
    for one in waiting:
        if id(one) in numbers:
            of_number[numbers[id(one)]].happenings.append(one)
            is_bound = True
    for span in (one for one in own if is_span(one)):
        showing = [one for one in found if one.reaches(span.time, is_span=True) and one.showed(span, is_span=True)]
        nearest = _nearest(found, span.time, is_span=True)
        home = max(showing, key=lambda one: one.showed(span, is_span=True), default=nearest)
        if home is None and id(span) in numbers:
            home, is_bound = of_number[numbers[id(span)]], True
        if home is not None:
            home.spans.append(span)
            numbers[id(span)] = home.number
    return found, is_bound


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
