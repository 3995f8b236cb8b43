"""Query times of the SQLite engine on the generated set, by type and range; medians and the 95th percentile."""

import tempfile
import time
from functools import partial
from pathlib import Path

from analytics_box.clock import SystemClock
from analytics_box.query import catalog
from analytics_box.query.compose import compose, window_of
from analytics_box.query.engines import sqlite
from analytics_box.query.plan import Plan
from analytics_box.query.request import GivenQuery, check
from analytics_box.store.db import Connection, Db
from analytics_box.store.migrations import migrate
from tests.load.figures import machine, percentile, remark, report
from tests.load.generator import fill

SITE = 1
RUNS = 5


def main(events: int, days: int) -> None:
    """Fill a new events.db with that many events over that many days and ask every type."""
    machine()
    clock = SystemClock()
    with tempfile.TemporaryDirectory() as folder:
        migrate(Path(folder))
        remark(f"writing {events:,} events over {days} days")
        fill(Path(folder), SITE, events, end=clock.now(), days=days)
        db = Db(Path(folder) / "events.db")
        for preset in ("last_7d", "last_30d"):
            total = 0.0
            for name, query_type in catalog.TYPES.items():
                asked = check(GivenQuery(parameters=[name], preset=preset), zone_name="Europe/Berlin", now=clock.now())
                days_asked = asked.questions[0].days
                assert days_asked is not None
                window = window_of(query_type, days_asked, asked, "day", clock.now())
                wanted = compose(query_type, asked, window, (SITE,), ()).plans
                times = []
                for _ in range(RUNS + 1):
                    began = time.perf_counter()
                    for plan in wanted:
                        db.read_now(partial(_run, plan), seconds=600)
                    times.append((time.perf_counter() - began) * 1000)
                counted = times[1:]
                total += sorted(counted)[RUNS // 2]
                report(name, range=preset, median_ms=sorted(counted)[RUNS // 2], p95_ms=percentile(counted, 95))
            report("all types, one after the other", range=preset, median_ms=total, events=events)
        db.close()


def _run(plan: Plan, db: Connection) -> int:
    return len(sqlite.run(db, plan))
