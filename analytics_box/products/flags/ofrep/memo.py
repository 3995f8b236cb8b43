"""Cached bulk answers, by their tag: a repeated request for the same flags gets the same bytes."""

from collections import OrderedDict
from typing import Final

from msgspec import Struct

from analytics_box.products.flags.evaluation.outcome import Outcome
from analytics_box.products.flags.ofrep.answers import Environment, Place

MOST_BYTES: Final = 16_000_000
_OVERHEAD: Final = 500  # bytes that an answer costs beside its body


class CachedBulkAnswer(Struct, frozen=True):
    """A body with its outcomes and their environment. It does not hold the environment itself: outdated rules would
    stay in memory with it.
    """

    place: Place
    token: object
    body: bytes
    outcomes: tuple[Outcome, ...]

    def count(self) -> None:
        """Count these outcomes as given again."""
        for outcome in self.outcomes:
            outcome.count += 1


class OfrepCache:
    """The most recent answers, up to a number of bytes, and of each environment only in its current state."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[bytes, CachedBulkAnswer] = OrderedDict()
        self._tags: dict[Place, tuple[object, set[bytes]]] = {}  # with the token that all of a place have
        self.size = 0

    def find(self, tag: bytes, environment: Environment) -> CachedBulkAnswer | None:
        """The answer of this tag, if its outcomes are those of the environment as it is."""
        token, _ = self._tags.get(environment.place, (environment.token, None))
        if token is not environment.token:
            self._forget(environment.place)
        found = self._kept.get(tag)
        if found is None or found.token is not environment.token:
            return None
        self._kept.move_to_end(tag)
        return found

    def keep(self, tag: bytes, kept: CachedBulkAnswer) -> None:
        """Keep an answer; the least recently requested ones are dropped, and those of an earlier state of its
        environment.
        """
        token, _ = self._tags.get(kept.place, (kept.token, None))
        if token is not kept.token:
            self._forget(kept.place)
        if tag in self._kept:
            self._drop(tag)
        self._kept[tag] = kept
        self._tags.setdefault(kept.place, (kept.token, set()))[1].add(tag)
        self.size += _size(kept)
        while self.size > self._most_bytes:
            self._drop(next(iter(self._kept)))

    def _forget(self, place: Place) -> None:
        for tag in list(self._tags[place][1]):
            self._drop(tag)

    def _drop(self, tag: bytes) -> None:
        gone = self._kept.pop(tag)
        self.size -= _size(gone)
        tags = self._tags[gone.place][1]
        tags.discard(tag)
        if not tags:
            del self._tags[gone.place]


def _size(kept: CachedBulkAnswer) -> int:
    return len(kept.body) + 8 * len(kept.outcomes) + _OVERHEAD
