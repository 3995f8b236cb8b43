"""P3, P4: the common query types on the generated set, on a box without a column replica (SQLite), on one with one
(DuckDB, for what roll-ups do not cover), and on ClickHouse (chdb) as the peer; all answers have to agree. Each engine
runs in a process of its own, one after the other, so that its memory is its own."""

import json
import multiprocessing
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import partial
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from analytics_box.base.clock import SystemClock
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.migrations import migrate
from analytics_box.query.catalog import registry
from analytics_box.query.compose import compose, window_of
from analytics_box.query.engines import columns, duckdb, rollups_file, sqlite
from analytics_box.query.engines.clickhouse import words
from analytics_box.query.engines.clickhouse.tables import quote_text
from analytics_box.query.engines.counting import no_limit
from analytics_box.query.filters import conditions
from analytics_box.query.plan import QueryPlan
from analytics_box.query.ranges import today
from analytics_box.query.request import GivenQuery, QueryFilterInput, check
from analytics_box.query.rollups import pays
from tests.benchmarks.figures import machine, percentile, remark, report
from tests.benchmarks.generator import fill
from tests.running import Account, set_up

SITE = 2  # of the account's website; its organization is 1
COMMON = (
    *("summary_metrics", "summary_totals", "events_by_date", "top_pages", "entry_pages", "exit_pages"),
    *("traffic_sources", "utm_campaigns", "country", "browser_name", "os_name", "device_types", "session_metrics"),
)
RANGES = (30, 365)
COUNTRY = "DE"
MEMORY = "256MB"
RUNS = 5
SLOW_MS = 2_000  # what takes longer is asked once
ENGINES = ("sqlite", "duckdb", "clickhouse")


class Case(NamedTuple):
    """A query type over some days, of everybody or of one country."""

    type: str
    days: int
    filtered: bool


class Found(NamedTuple):
    """How long each run took (ms), and the rows of all plans."""

    times: list[float]
    rows: list[list[tuple[Any, ...]]]


def main(events: int, days: int, folder: Path | None, only: Sequence[str] = ENGINES) -> None:
    """Fill an events.db with that many events over that many days, or take the one of `folder`, and ask."""
    machine()
    with tempfile.TemporaryDirectory() as temporary:
        directory = folder or Path(temporary)
        prepared(directory, events, days)
        now = with_replica(directory)
        rolled_up(directory, now)
        engines = [name for name in only if name != "clickhouse" or find_spec("chdb") is not None]
        found = {name: _in_process(name, directory, now) for name in engines}
    for case in cases():
        answers = {name: found[name][case] for name in engines}
        figures: dict[str, float] = {}
        for name, answer in answers.items():
            figures |= {f"{name}_ms": statistics.median(answer.times), f"{name}_p95_ms": percentile(answer.times, 95)}
        if {"duckdb", "clickhouse"} <= set(engines):
            figures["of_clickhouse"] = figures["duckdb_ms"] / figures["clickhouse_ms"]
        report(case.type, days=case.days, filtered=int(case.filtered), rows=len(answers[engines[0]].rows[0]), **figures)
        for name, answer in answers.items():
            if not _same(answer.rows, answers[engines[0]].rows):
                sys.exit(f"{name} and {engines[0]} disagree on {case}")
    for days_, filtered in product(RANGES, (False, True)):
        of = [case for case in cases() if (case.days, case.filtered) == (days_, filtered)]
        medians = {name: [statistics.median(found[name][case].times) for case in of] for name in engines}
        totals = {f"{name}_ms": sum(times) for name, times in medians.items()}
        if {"duckdb", "clickhouse"} <= set(engines):
            ratios = [ours / theirs for ours, theirs in zip(medians["duckdb"], medians["clickhouse"], strict=True)]
            totals |= {"median_of_clickhouse": statistics.median(ratios), "worst_of_clickhouse": max(ratios)}
        report("all of them", days=days_, filtered=int(filtered), **totals)


def prepared(directory: Path, events: int, days: int) -> Account:
    """Fill the ledger of a new box, unless it is there; its account. The replica comes with `with_replica`."""
    kept = directory / "account.json"
    if kept.exists():
        migrate(directory)
        return msgspec.json.decode(kept.read_bytes(), type=Account)
    account = set_up(directory)
    migrate(directory)
    remark(f"writing {events:,} events over {days} days")
    began = time.monotonic()
    written = fill(directory, SITE, events, end=SystemClock().now(), days=days)
    report("ledger written", events=written, per_second=written / (time.monotonic() - began))
    kept.write_bytes(msgspec.json.encode(account))
    return account


def with_replica(directory: Path) -> int:
    """Bring the replica up to date; until when the events go (UTC ms)."""
    db = Db(directory / "events.db", readers=1)
    try:
        stored, last = db.read_now(_extent, seconds=600)
        opened = partial(columns.open_replica, directory / columns.FILE_NAME, memory=MEMORY, threads=2)
        replica = db.read_now(opened, seconds=600)
        began, before = time.monotonic(), replica.rows()
        while db.read_now(replica.step, seconds=600):
            pass
        taken = replica.rows() - before
        replica.connection.execute("checkpoint")
        replica.close()
        if taken:
            report("replica built", rows=taken, per_second=taken / (time.monotonic() - began))
        size = {name: (directory / name).stat().st_size / stored for name in ("events.db", columns.FILE_NAME)}
        report("P10", ledger_bytes=size["events.db"], replica_bytes=size[columns.FILE_NAME], events=stored)
        return last
    finally:
        db.close()


def rolled_up(directory: Path, now: int) -> None:
    """Bring the roll-ups of a box without a replica up to date."""
    kept = rollups_file.open_rollups(directory / rollups_file.FILE_NAME, directory / "events.db")
    began, before = time.process_time(), kept.size()
    while kept.advance(now):
        pass
    if kept.size() != before:
        report("days rolled up by SQLite", processor_seconds=time.process_time() - began, bytes=kept.size())
    kept.close()


def _extent(db: Connection) -> tuple[int, int]:
    ((stored, last),) = db.execute("select max(id), max(time) from events").fetchall()
    return int(str(stored)), int(str(last))


def cases() -> Iterator[Case]:
    for days, filtered, name in product(RANGES, (False, True), COMMON):
        yield Case(name, days, filtered)


def plans(case: Case, now: int) -> tuple[QueryPlan, ...]:
    """What the engine is asked for a case."""
    query_type = registry.TYPES[case.type]
    filters = [QueryFilterInput(field="country", op="eq", value=COUNTRY)] if case.filtered else []
    given = GivenQuery(
        parameters=[case.type],
        startDate="2000-01-01",
        endDate="2000-01-01",
        filters=filters,
    )
    asked = check(given, zone_name="Europe/Berlin", now=now)
    last = today(now, asked.zone)
    days = type(asked.questions[0].days)(last - timedelta(days=case.days - 1), last)  # type: ignore[misc]  # the days of a question without a comparison are there
    where, ignored = conditions(asked.filters, query_type.filters)
    assert not ignored
    window = window_of(query_type, days, asked, "day", now)
    return compose(query_type, asked, window, (SITE,), where).plans


def _in_process(engine: str, directory: Path, now: int) -> dict[Case, Found]:
    remark(f"asking {engine}")
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_ask, args=(engine, directory, now, theirs))
    process.start()
    theirs.close()
    found: dict[Case, Found] = {}
    for _ in cases():
        case, answer = ours.recv()
        found[case] = answer
    report(f"memory of {engine}", **ours.recv())
    process.join()
    return found


def _ask(engine: str, directory: Path, now: int, answers: Any) -> None:
    """Ask all cases; what is sent is each case with what was found, then the memory that it took."""
    before = _status("VmRSS")
    run = {"sqlite": sqlite_runner, "duckdb": duckdb_runner, "clickhouse": _clickhouse}[engine](directory)
    for case in cases():
        times: list[float] = []
        rows: list[list[tuple[Any, ...]]] = []
        while len(times) <= RUNS and not (times and times[0] > SLOW_MS):
            began = time.perf_counter()
            rows = [run(plan) for plan in plans(case, now)]
            times.append((time.perf_counter() - began) * 1000)
        answers.send((case, Found(times[1:] or times, rows)))
    answers.send({"rss_before_mb": before, "rss_mb": _status("VmRSS"), "peak_mb": _status("VmHWM")})


def sqlite_runner(directory: Path) -> Any:
    """SQLite with roll-ups, as a function from plans to rows."""
    db = Db(directory / "events.db", readers=1)
    kept = rollups_file.open_rollups(directory / rollups_file.FILE_NAME, directory / "events.db")
    return lambda plan: db.read_now(lambda connection: sqlite.run_plan(connection, plan, rollups=kept), seconds=600)


def duckdb_runner(directory: Path) -> Any:
    """The column replica, with roll-ups where these are quicker, as a function from plans to rows."""
    db = Db(directory / "events.db", readers=1)
    opened = partial(columns.open_replica, directory / columns.FILE_NAME, memory=MEMORY, threads=2)
    cursor = db.read_now(opened, seconds=600).connection.cursor()
    kept = rollups_file.open_rollups(directory / rollups_file.FILE_NAME, directory / "events.db")

    def from_rollups(plan: QueryPlan, connection: Connection) -> list[tuple[Any, ...]] | None:
        with sqlite.open_cut(connection, plan, kept) as cut:
            return sqlite.run_rendered(connection, plan, sqlite.render(plan, cut), no_limit, 600) if pays(cut) else None

    def run(plan: QueryPlan) -> list[tuple[Any, ...]]:
        found = db.read_now(partial(from_rollups, plan), seconds=600)
        return duckdb.run_plan(cursor, plan, seconds=600) if found is None else found

    return run


def _clickhouse(directory: Path) -> Any:
    import duckdb as library  # noqa: PLC0415  # only where this engine is asked
    from chdb.state.sqlitelike import connect  # noqa: PLC0415  # half a gigabyte, where it is asked

    reader = library.connect(str(directory / columns.FILE_NAME), read_only=True)
    for table, rows in (("events", "(select * exclude properties from events)"), ("strings", "strings")):
        reader.execute(f"copy {rows} to '{directory}/{table}.parquet'")
    reader.close()
    session = connect(":memory:")
    for table, order in (("events", "site, time, id"), ("strings", "id")):
        file = f"file('{directory}/{table}.parquet')"
        session.query("set schema_inference_make_columns_nullable = 0")
        session.query(
            f"create table {table} engine = MergeTree order by ({order}) as select * from {file}"
            " settings schema_inference_make_columns_nullable = 0"
        )
        session.query(f"optimize table {table} final")
        (directory / f"{table}.parquet").unlink()

    settings = ", ".join(f"{name} = {value!r}" for name, value in words.SETTINGS.items())

    def run(plan: QueryPlan) -> list[tuple[Any, ...]]:
        statement = words.render(plan)
        given = {name: parameter(value) for name, value in words.bind_values(statement).items()}
        answer = session.query(f"{statement.sql}\nsettings {settings}", "JSONCompact", params=given)
        return [tuple(_number(value) for value in row) for row in json.loads(str(answer))["data"]]

    return run


def parameter(value: object) -> str:
    """A value as ClickHouse reads it."""
    if isinstance(value, list):
        return f"[{', '.join(quote_text(item) if isinstance(item, str) else str(item) for item in value)}]"
    return str(value)


def _number(value: Any) -> Any:
    """ClickHouse writes large integers as texts."""
    return int(value) if isinstance(value, str) and value.lstrip("-").isdecimal() else value


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(_same(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, float) or isinstance(other, float):
        return one is not None and other is not None and abs(one - other) <= 1e-6 * max(1.0, abs(other))
    return bool(one == other) or (str(one) == str(other))


def _status(name: str) -> float:
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024 / 1e6
