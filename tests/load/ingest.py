"""P1 and P2: durable events a second, one and a hundred a request, beside the minimal handler in the same run."""

import os
import shutil
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

from tests.load.figures import machine, remark, report
from tests.load.server import GENERATOR_CORE, SERVER_CORE, box, pin, wait

CONNECTIONS = 64
SECONDS = 5
WARM, COUNTED = 2, 3
_LUA = Path(__file__).with_name("events.lua")


class Run(NamedTuple):
    """What the generator saw: requests, refusals, seconds, median and 99th percentile in ms."""

    requests: int
    wrong: int
    seconds: float
    p50: float
    p99: float


def main() -> None:
    """Print the figures. Needs wrk (Debian's package)."""
    if shutil.which("wrk") is None:
        sys.exit("wrk is missing: apt-get install wrk")
    machine()
    with tempfile.TemporaryDirectory() as folder:
        least = _minimal(Path(folder))
        with box(Path(folder) / "data") as (server, account):
            by_site = f"{server.url}/track?website_id={account.website_id}"
            one = _measure(by_site, account.website_id)
            keyed = _measure(f"{server.url}/track", account.website_id, key=account.api_key)
            many = _measure(by_site, account.website_id, per_request=100)
        sent = sum(run.requests for run in (*one, *keyed)) + 100 * sum(run.requests for run in many)
        stored = _stored(Path(folder) / "data" / "events.db")
    rates = {name: _rate(runs) for name, runs in (("site", one), ("key", keyed), ("many", many))}
    for name, runs in (("P1 by website id", one), ("P1 by API key", keyed)):
        rate = _rate(runs)
        report(
            name,
            requests_per_second=rate,
            p50_ms=statistics.median(run.p50 for run in _counted(runs)),
            p99_ms=statistics.median(run.p99 for run in _counted(runs)),
            of_minimal=rate / least,
            connections=CONNECTIONS,
        )
    report("P2", events_per_second=rates["many"] * 100, p99_ms=statistics.median(run.p99 for run in _counted(many)))
    report("minimal durable handler", requests_per_second=least)
    # wrk breaks off what is under way when its time is over: those events may be stored without being counted.
    report("rows", answered=sent, stored=stored, at_least_as_many=int(stored >= sent))


def _minimal(folder: Path) -> float:
    with _minimal_server(folder) as url:
        runs = _measure(url, "none")
    return _rate(runs)


@contextmanager
def _minimal_server(folder: Path) -> Iterator[str]:
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
        yield f"http://127.0.0.1:{port}/track"
    finally:
        process.kill()
        process.wait()


def _measure(url: str, site: str, *, key: str = "", per_request: int = 1) -> list[Run]:
    """Warm runs and counted ones; every answer has to be a 200."""
    environment = os.environ | {"LOAD_SITE": site, "LOAD_PER_REQUEST": str(per_request)}
    if key:
        environment["LOAD_KEY"] = key
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "--latency", "-s", str(_LUA), url]
    if (os.cpu_count() or 1) > 1:
        command = ["taskset", "-c", GENERATOR_CORE, *command]
    runs = []
    for _ in range(WARM + COUNTED):
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        line = next(line for line in ended.stdout.splitlines() if line.startswith("LOAD "))
        requests, wrong, *rest = line.split()[1:]
        run = Run(int(requests), int(wrong), *(float(number) for number in rest))
        remark(f"{url.partition('?')[0]}: {run}")
        if run.wrong:
            sys.exit(f"{run.wrong} answers were no 200s:\n{ended.stdout}")
        runs.append(run)
    return runs


def _counted(runs: list[Run]) -> list[Run]:
    return runs[WARM:]


def _rate(runs: list[Run]) -> float:
    return statistics.median(run.requests / run.seconds for run in _counted(runs))


def _stored(path: Path) -> int:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return int(str(db.execute("select count(*) from events").fetchall()[0][0]))
    finally:
        db.close()
