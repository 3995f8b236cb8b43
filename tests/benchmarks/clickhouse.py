"""Events in ClickHouse: how fast a box sends what it has, and what asking through the box adds to ClickHouse's time.

ClickHouse is chdb behind its HTTP interface, in a process of its own; afterwards chdb opens the same folder without a
network and without the box, and is asked the same statements with the same number of threads.
"""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec

from analytics_box.base.clock import SystemClock
from analytics_box.base.store.db import Connection, Db
from analytics_box.query.engines import Engines
from analytics_box.query.engines.clickhouse import words
from analytics_box.query.engines.clickhouse.engine import ClickHouse
from analytics_box.query.engines.clickhouse.server import ClickHouseTarget
from analytics_box.query.plan import QueryPlan
from tests.benchmarks.figures import machine, remark, report
from tests.benchmarks.query import RUNS, Case, cases, parameter, plans, prepared
from tests.query.clickhouse.served import Served

DATABASE = "box_1"


class Directly(msgspec.Struct):
    """A statement as chdb is asked it, and how long it took (ms)."""

    sql: str
    params: dict[str, str]
    took: float = 0.0


def main(events: int, days: int, folder: Path | None) -> None:
    """Send a filled events.db to an empty ClickHouse, then ask both ways."""
    machine()
    with tempfile.TemporaryDirectory() as temporary:
        directory = folder or Path(temporary) / "box"
        prepared(directory, events, days)
        (directory / "clickhouse.json").unlink(missing_ok=True)
        served = Served(Path(temporary) / "clickhouse")
        try:
            through = asyncio.run(_through_the_box(directory, served.new_database()))
        finally:
            served.kill()
        _compare(through, Path(temporary))


async def _through_the_box(directory: Path, url: str) -> dict[Case, tuple[float, list[Directly]]]:
    """By case: the median of its times (ms), and its statements."""
    db, clock = Db(directory / "events.db", readers=4), SystemClock()
    far = ClickHouse(db, clock, ClickHouseTarget(url, several=False))
    engines = Engines(db, clock, columnar="clickhouse", far=far)
    try:
        await _send(engines)
        now = db.read_now(_last)
        return {case: await _timed(engines, plans(case, now)) for case in cases()}
    finally:
        db.close()
        engines.close()


async def _send(engines: Engines) -> None:
    remark("sending")
    began, work = time.monotonic(), time.process_time()
    while engines.name != "clickhouse":
        await engines.maintain()
    rows, seconds = (await engines.status()).rows, time.monotonic() - began
    report(
        "sent to ClickHouse",
        rows=rows,
        rows_per_second=rows / seconds,
        processor_seconds=time.process_time() - work,
    )


async def _timed(engines: Engines, of: tuple[QueryPlan, ...]) -> tuple[float, list[Directly]]:
    times: list[float] = []
    for _ in range(RUNS + 1):
        began = time.perf_counter()
        for plan in of:
            await engines.rows(plan, seconds=60)
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times[1:]), [_directly(engines, plan) for plan in of]


def _directly(engines: Engines, plan: QueryPlan) -> Directly:
    statement = engines.choice(plan).statement
    settings = ", ".join(f"{name} = {value!r}" for name, value in words.SETTINGS.items())
    params = {name: parameter(value) for name, value in words.bind_values(statement).items()}
    return Directly(f"{statement.sql}\nsettings {settings}", params)


def _compare(through: dict[Case, tuple[float, list[Directly]]], folder: Path) -> None:
    remark("asking chdb directly")
    given, ratios = folder / "statements.json", []
    given.write_bytes(msgspec.json.encode([statements for _, statements in through.values()]))
    command = (sys.executable, "-m", "tests.benchmarks.clickhouse", str(folder / "clickhouse"), str(given))
    answer = subprocess.run(command, check=True, capture_output=True).stdout
    took = msgspec.json.decode(answer, type=list[list[Directly]])
    for (case, (median, _)), statements in zip(through.items(), took, strict=True):
        direct = sum(one.took for one in statements)
        ratios.append(median / direct)
        report(case.type, days=case.days, filtered=int(case.filtered), box_ms=median, chdb_ms=direct, ratio=ratios[-1])
    sums = sum(median for median, _ in through.values()), sum(one.took for each in took for one in each)
    report("all of them", box_ms=sums[0], chdb_ms=sums[1], of_sums=sums[0] / sums[1], median=statistics.median(ratios))


def _last(db: Connection) -> int:
    ((last,),) = db.execute("select max(time) from events").fetchall()
    return int(str(last))


def _ask(folder: str, given: Path) -> None:
    """In a process of its own, for chdb is one engine a process."""
    from chdb.state.sqlitelike import connect  # noqa: PLC0415  # half a gigabyte, where it is asked

    connection = connect(folder)
    connection.query(f"use {DATABASE}")
    connection.query("set max_threads = 1")
    told: list[list[Directly]] = msgspec.json.decode(given.read_bytes(), type=list[list[Directly]])
    for statement in (one for each in told for one in each):
        statement.took = _median_of(connection, statement)
    sys.stdout.buffer.write(msgspec.json.encode(told))


def _median_of(connection: Any, statement: Directly) -> float:
    times = []
    for _ in range(RUNS + 1):
        began = time.perf_counter()
        connection.query(statement.sql, "TabSeparated", params=statement.params).bytes()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times[1:])


if __name__ == "__main__":
    _ask(sys.argv[1], Path(sys.argv[2]))
