"""Admission of API keys: how many requests one key can make, and how many concurrently, on all routes (wire 0, 11.3).

It comes before the limits of single routes and does not depend on them. Ingest routes have a separate allowance,
so that this one never undercuts theirs; a key with its own rate limit has that one for everything.
"""

from functools import partial
from typing import Any, Literal, NamedTuple

from analytics_box.base.clock import SECOND, Clock
from analytics_box.base.errors import RateLimited
from analytics_box.base.identity import ApiKey
from analytics_box.base.limits import WINDOW, Allowance, TokenBuckets
from analytics_box.base.settings import Settings

Family = Literal["api", "ingest"]


class _Most(NamedTuple):
    """Limits of a key on a family of routes: requests per 60 seconds, and in flight. 0 is unlimited."""

    requests: int
    in_flight: int


class Admission:
    """Counts the requests in flight of each key. The front lets a request go when it is answered."""

    def __init__(self, clock: Clock, limits: TokenBuckets, settings: Settings) -> None:
        self._clock = clock
        self._limits = limits
        self._most: dict[Family, _Most] = {
            "api": _Most(settings.limit_key, settings.limit_key_in_flight),
            "ingest": _Most(settings.limit_key_events, settings.limit_key_events_in_flight),
        }
        self._in_flight: dict[tuple[Family, str], int] = {}

    def enter(self, scope: dict[str, Any], key: ApiKey, family: Family) -> Allowance | None:
        """Let a request of this key in, and note in its scope how it leaves. Raises RateLimited."""
        most = self._most[family]
        name = (family, key.id)
        running = self._in_flight.get(name, 0)
        if most.in_flight and running >= most.in_flight:
            raise RateLimited(
                "Too many concurrent requests with this API key",
                limit=most.in_flight,
                reset=self._clock.now() + SECOND,
                retry_after=1,
            )
        rate = key.rate
        allowance = (
            self._limits.take(family, key.id, most.requests, window=WINDOW)
            if rate is None
            else self._limits.take(f"key {rate.window}", key.id, rate.max, window=rate.window)
        )
        self._in_flight[name] = running + 1
        scope["leave"] = partial(self._leave, name)  # for the front
        return allowance

    def _leave(self, name: tuple[Family, str]) -> None:
        """A request that was let in is over."""
        left = self._in_flight[name] - 1
        if left:
            self._in_flight[name] = left
        else:
            del self._in_flight[name]

    def in_flight(self, key_id: str) -> int:
        """The number of a key's requests in progress."""
        return sum(count for (_, name), count in self._in_flight.items() if name == key_id)
