"""One SQLite file behind one writer thread with group commit and a pool of readers with deadlines.

Callers submit functions. A write runs inside a group commit in its own savepoint, and its caller resumes after
the commit: an acknowledged write is on disk. A read runs on a connection of its own under a deadline.
"""

import asyncio
import contextlib
import logging
import queue
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

import apsw

from analytics_box.errors import DeadlineExceeded, OverBudget, Unavailable
from analytics_box.store.gate import Gate
from analytics_box.store.reserve import Reserve
from analytics_box.store.trouble import Seldom
from analytics_box.store.writes import Companion, Connection, ConstraintError, Job, Outcome, Work, deliver

__all__ = ["Connection", "ConstraintError", "Db"]

log = logging.getLogger(__name__)

T = TypeVar("T")

CHECKPOINT_PAGES = 2_000  # 16 MB: the writer folds the log back between batches each time it is so much longer
LONG_LOG = 2  # checkpoints; past them new reads wait for the running ones to end, so that the log starts again
LOG_KEPT = 32 << 20  # bytes of its file that stay once it has started again
BUSY_MS = 5_000
PROGRESS_STEPS = 20_000  # virtual machine steps between two looks at a read's deadline
MAX_READ_SECONDS = 10.0
STOPPING = "The box is stopping; send this again in a moment"
DISK_ERRORS = (
    apsw.FullError,
    apsw.IOError,
    apsw.ReadOnlyError,
    apsw.CantOpenError,
    apsw.CorruptError,
    apsw.BusyError,
)


class Queues(NamedTuple):
    """Writes that wait for the writer, reads that run or wait, and those of them that the log holds back."""

    writes: int
    reads: int
    held: int


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
        self._vfs = vfs
        self._reserve = reserve
        self._may_complain = Seldom()
        self._companions: tuple[Companion, ...] = ()
        self._ready = threading.Condition()
        self._jobs: list[Job] = []
        self._write_queue, self._read_queue = write_queue, read_queue
        self._reading = {True: 0, False: 0}
        self._closing = False
        self.version = 0  # of what is in the file: every commit of this process makes a new one
        self.failing = False  # whether the last group commit failed
        self._log_pages, self._checkpoint_pages = 0, checkpoint_pages
        self._fold_at, self._gate_at = checkpoint_pages, LONG_LOG * checkpoint_pages
        self._gate = Gate(self._wake_writer, patience=MAX_READ_SECONDS)
        self._writer = self._connect(writes=True, durability=durability)
        self._writer.pragma("schema_version")  # a first look, which makes the log
        self._places = {file: _inode(file) for file in (path, path.with_name(f"{path.name}-wal"))}
        self._is_gone = False
        self._connections: queue.SimpleQueue[apsw.Connection] = queue.SimpleQueue()
        self._reader_count = readers
        for _ in range(readers):
            self._connections.put(self._connect(writes=False, durability=durability))
        self._readers = {
            True: ThreadPoolExecutor(max(1, readers - 1), thread_name_prefix=f"{path.stem}-long-reader"),
            False: ThreadPoolExecutor(readers, thread_name_prefix=f"{path.stem}-reader"),
        }
        self._thread = threading.Thread(target=self._write_until_closed, name=f"{path.stem}-writer", daemon=True)
        self._thread.start()

    def accompany(self, *companions: Companion) -> None:
        """Name the memory that follows this file's commits and rollbacks. Call before the first write."""
        self._companions = companions

    # Writing

    async def write(self, work: Work[T], *, adds: bool = False) -> T:
        """Run `work` in the next group commit; resumes after the commit. What `adds` is refused on a full disk.

        Raises whatever `work` raises (its savepoint is rolled back, others are not touched), and Unavailable when
        the queue is full, the box is stopping or the disk refuses.
        """
        if adds and self._reserve is not None and (refusal := self._reserve.refusal):
            raise Unavailable(refusal, retry_after=60)
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._enqueue(Job(work, future))
        return await future

    def write_now(self, work: Work[T]) -> T:
        """The same for callers without an event loop (command line, tests): blocks until after the commit."""
        future: Future[T] = Future()
        self._enqueue(Job(work, future))
        return future.result()

    def _enqueue(self, job: Job) -> None:
        with self._ready:
            if self._closing:
                raise Unavailable(STOPPING)
            if self._is_gone:
                raise Unavailable(f"The box has lost its file {self.path.name}; ask whoever runs it")
            if len(self._jobs) >= self._write_queue:
                raise Unavailable(
                    "Too many writes are waiting for the disk; send this again in a moment", retry_after=1
                )
            self._jobs.append(job)
            if len(self._jobs) == 1:
                self._ready.notify()

    def _write_until_closed(self) -> None:
        while True:
            with self._ready:
                while not self._jobs and not self._closing and not self._gate.is_drained:
                    self._ready.wait()
                batch, self._jobs = self._jobs, []
            if batch:
                deliver(self._commit_or_make_room(batch))
            elif self._closing:
                return
            if self._gate.is_drained or self._log_pages > self._fold_at:
                self._shorten_log()

    def _wake_writer(self) -> None:
        with self._ready:
            self._ready.notify()

    def _commit_or_make_room(self, batch: list[Job]) -> list[Outcome]:
        """Commit; on a full disk once more with the log folded back, and once more with the reserve."""
        outcomes = self._commit(batch)
        for make_room in (self._fold, self._give_up_reserve):
            if isinstance(outcomes, apsw.FullError) and make_room():
                outcomes = self._commit(batch)
        if isinstance(outcomes, list):
            return outcomes
        if not isinstance(outcomes, DISK_ERRORS):
            log.error("A group of writes to %s failed", self.path.name, exc_info=outcomes)
        elif self._may_complain:
            log.error("%s cannot be written: %s", self.path.name, outcomes)
        return [(job, None, Unavailable("The box cannot write to its disk; try again")) for job in batch]

    def _fold(self) -> bool:
        self._checkpoint(apsw.SQLITE_CHECKPOINT_PASSIVE)
        return True

    def _give_up_reserve(self) -> bool:
        return self._reserve is not None and self._reserve.give_up()

    def _commit(self, batch: list[Job]) -> list[Outcome] | Exception:
        """What became of each, or why none was committed."""
        start = [companion.mark() for companion in self._companions]
        try:
            self._writer.execute("begin immediate")
            outcomes = [self._run(job) for job in batch]
            self._writer.execute("commit")
        except Exception as broken:
            self._roll_back()
            self._undo(start)
            return broken
        self.version += 1
        self.failing = False
        for companion in self._companions:
            companion.committed()
        return outcomes

    def _run(self, job: Job) -> Outcome:
        marks = [companion.mark() for companion in self._companions]
        self._writer.execute("savepoint one")
        try:
            result = job.work(self._writer)
        except DISK_ERRORS:
            raise
        except Exception as refused:
            self._writer.execute("rollback to one")
            self._writer.execute("release one")
            self._undo(marks)
            if isinstance(refused, StopIteration):  # no future takes one, and its neighbours would never wake
                return job, None, RuntimeError("A write ended with StopIteration")
            return job, None, refused
        self._writer.execute("release one")
        return job, result, None

    def _roll_back(self) -> None:
        self.failing = True
        try:
            if self._writer.in_transaction:
                self._writer.execute("rollback")
        except apsw.Error as broken:
            log.error("%s cannot be rolled back: %s", self.path.name, broken)

    def _undo(self, marks: list[int]) -> None:
        for companion, mark in zip(self._companions, marks, strict=True):
            companion.undo(mark)

    # Reading

    async def read(self, work: Work[T], *, seconds: float = MAX_READ_SECONDS, long: bool = False) -> T:
        """Run `work` on a reader's connection; it must fetch all it wants before it returns.

        Reads that may take `long` never have all connections, so that the others do not wait for them. A read whose
        caller is cancelled is broken off, or never begins. Raises DeadlineExceeded after `seconds` of running,
        OverBudget where the disk is full, and Unavailable when too many reads wait or the box stops.
        """
        if self._closing:
            raise Unavailable(STOPPING)
        if self._reading[long] >= self._read_queue:
            raise Unavailable("Too many questions at once; ask again in a moment", retry_after=1)
        self._reading[long] += 1
        unwanted = threading.Event()
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._readers[long], copy_context().run, self._read, work, seconds, unwanted
            )
        except asyncio.CancelledError:
            unwanted.set()
            raise
        finally:
            self._reading[long] -= 1

    def read_now(self, work: Work[T], *, seconds: float = MAX_READ_SECONDS) -> T:
        """The same for callers without an event loop."""
        return self._read(work, seconds, threading.Event())

    def _read(self, work: Work[T], seconds: float, unwanted: threading.Event) -> T:
        if self._closing:
            raise Unavailable(STOPPING)
        connection = self._connections.get()
        try:
            with self._gate.passed():
                return self._read_on(connection, work, seconds, unwanted)
        finally:
            self._connections.put(connection)

    def _read_on(self, connection: apsw.Connection, work: Work[T], seconds: float, unwanted: threading.Event) -> T:
        deadline = time.monotonic() + seconds
        connection.pragma("temp_store", "memory" if self._is_full else "file")
        connection.set_progress_handler(
            lambda: self._closing or unwanted.is_set() or time.monotonic() > deadline, PROGRESS_STEPS
        )
        try:
            return work(connection)
        except apsw.InterruptError as late:
            if self._closing:
                raise Unavailable(STOPPING) from late
            raise DeadlineExceeded(f"This took longer than the {seconds:g} seconds it may take") from late
        except apsw.FullError as large:
            raise OverBudget("This takes more disk than the box has for it; ask for a shorter range") from large
        finally:
            connection.set_progress_handler(None)

    # Care

    def look(self) -> str:
        """What became of the file or its log, in words that anybody may read; empty while both are where they were.

        Until they are back writes are refused: what is written to a file without a name is lost when the box ends.
        """
        found = {file: _inode(file) for file, inode in self._places.items() if inode is not None}
        gone = [file for file, inode in found.items() if inode != self._places[file]]
        if gone and not self._is_gone:
            log.error(
                "%s was removed or replaced while the box runs: nothing is written now. Put the same file back, or "
                "export what you need, stop the box and restore a backup",
                gone[0],
            )
        elif self._is_gone and not gone:
            log.info("%s is back in its place: writes go on", self.path)
        self._is_gone = bool(gone)
        return f"{gone[0].name} {'was replaced' if found[gone[0]] else 'is gone'}" if gone else ""

    def close(self) -> None:
        """Refuse whatever comes, finish the waiting writes, break off reads, fold the log back and close the file.

        A second call does nothing.
        """
        with self._ready:
            if self._closing:
                return
            self._closing = True
            self._ready.notify()
        self._thread.join()
        self._gate.open()
        for readers in self._readers.values():
            readers.shutdown(wait=True)
        for _ in range(self._reader_count):
            self._connections.get().close()
        self._checkpoint(apsw.SQLITE_CHECKPOINT_TRUNCATE)
        self._writer.close()

    @property
    def _is_full(self) -> bool:
        """Whether the disk was full and has no room yet."""
        return self._reserve is not None and self._reserve.is_given_up

    @property
    def log_bytes(self) -> int:
        """Bytes of the write-ahead log's file; 0 where there is none."""
        try:
            return self.path.with_name(self.path.name + "-wal").stat().st_size
        except FileNotFoundError:
            return 0

    @property
    def queues(self) -> Queues:
        """How long its queues are now."""
        return Queues(len(self._jobs), sum(self._reading.values()), self._gate.waiting)

    def _shorten_log(self) -> None:
        """Fold the log back as far as reads allow; past its bound, make a moment in which it can start again.

        A log that is folded back whole starts again with the next write, unless a read needs it that began before.
        """
        drained = self._gate.is_drained
        whole = self._checkpoint(apsw.SQLITE_CHECKPOINT_PASSIVE)
        self._fold_at = self._log_pages + self._checkpoint_pages
        if drained:
            self._gate.open()
            if not whole:  # to wait as often as before would not help
                log.warning(
                    "The log of %s is %d MB long and cannot start again while another program reads the file",
                    self.path.name,
                    self.log_bytes // 1_000_000,
                )
                self._gate_at = 2 * self._log_pages
        elif self._log_pages > self._gate_at:
            self._gate.close()

    def _checkpoint(self, mode: int) -> bool:
        """Fold the log back; whether all of it is in the file."""
        try:
            pages, folded = self._writer.wal_checkpoint(mode=mode)
        except apsw.Error as broken:
            if self._may_complain:
                log.warning("The log of %s could not be folded back: %s", self.path.name, broken)
            return False
        return folded >= pages

    def _connect(self, *, writes: bool, durability: str) -> apsw.Connection:
        connection = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READWRITE, vfs=self._vfs)
        connection.set_busy_timeout(BUSY_MS)
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", durability)
        connection.pragma("foreign_keys", True)
        connection.pragma("cache_size", -32_000 if writes else -8_000)
        connection.pragma("journal_size_limit", LOG_KEPT)
        connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
        connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
        if writes:
            connection.pragma("temp_store", "memory")
            connection.set_wal_hook(self._note_log_size)
        else:
            # What a read sorts and groups goes on in a file beside the database once it is long; the file has no name.
            connection.pragma("temp_store", "file")
            with contextlib.suppress(apsw.SQLError):  # it cannot be written: the system's directories are left
                connection.pragma("temp_store_directory", str(self.path.parent))
            connection.pragma("query_only", True)
        return connection

    def _note_log_size(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        if pages < self._log_pages:  # it has started again
            self._fold_at, self._gate_at = self._checkpoint_pages, LONG_LOG * self._checkpoint_pages
        self._log_pages = pages
        return apsw.SQLITE_OK


def _inode(file: Path) -> tuple[int, int] | None:
    """Which file has this name, if any."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
