"""Recent answers, by request, as long as the flags do not change.

Two generations: answers without a request since the last turn are dropped together. The total number of bytes is
limited.
"""

from typing import Final

from msgspec import Struct

from analytics_box.products.flags.evaluation.outcome import Outcome
from analytics_box.products.flags.serving.asked import EvaluationRequest

MOST_BYTES: Final = 16_000_000
_OVERHEAD: Final = 1_500  # Bytes of an entry in addition to its texts.
_OF_QUERY: Final = (
    5  # Bytes in memory for each byte of a query: as received, and decoded with up to four per character.
)
_OF_KEY: Final = 80  # Bytes of a requested key in addition to its characters.
_OF_OUTCOME: Final = 8  # Bytes of a reference: outcomes are shared.


class CachedEvaluation(Struct, frozen=True, gc=False):
    """An answer to a request, with its outcomes and its tag. It is valid as long as the flags are in this state.

    `asked` does not contain the user: a context of small values has many times the bytes of its query string.
    """

    asked: EvaluationRequest
    state: bytes
    tag: bytes
    body: bytes
    outcomes: tuple[Outcome, ...]


class EvaluationCache:
    """Cached answers by the name of the route and the query string."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._half = most_bytes // 2
        self._recent: dict[tuple[str, bytes], CachedEvaluation] = {}
        self._older: dict[tuple[str, bytes], CachedEvaluation] = {}
        self._bytes = 0  # The size of the recent generation.

    def find(self, route: str, query: bytes) -> CachedEvaluation | None:
        """The last answer to this request; its state shows whether it is still valid."""
        key = (route, query)
        found = self._recent.get(key)
        if found is None:
            found = self._older.get(key)
            if found is not None:
                self.keep(route, query, found)
        return found

    def keep(self, route: str, query: bytes, given: CachedEvaluation) -> None:
        """Keep an answer instead of an earlier one; very large ones are not kept."""
        size = _OVERHEAD + _OF_QUERY * len(query) + len(given.body) + _OF_OUTCOME * len(given.outcomes)
        size += _OF_KEY * len(given.asked.keys or ())
        if size > self._half // 8:
            return
        if self._bytes + size > self._half:
            self._older, self._recent, self._bytes = self._recent, {}, 0
        self._recent[route, query] = given
        self._bytes += size  # A replaced entry counts twice, so the generation ends a little earlier.

    def forget(self) -> None:
        """Forget all answers, with what was asked."""
        self._recent, self._older, self._bytes = {}, {}, 0

    def __len__(self) -> int:
        return len(self._recent.keys() | self._older.keys())
