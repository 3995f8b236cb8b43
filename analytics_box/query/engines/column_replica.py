"""The column replica of a box that runs: opened, brought up to date, asked, and rebuilt if it fails."""

import asyncio
import contextlib
import logging
import os
import queue
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from analytics_box.base import memory
from analytics_box.base.clock import DAY, HOUR, Clock
from analytics_box.base.errors import BoxError, Unavailable
from analytics_box.base.store.db import Db
from analytics_box.base.translation import _
from analytics_box.query.engines import columns, duckdb, sql
from analytics_box.query.engines.batches import STEP_SECONDS, Backoff
from analytics_box.query.engines.columns import Replica
from analytics_box.query.engines.copies import ReplicaStatus, newest
from analytics_box.query.engines.counting import Row, Take
from analytics_box.query.engines.duckdb import PlanRun
from analytics_box.query.plan import QueryPlan

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

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


log = logging.getLogger(__name__)

AT_ONCE = 2  # queries that run on the replica
MOST_THREADS = 4
_OF_THE_MACHINE = {"IOException", "OutOfMemoryException"}  # DuckDB's, which is not imported for their sake


class ColumnReplica:
    """`columns.duckdb` beside events.db. `ready` says that it answers; what fails is removed, and built again later."""

    def __init__(self, events: Db, clock: Clock, *, memory: str, waiting: int) -> None:
        self._events, self._clock = events, clock
        self._memory, self._most_waiting = memory, waiting
        self.path = events.path.with_name(columns.FILE_NAME)
        self.ready = False
        self.opened: Replica | None = None
        self._opened_at = 0
        self._version = -1  # of events.db that it has
        self._backoff = Backoff(clock)
        self._following = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._threads: ThreadPoolExecutor | None = None
        self._cursors: queue.SimpleQueue[DuckDBPyConnection] = queue.SimpleQueue()
        self._processors = Processors(1, AT_ONCE)
        self._running = 0  # questions, also those that wait

    @property
    def has_file(self) -> bool:
        """Whether one was there before, as a start finds it."""
        return self.path.exists()

    @property
    def may_be_tried(self) -> bool:
        """Whether it is open, or may be opened now."""
        return self.opened is not None or self._backoff.is_over

    def answers(self, plan: QueryPlan) -> bool:
        """Whether it is what answers this plan."""
        return self.ready and duckdb.is_soon_understood(plan)

    def statement(self, plan: QueryPlan) -> sql.SqlStatement:
        """The statement for this plan."""
        return sql.render(plan, duckdb.DIALECT)

    async def rows_or_none(self, plan: QueryPlan, seconds: float, take: Take) -> list[Row] | None:
        """The rows of a plan, with all that events.db has; None if it could not answer."""
        if self._running >= self._most_waiting:
            raise Unavailable(_("Too many queries are running. Try again in a moment."), retry_after=1)
        replica = self.opened
        self._running += 1
        first = self._running == 1
        try:
            await self.follow()
            return await self._rows(plan, seconds, take, first=first)
        except BoxError:
            raise
        except duckdb.DuckdbPlanFailed:
            log.exception("The column replica cannot answer this; SQLite does")
        except Exception as broken:
            if self.ready and self.opened is replica:  # a dozen questions may find it broken, which is one failure
                await self._fail(broken)
        finally:
            self._running -= 1
        return None

    async def tend(self) -> None:
        """Open or build it, bring it up to date, and build it again when removed events have to leave its file."""
        if self.opened is None:
            await self._open()
        elif self.opened.has_remains and self._clock.now() - self._opened_at >= DAY:
            log.info("Rebuilding the column replica, so that removed events leave its file")
            await self._drop()
            await self._open()
        try:
            await self.follow()
            replica = self.opened
            if not self.ready and replica is not None and (replica.is_new or replica.added > columns.PIECE):
                await self._reopen()
        except BoxError:
            raise
        except Exception as broken:
            await self._fail(broken)
        if self.opened is None:
            return
        if self._clock.now() - self._opened_at >= HOUR:
            self._backoff.forget()
        if not self.ready:
            self.ready = True
            log.info("The column replica is ready: %s", await self.status(self.opened))

    def forget_file(self) -> None:
        """Remove the file of one that is not wanted."""
        columns.forget_replica(self.path)

    async def status(self, replica: Replica) -> ReplicaStatus:
        """The status of the replica."""
        return await asyncio.to_thread(self._status, replica, await self._events.read(newest))

    async def follow(self) -> None:
        """Update it to the current facts; later facts are for the next update.

        A step continues after its last caller has left: the next one starts only when it has ended.
        """
        task = asyncio.create_task(self._follow_to(self._events.version))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        await asyncio.shield(task)

    def close(self) -> None:
        """Close it. The events database is closed before."""
        self.ready = False
        if self._threads is not None:
            self._threads.shutdown(wait=True)
        if self.opened is not None:
            self.opened.close()
            self.opened = None

    async def _open(self) -> None:
        number = min(os.cpu_count() or 1, MOST_THREADS)
        opened = partial(columns.open_replica, self.path, memory=self._memory, threads=number)
        try:
            self.opened = await self._events.read(opened, seconds=STEP_SECONDS)
        except BoxError:
            raise
        except Exception as broken:
            await self._fail(broken)
            return
        self._opened_at = self._clock.now()
        self._processors = Processors(number, AT_ONCE)
        self._version = -1
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="columns")
        self._cursors = queue.SimpleQueue()
        for _cursor in range(AT_ONCE):
            self._cursors.put(self.opened.connection.cursor())

    async def _follow_to(self, wanted: int) -> None:
        async with self._following:
            while self.opened is not None and self._version < wanted:
                version = self._events.version
                if not await self._events.read(self.opened.step, seconds=STEP_SECONDS):
                    self._version = version

    async def _rows(self, plan: QueryPlan, seconds: float, take: Take, *, first: bool) -> list[Row]:
        if self._threads is None or self.opened is None:
            raise RuntimeError("The column replica is closed")
        asking = PlanRun(plan, seconds, take)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._run, asking, first)
        except asyncio.CancelledError:
            asking.stop()
            raise

    def _run(self, asking: PlanRun, first: bool) -> list[Row]:
        cursor = self._cursors.get()
        try:
            with self._processors.taken(cursor, alone=first and self._running == 1):
                return asking.run(cursor)
        finally:
            self._cursors.put(cursor)

    async def _fail(self, broken: Exception) -> None:
        """Let SQLite answer, and build it again after a while, which grows with each failure."""
        self.ready = False
        wait = self._backoff.failed()
        log.error(
            "The column replica is not available (%s). SQLite answers queries until it is rebuilt, in %d seconds",
            # Further lines are advice on settings that the server controls.
            *(str(broken).partition("\n")[0], wait),
            exc_info=_unexpected_error(broken),
        )
        await self._drop()

    async def _reopen(self) -> None:
        """Close and open the replica, because DuckDB keeps up to its limit of memory after many rows were added."""
        async with self._following:
            await self._let_go()
        await asyncio.to_thread(memory.give_back)
        await self._open()
        await self.follow()

    async def _drop(self) -> None:
        """Close and remove one that failed; the next `tend` builds a new one."""
        async with self._following:
            if await self._let_go():
                columns.forget_replica(self.path)

    async def _let_go(self) -> bool:
        """Close the replica and keep its file; return whether it was open."""
        self.ready = False
        replica, self.opened = self.opened, None
        threads, self._threads = self._threads, None
        if replica is None or threads is None:
            return False
        await asyncio.to_thread(threads.shutdown, wait=True)
        with contextlib.suppress(Exception):  # it may be broken
            await asyncio.to_thread(replica.close)
        return True

    def _status(self, replica: Replica, there: dict[str, int]) -> ReplicaStatus:
        behind = sum(last - max(replica.last(table), 0) for table, last in there.items())
        return ReplicaStatus(
            "ready" if self.ready else "building",
            rows=replica.rows(),
            behind=max(behind, 0),
            memory=replica.memory(),
            size=_size(self.path),
        )


def _unexpected_error(broken: Exception) -> Exception | None:
    """The error, for the log's traceback; None if it is only a lack of disk space or memory, for which the message is
    enough.
    """
    expected = isinstance(broken, columns.ReplicaNoRoom | OSError) or type(broken).__name__ in _OF_THE_MACHINE
    return None if expected else broken


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in (path, path.with_name(path.name + ".wal")) if file.exists())
