"""Durations in roll-ups: those of a day together as one blob, and medians of such blobs.

Reading millions of durations one by one takes seconds. Blobs are sorted, so of most of them only a few numbers are
looked at: those between two bounds, which a sample of all of them gives.
"""

import json
from array import array
from bisect import bisect_left, bisect_right
from itertools import compress
from typing import Any

from analytics_box.base.clock import DAY
from analytics_box.base.store.db import Connection
from analytics_box.query.rollups import SLOT

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
