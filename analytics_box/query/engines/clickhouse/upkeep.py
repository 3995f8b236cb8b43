"""Upkeep of ClickHouse: late rows, the bytes of removed rows, and the removal from events.db of facts that it has."""

import asyncio
import contextlib
import json
import math
import sys
import time
from collections.abc import AsyncIterator, Collection
from functools import partial

from msgspec.structs import replace

from analytics_box.base.clock import DAY, Clock, utc_day
from analytics_box.base.facts import trimmed
from analytics_box.base.facts.layout import stored_table
from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.base.store.db import Connection, Db
from analytics_box.query.engines.clickhouse import delivery, machines, shipping
from analytics_box.query.engines.clickhouse.following import Following
from analytics_box.query.engines.clickhouse.line import ClickHouseConnection
from analytics_box.query.engines.clickhouse.machines import first_of
from analytics_box.query.engines.clickhouse.server import Away, count
from analytics_box.query.engines.clickhouse.tables import SHIPPED, ClickHouseTable
from analytics_box.query.engines.trimming import TrimTimes

_EVERY_SECONDS = 60.0  # between two looks for rows that came late


class Upkeep:
    """Each of these is done now and then, and raises Away."""

    def __init__(self, events: Db, clock: Clock, line: ClickHouseConnection, following: Following) -> None:
        self._events, self._clock, self._line, self._following = events, clock, line, following
        self._looked_at = -math.inf  # seconds of the clock

    async def remove_late(self) -> None:
        """Remove what came late: of shipments that were sent more than once, and for two days after this one of several
        machines began again, of what it had sent before."""
        if self._clock.monotonic() - self._looked_at < _EVERY_SECONDS:
            return
        async with self._following.lock:
            with self._line.losing():
                await self._remove_of_before()
                await self._remove_doubted()
        self._looked_at = self._clock.monotonic()

    async def purge(self) -> None:
        """Have what was removed a day ago leave the server's disk."""
        async with self._following.lock:
            position, server = self._following.position, self._line.server
            if position is None or server is None or not position.removed_at:
                return
            if self._clock.now() - position.removed_at < DAY:
                return
            with self._line.losing():
                await self._line.send(partial(delivery.purge, server, position))
                await self._following.write(position.purged())

    async def _remove_of_before(self) -> None:
        position, server, machine = self._following.position, self._line.server, self._following.machine
        if position is None or server is None or machine is None or self._clock.now() - position.began >= 2 * DAY:
            return
        await self._line.send(partial(machines.remove_late, server, machine, position.own_from, position.kept))

    async def _remove_doubted(self) -> None:
        """Remove rows of doubted shipments that came late. Rows of the first attempt may have been removed here before
        the second: ClickHouse then does not recognize the first attempt as a duplicate.
        """
        position = self._following.position
        if position is None or not position.doubted:
            return
        now = self._clock.now()
        for number in position.doubted:
            for table in SHIPPED:
                await self._remove_doubted_of(table, number)
        doubted = {number: until for number, until in position.doubted.items() if until > now}
        if doubted != position.doubted:
            await self._following.write(replace(position, doubted=doubted))

    async def _remove_doubted_of(self, table: ClickHouseTable, number: int) -> None:
        server, machine = self._line.there(), self._following.machine
        came = await self._line.send(partial(delivery.came_with, server, table, number, machine))
        if not came:
            return
        again = await self._line.send(partial(delivery.came_again, server, table, number, came, machine))
        gone = await self._events.read(partial(_missing_rows, table=table.name, ids=came))
        if late := gone | again:
            with self._following.replacing():
                await self._line.send(partial(delivery.take_back_rows, server, table, number, late, machine))


def _missing_rows(db: Connection, *, table: str, ids: Collection[int]) -> set[int]:
    """Return the rows, of these, that are missing here, without rows that are only in ClickHouse."""
    found = db.execute(
        f"""
        -- upkeep.gone
        select value from json_each(:ids)
        where value > coalesce((select until from trimmed where source = :table), -1)
          and value not in (select id from {stored_table(table)})
        """,
        {"ids": json.dumps(sorted(ids)), "table": table},
    ).fetchall()
    return {int(str(number)) for (number,) in found}


_ROWS, _ROWS_AT_ONCE = 8_000, 1_000  # that are looked for there together, and that a write trims
_SECONDS = 3.0  # at a time


class Trimming:
    """Trims what arrived before the last `keep_days` days, in pieces that ClickHouse is seen to have; 0 for nothing."""

    def __init__(
        self,
        events: Db,
        clock: Clock,
        line: ClickHouseConnection,
        following: Following,
        known: TrimTimes,
        *,
        keep_days: int,
    ) -> None:
        self._events, self._clock, self._line, self._following = events, clock, line, following
        self._known, self._keep_days = known, keep_days
        self._lock = asyncio.Lock()
        self._keeping = 0  # who reads everything, from both sides
        self.waits = False  # it has what it would trim, if it might

    @contextlib.asynccontextmanager
    async def keeping(self) -> AsyncIterator[None]:
        """Nothing more is trimmed in the meantime."""
        async with self._lock:
            self._keeping += 1
        try:
            yield
        finally:
            self._keeping -= 1

    async def trim(self) -> None:
        """Trim what is old enough, for a while. Raises Away."""
        if not self._keep_days:
            return
        before = (utc_day(self._clock.now()) - self._keep_days) * DAY
        if not self._following.may_trim():
            self.waits = await self._events.read(partial(_has_any, before=before))
            return
        await self._known.load()
        began = time.monotonic()
        for table in FACT_NAMES:
            while time.monotonic() - began < _SECONDS:
                async with self._lock, self._following.lock:
                    with self._line.losing():
                        if self._keeping or not await self.piece(table, before):
                            break

    async def piece(self, table: str, before: int) -> bool:
        """Trim the next rows of a table from before this instant; whether there may be more that can be trimmed now."""
        position, server = self._following.position, self._line.server
        if position is None or server is None or position.sending is not None:
            return False
        piece = await self._events.read(
            partial(trimmed.next_piece, table=table, until=position.last_of(table), before=before, most=_ROWS)
        )
        if piece is None:
            return False
        first, floor = first_of(self._following.machine), (await self._events.read(trimmed.floors)).get(table, -1)
        ids = f"id > {first + floor} and id <= {first + piece.until}"
        there = await self._line.send(partial(count, server, table, ids))
        if there != piece.count:
            await asyncio.to_thread(shipping.forget_position, self._events.path.parent)
            raise Away(f"it has {there} of {piece.count} rows of {table} that it had acknowledged; it gets them again")
        self._known.note(piece)
        trim = partial(trimmed.trim, table=table, until=piece.until, applied=position.applied, most=_ROWS_AT_ONCE)
        more: bool | None = True
        while more:
            more = await self._events.write(trim)
        return more is not None and piece.count == _ROWS


def _has_any(db: Connection, *, before: int) -> bool:
    return any(trimmed.next_piece(db, table, until=sys.maxsize, before=before, most=1) for table in FACT_NAMES)
