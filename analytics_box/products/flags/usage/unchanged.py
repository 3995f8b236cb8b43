"""Evaluations for clients that already have the answer: a 304 for them costs no evaluation and would not count.

One of these requests is evaluated each hour, so that a flag that is only requested this way does not look unused.
"""

from collections.abc import Hashable
from typing import Final

from analytics_box.base.clock import Clock

EVERY: Final = 3_600  # seconds
MOST: Final = 10_000  # different questions that are remembered


class UnchangedRequests:
    """The last evaluation time of each request: its flags, scope and environment, not its user."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._evaluated: dict[int, float] = {}  # by hash: questions can be long

    def note(self, question: Hashable) -> None:
        """Record that a request is evaluated now."""
        if len(self._evaluated) >= MOST:
            self._evaluated.clear()
        self._evaluated[hash(question)] = self._clock.monotonic()

    def is_due(self, question: Hashable) -> bool:
        """Return whether the request has not been evaluated for an hour."""
        last = self._evaluated.get(hash(question))
        return last is None or self._clock.monotonic() - last >= EVERY
