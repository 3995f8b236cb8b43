"""The roll-ups by UTC day, and the parts of a plan that can be answered from them. Pure.

Visitor ids that change with the salt cannot occur on two UTC days, so the visitors of several days are the sum of those
of each day. Lasting ids are stored one by one, and united. An answer from roll-ups therefore equals that of rows.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.clock import DAY, MINUTE
from analytics_box.base.facts.event import CUSTOM, PAGE_VIEW
from analytics_box.query.filters import FilterCondition, Where
from analytics_box.query.plan import BUCKET, QueryPlan, Source

SLOT: Final = 15 * MINUTE  # the clocks of all zones differ from UTC by so many times this
SPANS: Final = (64, 16)  # days that may be rolled up together again, from one that they divide
_DAYS: Final = 1 << 24  # more than any UTC day
FIRST_SPAN: Final = _DAYS  # keys from here on are those of spans
FEW_READ = 20_000  # events in pieces of a range, which take SQLite 10 ms
SHARE_READ = 12  # DuckDB reads this number of events in the time that SQLite takes for one
MOST_PIECES = 16  # of the range that are read from rows; a plan in more of them is read from rows alone


class Roll(Struct, frozen=True):
    """A roll-up of each UTC day of a website: these measures of a source by its dimensions `group`, or without
    dimensions by the time of day (`by_time`). It covers events of `kinds`, or of all kinds if it names none.
    """

    name: str
    source: Source
    measures: frozenset[str]
    group: tuple[str, ...] = ()
    kinds: tuple[int, ...] = ()
    by_time: bool = False


_SEEN = frozenset(("pageviews", "visitors"))
_BEGUN = frozenset(("sessions", "visitors"))


def _of(*group: str, kinds: tuple[int, ...] = (PAGE_VIEW, CUSTOM)) -> Roll:
    return Roll("_".join(group), "events", _SEEN, group, kinds)


TIME = Roll("time", "events", _SEEN | {"total_events"}, by_time=True)
STARTS = Roll(
    "starts",
    "sessions",
    frozenset(("sessions", "bounces", "total_events", "duration_total", "median_duration")),
    by_time=True,
)
# By dimensions of events, and of sessions.
OF_EVENTS = (
    _of("path", kinds=(PAGE_VIEW,)),
    _of("source"),
    _of("channel"),
    _of("utm_source"),
    _of("utm_medium"),
    _of("utm_campaign"),
    _of("utm_term"),
    _of("utm_content"),
    _of("country"),
    _of("region", "country"),
    _of("city", "country"),
    _of("browser"),
    _of("browser", "browser_version"),
    _of("system"),
    _of("system", "system_version"),
    _of("device"),
    _of("language"),
    _of("time_zone"),
    _of("viewport", "device"),
    _of("screen"),
    _of("connection"),
)
OF_SESSIONS = (Roll("entries", "entries", _BEGUN, ("path",)), Roll("exits", "exits", _BEGUN, ("path",)))
BY_DIMENSION = (*OF_EVENTS, *OF_SESSIONS)
ROLLS = (TIME, STARTS, *BY_DIMENSION)


class ClosedBucket(NamedTuple):
    """A bucket, in UTC ms, whose days are all rolled up; `roll` is the greatest number of their roll-ups."""

    number: int
    start: int
    end: int
    roll: int


class Cut(Struct, frozen=True):
    """A plan in parts: the UTC days from `first` to `last` but those in `without` come from roll-ups, the `pieces` of
    its range [start, end), in UTC ms, from rows. Where spans stand for some of the days, `keys` are those and the days
    that are read. `medians` are those of buckets that are known already, by the bucket's number, and
    those of `closed` may be kept once they are found. Of the days in `open`, which are not over, the roll-ups have all
    events up to the id `after`."""

    roll: Roll
    first: int
    last: int
    without: tuple[int, ...]
    pieces: tuple[tuple[int, int], ...]
    keys: tuple[int, ...] = ()
    medians: tuple[tuple[int, float], ...] = ()
    closed: tuple[ClosedBucket, ...] = ()
    events: int = 0  # of the days that the plan looks at, about
    read: int = 0  # of them on days that pieces are of
    open: tuple[int, ...] = ()
    after: int = 0


class RangePart(Struct, frozen=True):
    """A part of a plan's range, in UTC ms, and what it is read from."""

    start: int
    end: int
    read: Literal["rollups", "rows"]


def roll_of(plan: QueryPlan) -> Roll | None:
    """Return the roll-up that can answer this plan, for whole days at least; None if there is none."""
    return next((roll for roll in ROLLS if _fits(plan, roll)), None)


def days_of(plan: QueryPlan) -> tuple[int, int]:
    """The first and the last UTC day that the plan looks at."""
    return plan.start // DAY, (plan.end - 1) // DAY


def span(days: int, first: int) -> int:
    """The key of a number of UTC days from this one on, used like that of a single day."""
    return days * _DAYS + first


def days_in(key: int) -> range:
    """The UTC days of a span, or the one that stands for itself."""
    days, first = divmod(key, _DAYS)
    return range(first, first + max(days, 1))


def spans_of(day: int) -> list[tuple[int, int]]:
    """The spans with this UTC day: how many days, and the first of them."""
    return [(days, day - day % days) for days in SPANS]


def cut(
    plan: QueryPlan,
    roll: Roll,
    unrolled: Collection[int],
    spans: Collection[int] = (),
    latest: Mapping[int, int] = MappingProxyType({}),
) -> Cut | None:
    """The plan in parts, where these UTC days have no roll-up of that kind; None if it is read from rows alone.

    `spans` are those that are rolled up. `latest` is the time of the last event of each open day that has a roll-up of
    that kind: if a plan ends later, it has the whole day.
    """
    whole = {day for day, last in latest.items() if roll.by_time or last < plan.end}
    unrolled = {day for day in unrolled if day not in whole}
    if roll.by_time:
        first, last = days_of(plan)
    else:
        first, last = -(-plan.start // DAY), plan.end // DAY - 1
        last += last + 1 in whole
    while first <= last and last in unrolled:  # as today is: what is between is read without a look at each day
        last -= 1
    while first <= last and first in unrolled:
        first += 1
    without = tuple(sorted(day for day in unrolled if first <= day <= last))
    if first > last:
        return None
    pieces = tuple(_pieces(plan, first, last, without))
    if len(pieces) > MOST_PIECES:
        return None
    made = Cut(roll, first, last, without, pieces, open=tuple(sorted(day for day in whole if first <= day <= last)))
    keys = tuple(_keys(first, last, frozenset(without), spans)) if spans and not roll.by_time else ()
    return replace(made, keys=keys) if max(keys, default=0) >= FIRST_SPAN else made


def day_parts(plan: QueryPlan, made: Cut) -> list[tuple[int, int, int, int]]:
    """The parts of the days that come from roll-ups, of a plan by time: (day, first slot, slot after the last, bucket).
    A day has one or two of them; without buckets it is in number 0."""
    edges = {edge // DAY: edge for edge in _edges(plan) if edge % DAY}
    without = frozenset(made.without)
    found: list[tuple[int, int, int, int]] = []
    for day in range(made.first, made.last + 1):
        if day in without:
            continue
        midnight = day * DAY
        edge = edges.get(day, midnight)
        for start, end in ((midnight, edge), (edge, midnight + DAY)):
            if start < end and plan.start <= start and end <= plan.end:
                low, high = (start - midnight) // SLOT, (end - midnight) // SLOT
                found.append((day, low, high, _bucket(plan, start)))
    return found


def buckets(plan: QueryPlan) -> Iterator[tuple[int, int, int]]:
    """The number, start and end (UTC ms) of each bucket within the plan's range."""
    starts = [run.start for run in plan.runs]
    for run, (begins, ends) in zip(plan.runs, pairwise([*starts, plan.end]), strict=True):
        for number, start in enumerate(range(begins, ends, run.width), start=run.first):
            yield number, max(start, plan.start), min(start + run.width, ends)


def _bucket(plan: QueryPlan, instant: int) -> int:
    """The number of the bucket of an instant."""
    run = next((run for run in reversed(plan.runs) if run.start <= instant), None)
    return 0 if run is None else run.first + (instant - run.start) // run.width


def edge_slot(plan: QueryPlan, day: int) -> int:
    """The slot of a UTC day at which a plan by time parts it; 0 if it has the whole day or its beginning is no edge."""
    slots = [edge % DAY // SLOT for edge in _edges(plan) if edge // DAY == day]
    return max(slots, default=0)


def new_parts(plan: QueryPlan, made: Cut) -> Iterator[tuple[int, int, int]]:
    """The parts of the range on open days whose roll-ups lack the newest events: (start, end, day)."""
    for day in made.open:
        yield max(plan.start, day * DAY), min(plan.end, (day + 1) * DAY), day


def pays(made: Cut | None) -> bool:
    """Whether SQLite is quicker by roll-ups and pieces than another engine that reads all events of the range."""
    return made is not None and made.read <= max(FEW_READ, made.events // SHARE_READ)


def parts(plan: QueryPlan, made: Cut) -> tuple[RangePart, ...]:
    """The parts of a plan that is cut, in the order of time."""
    found: list[RangePart] = []
    at = plan.start
    for start, end in made.pieces:
        if start > at:
            found.append(RangePart(at, start, "rollups"))
        found.append(RangePart(start, end, "rows"))
        at = end
    if at < plan.end:
        found.append(RangePart(at, plan.end, "rollups"))
    return tuple(found)


def _keys(first: int, last: int, without: frozenset[int], spans: Collection[int]) -> Iterator[int]:
    """The days of the roll-ups that are read, the longest spans that there are in their place."""
    day = first
    while day <= last:
        for days in SPANS:
            fits = day % days == 0 and day + days - 1 <= last and span(days, day) in spans
            if fits and without.isdisjoint(range(day, day + days)):
                yield span(days, day)
                day += days
                break
        else:
            if day not in without:
                yield day
            day += 1


def _pieces(plan: QueryPlan, first: int, last: int, without: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Yield the time spans that are read from rows: the edges of the range, and days without a roll-up. Adjacent spans
    are joined.
    """
    days = ((day * DAY, (day + 1) * DAY) for day in without)
    begun: tuple[int, int] | None = None
    for lower, upper in ((plan.start, first * DAY), *days, ((last + 1) * DAY, plan.end)):
        start, end = max(lower, plan.start), min(upper, plan.end)
        if start >= end:
            continue
        if begun is not None and begun[1] < start:
            yield begun
            begun = None
        begun = start if begun is None else begun[0], end
    if begun is not None:
        yield begun


def _fits(plan: QueryPlan, roll: Roll) -> bool:
    if plan.source != roll.source or plan.columns or plan.bots or plan.timed[1] or plan.metrics:
        return False
    if plan.kinds != roll.kinds or not set(plan.measures) <= roll.measures:
        return False
    if roll.by_time:
        return plan.group in {(), (BUCKET,)} and not plan.where and not plan.present and _has_slots(plan)
    own = set(plan.group)
    if len(plan.group) != len(roll.group) or own != set(roll.group) or not own.issuperset(plan.present):
        return False
    # Of sessions a condition on pages asks for any page view.
    return own.issuperset(_columns(plan.where)) if roll.source == "events" else not plan.where


def _columns(items: tuple[Where, ...]) -> Iterator[str]:
    for item in items:
        if isinstance(item, FilterCondition):
            yield item.column
        else:
            yield from _columns(item.items)


def _has_slots(plan: QueryPlan) -> bool:
    """Whether all edges of buckets lie between slots, and no two inside of a UTC day: each bucket has the beginning of
    a day then, or its end, or all of it."""
    inside = {edge for edge in _edges(plan) if edge % DAY}
    return all(edge % SLOT == 0 for edge in inside) and len({edge // DAY for edge in inside}) == len(inside)


def _edges(plan: QueryPlan) -> Iterator[int]:
    yield plan.start
    yield plan.end
    starts = [run.start for run in plan.runs]
    for run, (start, end) in zip(plan.runs, pairwise([*starts, plan.end]), strict=True):
        yield from range(start, end, run.width)
