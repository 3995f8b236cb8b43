"""Evaluations for clients that already have the answer: a 304 for them costs no evaluation and would not count.

One of these requests is evaluated each hour, so that a flag that is only requested this way does not look unused.
"""

from typing import Final

from analytics_box.base.cache import BoundedCache
from analytics_box.base.clock import Clock

EVERY: Final = 3_600  # seconds
MOST: Final = 10_000  # Answers that are remembered.


def recent_evaluations(clock: Clock) -> BoundedCache[int, bool]:
    """Requests evaluated within an hour, by the hash of their flags, scope and environment, without the user."""
    return BoundedCache(MOST, seconds=EVERY, clock=clock)
