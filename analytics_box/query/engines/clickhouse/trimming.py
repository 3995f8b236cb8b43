"""Facts that ClickHouse has leave events.db once they are old enough."""

import asyncio
import contextlib
import sys
import time
from collections.abc import AsyncIterator
from functools import partial

from analytics_box.base.clock import DAY, Clock, utc_day
from analytics_box.base.facts import trimmed
from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.base.store.db import Connection, Db
from analytics_box.query.engines.clickhouse import shipping
from analytics_box.query.engines.clickhouse.following import Following
from analytics_box.query.engines.clickhouse.line import ClickHouseConnection
from analytics_box.query.engines.clickhouse.machines import first_of
from analytics_box.query.engines.clickhouse.server import Away, count
from analytics_box.query.engines.trimming import TrimTimes

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
