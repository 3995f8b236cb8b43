"""Current readers of a file, and a gate before new reads, so that the write-ahead log can start again.

SQLite starts its log again only in a moment when no read needs it. Reads that overlap leave no such moment.
"""

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class ReadGate:
    """Open until `close`; then new reads wait until it opens, at most `patience` seconds from its closing.

    Reads that were inside all that time keep it from closing again until they have left, so that nobody waits for
    a long read more than once.
    """

    def __init__(self, drained: Callable[[], None], *, patience: float) -> None:
        self._drained = drained  # called when the last read leaves a closed gate
        self._patience = patience
        self._changed = threading.Condition()
        self._numbers = itertools.count()
        self._inside: set[int] = set()
        self._outlasting: set[int] = set()
        self._closed = False
        self.waiting = 0  # reads before it
        self._until = 0.0  # when it opens at the latest

    @property
    def is_drained(self) -> bool:
        """Whether it is closed and nobody reads."""
        return self._closed and not self._inside

    @contextmanager
    def passed(self) -> Iterator[None]:
        """Be one of those inside; waits first where the gate is closed."""
        number = self._enter()
        try:
            yield
        finally:
            self._leave(number)

    def close(self) -> None:
        """Let no new read begin, unless there is one inside that outlasted an earlier closing."""
        with self._changed:
            if not self._closed and not self._outlasting:
                self._closed = True
                self._until = time.monotonic() + self._patience

    def open(self) -> None:
        """Let everyone in."""
        with self._changed:
            self._open()

    def _open(self) -> None:
        self._closed = False
        self._changed.notify_all()

    def _enter(self) -> int:
        with self._changed:
            while self._closed:
                left = self._until - time.monotonic()
                if left <= 0:
                    self._outlasting = set(self._inside)
                    self._open()
                else:
                    self.waiting += 1
                    self._changed.wait(left)
                    self.waiting -= 1
            number = next(self._numbers)
            self._inside.add(number)
            return number

    def _leave(self, number: int) -> None:
        with self._changed:
            self._inside.discard(number)
            self._outlasting.discard(number)
            drained = self.is_drained
        if drained:
            self._drained()
