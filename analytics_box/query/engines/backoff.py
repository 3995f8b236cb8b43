"""Increasing delays after repeated failures."""

from analytics_box.base.clock import Clock

FIRST, LONGEST = 30, 3_600  # seconds


class Backoff:
    """Half a minute after a first failure, twice as long after each further one in a row, an hour at most."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._in_a_row, self._not_before = 0, 0.0

    @property
    def is_over(self) -> bool:
        """Whether it may be tried again."""
        return self._clock.monotonic() >= self._not_before

    def failed(self) -> int:
        """Begin to wait; for how many seconds."""
        wait: int = min(FIRST * 2**self._in_a_row, LONGEST)
        self._in_a_row += 1
        self.wait(wait)
        return wait

    def wait(self, seconds: int) -> None:
        """Wait for so long, whatever was before."""
        self._not_before = self._clock.monotonic() + seconds

    def forget(self) -> None:
        """Reset the delay, after a sufficiently long time without failure."""
        self._in_a_row = 0
