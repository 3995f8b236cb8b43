"""Token buckets in memory: how much anybody may ask for (spec 8, wire 0).

A bucket holds `limit` tokens and refills evenly over its window. Buckets that are full again are forgotten, and
there is a cap on their number, so strangers cannot fill the memory.
"""

import math
from collections.abc import Hashable
from typing import NamedTuple

from analytics_box.clock import Clock
from analytics_box.errors import RateLimited

WINDOW = 60.0  # seconds


class Level(NamedTuple):
    """A bucket: how full it was, and when (monotonic seconds)."""

    tokens: float
    at: float


class Limits:
    """All buckets, keyed by (endpoint, identity). At most `capacity` of them are kept."""

    def __init__(self, clock: Clock, capacity: int = 200_000) -> None:
        self._clock = clock
        self._levels: dict[Hashable, Level] = {}
        self._capacity = capacity

    def take(self, endpoint: str, identity: str, limit: int, *, reason: str | None = None) -> None:
        """Take one token; 0 is unlimited. Raises RateLimited when there is none."""
        if not limit:
            return
        key = (endpoint, identity)
        now = self._clock.monotonic()
        level = self._levels.get(key)
        tokens = float(limit) if level is None else min(limit, level.tokens + (now - level.at) * limit / WINDOW)
        if tokens < 1:
            self._levels[key] = Level(tokens, now)
            raise RateLimited(
                "Too many requests; wait and send this again",
                limit=limit,
                reset=self._clock.now() + math.ceil((limit - tokens) * WINDOW / limit * 1000),
                retry_after=max(1, math.ceil((1 - tokens) * WINDOW / limit)),
                reason=reason,
            )
        if level is None and len(self._levels) >= self._capacity:
            self._make_room(now)
        self._levels[key] = Level(tokens - 1, now)

    def sweep(self) -> None:
        """Forget every bucket that is full again: none was touched for a whole window."""
        oldest = self._clock.monotonic() - WINDOW
        self._levels = {key: level for key, level in self._levels.items() if level.at > oldest}

    def _make_room(self, now: float) -> None:
        self.sweep()
        if len(self._levels) >= self._capacity:
            newest = sorted(self._levels.items(), key=lambda item: item[1].at)[self._capacity // 2 :]
            self._levels = dict(newest)

    def __len__(self) -> int:
        return len(self._levels)
