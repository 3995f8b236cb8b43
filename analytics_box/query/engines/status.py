"""How the copies of events.db are doing."""

from typing import Literal

from msgspec import Struct

from analytics_box.base.facts import orders, trimmed
from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.base.store.db import Connection


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


def newest(db: Connection) -> dict[str, int]:
    """The id of the newest row of each table of facts, which is about how many there are."""
    query = " union all ".join(f"select '{name}', coalesce(max(id), 0) from {name}" for name in FACT_NAMES)
    return {str(name): int(str(last)) for name, last in db.execute(f"-- status.newest\n{query}").fetchall()}


def alone(db: Connection) -> dict[str, int]:
    """What ClickHouse has alone, and what is yet to be removed of it."""
    return {"alone": sum(trimmed.counts(db).values()), "orders": orders.count(db)}
