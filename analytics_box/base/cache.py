"""The cache of this box: values by key in bounded memory.

Use it for everything that is kept only to save work. Bounding a dictionary by hand is easily wrong: deleting the first
key of a plain one takes longer with each key that was deleted before it.
"""

import math
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from analytics_box.base.clock import Clock

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """Up to `most` values and up to `most_weight` in all; those used longest ago are dropped first.

    `weigh` returns the weight of a value when it is added, mostly in bytes; a value heavier than `largest` is not kept,
    and without `largest` the newest one is kept whatever it weighs. With `seconds` values expire by `clock`. `dropped`
    gets each value that is dropped or replaced. No value is None. Only for a single thread.
    """

    __slots__ = (
        "_clock",
        "_dropped",
        "_largest",
        "_most",
        "_most_weight",
        "_seconds",
        "_until",
        "_values",
        "_weigh",
        "_weights",
        "weight",
    )

    def __init__(
        self,
        most: float = math.inf,
        *,
        most_weight: float = math.inf,
        weigh: Callable[[K, V], int] | None = None,
        largest: float = math.inf,
        seconds: float = 0.0,
        clock: Clock | None = None,
        dropped: Callable[[K, V], object] | None = None,
    ) -> None:
        self._values: OrderedDict[K, V] = OrderedDict()
        self._weights: dict[K, int] = {}
        self._until: dict[K, float] = {}  # monotonic seconds
        self._most = most
        self._most_weight = most_weight
        self._weigh = weigh
        self._largest = largest
        self._seconds = seconds
        self._clock = clock
        self._dropped = dropped
        self.weight = 0

    def get(self, key: K) -> V | None:
        """The value of a key, which counts as used now; None if there is none or it has expired."""
        value = self._values.get(key)
        if value is None:
            return None
        if self._clock is not None and self._until[key] <= self._clock.monotonic():
            self.drop(key)
            return None
        self._values.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> None:
        """Keep a value instead of an earlier one of its key, and drop others until the bounds hold."""
        values = self._values
        if self._dropped is not None and (before := values.get(key)) is not None and before is not value:
            self._dropped(key, before)
        if self._weigh is not None:
            weight = self._weigh(key, value)
            if weight > self._largest:
                self.pop(key)
                return
            self.weight += weight - self._weights.get(key, 0)
            self._weights[key] = weight
        if self._clock is not None:
            self._until[key] = self._clock.monotonic() + self._seconds
        values[key] = value
        values.move_to_end(key)
        while len(values) > 1 and (len(values) > self._most or self.weight > self._most_weight):
            self.drop(next(iter(values)))

    def pop(self, key: K) -> V | None:
        """Take a value out, expired or not: it is the caller's from now on."""
        value = self._values.pop(key, None)
        if value is not None:
            self._until.pop(key, None)
            self.weight -= self._weights.pop(key, 0)
        return value

    def drop(self, key: K) -> None:
        """Drop the value of a key, if there is one."""
        value = self.pop(key)
        if value is not None and self._dropped is not None:
            self._dropped(key, value)

    def weigh_again(self) -> None:
        """Weigh all values again, for those that grow after they were added."""
        if self._weigh is not None:
            self._weights = {key: self._weigh(key, value) for key, value in self._values.items()}
            self.weight = sum(self._weights.values())

    def sweep(self) -> None:
        """Drop the values that have expired."""
        if self._clock is not None:
            now = self._clock.monotonic()
            for key in [key for key, until in self._until.items() if until <= now]:
                self.drop(key)

    def clear(self) -> None:
        """Drop all values."""
        for key in [*self._values]:
            self.drop(key)

    def items(self) -> list[tuple[K, V]]:
        """All pairs, those used longest ago first; expired ones are dropped before. None of them counts as used."""
        self.sweep()
        return list(self._values.items())

    def __contains__(self, key: K) -> bool:
        """Return whether `get` would find a value; the key does not count as used."""
        return key in self._values and (self._clock is None or self._until[key] > self._clock.monotonic())

    def __len__(self) -> int:
        """The number of values in memory."""
        return len(self._values)
