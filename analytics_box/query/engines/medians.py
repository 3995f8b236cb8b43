"""Durations in roll-ups: those of a day together as one blob, and medians of such blobs.

Reading millions of durations one by one takes seconds. Blobs are sorted, so of most of them only a few numbers are
looked at: those between two bounds, which a sample of all of them gives.

Each roll-up of a day has a number that never comes again, and a median is kept with the greatest one of its days. It is
used only while that is still so, so none is older than its days, whatever happened in between.
"""

import json
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import compress
from threading import Lock
from typing import Any

from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.base.store.db import Connection
from analytics_box.query.engines.counting import Row
from analytics_box.query.engines.sql.rolling import SiteDay
from analytics_box.query.plan import BUCKET, QueryPlan
from analytics_box.query.rollups import SLOT, ClosedBucket, Cut, buckets

_TYPE, _BYTES = "I", 4  # durations in ms are at most a day and a half
_SLOTS = DAY // SLOT
_FEW = 1_000  # numbers that are sorted as they are
_EACH = 16  # of the numbers in blobs at least one in so many is in the sample, if that is not too many
_MOST_IN_SAMPLE = 20_000
_MARGIN = 32  # places in the sample from the middle to each bound


class PackedNumbers:
    """The aggregate `packed`: the durations of a day in their order, then the slot of each, as one blob."""

    def __init__(self) -> None:
        self._sessions: list[int] = []

    def step(self, *given: Any) -> None:
        duration, slot = given
        self._sessions.append(duration << 8 | slot)

    def final(self) -> bytes:
        self._sessions.sort()
        durations = array(_TYPE, [one >> 8 for one in self._sessions])
        return durations.tobytes() + bytes([one & 255 for one in self._sessions])


def within(*given: Any) -> bytes | None:
    """The function `durations_within`: of such a blob those that begin from a slot on and before another, in order;
    null if there are none."""
    packed: bytes = given[0]
    low, high = given[1:]
    number = len(packed) // (_BYTES + 1)
    durations = packed[: number * _BYTES]
    if (low, high) == (0, _SLOTS):
        return durations
    chosen = packed[number * _BYTES :].translate(bytes(low <= slot < high for slot in range(256)))
    return array(_TYPE, compress(_unpack(durations), chosen)).tobytes() or None


def sorted_numbers(*given: Any) -> bytes:
    """The function `sorted_numbers`: a list in JSON as such a blob without slots."""
    return array(_TYPE, sorted(json.loads(given[0]))).tobytes()


class MedianOfParts:
    """The aggregate `median_of_parts`: of single numbers and of blobs with many, null is none; between two numbers it
    is in the middle, as that of SQLite. A text is a median that is known already, and then the only value."""

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._blobs: list[bytes] = []
        self._known = ""

    def step(self, *given: Any) -> None:
        (value,) = given
        if isinstance(value, bytes):
            self._blobs.append(value)
        elif isinstance(value, str):
            self._known = value
        elif value is not None:
            self._numbers.append(value)

    def final(self) -> float | None:
        if self._known:
            return float(self._known)
        return median([*map(_unpack, self._blobs), array(_TYPE, sorted(self._numbers))])


def _unpack(blob: bytes) -> "array[int]":
    numbers = array(_TYPE)
    numbers.frombytes(blob)
    return numbers


def median(parts: "list[array[int]]") -> float | None:
    """The median of all numbers in these sorted parts."""
    total = sum(map(len, parts))
    if not total:
        return None
    lower, upper = (total - 1) // 2, total // 2  # the places of the one or two in the middle
    below, between = _around_the_middle(parts, total)
    if not below <= lower <= upper < below + len(between):
        below, between = 0, sorted(number for part in parts for number in part)
    first, second = between[lower - below], between[upper - below]
    return first + (second - first) * 0.5


def _around_the_middle(parts: "list[array[int]]", total: int) -> tuple[int, list[int]]:
    """The count of numbers below the middle ones, and the middle ones, sorted; an estimate that can be wrong."""
    if total <= _FEW:
        return 0, sorted(number for part in parts for number in part)
    each = max(_EACH, total // _MOST_IN_SAMPLE)
    sample = sorted(number for part in parts for number in part[each // 2 :: each])
    if not sample:
        return 0, []
    middle = len(sample) // 2
    least, most = sample[max(middle - _MARGIN, 0)], sample[min(middle + _MARGIN, len(sample) - 1)]
    below, between = 0, list[int]()
    for part in parts:
        start = bisect_left(part, least)
        below += start
        between.extend(part[start : bisect_right(part, most, start)])
    between.sort()
    return below, between


def add_functions(db: Connection) -> None:
    """Make all of them known to a connection."""
    db.create_aggregate_function("packed", PackedNumbers, 2)
    db.create_scalar_function("durations_within", within, 3, deterministic=True)
    db.create_scalar_function("sorted_numbers", sorted_numbers, 1, deterministic=True)
    db.create_aggregate_function("median_of_parts", MedianOfParts, 1)


MEASURE = "median_duration"
LONGEST = 32 * DAY  # of a bucket: a month is the longest one
MOST = 500_000  # that are kept in the file, about 15 MB
MOST_WAITING = 20_000  # in memory until they are written

Key = tuple[int, int, int]  # website, start and end (UTC ms)


class BucketMedians:
    """The medians that questions have found. `save` is for the connection that writes the file."""

    def __init__(self) -> None:
        self._waiting: dict[Key, tuple[int, float]] = {}  # the roll-up's number and the median, not written yet
        self._lock = Lock()

    def known(self, db: Connection, plan: QueryPlan, made: Cut) -> Cut:
        """The plan's parts with the medians that are known, and the buckets whose medians may be kept."""
        if MEASURE not in plan.measures or plan.group != (BUCKET,) or len(plan.sites) != 1:
            return made
        site = plan.sites[0]
        rolls = _rolls(db, site, made)
        closed = [one for one in _closed(plan, made, rolls) if one.roll]
        found = db.execute(
            "-- rollups.medians\nselect start, until, roll, median from medians"
            " where site = ? and start >= ? and start < ?",
            (site, plan.start, plan.end),
        )
        kept: dict[Key, tuple[int, float]] = {
            (site, int(str(start)), int(str(end))): (int(str(roll)), float(str(median)))
            for start, end, roll, median in found
        }
        with self._lock:
            kept |= self._waiting
        medians, unknown = [], []
        for one in closed:
            roll, median = kept.get((site, one.start, one.end), (0, 0.0))
            if roll == one.roll:
                medians.append((one.number, median))
            else:
                unknown.append(one)
        return replace(made, medians=tuple(medians), closed=tuple(unknown))

    def keep(self, plan: QueryPlan, made: Cut, rows: Sequence[Row]) -> None:
        """Keep what a question has found of closed buckets."""
        if not made.closed:
            return
        closed = {one.number: one for one in made.closed}
        at, place = plan.names.index(BUCKET), plan.names.index(MEASURE)
        found = [(closed[row[at]], row[place]) for row in rows if row[at] in closed and row[place] is not None]
        with self._lock:
            if len(self._waiting) < MOST_WAITING:
                self._waiting |= {(plan.sites[0], one.start, one.end): (one.roll, median) for one, median in found}

    def save(self, db: Connection) -> None:
        """Write those that are still true."""
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        if not waiting:
            return
        db.execute(
            f"""
            -- rollups.save_medians
            insert or replace into medians
            select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 from json_each(?)
            where (value ->> 3, true) = (
              select max(rolled), min(rolled) > 0 from days where site = value ->> 0
              and day between value ->> 1 / {DAY} and (value ->> 2 - 1) / {DAY}
            )
            """,
            (json.dumps([(*key, *one) for key, one in waiting.items()]),),
        )
        ((number,),) = db.execute("-- rollups.count_medians\nselect count(*) from medians").fetchall()
        if int(str(number)) > MOST:  # a later question computes them again
            db.execute("-- rollups.drop_medians\ndelete from medians")


def create(db: Connection) -> None:
    """Create their table."""
    db.execute(
        "create table medians (site integer, start integer, until integer, roll integer, median real,"
        " primary key (site, start, until)) without rowid"
    )


def forget(db: Connection, days: Collection[SiteDay]) -> None:
    """Remove the medians with one of these days."""
    db.executemany(
        "-- rollups.forget_medians\ndelete from medians where site = ? and start > ? and start < ? and until > ?",
        [(day.site, day.day * DAY - LONGEST, (day.day + 1) * DAY, day.day * DAY) for day in days],
    )


def _rolls(db: Connection, site: int, made: Cut) -> Mapping[int, int]:
    """The number of each day's roll-up."""
    rows = db.execute(
        "-- rollups.rolls\nselect day, rolled from days where site = ? and day between ? and ?",
        (site, made.first, made.last),
    )
    return {int(str(day)): int(str(rolled)) for day, rolled in rows}


def _closed(plan: QueryPlan, made: Cut, rolls: Mapping[int, int]) -> Iterator[ClosedBucket]:
    """The buckets that are all rolled up; those without anything have the number 0."""
    without = frozenset((*made.without, *made.open))
    for number, start, end in buckets(plan):
        days = range(start // DAY, (end - 1) // DAY + 1)
        if end - start < LONGEST and made.first <= days[0] and days[-1] <= made.last and without.isdisjoint(days):
            yield ClosedBucket(number, start, end, max(rolls.get(day, 0) for day in days))
