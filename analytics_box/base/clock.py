"""Time as a value that is passed in, so that no test sleeps and none patches globals."""

import time
from datetime import UTC, datetime
from typing import Protocol, runtime_checkable

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR


@runtime_checkable
class Clock(Protocol):
    """The source of the current time. Instants are UTC epoch milliseconds (semantics 1)."""

    def now(self) -> int:
        """The wall clock, in UTC epoch milliseconds."""

    def monotonic(self) -> float:
        """Seconds that only ever go forward, for limits and deadlines."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        return time.monotonic()


def utc_day(instant: int) -> int:
    """Number of the UTC day that holds this instant, counted from 1970-01-01."""
    return instant // DAY


def iso(instant: int) -> str:
    """An instant as ISO 8601 in UTC, with milliseconds."""
    return datetime.fromtimestamp(instant / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def iso_day(instant: int) -> str:
    """The UTC day of an instant, as YYYY-MM-DD."""
    return datetime.fromtimestamp(instant / 1000, UTC).date().isoformat()
