"""P1 and P2: durable events a second, one and a hundred a request, beside the minimal handler in the same run.

Without the column replica, or with one that follows on the same core.
"""

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import apsw
import httpx

from tests.load.figures import machine, report
from tests.load.generator import DAYS
from tests.load.query import prepared
from tests.load.server import READY_SECONDS, SERVER_CORE, pin, serving, wait
from tests.load.wrk import CONNECTIONS, COUNTED, WARM, Run, crowd, needed
from tests.running import Account, Server, set_up

_LUA = Path(__file__).with_name("events.lua")


class Load(NamedTuple):
    """Who is asked for what: a server's process and address, and what the generator puts into a request."""

    pid: int
    url: str
    site: str = "none"
    key: str = ""
    per_request: int = 1


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
        site, key = account.website_id, account.api_key
        by_site, by_key = f"{server.url}/track?website_id={site}", f"{server.url}/track"
        ours = server.process.pid
        runs = _measure(
            {
                "minimal durable handler": Load(pid, url),
                "P1 by website id": Load(ours, by_site, site),
                "P1 by API key": Load(ours, by_key, site, key),
                "P2": Load(ours, by_site, site, per_request=100),
            }
        )
        stored = _stored(Path(folder) / "data" / "events.db") - already
    least = runs.pop("minimal durable handler")
    report("minimal durable handler", **_figures(least))
    many = runs.pop("P2")
    for name, found in runs.items():
        ratios = [
            (our.requests / our.seconds) / (its.requests / its.seconds) for our, its in zip(found, least, strict=True)
        ]
        processor = [_each(its) / _each(our) for our, its in zip(found, least, strict=True)]
        report(
            name,
            **_figures(found),
            of_minimal=statistics.median(ratios[WARM:]),
            of_minimal_by_processor_time=statistics.median(processor[WARM:]),
        )
    figures = _figures(many)
    report("P2", events_per_second=figures["requests_per_second"] * 100, **figures)
    answered = sum(run.requests for found in runs.values() for run in found) + 100 * sum(run.requests for run in many)
    # wrk breaks off what is under way when its time is over: those events are stored without being counted.
    broken_off = (2 + 100) * CONNECTIONS * (WARM + COUNTED)
    report("rows", answered=answered, stored=stored, at_most=answered + broken_off)
    if not answered <= stored <= answered + broken_off:
        sys.exit("The rows stored are not the events acknowledged")


@contextmanager
def _box(data_dir: Path, columnar: str, before: int) -> Iterator[tuple[Server, Account]]:
    account = prepared(data_dir, before, DAYS) if before else set_up(data_dir)
    with serving(data_dir, columnar=columnar) as server:
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


def _each(run: Run) -> float:
    """Seconds of processor time for each request: what a busy machine cannot spoil as much as it does the rate."""
    return run.processor / run.requests


@contextmanager
def _minimal_server(folder: Path) -> Iterator[tuple[int, str]]:
    """Its process and its address."""
    port = 18_999
    command = (sys.executable, "-m", "tests.load.minimal", str(folder / "minimal.db"), str(port))
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            try:
                httpx.get(f"http://127.0.0.1:{port}/", timeout=1)
                break
            except httpx.TransportError:
                wait(0.05)
        pin(process.pid, SERVER_CORE)
        yield process.pid, f"http://127.0.0.1:{port}/track"
    finally:
        process.kill()
        process.wait()


def _measure(loads: dict[str, Load]) -> dict[str, list[Run]]:
    """Warm runs and counted ones, taking turns, so that whatever else the machine does meets all of them."""
    runs: dict[str, list[Run]] = {name: [] for name in loads}
    for _ in range(WARM + COUNTED):
        for name, load in loads.items():
            runs[name].append(_run(name, load))
    return runs


def _run(name: str, load: Load) -> Run:
    """One run."""
    key = {"key": load.key} if load.key else {}
    return crowd(name, load.pid, load.url, _LUA, {"site": load.site, "per_request": load.per_request, **key})


def _stored(path: Path) -> int:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return int(str(db.execute("select count(*) from events where bot = 0").fetchall()[0][0]))
    finally:
        db.close()
