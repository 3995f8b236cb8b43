"""Funnels of five pages on the generated set, on SQLite and on the column replica, whose answers have to agree."""

import sys
import tempfile
import time
from pathlib import Path

import apsw
from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.query.catalog.funnels import MEASURES, REACHED
from analytics_box.query.filters import FilterCondition, FunnelPlan
from analytics_box.query.plan import PlanOrder, QueryPlan
from tests.benchmarks.figures import machine, report
from tests.benchmarks.query import RANGES, SITE, duckdb_runner, prepared, sqlite_runner, with_replica

RUNS = 3
STEPS = 5


def main(events: int, days: int, folder: Path | None) -> None:
    """Print the processor time (ms) of each kind of funnel: its totals, and its sources."""
    machine()
    with tempfile.TemporaryDirectory() as temporary:
        directory = folder or Path(temporary)
        prepared(directory, events, days)
        now = with_replica(directory)
        engines = {"sqlite": sqlite_runner(directory), "duckdb": duckdb_runner(directory)}
        for name, plan in _plans(directory, now):
            figures, answers = {}, []
            for engine, run in engines.items():
                times = []
                for _ in range(RUNS):
                    began = time.process_time()
                    rows = run(plan)
                    times.append((time.process_time() - began) * 1000)
                figures[f"{engine}_processor_ms"] = min(times)
                answers.append(rows)
            report(name, days=(plan.end - plan.start) // DAY, **figures)
            if answers[0] != answers[1]:
                sys.exit(f"The engines disagree on {name}")


def _plans(directory: Path, now: int) -> list[tuple[str, QueryPlan]]:
    db = apsw.Connection(str(directory / "events.db"))
    usual = "select path from stored_events group by path order by count(*) desc limit ?"
    paths = [str(path) for (path,) in db.execute(f"select value from strings where id in ({usual})", (STEPS,))]
    db.close()
    steps = tuple(FilterCondition("session_page", "is", (path,), negated=False) for path in paths)
    kinds = {
        "in order": FunnelPlan(steps),
        "directly": FunnelPlan(steps, "strict"),
        "any order": FunnelPlan(steps, "any"),
        "within an hour": FunnelPlan(steps, within=3_600_000),
        "of visitors": FunnelPlan(steps, within=7 * DAY, people=True),
    }
    found = []
    for days in RANGES:
        for name, funnel in kinds.items():
            whole = QueryPlan("funnels", (SITE,), now + 1 - days * DAY, now + 1, MEASURES, funnel=funnel)
            order = (PlanOrder(REACHED[0]),)
            sources = replace(whole, measures=REACHED, group=("source",), order=order)
            found += [(name, whole), (f"{name}, by source", sources)]
    return found
