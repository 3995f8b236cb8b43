"""Removal of the data of deleted monitors: their checks, spans, states and transitions, in small writes."""

import asyncio
import json
import logging
from collections.abc import Sequence
from functools import partial
from typing import Final

from analytics_box.base import background
from analytics_box.base.store.db import Connection, Db

log = logging.getLogger(__name__)

_CHUNK: Final = 2_000  # rows in one write
_TABLES: Final = {  # and the key of their rows
    "checks": "id",
    "monitor_spans": "id",
    "transitions": "id",
    "monitor_states": "monitor",
}


class Erasing:
    """Removes what is known of monitors that are gone, beside whatever else is done."""

    def __init__(self, events: Db) -> None:
        self._events = events
        self._running: set[asyncio.Task[None]] = set()

    def begin(self, numbers: Sequence[int]) -> None:
        """Remove the data of these in the background; a sweep removes what a crash leaves."""
        if numbers:
            background.begin(self._run(numbers), self._running)

    async def erase(self, numbers: Sequence[int]) -> int:
        """Remove all that is known of these; how many rows of checks there were."""
        removed = dict.fromkeys(_TABLES, 0)
        for table in _TABLES:
            while gone := await self._events.write(partial(_delete, table=table, numbers=numbers)):
                removed[table] += gone
        return removed["checks"]

    async def done(self) -> None:
        """Wait for all that has begun."""
        while self._running:
            for task in (await asyncio.wait(self._running))[0]:
                task.result()

    async def _run(self, numbers: Sequence[int]) -> None:
        try:
            await self.erase(numbers)
        except Exception:
            log.exception("Some checks of %d deleted monitors are not removed yet", len(numbers))


def _delete(db: Connection, *, table: str, numbers: Sequence[int]) -> int:
    """Remove the next rows of these monitors; how many there were."""
    key = _TABLES[table]
    db.execute(
        f"""
        -- monitors.erasing
        delete from {table} where {key} in (
          select {key} from {table} where monitor in (select value from json_each(?)) limit ?)
        """,
        (json.dumps(list(numbers)), _CHUNK),
    )
    return db.changes()
