"""The threads that read a file, each on its own connection, under a deadline."""

import asyncio
import contextlib
import logging
import queue
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import TypeVar

import apsw

from analytics_box.base.errors import DeadlineExceeded, OverBudget, Unavailable
from analytics_box.base.store.damage import SIGNS, Damage, is_sign
from analytics_box.base.store.gate import ReadGate
from analytics_box.base.store.reserve import Reserve
from analytics_box.base.store.trouble import Seldom
from analytics_box.base.store.writes import STOPPING, Work
from analytics_box.base.translation import _

BUSY_MS = 5_000
# Statements that stay compiled, in a ring that each use of one goes on by a place: those of a busy moment must not push
# out what is needed once in a hundred.
_KEPT_OF_A_WRITER = 1_000
LOG_KEPT = 32 << 20  # bytes of the write-ahead log's file that stay once it has started again


def connect(path: Path, *, writes: bool, durability: str, vfs: str | None) -> apsw.Connection:
    """A connection to a file that is there; one that does not write cannot, and is prepared before its first read."""
    kept = {"statementcachesize": _KEPT_OF_A_WRITER} if writes else {}
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE, vfs=vfs, **kept)
    connection.set_busy_timeout(BUSY_MS)
    connection.pragma("foreign_keys", True)
    # A plan does not depend on bound values; otherwise each run with others would compile the statement again.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    if writes:
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", durability)
        connection.pragma("cache_size", -32_000)
        connection.pragma("journal_size_limit", LOG_KEPT)
        connection.pragma("temp_store", "memory")
    else:
        # What a read sorts and groups goes on in a file next to the database once it is long; the file has no name.
        connection.pragma("temp_store", "file")
        with contextlib.suppress(apsw.SQLError):  # it cannot be written: the system's directories are left
            connection.pragma("temp_store_directory", str(path.parent))
        connection.pragma("query_only", True)
    connection.pragma("schema_version")  # a first look, which opens the log, and makes it where there is none
    return connection


def prepare(connection: apsw.Connection) -> None:
    """Before the first read: what makes SQLite parse the schema, which takes longer than everything else, and memory
    that a connection in reserve does without."""
    connection.pragma("cache_size", -8_000)


log = logging.getLogger(__name__)

T = TypeVar("T")

PROGRESS_STEPS = 20_000  # virtual machine steps between two looks at a read's deadline


class Readers:
    """Reads that may take long never have all connections, so that the others do not wait for them."""

    def __init__(
        self,
        path: Path,
        connections: Iterable[apsw.Connection],
        gate: ReadGate,
        damage: Damage,
        *,
        reserve: Reserve | None,
        most_waiting: int,
    ) -> None:
        self._gate = gate
        self._damage = damage
        self._path = path
        self._may_complain = Seldom()
        self._reserve = reserve
        self._most_waiting = most_waiting
        self._closing = False
        self._under_way = {True: 0, False: 0}
        # The one that read last reads next: it has pages and compiled statements.
        self._connections: queue.LifoQueue[apsw.Connection] = queue.LifoQueue()
        self._unused = set(connections)
        for connection in self._unused:
            self._connections.put(connection)
        self._count = self._connections.qsize()
        self._threads = {
            True: ThreadPoolExecutor(max(1, self._count - 1), thread_name_prefix=f"{path.stem}-long-reader"),
            False: ThreadPoolExecutor(self._count, thread_name_prefix=f"{path.stem}-reader"),
        }

    async def read(self, work: Work[T], *, seconds: float, long: bool) -> T:
        """Run `work`, as Db.read says."""
        if self._closing:
            raise Unavailable(STOPPING)
        if self._under_way[long] >= self._most_waiting:
            raise Unavailable(_("Too many queries are running. Try again in a moment."), retry_after=1)
        self._under_way[long] += 1
        unwanted = threading.Event()
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._threads[long], copy_context().run, self._read, work, seconds, unwanted
            )
        except asyncio.CancelledError:
            unwanted.set()
            raise
        finally:
            self._under_way[long] -= 1

    def read_now(self, work: Work[T], *, seconds: float) -> T:
        """Run `work` for a caller without an event loop; blocks until it is done."""
        return self._read(work, seconds, threading.Event())

    @property
    def under_way(self) -> int:
        """The number of reads that run or wait."""
        return sum(self._under_way.values())

    def refuse(self) -> None:
        """Take no more, and break off those that run."""
        self._closing = True

    def close(self) -> None:
        """Wait until the last has ended, and close all connections."""
        for threads in self._threads.values():
            threads.shutdown(wait=True)
        for _reader in range(self._count):
            self._connections.get().close()

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
        try:
            if connection in self._unused:
                prepare(connection)
                self._unused.discard(connection)
            connection.pragma("temp_store", "memory" if self._disk_was_full else "file")
            connection.set_progress_handler(
                lambda: self._closing or unwanted.is_set() or time.monotonic() > deadline, PROGRESS_STEPS
            )
            return work(connection)
        except apsw.InterruptError as late:
            if self._closing:
                raise Unavailable(STOPPING) from late
            raise DeadlineExceeded.after(seconds) from late
        except (*SIGNS, apsw.IOError) as broken:
            if _detach_files(connection):  # a derived file may be the damaged one
                return self._read_on(connection, work, deadline - time.monotonic(), unwanted)
            if is_sign(broken):
                raise self._damage.note(broken) from broken
            if self._may_complain:
                log.error("A read of %s failed: %s", self._path.name, broken)
            raise Unavailable(_("The server cannot read its disk. Try again"), retry_after=60) from broken
        except apsw.FullError as large:
            raise OverBudget(_("This query needs more disk space than allowed. Use a shorter range")) from large
        finally:
            connection.set_progress_handler(None)

    @property
    def _disk_was_full(self) -> bool:
        """Whether the disk was full and has no room yet: what a read sorts goes to memory then."""
        return self._reserve is not None and self._reserve.is_given_up


def _detach_files(connection: apsw.Connection) -> bool:
    """Detach the files that work has attached; whether there were any."""
    others = [name for name in connection.db_names() if name not in {"main", "temp"}]
    try:
        for name in others:
            connection.execute(f'-- readers.detach\ndetach "{name}"')
    except apsw.Error:
        return False  # inside a transaction that cannot be left
    return bool(others)
