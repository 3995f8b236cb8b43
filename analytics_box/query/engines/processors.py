"""The number of processors for a statement on the column replica."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class Processors:
    """The processors that statements on the column replica share, of which `at_once` run at a time.

    A statement that runs alone takes all of them; if several run at a time, they take one each, and the remaining
    processors help long statements. Short statements that come by the dozen gain nothing from help and wake it up each
    time, which took a quarter of the processor time of a dashboard.
    """

    def __init__(self, number: int, at_once: int) -> None:
        self._all, self._shared = number, max(number - at_once + 1, 1)
        self._threads = number  # of a statement, as the engine was opened
        self._at_work = 0
        self._lock = Lock()

    @contextmanager
    def taken(self, connection: "DuckDBPyConnection", *, alone: bool) -> Iterator[None]:
        """While a statement runs; `alone` when no other is asked or waits."""
        with self._lock:
            wanted = self._all if alone else self._shared
            # The engine ends a thread when that has done what it does, so there are fewer only when nothing runs.
            if wanted > self._threads or (wanted < self._threads and not self._at_work):
                with suppress(Exception):  # where no thread is to be had, it goes on with those that there are
                    connection.execute(f"set threads = {wanted}")
                    self._threads = wanted
            self._at_work += 1
        try:
            yield
        finally:
            with self._lock:
                self._at_work -= 1
