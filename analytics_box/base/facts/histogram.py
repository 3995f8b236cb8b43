"""A histogram of durations that can be merged: bins that grow by 2 %, so that a percentile is within 1 %. Pure.

A check keeps the number of its bin, so that a percentile is the same before and after old checks were put together.
"""

import math
from collections.abc import Mapping
from typing import Final

_LEAST: Final = 100  # microseconds; what is quicker is in bin 0
_GROWTH: Final = 1.02
_LOG: Final = math.log(_GROWTH)


def bin_of(duration: int) -> int:
    """The bin of a duration in microseconds."""
    return 0 if duration < _LEAST else 1 + int(math.log(duration / _LEAST) / _LOG)


def middle(number: int) -> float:
    """The duration that a bin stands for, in microseconds: no duration in it is further than 1 % away."""
    return _LEAST / 2 if number == 0 else _LEAST * _GROWTH ** (number - 0.5)


def percentile(counts: Mapping[int, int], share: float) -> float | None:
    """The least duration that this share (0 to 1) of all is not above, in microseconds; None of nothing.

    `counts` are how many durations are in each bin.
    """
    wanted = max(1, math.ceil(share * sum(counts.values())))
    for number in sorted(counts):
        wanted -= counts[number]
        if wanted <= 0:
            return middle(number)
    return None
