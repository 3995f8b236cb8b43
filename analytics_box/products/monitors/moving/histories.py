"""Imported histories in events.db: the spans and checks of a monitor from before it was created here."""

from collections.abc import Iterable
from functools import partial

from analytics_box.base.clock import DAY
from analytics_box.base.facts.layout import insert
from analytics_box.base.facts.uptime import UNKNOWN, UptimeSpan
from analytics_box.base.outgoing.masking import mask_query
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.strings import Strings
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.moving.history import DayChecks, MonitorHistory
from analytics_box.products.monitors.running.rows import KINDS, REGION
from analytics_box.products.monitors.running.states import merge_spans


class MonitorHistories:
    """Stores imported histories in events.db."""

    def __init__(self, events: Db, strings: Strings) -> None:
        self._events = events
        self._strings = strings

    async def add(self, monitor: Monitor, history: MonitorHistory) -> bool:
        """Store the history of a monitor from before it was created here, in one write. Return whether it was new."""
        work = partial(_store, strings=self._strings, monitor=monitor, history=history)
        return await self._events.write(work, adds=True)


def _store(db: Connection, strings: Strings, monitor: Monitor, history: MonitorHistory) -> bool:
    found = db.execute(
        """
        -- monitors.moving.history
        select (select min(start) from monitor_spans where monitor = :monitor),
          (select min(time) from checks where monitor = :monitor)
        """,
        {"monitor": monitor.number},
    ).fetchall()
    first_span, first_check = (None if one is None else int(str(one)) for one in found[0])
    end = monitor.created_at
    if any(one is not None and one < end for one in (first_span, first_check)):
        return False  # It has a history already.
    spans = [one._replace(until=min(one.until, end)) for one in history.spans if one.start < end]
    if spans:
        spans = merge_spans([*spans, UptimeSpan(UNKNOWN, spans[-1].until, end if first_span is None else first_span)])
    insert(db, "monitor_spans", [(monitor.number, *one) for one in spans])
    insert(db, "checks", list(_check_rows(db, strings, monitor, history.days, end)))
    return bool(spans or history.days)


def _check_rows(
    db: Connection, strings: Strings, monitor: Monitor, days: Iterable[DayChecks], end: int
) -> Iterable[tuple[object, ...]]:
    region, url = strings.number(db, REGION), strings.number(db, mask_query(monitor.url))
    for one in days:
        if one.day * DAY < end and one.checks > 0:
            at = min(one.day * DAY + DAY // 2, end - 1)  # Checks that are combined by day have this time.
            yield (
                *(monitor.number, at, one.passed, KINDS[monitor.kind], 0, one.checks),
                *(one.total, one.fastest, one.slowest, None, one.bin, None),
                *(None, None, None, None, None, None),
                *(0, 1, 0, None, None),
                *(0, 0, region, 0, url, None),
            )
