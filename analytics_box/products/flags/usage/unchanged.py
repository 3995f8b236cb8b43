"""Evaluations for those who have an answer already: told that it is unchanged, they cost none and would not count.

One of them in an hour is evaluated after all, so that no flag looks unused that is asked for so all the time.
"""

from collections.abc import Hashable
from typing import Final

from analytics_box.base.clock import Clock

EVERY: Final = 3_600  # seconds
MOST: Final = 10_000  # different questions that are remembered


class Unchanged:
    """When questions were last evaluated: what is asked, of whose flags, in which environment; not by whom."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._evaluated: dict[int, float] = {}  # by hash: questions can be long

    def note(self, question: Hashable) -> None:
        """It is evaluated now."""
        if len(self._evaluated) >= MOST:
            self._evaluated.clear()
        self._evaluated[hash(question)] = self._clock.monotonic()

    def is_due(self, question: Hashable) -> bool:
        """Whether nobody's was evaluated for an hour."""
        last = self._evaluated.get(hash(question))
        return last is None or self._clock.monotonic() - last >= EVERY
