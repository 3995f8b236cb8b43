"""Periodic upkeep of ClickHouse: rows that came late, and the bytes of removed rows."""

import json
import math
from collections.abc import Collection
from functools import partial

from msgspec.structs import replace

from analytics_box.base.clock import DAY, Clock
from analytics_box.base.facts.layout import stored_table
from analytics_box.base.store.db import Connection, Db
from analytics_box.query.engines.clickhouse import delivery, machines
from analytics_box.query.engines.clickhouse.following import Following
from analytics_box.query.engines.clickhouse.line import ClickHouseConnection
from analytics_box.query.engines.clickhouse.tables import SHIPPED, ClickHouseTable

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
