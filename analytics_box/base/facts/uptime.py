"""Uptime and coverage of a monitor from its spans (semantics 20, monitors: states). Pure.

Instants are UTC ms. A span lasts from `start` to `until`, which is 0 for the open one: that one lasts until now.

A check keeps the number of its bin, so that a percentile is the same before and after old checks were put together.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

UP, DEGRADED, DOWN, UNKNOWN, MAINTENANCE, PAUSED = range(1, 7)
STATES: Final = {
    UP: "up",
    DEGRADED: "degraded",
    DOWN: "down",
    UNKNOWN: "unknown",
    MAINTENANCE: "maintenance",
    PAUSED: "paused",
}


class UptimeSpan(NamedTuple):
    """A period in which a monitor had one state."""

    state: int
    start: int
    until: int = 0


class WindowUptime(Struct, frozen=True):
    """Milliseconds in each state inside a window of `window` ms, which ends now at the latest.

    What no span covers, before the monitor was made, is in none of the states.
    """

    window: int
    up: int = 0
    degraded: int = 0
    down: int = 0
    unknown: int = 0
    maintenance: int = 0
    paused: int = 0

    @property
    def ratio(self) -> float | None:
        """Up to up and down, 0 to 1, degraded counted as up; None where it was neither."""
        up = self.up + self.degraded
        return up / (up + self.down) if up + self.down else None

    @property
    def percentage(self) -> float | None:
        """The ratio in percent with two decimals, and never 100 after any downtime."""
        return percentage(self.up + self.degraded, self.down)

    @property
    def coverage(self) -> float | None:
        """The share of the window that was observed, 0 to 1; None of an empty window."""
        observed = self.up + self.degraded + self.down + self.maintenance
        return observed / self.window if self.window else None


def percentage(up: int, down: int) -> float | None:
    """Up to up and down in percent, with two decimals, but never 100 after any downtime; None where both are 0."""
    if up + down == 0:
        return None
    hundredths = (20_000 * up + (up + down)) // (2 * (up + down))
    return min(hundredths, 9_999 if down else 10_000) / 100


def uptime(spans: Iterable[UptimeSpan], start: int, end: int, now: int) -> WindowUptime:
    """The uptime from `start` until `end`, or until now where that is earlier."""
    return uptimes(spans, [start, end], now)[0]


def uptimes(spans: Iterable[UptimeSpan], edges: Sequence[int], now: int) -> list[WindowUptime]:
    """The uptime between each edge and the next one; the edges grow, the spans are in any order."""
    times = [dict.fromkeys(STATES.values(), 0) for _ in edges[1:]]
    ends = [min(edge, now) for edge in edges]
    place = 0
    for span in sorted(spans, key=lambda span: span.start):
        until = span.until or now
        while place < len(times) and edges[place + 1] <= span.start:
            place += 1
        for bucket in range(place, len(times)):
            if ends[bucket] >= until:
                break
            lasted = min(until, ends[bucket + 1]) - max(span.start, ends[bucket])
            times[bucket][STATES[span.state]] += max(lasted, 0)
    return [WindowUptime(ends[place + 1] - ends[place], **bucket) for place, bucket in enumerate(times)]


_LEAST: Final = 100  # microseconds; what is quicker is in bin 0
_GROWTH: Final = 1.02
_LOG: Final = math.log(_GROWTH)


def bin_of(duration: int) -> int:
    """The bin of a duration in microseconds."""
    return 0 if duration < _LEAST else 1 + int(math.log(duration / _LEAST) / _LOG)


def middle(number: int) -> float:
    """The duration that a bin represents, in microseconds: no duration in it is further than 1 % away."""
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
