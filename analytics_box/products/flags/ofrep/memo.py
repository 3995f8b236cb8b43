"""Cached bulk answers, by their tag: a repeated request for the same flags gets the same bytes."""

from typing import Final

from msgspec import Struct

from analytics_box.base.cache import BoundedCache
from analytics_box.products.flags.evaluation.outcome import Outcome
from analytics_box.products.flags.ofrep.answers import Environment, Place

MOST_BYTES: Final = 16_000_000
_OVERHEAD: Final = 500  # Bytes of an answer in addition to its body.


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
        self.answers: BoundedCache[bytes, CachedBulkAnswer] = BoundedCache(
            most_weight=most_bytes, weigh=_size, largest=most_bytes, dropped=self._forget_tag
        )
        self._tags: dict[
            Place, tuple[object, set[bytes]]
        ] = {}  # The entity tags of a place, with the token that they share.

    def find(self, tag: bytes, environment: Environment) -> CachedBulkAnswer | None:
        """The answer of this tag, if its outcomes are those of the environment as it is."""
        token, _ = self._tags.get(environment.place, (environment.token, None))
        if token is not environment.token:
            self._forget(environment.place)
        found = self.answers.get(tag)
        return found if found is not None and found.token is environment.token else None

    def keep(self, tag: bytes, kept: CachedBulkAnswer) -> None:
        """Keep an answer; the least recently requested ones are dropped, and those of an earlier state of its
        environment.
        """
        token, _ = self._tags.get(kept.place, (kept.token, None))
        if token is not kept.token:
            self._forget(kept.place)
        self.answers.put(tag, kept)
        # An answer that is too large is not kept.
        if tag in self.answers:
            self._tags.setdefault(kept.place, (kept.token, set()))[1].add(tag)

    def _forget(self, place: Place) -> None:
        for tag in list(self._tags[place][1]):
            self.answers.drop(tag)

    def _forget_tag(self, tag: bytes, gone: CachedBulkAnswer) -> None:
        tags = self._tags[gone.place][1]
        tags.discard(tag)
        if not tags:
            del self._tags[gone.place]


def _size(_: bytes, kept: CachedBulkAnswer) -> int:
    return len(kept.body) + 8 * len(kept.outcomes) + _OVERHEAD
