"""The copies of events.db: their status, and the log of changes that they have yet to remove or replace."""

import logging
import sys
from functools import partial
from typing import Literal

from msgspec import Struct

from analytics_box.base.facts import orders, trimmed
from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.base.store.db import Connection, Db


class ReplicaStatus(Struct, frozen=True):
    """The status of the replica: off, building or ready; its rows, the number of rows still to come, and bytes. `alone`
    are rows that are in ClickHouse but not in events.db, `orders` the number of removal orders pending for them.
    """

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


def newest(db: Connection) -> dict[str, int]:
    """The id of the newest row of each table of facts, which is about how many there are."""
    query = " union all ".join(f"select '{name}', coalesce(max(id), 0) from {name}" for name in FACT_NAMES)
    return {str(name): int(str(last)) for name, last in db.execute(f"-- status.newest\n{query}").fetchall()}


def alone(db: Connection) -> dict[str, int]:
    """The number of rows that are only in ClickHouse, and the number of removal orders pending for them."""
    return {"alone": sum(trimmed.counts(db).values()), "orders": orders.count(db)}


log = logging.getLogger(__name__)

MOST = 2_000_000  # that are kept for a ClickHouse that is away; about 100 MB


async def forget(events: Db, until: int | None) -> None:
    """Forget the changes up to this one, or all of them, in small writes."""
    last = sys.maxsize if until is None else until
    while await events.read(partial(_has, until=last)):
        await events.write(partial(_forget_some, until=last))


async def limit_changes(events: Db) -> None:
    """Forget changes that became too many while ClickHouse was away: then it is sent all that is here."""
    if await events.read(_has_too_many):
        log.warning("ClickHouse has been unavailable for too long. All events are sent again when it is back")
        await forget(events, None)


def _has_too_many(db: Connection) -> bool:
    found = db.execute("-- status.has_too_many\nselect max(id) - min(id) from changes").fetchall()
    return int(str(found[0][0] or 0)) >= MOST


def _has(db: Connection, *, until: int) -> bool:
    return bool(db.execute("-- status.has\nselect 1 from changes where id <= ? limit 1", (until,)).fetchall())


def _forget_some(db: Connection, *, until: int) -> None:
    db.execute(
        """
        -- status.forget
        delete from changes where id in (select id from changes where id <= ? order by id limit 5000)
        """,
        (until,),
    )
