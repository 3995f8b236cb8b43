"""Writes on their way: what waits for the writer thread, what became of it, and who is told."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from typing import Any, Protocol, TypeVar

import apsw
from msgspec import Struct

from analytics_box.base.store.damage import SIGNS

log = logging.getLogger(__name__)

T = TypeVar("T")
G = TypeVar("G")
Connection = apsw.Connection  # for callers who only pass one on
DatabaseError = apsw.Error
READ_ONLY = apsw.SQLITE_OPEN_READONLY
ConstraintError = apsw.ConstraintError  # a check, a reference or a unique index refuses a row
STOPPING = "The server is stopping. Try again in a moment"
DISK_ERRORS = (
    apsw.FullError,
    apsw.IOError,
    apsw.ReadOnlyError,
    apsw.CantOpenError,
    *SIGNS,
    apsw.BusyError,
)
Work = Callable[[apsw.Connection], T]
SharedWork = Callable[[apsw.Connection, Sequence[G]], Sequence[T]]  # a result for each that is given
ALONE: Any = object()


class InMemoryState(Protocol):
    """Memory that mirrors the file, with hooks for commit and rollback: it keeps a change only if it is committed."""

    def mark(self) -> int:
        """The position where the changes of the next write begin."""

    def undo(self, mark: int) -> None:
        """Forget every change since that mark."""

    def committed(self) -> None:
        """All changes so far are on disk."""


class WriteJob(Struct, frozen=True):
    """A write that waits for its turn, and the future of its caller. If something is `given`, the work is shared with
    neighbours that have the same, and gets what is given of all of them. What `adds` is not acknowledged once damage is
    known."""

    work: Work[Any] | SharedWork[Any, Any]
    future: "asyncio.Future[Any] | Future[Any]"
    given: Any = ALONE
    adds: bool = False


Outcome = tuple[WriteJob, Any, BaseException | None]


def deliver(outcomes: Iterable[Outcome]) -> None:
    """Wake everyone who waits for these writes, event-loop callers with a single call into their loop."""
    in_loop: list[Outcome] = []
    for outcome in outcomes:
        if isinstance(outcome[0].future, asyncio.Future):
            in_loop.append(outcome)
        else:
            _resolve(outcome)
    if in_loop:
        loop = in_loop[0][0].future.get_loop()  # type: ignore[union-attr]  # only asyncio futures are in the list
        try:
            loop.call_soon_threadsafe(_resolve_all, in_loop)
        except RuntimeError:
            log.warning("%d writes were committed after the event loop stopped", len(in_loop))


def _resolve_all(outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        _resolve(outcome)


def _resolve(outcome: Outcome) -> None:
    job, result, refused = outcome
    if job.future.cancelled():
        return
    if refused is None:
        job.future.set_result(result)
    else:
        job.future.set_exception(refused)
