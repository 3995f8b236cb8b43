"""Statistics of rates: confidence intervals, significance, and tests of shares against their weights. Pure.

Every interval here contains the true rate, or the true difference, with a probability of 95 %.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

Z: Final = 1.959963984540054  # of the normal distribution: 95 % lie within so many deviations
_FEWEST: Final = 5  # expected of each, for the chi-square distribution to be near enough


class Interval(NamedTuple):
    """From `low` to `high`; both are shares between -1 and 1."""

    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        """Whether it lies on one side of zero: more than chance."""
        return self.low > 0 or self.high < 0


def interval_of_rate(part: int, whole: int) -> Interval | None:
    """Wilson's score interval of a rate, which is also valid for few and for rare events; None of nothing."""
    if not whole:
        return None
    rate, square = part / whole, Z * Z / whole
    middle = rate + square / 2
    reach = Z * math.sqrt((rate * (1 - rate) + square / 4) / whole)
    below, above = (middle - reach) / (1 + square), (middle + reach) / (1 + square)
    return Interval(max(below, 0.0) if part else 0.0, min(above, 1.0) if part < whole else 1.0)


def interval_of_difference(part: int, whole: int, other_part: int, other_whole: int) -> Interval | None:
    """The interval of the difference of two rates: Newcombe's, computed from both rates' intervals; None if either
    sample is empty.
    """
    one, other = interval_of_rate(part, whole), interval_of_rate(other_part, other_whole)
    if one is None or other is None:
        return None
    rate, other_rate = part / whole, other_part / other_whole
    difference = rate - other_rate
    return Interval(
        difference - math.hypot(rate - one.low, other.high - other_rate),
        difference + math.hypot(one.high - rate, other_rate - other.low),
    )


def chance_of_difference(part: int, whole: int, other_part: int, other_whole: int) -> float | None:
    """The p-value, 0 to 1, of the difference between two rates; None if it is undefined."""
    if not (whole and other_whole):
        return None
    both = (part + other_part) / (whole + other_whole)
    deviation = math.sqrt(both * (1 - both) * (1 / whole + 1 / other_whole))
    if not deviation:
        return None
    return math.erfc(abs(part / whole - other_part / other_whole) / deviation / math.sqrt(2))


def chance_of_shares(counts: Sequence[int], weights: Sequence[float]) -> float | None:
    """The p-value, 0 to 1, of these counts under these weights (Pearson's chi-square).

    None if fewer than two weights are positive, or the counts are too small for the test.
    """
    weighed = [(count, weight) for count, weight in zip(counts, weights, strict=True) if weight > 0]
    total, whole = sum(count for count, _ in weighed), sum(weight for _, weight in weighed)
    expected = [total * weight / whole for _, weight in weighed]
    if len(weighed) < 2 or min(expected) < _FEWEST:
        return None
    square = sum((count - wanted) ** 2 / wanted for (count, _), wanted in zip(weighed, expected, strict=True))
    return _beyond(square, len(weighed) - 1)


def _beyond(square: float, degrees: int) -> float:
    """The upper tail of the chi-square distribution: the regularized gamma function Q of half-integers,
    by recurrence."""
    half = square / 2
    if not half:
        return 1.0
    odd = degrees % 2
    found = math.erfc(math.sqrt(half)) if odd else math.exp(-half)
    place = 0.5 if odd else 1.0
    while place < degrees / 2:
        found += math.exp(place * math.log(half) - half - math.lgamma(place + 1))
        place += 1
    return min(found, 1.0)
