"""The engines that answer plans: SQLite over events.db, DuckDB over the column replica, or ClickHouse.

SQLite has roll-ups of days, and answers from them whatever they cover. DuckDB is for all other questions about many
events, ClickHouse for boxes that are set up with it.

Nothing outside this package knows which of them did.
"""

import asyncio
import logging
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from analytics_box.base import background
from analytics_box.base.clock import Clock, SystemClock
from analytics_box.base.errors import Unavailable
from analytics_box.base.store.db import Db
from analytics_box.base.translation import _
from analytics_box.query.engines import copies as engine_status
from analytics_box.query.engines import duckdb, shared, sql, sqlite
from analytics_box.query.engines import memory as limits
from analytics_box.query.engines.beyond import Beyond
from analytics_box.query.engines.clickhouse import words
from analytics_box.query.engines.column_replica import ColumnReplica
from analytics_box.query.engines.copies import ReplicaStatus, alone, newest
from analytics_box.query.engines.counting import Row, Take, no_limit
from analytics_box.query.engines.day_rollups import DayRollups
from analytics_box.query.engines.shared import SharedScans
from analytics_box.query.engines.trimming import TrimTimes
from analytics_box.query.plan import QueryPlan, Source

if TYPE_CHECKING:
    from analytics_box.query.engines.clickhouse.engine import ClickHouse

log = logging.getLogger(__name__)

Columnar = Literal["auto", "on", "off", "clickhouse"]

# Rows of facts from which on a dashboard with a filter, which roll-ups do not cover, may take SQLite a second.
MANY = 200_000
_COMING_SECONDS = 10.0  # that a question waits for a replica that is there to be opened
_BESIDE_SECONDS = 5.0  # between looks at what is new to roll up, while a replica is being built
# What only the primary of several machines has.
_HERE = frozenset(("link_clicks", "checks", "monitor_spans"))


class Choice(Struct, frozen=True):
    """The engine that would answer a plan, the reason, and the statement that it would run."""

    engine: str
    why: str
    statement: sql.SqlStatement


class Engines:
    """Answers plans. `maintain` keeps the copies of events.db up to date; until one is ready SQLite answers.

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
            log.info("This container has too little memory for a column replica. SQLite answers all queries")
        self._columns = ColumnReplica(
            events, self._clock, memory=limits.cap_memory(memory, self._limit), waiting=waiting
        )
        self._rollups = DayRollups(events, self._clock)
        self._shared = SharedScans(events)
        self._far = far
        self.trimmed = TrimTimes(events) if far is None else far.trimmed
        self.beyond = Beyond(events, far)
        # Since before the start, and not opened yet.
        self._is_there = columnar in {"auto", "on"} and self._columns.has_file
        self._tending: asyncio.Task[None] | None = None
        self._tending_rollups = asyncio.Lock()
        self._rolling: asyncio.Task[None] | None = None

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
        return duckdb.NAME if self._columns.ready else sqlite.NAME

    @property
    def away_since(self) -> int | None:
        """Since when ClickHouse, where it is wanted, has been away (UTC ms); None if it is not."""
        return None if self._far is None else self._far.away_since

    @property
    def is_shared(self) -> bool:
        """Whether ClickHouse has the events of several machines, so that this one cannot answer without it."""
        return self._far is not None and self._far.is_shared

    @property
    def replaced_at(self) -> int:
        """The time when another machine was promoted in place of this primary, according to ClickHouse (UTC ms); 0 for
        never.
        """
        return 0 if self._far is None else self._far.replaced_at

    @property
    def lacks(self) -> str:
        """A description of the events that ClickHouse has lost and that exist nowhere else; empty if it is complete."""
        return "" if self._far is None else self._far.lacks

    def choice(self, plan: QueryPlan) -> Choice:
        """The engine that would answer this plan now, or has to. Reads, so it is for threads other than the event
        loop's."""
        is_only_there = self.trimmed.lacks(plan) is not None
        if is_only_there or (self._far is not None and self._far.ready):
            why = "Only ClickHouse still has these events." if is_only_there else "ClickHouse has a copy of all events."
            return Choice(words.NAME, why, words.render(plan, several=self._far is not None and self._far.is_shared))
        has_replica = self._columns.answers(plan)
        rolled_up = self._rollups.statement(plan, sparing=has_replica)
        if rolled_up is not None and rolled_up.parts:
            return Choice(sqlite.NAME, "Roll-ups answer for whole days, so few events are read.", rolled_up)
        if has_replica:
            why = "No roll-ups cover enough of this question, so the column replica reads its events."
            return Choice(duckdb.NAME, why, self._columns.statement(plan))
        why = (
            "The column replica is slow with this many conditions on people, so SQLite reads the events."
            if self._columns.ready
            else ("No column replica is ready, so SQLite reads the events.")
        )
        return Choice(sqlite.NAME, why, rolled_up or sqlite.render(plan))

    async def rows(self, plan: QueryPlan, *, seconds: float, take: Take = no_limit) -> list[Row]:
        """The rows of a plan, every acknowledged event in them.

        `take` is told their bytes while they are read, in another thread; what it raises ends that. Raises
        DeadlineExceeded, OverBudget, and Unavailable when too many wait.
        """
        if self._far is not None and (found := await self._far.rows_or_none(plan, seconds, take)) is not None:
            return found
        if self._far is not None and self._far.is_shared and plan.source not in _HERE:
            raise Unavailable(
                _("ClickHouse, which has the events of all machines, is not available. Try again in a moment."),
                retry_after=5,
            )
        found = await self._rows_here(plan, seconds, take)
        await self.trimmed.refuse(plan, self._why_not_far)  # what it lacks may have been trimmed in the meantime
        return found

    @property
    def _why_not_far(self) -> str:
        """The reason why ClickHouse does not answer."""
        if self._far is None:
            return "which this server does not use now (columnar)"
        return "which lacks events" if self._far.lacks else "which is unavailable"

    async def _rows_here(self, plan: QueryPlan, seconds: float, take: Take) -> list[Row]:
        """The rows of a plan from this machine's data."""
        await self.trimmed.refuse(plan, self._why_not_far)
        if self._is_there and not self._rollups.answers(plan):
            seconds -= await self._wait_for_replica(seconds / 2)
        if self._rollups.answers(plan):
            found = await self._rollups.rows(plan, seconds, take, sparing=self._columns.answers(plan))
            if self._rollups.file is not None and self._rollups.file.is_late:
                self._one_rolling()
            if found is not None:
                return found
        if self._columns.answers(plan) and (found := await self._columns.rows_or_none(plan, seconds, take)) is not None:
            return found
        if shared.fits(plan) and (found := await self._shared.rows(plan, seconds, take)) is not None:
            return found
        return await self._rollups.rows(plan, seconds, take) or []

    async def maintain(self) -> None:
        """Roll up some days that are over, build the replica if it is wanted and bring it up to date, and remove the
        recorded changes that both have. With ClickHouse, trim what only that needs to have."""
        await self.trimmed.load()
        await self._tend_rollups()
        tending = self._one_tending()
        await asyncio.shield(self._one_rolling())
        while not (await asyncio.wait((tending,), timeout=_BESIDE_SECONDS))[0]:  # a first replica takes minutes
            await asyncio.shield(self._one_rolling())
        await asyncio.shield(tending)
        if self._far is not None:
            await self._far.maintain()
            await engine_status.forget(self.events, self._far.applied)
            await engine_status.limit_changes(self.events)

    def _one_rolling(self) -> "asyncio.Task[None]":
        """The one that is under way, even if requests still wait for it, or one that begins."""
        if self._rolling is None or self._rolling.done():
            self._rolling = asyncio.create_task(self._rollups.roll())
            self._rolling.add_done_callback(background.retrieve_exception)
        return self._rolling

    def _one_tending(self) -> "asyncio.Task[None]":
        """The one that is under way, or one that begins."""
        if self._tending is None:
            self._tending = asyncio.create_task(self._tend())
            self._tending.add_done_callback(self._tended)
        return self._tending

    def _tended(self, task: "asyncio.Task[None]") -> None:
        self._tending, self._is_there = None, False
        background.retrieve_exception(task)

    async def _wait_for_replica(self, most: float) -> float:
        """For how many seconds it was waited."""
        began = asyncio.get_running_loop().time()
        await asyncio.wait((self._one_tending(),), timeout=min(most, _COMING_SECONDS))
        return asyncio.get_running_loop().time() - began

    async def _tend(self) -> None:
        await self._tend_rollups()
        if self._columns.opened is None and not await self._wanted():
            self._columns.forget_file()
        elif self._columns.may_be_tried:
            await self._columns.tend()
        if self._far is not None:
            return
        replica = self._columns.opened
        copies = [self._rollups.applied, None if replica is None else replica.applied]
        # A copy that is not there begins with the events as they are then.
        await engine_status.forget(self.events, min((one for one in copies if one is not None), default=None))

    async def _tend_rollups(self) -> None:
        async with self._tending_rollups:
            await (self._rollups.tend() if self._far is None else self._rollups.drop())

    async def links(self, site: int, profile_id: str) -> list[tuple[int, int, int]]:
        """Visitors and their people, as all machines know them (ClickHouse.links). Raises Unavailable."""
        if self._far is None:
            return []
        try:
            return await self._far.links(site, profile_id)
        except Exception as away:
            raise Unavailable(
                _("ClickHouse, which has this person's events from other machines, is not available. Try again later."),
                retry_after=60,
            ) from away

    async def status(self) -> ReplicaStatus:
        """The status of the replica."""
        if self._far is not None:
            rows, behind = await self._far.behind()
            state: Literal["ready", "building"] = "ready" if self._far.ready else "building"
            return ReplicaStatus(state, rows=rows, behind=behind, **await self._alone())
        if self._columns.opened is None:
            return ReplicaStatus("off", **await self._alone())
        return await self._columns.status(self._columns.opened)

    async def _alone(self) -> dict[str, int]:
        return await self.events.read(alone)

    def stop_rolling(self) -> None:
        """Break off what rolls up days in a file beside events.db, before that is closed."""
        self._rollups.close()

    def close(self) -> None:
        """Close the copies. The events database is closed before."""
        self._rollups.close()
        if self._far is not None:
            self._far.close()
        self._columns.close()

    async def _wanted(self) -> bool:
        if self._columnar == "auto":
            many = sum((await self.events.read(newest)).values()) >= MANY
            return many and not limits.is_small(self._limit)
        return self._columnar == "on"


def groups(source: Source, names: tuple[str, ...]) -> bool:
    """Whether all of these are dimensions of this source that people may choose."""
    return sql.groups(source, names)
