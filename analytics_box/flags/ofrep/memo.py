"""Bulk answers that are kept by their tag: whoever asks the same again, of the same flags, gets the same bytes."""

from collections import OrderedDict
from typing import Final

from msgspec import Struct

from analytics_box.flags.evaluation.outcome import Outcome
from analytics_box.flags.ofrep.answers import Environment

MOST_BYTES: Final = 16_000_000
_OVERHEAD: Final = 500  # bytes that an answer costs beside its body


class Kept(Struct, frozen=True):
    """A body with the outcomes that it tells, and the environment that they are of."""

    environment: Environment
    body: bytes
    outcomes: tuple[Outcome, ...]

    def count(self) -> None:
        """Note that these outcomes were given once more."""
        for outcome in self.outcomes:
            outcome.count += 1


class Memo:
    """The answers given last, up to so many bytes."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[bytes, Kept] = OrderedDict()
        self.size = 0

    def find(self, tag: bytes, environment: Environment) -> Kept | None:
        """The answer of this tag, if its outcomes are those of the environment as it is."""
        found = self._kept.get(tag)
        if found is None or found.environment is not environment:
            return None
        self._kept.move_to_end(tag)
        return found

    def keep(self, tag: bytes, kept: Kept) -> None:
        """Keep an answer; those asked for longest ago go."""
        before = self._kept.pop(tag, None)
        if before is not None:
            self.size -= _size(before)
        self._kept[tag] = kept
        self.size += _size(kept)
        while self.size > self._most_bytes:
            self.size -= _size(self._kept.popitem(last=False)[1])


def _size(kept: Kept) -> int:
    return len(kept.body) + 8 * len(kept.outcomes) + _OVERHEAD
