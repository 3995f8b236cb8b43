"""Growth of the data, from a size recorded each day, and the day when the disk will be full. Pure.

The rate is the median of the daily additions, so that one import or one vacuum does not change it.
"""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Final

from msgspec import Struct

LOOKED_AT: Final = 30  # days back
LEAST: Final = 3  # days between the first and the last of them


class DataSize(Struct, frozen=True):
    """The data directory on a UTC day: bytes of the databases without their logs, and of the column replica."""

    day: int
    data: int


class Forecast(Struct, frozen=True):
    """Bytes per day, and days until the disk is full. None is not known yet, or, of `days_left`, never at this pace."""

    per_day: float | None = None
    days_left: float | None = None


def forecast(measured: Sequence[DataSize], free: int, today: int) -> Forecast:
    """Forecast when `free` bytes are used up at the recent growth rate."""
    late = sorted((one for one in measured if today - LOOKED_AT <= one.day <= today), key=lambda one: one.day)
    if not late or late[-1].day - late[0].day < LEAST:
        return Forecast()
    per_day = median((second.data - first.data) / (second.day - first.day) for first, second in pairwise(late))
    return Forecast(per_day, free / per_day if per_day > 0 else None)
