"""Stored spans of monitors (events.db), and of components without a monitor (box.db)."""

import json
from collections.abc import Iterable
from typing import Any, Literal, TypeVar

from analytics_box.base.facts.uptime import UptimeSpan
from analytics_box.base.store.db import Connection

Owner = TypeVar("Owner", int, str)
_OWNER_COLUMNS = {"monitor_spans": "monitor", "component_spans": "component_id"}


def read_spans(
    db: Connection, table: Literal["monitor_spans", "component_spans"], owners: Iterable[Owner], since: int
) -> dict[Owner, list[UptimeSpan]]:
    """The spans of each of these that had not ended at `since` (UTC ms), the earliest first."""
    column = _OWNER_COLUMNS[table]
    by_owner: dict[Any, list[UptimeSpan]] = {owner: [] for owner in owners}
    found = db.execute(
        f"""
        -- facts.spans.{table}
        select {column}, state, start, until from {table}
        where {column} in (select value from json_each(:owners)) and (until = 0 or until > :since)
        order by {column}, start
        """,
        {"owners": json.dumps(list(by_owner)), "since": since},
    ).fetchall()
    for owner, *span in found:
        by_owner[owner].append(UptimeSpan._make(map(int, map(str, span))))
    return by_owner
