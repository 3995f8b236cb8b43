"""A SQLite file behind one writer thread with group commit and a pool of readers with deadlines.

Callers submit functions. A write runs inside a group commit in its own savepoint, and its caller resumes after the
commit: an acknowledged write is on disk. A read runs on its own connection under a deadline.
"""

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from analytics_box.base.errors import Unavailable
from analytics_box.base.store.damage import Damage
from analytics_box.base.store.gate import ReadGate
from analytics_box.base.store.readers import Readers, connect
from analytics_box.base.store.reserve import Reserve
from analytics_box.base.store.wal import CHECKPOINT_PAGES
from analytics_box.base.store.writer import Writer
from analytics_box.base.store.writes import (
    ALONE,
    READ_ONLY,
    Connection,
    ConstraintError,
    DatabaseError,
    InMemoryState,
    SharedWork,
    Work,
    WriteJob,
)
from analytics_box.base.translation import _

__all__ = ["Connection", "ConstraintError", "DatabaseError", "Db", "read_file"]

T = TypeVar("T")
G = TypeVar("G")

MAX_READ_SECONDS = 10.0
_HOLD_SECONDS = 5.0  # for which writers wait at most
_HOLD_PATIENCE = 60.0  # seconds until one has come to it


def read_file(path: Path, work: Callable[[Connection], T]) -> T:
    """Read a database file that another process may be using. Raises DatabaseError."""
    with closing(Connection(str(path), flags=READ_ONLY)) as db:
        return work(db)


class Queues(NamedTuple):
    """Writes that wait for the writer, reads that run or wait, and those of them that the log holds back."""

    writes: int
    reads: int
    held: int


class Hold:
    """A write that does nothing, for as long as nothing may be written. `lapsed` says that this took too long."""

    def __init__(self) -> None:
        self.lapsed = False
        self.began, self.end = threading.Event(), threading.Event()

    def __call__(self, _db: Connection) -> None:
        self.began.set()
        self.lapsed = self.lapsed or not self.end.wait(_HOLD_SECONDS)


class Db:
    """An open database file. Open it after the migrations; `close` drains the writer and folds the log back."""

    def __init__(
        self,
        path: Path,
        *,
        readers: int = 4,
        durability: Literal["full", "normal"] = "full",
        write_queue: int = 20_000,
        read_queue: int = 256,
        checkpoint_pages: int = CHECKPOINT_PAGES,
        reserve: Reserve | None = None,
        vfs: str | None = None,
    ) -> None:
        self.path = path
        self.damage = Damage(path)
        self._reserve = reserve
        self._gate = ReadGate(self._wake_writer, patience=MAX_READ_SECONDS)
        open_one = partial(connect, path, durability=durability, vfs=vfs)
        connection = open_one(writes=True)
        self._writer = Writer(
            path,
            connection,
            self._gate,
            self.damage,
            reserve=reserve,
            most_waiting=write_queue,
            checkpoint_pages=checkpoint_pages,
        )
        connections = [open_one(writes=False) for _ in range(readers)]
        self._readers = Readers(path, connections, self._gate, self.damage, reserve=reserve, most_waiting=read_queue)
        self._writer.start()

    def attach(self, *states: InMemoryState) -> None:
        """Attach in-memory state that follows this file's commits and rollbacks. Call before the first write."""
        self._writer.states = states

    async def write(self, work: Work[T], *, adds: bool = False) -> T:
        """Run `work` in the next group commit; resumes after the commit. What `adds` is refused on a full disk and once
        one of both databases is known to be damaged.

        Raises whatever `work` raises (its savepoint is rolled back, others are not touched), and Unavailable when
        the queue is full, the box is stopping, the disk refuses or the file is damaged.
        """
        found: T = await self._enqueued(work, ALONE, adds=adds)
        return found

    def write_shared(self, work: SharedWork[G, T], given: G, *, adds: bool = False) -> Awaitable[T]:
        """Run `work` once for all that wait one after the other with the same work, in one savepoint: what is given of
        each has a result. If it raises, it runs again for each alone. Everything else is as for `write`."""
        return self._enqueued(work, given, adds=adds)

    def _enqueued(self, work: Work[Any] | SharedWork[Any, Any], given: Any, *, adds: bool) -> asyncio.Future[Any]:
        if adds:
            if (damaged := self.damage.refusal()) is not None:
                raise damaged
            if self._reserve is not None and (refusal := self._reserve.refusal):
                raise Unavailable(refusal, retry_after=60)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._writer.enqueue(WriteJob(work, future, given, adds))
        return future

    def write_now(self, work: Work[T]) -> T:
        """Write for a caller without an event loop (command line, tests); blocks until after the commit."""
        future: Future[T] = Future()
        self._writer.enqueue(WriteJob(work, future))
        return future.result()

    @contextmanager
    def held(self) -> Iterator[Hold]:
        """Let nothing be written to the file inside; for threads other than the event loop's. Raises Unavailable.

        A group commit that is under way waits, so what others read in the meantime is what has been acknowledged.
        """
        hold, future = Hold(), Future[None]()
        self._writer.enqueue(WriteJob(hold, future))
        try:
            if not hold.began.wait(_HOLD_PATIENCE):
                raise Unavailable(_("{name} is busy. Try again in a moment").format(name=self.path.name))
            yield hold
        finally:
            hold.end.set()

    async def read(self, work: Work[T], *, seconds: float = MAX_READ_SECONDS, long: bool = False) -> T:
        """Run `work` on a reader's connection; it must fetch all it wants before it returns.

        Reads that may take `long` never have all connections, so that the others do not wait for them. A read whose
        caller is cancelled is broken off, or never begins. Raises DeadlineExceeded after `seconds` of running,
        OverBudget where the disk is full, and Unavailable when too many reads wait, the box stops or the file is
        damaged.
        """
        return await self._readers.read(work, seconds=seconds, long=long)

    def read_now(self, work: Work[T], *, seconds: float = MAX_READ_SECONDS) -> T:
        """Read for a caller without an event loop; blocks until it is done."""
        return self._readers.read_now(work, seconds=seconds)

    @property
    def version(self) -> int:
        """Of what is in the file: every commit of this process makes a new one."""
        return self._writer.version

    @property
    def failing(self) -> bool:
        """Whether the last group commit failed."""
        return self._writer.failing

    @property
    def log_bytes(self) -> int:
        """Bytes of the write-ahead log's file; 0 where there is none."""
        return self._writer.wal.size

    @property
    def queues(self) -> Queues:
        """The current lengths of its queues."""
        return Queues(self._writer.waiting, self._readers.under_way, self._gate.waiting)

    def look(self) -> str:
        """The problem with the file or its log, in words without secrets; empty while both are in place.

        Until they are back writes are refused: writes to a file without a name are lost when the box ends.
        """
        lost = self._writer.look()
        if lost is None:
            return ""
        return f"{lost.name} {'was replaced' if os.path.lexists(lost) else 'is gone'}"

    def close(self) -> None:
        """Refuse whatever comes, finish the waiting writes, break off reads, fold the log back and close the file.

        A second call does nothing.
        """
        if not self._writer.refuse():
            return
        self._readers.refuse()
        self._writer.join()
        self._gate.open()
        self._readers.close()
        self._writer.close()

    def _wake_writer(self) -> None:
        self._writer.wake()
