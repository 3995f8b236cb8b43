"""Token buckets in memory: how much anybody may ask for (spec 8, wire 0).

A bucket holds `limit` tokens and refills evenly over its window. All that is kept of one is the instant at which it
is full again: that alone says how many tokens are in it now. A bucket that nobody has touched for a whole window is
full, so it need not be kept; and there is a cap on the number of buckets, so anonymous callers cannot fill the memory.
"""

import math
from typing import NamedTuple

from analytics_box.base.clock import Clock
from analytics_box.base.errors import RateLimited

WINDOW = 60.0  # seconds
CAPACITY = 100_000  # some 30 MB
TOO_MANY = "Too many requests. Wait and try again"
_MICROSECOND = 1e-6  # what arithmetic may be off by, in favour of the caller


class Allowance(NamedTuple):
    """The rest of a limit after a token was taken: whole tokens, and the time when the bucket is full
    again (UTC ms)."""

    limit: int
    remaining: int
    reset: int


Levels = dict[str, dict[str, float]]  # endpoint → identity → when its bucket is full again (monotonic seconds)


class _Buckets:
    """Buckets whose window is at most `span` seconds: those touched since the last turn, and those before it.

    Two turns that are a span apart forget what nobody touched in between, without looking at any bucket.
    """

    __slots__ = ("older", "recent", "span", "turned")

    def __init__(self, span: float, now: float) -> None:
        self.span = span
        self.turned = now
        self.recent: Levels = {}
        self.older: Levels = {}

    def turn(self, now: float) -> None:
        self.older, self.recent, self.turned = self.recent, {}, now


class TokenBuckets:
    """All buckets, keyed by (endpoint, identity). At most `capacity` of them are kept, the latest touched ones."""

    def __init__(self, clock: Clock, capacity: int = CAPACITY) -> None:
        self._clock = clock
        self._capacity = capacity
        self._recent = self._kept = 0  # buckets touched since their last turn, and all
        self._minute = _Buckets(WINDOW, clock.monotonic())
        self._by_span = {WINDOW: self._minute}

    def take(
        self, endpoint: str, identity: str, limit: int, *, window: float = WINDOW, reason: str | None = None
    ) -> Allowance | None:
        """Take one of `limit` tokens per `window` seconds; None if the limit is 0, which is unlimited.

        Raises RateLimited when there is no whole token. What is asked for under one name always has one window.
        """
        if not limit:
            return None
        now = self._clock.monotonic()
        buckets = self._minute if window <= WINDOW else self._lasting(window, now)
        recent = buckets.recent.get(endpoint)
        if recent is None:
            recent = buckets.recent[endpoint] = {}
        full_at = recent.get(identity)
        new = full_at is None
        if new:
            older = buckets.older.get(endpoint)
            full_at = older.get(identity) if older is not None else None
        empty_for = full_at - now if full_at is not None and full_at > now else 0.0  # seconds until it is full
        one = window / limit  # seconds that one token takes to grow
        missing = empty_for + one - window
        refused = missing > _MICROSECOND
        recent[identity] = now + empty_for if refused else now + empty_for + one  # who is refused is not forgotten
        if new:
            self._count_one_more(now)
        if refused:
            raise RateLimited(
                TOO_MANY,
                limit=limit,
                reset=self._reset(empty_for),
                retry_after=max(1, math.ceil(missing - _MICROSECOND)),
                reason=reason,
            )
        return Allowance(limit, int((_MICROSECOND - missing) / one), self._reset(empty_for + one))

    def owe(self, endpoint: str, identity: str, limit: int, tokens: int) -> None:
        """Take as many tokens more for what was let in a moment ago, in a window of a minute. They may not be there:
        then the caller waits longer."""
        recent = self._minute.recent.get(endpoint)
        if limit and recent is not None and identity in recent:
            recent[identity] += tokens * WINDOW / limit

    def sweep(self) -> None:
        """Forget buckets that are full again: those that nobody has touched between the last two turns."""
        now = self._clock.monotonic()
        for buckets in self._by_span.values():
            if now - buckets.turned >= buckets.span:
                buckets.turn(now)
        self._count()

    def __len__(self) -> int:
        """The number of buckets; one that was touched before and after a turn is kept twice."""
        return self._kept

    def _lasting(self, window: float, now: float) -> _Buckets:
        """The buckets of windows about as long as this: their spans double, so there are few of them."""
        span = WINDOW * 2 ** math.ceil(math.log2(window / WINDOW))
        found = self._by_span.get(span)
        if found is None:
            found = self._by_span[span] = _Buckets(span, now)
        return found

    def _count_one_more(self, now: float) -> None:
        """Make room where there is none: what was not touched since the last turn goes, all at once."""
        self._recent += 1
        self._kept += 1
        if self._kept > self._capacity or self._recent * 2 > self._capacity:
            for buckets in self._by_span.values():
                buckets.turn(now)
            self._count()

    def _count(self) -> None:
        spans = self._by_span.values()
        self._recent = sum(len(found) for buckets in spans for found in buckets.recent.values())
        self._kept = self._recent + sum(len(found) for buckets in spans for found in buckets.older.values())

    def _reset(self, empty_for: float) -> int:
        return self._clock.now() + math.ceil((empty_for - _MICROSECOND) * 1000)
