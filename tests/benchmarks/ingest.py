"""P1 and P2: durable events a second, one and a hundred a request, beside the minimal handler in the same run.

All are sent the same visits (`visits.py`), by a proxy that is trusted to say who the clients are. Without the column
replica, or with one that follows on the same core.
"""

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import apsw
import httpx

from tests.benchmarks.figures import machine, remark, report
from tests.benchmarks.generator import DAYS
from tests.benchmarks.query import prepared
from tests.benchmarks.server import READY_SECONDS, SERVER_CORE, pin, serving, wait
from tests.benchmarks.visits import View, Visitor, request, views, visitors
from tests.benchmarks.wrk import CONNECTIONS, COUNTED, WARM, Run, crowd, needed
from tests.running import Account, Server, set_up

_LUA = Path(__file__).with_name("events.lua")
_REQUESTS, _MANY, _PER_REQUEST = 60_000, 1_200, 100  # about as many as two runs send


class Load(NamedTuple):
    """Who is asked for what: a server's process and address, and a file of requests."""

    pid: int
    url: str
    requests: Path


def main(columnar: str, before: int) -> None:
    """Print the figures, of a box that has that many events before. Needs wrk (Debian's package)."""
    needed()
    machine()
    with (
        tempfile.TemporaryDirectory() as folder,
        _minimal_server(Path(folder)) as (pid, url),
        _box(Path(folder) / "data", columnar, before) as (server, account),
    ):
        already = _stored(Path(folder) / "data" / "events.db")
        remark("writing down what is sent")
        everybody = visitors()
        single = _written(Path(folder) / "single", everybody, account)
        by_key = _written(Path(folder) / "by_key", everybody, account, key=account.api_key)
        many = _written(Path(folder) / "many", everybody, account, per_request=_PER_REQUEST)
        ours = server.process.pid
        runs = _measure(
            {
                "minimal durable handler": Load(pid, url, single),
                "P1 by website id": Load(ours, server.url, single),
                "P1 by API key": Load(ours, server.url, by_key),
                "P2": Load(ours, server.url, many),
            }
        )
        stored = _stored(Path(folder) / "data" / "events.db") - already
    least = runs.pop("minimal durable handler")
    report("minimal durable handler", **_figures(least))
    batches = runs.pop("P2")
    for name, found in runs.items():
        report(
            name,
            **_figures(found),
            of_minimal=_of_minimal(found, least),
            of_minimal_by_processor_time=_of_minimal_by_processor_time(found, least),
        )
    figures = _figures(batches)
    report(
        "P2",
        events_per_second=figures["requests_per_second"] * _PER_REQUEST,
        events_of_minimal=_PER_REQUEST * _of_minimal(batches, least),
        events_of_minimal_by_processor_time=_PER_REQUEST * _of_minimal_by_processor_time(batches, least),
        **figures,
    )
    answered = sum(run.requests for found in runs.values() for run in found)
    answered += _PER_REQUEST * sum(run.requests for run in batches)
    # wrk breaks off what is under way when its time is over: those events are stored without being counted.
    broken_off = (2 + _PER_REQUEST) * CONNECTIONS * (WARM + COUNTED)
    report("rows", answered=answered, stored=stored, at_most=answered + broken_off)
    if not answered <= stored <= answered + broken_off:
        sys.exit("The rows stored are not the events acknowledged")


def _written(file: Path, everybody: list[Visitor], account: Account, *, key: str = "", per_request: int = 1) -> Path:
    """A file of requests: page views by website id or by key, one in a request or many. Those that come together are
    of many visitors, who all say who they are, behind the address of the first."""
    path = "/track" if key else f"/track?website_id={account.website_id}"
    coming = views(everybody, account.website_id)
    with file.open("wb") as out:
        for _ in range(_REQUESTS if per_request == 1 else _MANY):
            found = list(islice(coming, per_request))
            events = found[0].event if per_request == 1 else [_said(view) for view in found]
            out.write(request(found[0].visitor, events, path, key) + b"\0")
    return file


def _said(view: View) -> dict[str, str]:
    visitor = view.visitor
    return {"anonymousId": visitor.anonymous_id or f"anon_{visitor.address}"} | view.event


@contextmanager
def _box(data_dir: Path, columnar: str, before: int) -> Iterator[tuple[Server, Account]]:
    account = prepared(data_dir, before, DAYS) if before else set_up(data_dir)
    with serving(data_dir, columnar=columnar, trusted_proxies="127.0.0.1") as server:
        if before and columnar == "on":
            server.wait_until_printed("The column replica is ready", seconds=READY_SECONDS)
        yield server, account


def _figures(runs: list[Run]) -> dict[str, float]:
    counted = runs[WARM:]
    return {
        "requests_per_second": statistics.median(run.requests / run.seconds for run in counted),
        "p50_ms": statistics.median(run.p50 for run in counted),
        "p99_ms": statistics.median(run.p99 for run in counted),
        "processor_us": statistics.median(_each(run) * 1e6 for run in counted),
        "connections": CONNECTIONS,
    }


def _of_minimal(runs: list[Run], least: list[Run]) -> float:
    """By rate, in requests, each run beside the one of the minimal handler that it took turns with."""
    rates = [(our.requests / our.seconds) / (its.requests / its.seconds) for our, its in zip(runs, least, strict=True)]
    return statistics.median(rates[WARM:])


def _of_minimal_by_processor_time(runs: list[Run], least: list[Run]) -> float:
    return statistics.median([_each(its) / _each(our) for our, its in zip(runs, least, strict=True)][WARM:])


def _each(run: Run) -> float:
    """Seconds of processor time for each request: what a busy machine cannot spoil as much as it does the rate."""
    return run.processor / run.requests


@contextmanager
def _minimal_server(folder: Path) -> Iterator[tuple[int, str]]:
    """Its process and its address."""
    port = 18_999
    command = (sys.executable, "-m", "tests.benchmarks.minimal", str(folder / "minimal.db"), str(port))
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            try:
                httpx.get(f"http://127.0.0.1:{port}/", timeout=1)
                break
            except httpx.TransportError:
                wait(0.05)
        pin(process.pid, SERVER_CORE)
        yield process.pid, f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def _measure(loads: dict[str, Load]) -> dict[str, list[Run]]:
    """Warm runs and counted ones, taking turns, so that whatever else the machine does meets all of them."""
    runs: dict[str, list[Run]] = {name: [] for name in loads}
    for turn in range(WARM + COUNTED):
        for name, load in loads.items():
            given = {"requests": str(load.requests), "turn": str(turn)}
            runs[name].append(crowd(name, load.pid, load.url, _LUA, given))
    return runs


def _stored(path: Path) -> int:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return int(str(db.execute("select count(*) from events where bot = 0").fetchall()[0][0]))
    finally:
        db.close()
