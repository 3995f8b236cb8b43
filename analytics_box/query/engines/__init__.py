"""Which engine answers a plan: SQLite over events.db, DuckDB over the column replica, or ClickHouse.

SQLite has roll-ups of days. DuckDB is for many events, ClickHouse where somebody wants it.

Nothing outside this package knows which of them did.
"""

import asyncio
import contextlib
import logging
import os
import queue
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from analytics_box.clock import DAY, HOUR, Clock, SystemClock
from analytics_box.errors import BoxError, Unavailable
from analytics_box.facts import orders, trimmed
from analytics_box.facts.tables import FACT_NAMES
from analytics_box.query.engines import columns, duckdb, rollups_file, shared, sql, sqlite
from analytics_box.query.engines import memory as limits
from analytics_box.query.engines.beyond import Beyond
from analytics_box.query.engines.clickhouse import words
from analytics_box.query.engines.columns import Replica
from analytics_box.query.engines.counting import Row, Take, unlimited
from analytics_box.query.engines.duckdb import Asking
from analytics_box.query.engines.rollups_file import RollupsFile
from analytics_box.query.engines.shared import Shared
from analytics_box.query.engines.trimming import Trimmed
from analytics_box.query.plan import Plan, Source
from analytics_box.query.rollups import roll_of
from analytics_box.store.db import Connection, Db

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from analytics_box.query.engines.clickhouse import ClickHouse

log = logging.getLogger(__name__)

Columnar = Literal["auto", "on", "off", "clickhouse"]

MANY = 200_000  # rows of facts from which on the replica pays (tests/load/results.md)
MOST_CHANGES = 2_000_000  # that are kept for a ClickHouse that is away; about 100 MB
AT_ONCE = 2  # queries that run on the replica; each takes all its threads
MOST_THREADS = 4
_STEP_SECONDS = 120.0
_COMING_SECONDS = 10.0  # that a question waits for a replica that is there to be opened
_ROLLING_SECONDS = 10.0  # at a time, pauses and all
_FIRST_WAIT, _LONGEST_WAIT = 30, 3_600  # seconds after a failure
_MOST_IN_VAIN = 3
# What only the primary of several machines has.
_HERE = frozenset(("link_clicks", "checks", "monitor_spans"))
_OF_THE_MACHINE = {"IOException", "OutOfMemoryException"}  # DuckDB's, which is not imported for their sake


class Status(Struct, frozen=True):
    """What the replica is doing: off, building or ready; its rows, how many are still to come, and bytes. `alone` are
    rows that ClickHouse has and events.db has not, `orders` what is yet to be removed of them."""

    state: Literal["off", "building", "ready"]
    rows: int = 0
    behind: int = 0
    memory: int = 0
    size: int = 0
    alone: int = 0
    orders: int = 0

    def __str__(self) -> str:
        memory, size = self.memory / 1e6, self.size / 1e6
        return f"{self.rows:,} rows, {self.behind:,} behind, {memory:,.0f} MB of memory, {size:,.0f} MB on disk"


class Engines:
    """Answers plans. `maintain` keeps the replica up to date; until it is ready SQLite answers.

    After a start questions have a replica opened that is there, and wait a moment for it: over many events SQLite would
    look for as long as it may, and the write-ahead log would grow all the while.
    """

    def __init__(
        self,
        events: Db,
        clock: Clock | None = None,
        *,
        columnar: Columnar = "off",
        memory: str = "256MB",
        waiting: int = 256,
        far: "ClickHouse | None" = None,
    ) -> None:
        self._clock = clock or SystemClock()
        self.events = events
        self._limit = limits.limit()
        self._columnar = columnar
        if columnar == "auto" and limits.is_small(self._limit):
            log.info("This container has too little memory for a column replica: SQLite answers all queries")
        self._memory = limits.capped(memory, self._limit)
        self._path = events.path.with_name(columns.FILE_NAME)
        self._rollups_path = events.path.with_name(rollups_file.FILE_NAME)
        self._rollups: RollupsFile | None = None  # only where no replica is ready
        self._shared = Shared(events)
        self._replica: Replica | None = None
        self._ready = False
        self._far = far
        self.trimmed = Trimmed(events) if far is None else far.trimmed
        self.beyond = Beyond(events, far)
        self._is_there = (
            columnar in {"auto", "on"} and self._path.exists()
        )  # since before the start, and not opened yet
        self._tending: asyncio.Task[None] | None = None
        self._rolling: asyncio.Task[None] | None = None
        self._not_before_rolling = 0.0
        self._in_vain = 0  # how often days could not be rolled up, in a row
        self._has_rolled = False  # all that there was, since the replica was opened
        self._opened_at = 0
        self._failures, self._not_before = 0, 0.0  # tries in a row; seconds of the clock
        self._version = -1  # of events.db that the replica has
        self._following = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._threads: ThreadPoolExecutor | None = None
        self._cursors: queue.SimpleQueue[DuckDBPyConnection] = queue.SimpleQueue()
        self._running, self._waiting = 0, waiting

    @property
    def version(self) -> int:
        """Of the facts: answers to the same plan are the same as long as it is."""
        if self._far is None:
            return self.events.version
        if self._far.is_shared:  # other machines do not tell of each event
            return (self._far.version << 20) + int(self._clock.monotonic()) % (1 << 20)
        return self._far.version

    @property
    def name(self) -> str:
        """The engine that would answer most questions now."""
        if self._far is not None and self._far.ready:
            return self._far.NAME
        return duckdb.NAME if self._ready else sqlite.NAME

    def engine_of(self, plan: Plan) -> str:
        """The engine that would answer this plan now, or has to."""
        if self.trimmed.lacks(plan) is not None:
            return words.NAME
        return sqlite.NAME if self.name == duckdb.NAME and not self._is_for_columns(plan) else self.name

    @property
    def away_since(self) -> int | None:
        """Since when ClickHouse, where it is wanted, has been away (UTC ms); None where it is not."""
        return None if self._far is None else self._far.away_since

    @property
    def replaced_at(self) -> int:
        """When another machine was promoted in the place of this primary, as ClickHouse says (UTC ms); 0 for never."""
        return 0 if self._far is None else self._far.replaced_at

    @property
    def lacks(self) -> str:
        """What ClickHouse has lost that nobody else has, in words; empty where it has everything."""
        return "" if self._far is None else self._far.lacks

    def statement(self, plan: Plan) -> sql.Statement:
        """What it would run for this plan. Reads, so it is for threads other than the event loop's."""
        if (self._far is not None and self._far.ready) or self.trimmed.lacks(plan) is not None:
            return words.render(plan, several=self._far is not None and self._far.is_shared)
        if self._replica is not None and self._is_for_columns(plan):
            return duckdb.render(plan, self._replica.cut(plan))
        if self._rollups is not None:
            with contextlib.suppress(*rollups_file.BROKEN):  # who asks next has them made anew
                return self.events.read_now(partial(_sqlite_statement, plan, self._rollups))
        return sqlite.render(plan)

    def _is_for_columns(self, plan: Plan) -> bool:
        return self._ready and duckdb.is_soon_understood(plan)

    async def rows(self, plan: Plan, *, seconds: float, take: Take = unlimited) -> list[Row]:
        """The rows of a plan, every acknowledged event in them.

        `take` is told their bytes while they are read, in another thread; what it raises ends that. Raises
        DeadlineExceeded, OverBudget, and Unavailable when too many wait.
        """
        if self._far is not None and (found := await self._far.rows_or_none(plan, seconds, take)) is not None:
            return found
        if self._far is not None and self._far.is_shared and plan.source not in _HERE:
            raise Unavailable(
                "ClickHouse, which has the events of all machines, cannot be asked now; ask again in a moment",
                retry_after=5,
            )
        found = await self._rows_here(plan, seconds, take)
        await self.trimmed.refuse(plan, self._why_not_far)  # what it lacks may have been trimmed meanwhile
        return found

    @property
    def _why_not_far(self) -> str:
        """Why ClickHouse does not answer."""
        if self._far is None:
            return "which this box does not use now (columnar)"
        return "which lacks events" if self._far.lacks else "which cannot be asked now"

    async def _rows_here(self, plan: Plan, seconds: float, take: Take) -> list[Row]:
        """From what this machine has."""
        await self.trimmed.refuse(plan, self._why_not_far)
        if self._is_there:
            seconds -= await self._wait_for_replica(seconds / 2)
        if self._is_for_columns(plan):
            try:
                await self._follow()
                return await self._columns_rows(plan, seconds, take)
            except BoxError:
                raise
            except duckdb.PlanFailed:
                log.exception("The column replica cannot answer this; SQLite does")
            except Exception as broken:
                await self._fail(broken)
        return await self._sqlite_rows(plan, seconds, take)

    async def _sqlite_rows(self, plan: Plan, seconds: float, take: Take) -> list[Row]:
        rollups = self._rollups
        is_rolled = rollups is not None and rollups.is_well and roll_of(plan) is not None
        if not is_rolled and shared.fits(plan) and (found := await self._shared.rows(plan, seconds, take)) is not None:
            return found
        ask = partial(_sqlite_rows, plan, take, seconds)
        if rollups is not None and rollups.is_well:
            try:
                return await self.events.read(partial(ask, rollups), seconds=seconds, long=True)
            except rollups_file.BROKEN as broken:
                rollups.is_well = False
                log.error("The roll-ups cannot be read (%s): they are made anew", broken)
        return await self.events.read(partial(ask, None), seconds=seconds, long=True)

    async def maintain(self) -> None:
        """Build the replica if it is wanted, bring it up to date, remove the recorded changes that it has, and roll up
        some days that are over. With ClickHouse, trim what only that needs to have."""
        await self.trimmed.load()
        await asyncio.shield(self._one_tending())
        if self._far is not None:
            await self._far.maintain()
            await self._forget_changes(self._far.applied)
            await self._bound_changes()
        if self._clock.monotonic() >= self._not_before_rolling:
            if self._rolling is None or self._rolling.done():  # one at a time, whoever still waits for it
                replica, rollups = self._replica, self._rollups
                if replica is not None:
                    rolling = self._roll_up(replica)
                elif rollups is not None:
                    rolling = self._advance(rollups)
                else:
                    return
                self._rolling = asyncio.create_task(rolling)
            await asyncio.shield(self._rolling)

    def _one_tending(self) -> "asyncio.Task[None]":
        """The one that is under way, or one that begins."""
        if self._tending is None:
            self._tending = asyncio.create_task(self._tend())
            self._tending.add_done_callback(self._tended)
        return self._tending

    def _tended(self, task: "asyncio.Task[None]") -> None:
        self._tending, self._is_there = None, False
        if not task.cancelled():
            task.exception()  # whoever waits is told

    async def _wait_for_replica(self, most: float) -> float:
        """For how many seconds it was waited."""
        began = asyncio.get_running_loop().time()
        await asyncio.wait((self._one_tending(),), timeout=min(most, _COMING_SECONDS))
        return asyncio.get_running_loop().time() - began

    async def _tend(self) -> None:
        if self._replica is None:
            if not await self._wanted():
                columns.forget_replica(self._path)
                await self._tend_rollups()
                return
            if self._clock.monotonic() < self._not_before:
                return
            await self._open()
        elif self._replica.has_remains and self._clock.now() - self._opened_at >= DAY:
            log.info("The column replica is rebuilt, so that removed events leave its file")
            await self._drop()
            await self._open()
        try:
            await self._follow()
        except BoxError:
            raise
        except Exception as broken:
            await self._fail(broken)
        replica = self._replica
        if replica is None:
            await self._tend_rollups()
        else:
            if self._clock.now() - self._opened_at >= HOUR:
                self._failures = 0
            if not self._ready:
                self._ready = True
                log.info("The column replica is ready: %s", await self.status())
            if self._rollups is not None or self._rollups_path.exists():
                await self._drop_rollups()
            await self._forget_changes(replica.applied)

    async def _tend_rollups(self) -> None:
        """Open the roll-ups of a box without a replica, and remove the recorded changes that they have."""
        if self._far is not None:
            await self._drop_rollups()
            return
        if self._rollups is not None and not self._rollups.is_well:
            await self._drop_rollups()
            self._not_before_rolling = self._clock.monotonic() + self._longer_wait()
        if self._rollups is None:
            if self._clock.monotonic() < self._not_before_rolling:
                await self._forget_changes(None)  # those that are made later begin with what there is then
                return
            try:
                opened = partial(_opened, self._rollups_path, self.events.path)
                self._rollups = await self.events.read(opened, seconds=_STEP_SECONDS)
            except rollups_file.BROKEN as broken:
                self._put_off(broken)
                return
            self._has_rolled = False
        await self._forget_changes(self._rollups.applied)

    async def _drop_rollups(self) -> None:
        """Close and remove the roll-ups; connections let go of them when they next see others, or none."""
        rollups, self._rollups = self._rollups, None
        if rollups is not None:
            await asyncio.to_thread(rollups.close)
        rollups_file.forget_rollups(self._rollups_path)

    def _put_off(self, broken: Exception) -> None:
        """Roll up nothing for an hour. In the end the roll-ups are dropped, and with them the changes kept for them."""
        self._in_vain += 1
        if self._in_vain >= _MOST_IN_VAIN and self._rollups is not None:
            self._rollups.is_well, self._in_vain = False, 0
        self._not_before_rolling = self._clock.monotonic() + _LONGEST_WAIT
        log.error("Days are not rolled up for an hour (%s): answers come from their events meanwhile", broken)

    async def _advance(self, rollups: RollupsFile) -> None:
        """Look at what is new and roll up batches of days for a while, with as long a pause after each as it took."""
        began = started = time.monotonic()
        while rollups is self._rollups and started - began < _ROLLING_SECONDS:
            try:
                advance = partial(_advanced, rollups, self._clock.now())
                goes_on = await self.events.read(advance, seconds=_STEP_SECONDS, long=True)
            except rollups_file.BROKEN as broken:
                rollups.is_well = False
                log.error("The roll-ups cannot be written (%s): they are made anew", broken)
                return
            except BoxError:
                raise
            except Exception as broken:
                self._put_off(broken)
                return
            self._in_vain = 0
            if not goes_on:
                if rollups is self._rollups and not self._has_rolled:
                    self._has_rolled = True
                    log.info("All days that are over are rolled up")
                return
            await asyncio.sleep(time.monotonic() - started)
            started = time.monotonic()

    async def _roll_up(self, replica: Replica) -> None:
        """Roll up batches of days for a while, with as long a pause after each of them as it has taken."""
        began = started = time.monotonic()
        while replica is self._replica and started - began < _ROLLING_SECONDS:
            async with self._following:
                now = self._clock.now()
                days = replica.to_roll(now)
            if not days:
                if not self._has_rolled:
                    self._has_rolled = True
                    log.info("All days that are over are rolled up")
                return
            try:
                rolled = await asyncio.to_thread(replica.roll, days, now)
                async with self._following:
                    if replica is self._replica:
                        await asyncio.to_thread(replica.mark, rolled)
            except Exception:
                self._not_before_rolling = self._clock.monotonic() + _LONGEST_WAIT
                log.exception("Days are not rolled up for an hour: answers come from their events meanwhile")
                return
            if len(rolled) < len(days):
                await asyncio.sleep(time.monotonic() - started)
            started = time.monotonic()

    async def links(self, site: int, profile_id: str) -> list[tuple[int, int, int]]:
        """Who visitors were, as all machines know it (ClickHouse.links). Raises Unavailable."""
        if self._far is None:
            return []
        try:
            return await self._far.links(site, profile_id)
        except Exception as away:
            raise Unavailable(
                "ClickHouse, which knows what other machines have of this person, cannot be asked now; try again later",
                retry_after=60,
            ) from away

    async def status(self) -> Status:
        """How the replica is doing."""
        if self._far is not None:
            rows, behind = await self._far.behind()
            state: Literal["ready", "building"] = "ready" if self._far.ready else "building"
            return Status(state, rows=rows, behind=behind, **await self._alone())
        replica = self._replica
        if replica is None:
            return Status("off", **await self._alone())
        newest = await self.events.read(_newest)
        return await asyncio.to_thread(self._status, replica, newest)

    async def _alone(self) -> dict[str, int]:
        """What ClickHouse has alone, and what is yet to be removed of it."""
        return await self.events.read(_alone)

    def stop_rolling(self) -> None:
        """Break off what rolls up days in a file beside events.db, before that is closed."""
        if self._rollups is not None:
            self._rollups.close()
            self._rollups = None

    def close(self) -> None:
        """Close the replica. The events database is closed before."""
        self.stop_rolling()
        self._ready = False
        if self._far is not None:
            self._far.close()
        if self._threads is not None:
            self._threads.shutdown(wait=True)
        if self._replica is not None:
            self._replica.close()
            self._replica = None

    async def _wanted(self) -> bool:
        if self._columnar == "auto":
            many = sum((await self.events.read(_newest)).values()) >= MANY
            return many and not limits.is_small(self._limit)
        return self._columnar == "on"

    async def _forget_changes(self, until: int | None) -> None:
        """Forget the changes up to this one, or all of them, in small writes."""
        last = sys.maxsize if until is None else until
        while await self.events.read(partial(_has_changes, until=last)):
            await self.events.write(partial(_forget_some, until=last))

    async def _bound_changes(self) -> None:
        """Forget changes that became too many while ClickHouse was away: then it is sent all that is here."""
        if await self.events.read(_has_too_many):
            log.warning("ClickHouse has been away for too long: it gets everything that is here again once it is back")
            await self._forget_changes(None)

    async def _open(self) -> None:
        threads = min(os.cpu_count() or 1, MOST_THREADS)
        opened = partial(columns.open_replica, self._path, memory=self._memory, threads=threads)
        try:
            self._replica = await self.events.read(opened, seconds=_STEP_SECONDS)
        except BoxError:
            raise
        except Exception as broken:
            await self._fail(broken)
            return
        self._opened_at = self._clock.now()
        self._has_rolled = False
        self._version = -1
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="columns")
        self._cursors = queue.SimpleQueue()
        for _ in range(AT_ONCE):
            self._cursors.put(self._replica.connection.cursor())

    async def _follow(self) -> None:
        """Bring the replica to the state that the facts have now; what comes meanwhile is for the next one.

        A step that has begun goes on when nobody waits for it any more: no other may begin before it has ended.
        """
        task = asyncio.create_task(self._follow_to(self.events.version))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        await asyncio.shield(task)

    async def _follow_to(self, wanted: int) -> None:
        async with self._following:
            while self._replica is not None and self._version < wanted:
                version = self.events.version
                if not await self.events.read(self._replica.step, seconds=_STEP_SECONDS):
                    self._version = version

    async def _columns_rows(self, plan: Plan, seconds: float, take: Take) -> list[Row]:
        if self._threads is None:
            raise RuntimeError("The column replica is closed")
        if self._running >= self._waiting:
            raise Unavailable("Too many questions at once; ask again in a moment", retry_after=1)
        self._running += 1
        asking = Asking(plan, seconds, take)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._run, asking)
        except asyncio.CancelledError:
            asking.stop()
            raise
        finally:
            self._running -= 1

    def _run(self, asking: Asking) -> list[Row]:
        cursor = self._cursors.get()
        try:
            return asking.run(cursor)
        finally:
            self._cursors.put(cursor)

    async def _fail(self, broken: Exception) -> None:
        """Let SQLite answer, and rebuild the replica after a while, which grows with each failure."""
        wait = self._longer_wait()
        self._not_before = self._clock.monotonic() + wait
        expected = isinstance(broken, columns.NoRoom | OSError) or type(broken).__name__ in _OF_THE_MACHINE
        log.error(
            "There is no column replica now (%s): SQLite answers, and it is rebuilt in %d seconds",
            *(str(broken).partition("\n")[0], wait),
            exc_info=None if expected else broken,
        )
        await self._drop()

    def _longer_wait(self) -> int:
        """Seconds to wait after one more failure."""
        wait: int = min(_FIRST_WAIT * 2**self._failures, _LONGEST_WAIT)
        self._failures += 1
        return wait

    async def _drop(self) -> None:
        """Close and remove a replica that failed; the next `maintain` builds a new one."""
        async with self._following:
            self._ready = False
            replica, self._replica = self._replica, None
            threads, self._threads = self._threads, None
            if replica is None or threads is None:
                return
            await asyncio.to_thread(threads.shutdown, wait=True)
            with contextlib.suppress(Exception):  # it is broken already
                await asyncio.to_thread(replica.close)
            columns.forget_replica(self._path)

    def _status(self, replica: Replica, newest: dict[str, int]) -> Status:
        behind = sum(last - max(replica.last(table), 0) for table, last in newest.items())
        return Status(
            "ready" if self._ready else "building",
            rows=replica.rows(),
            behind=max(behind, 0),
            memory=replica.memory(),
            size=_size(self._path),
        )


def groups(source: Source, names: tuple[str, ...]) -> bool:
    """Whether all of these are dimensions of this source that people may choose."""
    return sql.groups(source, names)


def _sqlite_rows(plan: Plan, take: Take, seconds: float, rollups: RollupsFile | None, db: Connection) -> list[Row]:
    if rollups is None:
        rollups_file.let_go(db)
    return sqlite.run(db, plan, take, seconds=seconds, rollups=rollups)


def _sqlite_statement(plan: Plan, rollups: RollupsFile, db: Connection) -> sql.Statement:
    with sqlite.parted(db, plan, rollups) as cut:
        return sqlite.render(plan, cut)


def _opened(path: Path, events: Path, _db: Connection) -> RollupsFile:
    return rollups_file.open_rollups(path, events)


def _advanced(rollups: RollupsFile, now: int, _db: Connection) -> bool:
    """Runs on a reader of events.db, so that its log is not started again meanwhile."""
    return rollups.advance(now)


def _newest(db: Connection) -> dict[str, int]:
    """The id of the newest row of each table of facts, which is about how many there are."""
    query = " union all ".join(f"select '{name}', coalesce(max(id), 0) from {name}" for name in FACT_NAMES)
    return {str(name): int(str(last)) for name, last in db.execute(f"-- engines.newest\n{query}").fetchall()}


def _alone(db: Connection) -> dict[str, int]:
    return {"alone": sum(trimmed.counts(db).values()), "orders": orders.count(db)}


def _has_too_many(db: Connection) -> bool:
    found = db.execute("-- engines.has_too_many\nselect max(id) - min(id) from changes").fetchall()
    return int(str(found[0][0] or 0)) >= MOST_CHANGES


def _has_changes(db: Connection, *, until: int) -> bool:
    return bool(db.execute("-- engines.has_changes\nselect 1 from changes where id <= ? limit 1", (until,)).fetchall())


def _forget_some(db: Connection, *, until: int) -> None:
    db.execute(
        """
        -- engines.forget_changes
        delete from changes where id in (select id from changes where id <= ? order by id limit 5000)
        """,
        (until,),
    )


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in (path, path.with_name(path.name + ".wal")) if file.exists())
