"""The status of the copies of events.db."""

from typing import Literal

from msgspec import Struct

from analytics_box.base.facts import orders, trimmed
from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.base.store.db import Connection


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
