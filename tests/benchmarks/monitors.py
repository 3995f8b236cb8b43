"""P14: many monitors at a minute each, against a target on this machine: how late their checks begin, what they take of
a core and of the memory, and what a kill -9 leaves."""

import asyncio
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import apsw
import uvloop

from analytics_box.base.store.schema import BOX_FILE, EVENTS_FILE
from analytics_box.products.monitors import rows
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.rows import stored_monitor
from analytics_box.products.monitors.running import drain, schedule
from tests.benchmarks.figures import machine, percentile, remark, report
from tests.benchmarks.server import GENERATOR_CORE, memory_mb, pin, processor_seconds, serving, wait
from tests.running import Account, set_up

INTERVAL = 60  # seconds
FIRST_ROUND = 65  # seconds until all have been checked once
_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
SETTINGS = {"allowed_private_targets": "127.0.0.0/8", "monitor_canaries": ""}


def main(monitors: int, seconds: float) -> None:
    """Print the figures."""
    machine()
    with tempfile.TemporaryDirectory() as folder, _target() as port:
        data = Path(folder) / "data"
        account = set_up(data)
        with serving(data, **SETTINGS) as server:
            wait(5)
            empty = memory_mb(server.process.pid)
        _fill(data / BOX_FILE, account, monitors, port)
        began = time.monotonic()
        with serving(data, **SETTINGS) as server:
            ready, pid = time.monotonic() - began, server.process.pid
            wait(FIRST_ROUND)
            since, used = time.time() * 1000, processor_seconds(pid)
            wait(seconds)
            used = processor_seconds(pid) - used
            report("monitors in memory", monitors=monitors, rss_mb=memory_mb(pid), rss_mb_without=empty, ready_s=ready)
            server.kill()
        late, failed = _lateness(data / EVENTS_FILE, since)
        report(
            "P14",
            monitors=monitors,
            checks_per_second=len(late) / seconds,
            late_p50_ms=percentile(late, 50),
            late_p99_ms=percentile(late, 99),
            late_max_ms=max(late),
            core=used / seconds,
            failed=failed,
        )
        _after_the_kill(data, monitors)


def _after_the_kill(data: Path, monitors: int) -> None:
    """Whether all are checked again soon, the gap is unknown and nobody is told."""
    wait(drain.GAP / 1000 + 5)
    began = time.time() * 1000
    with serving(data, **SETTINGS):
        ready = time.time() * 1000
        wait(FIRST_ROUND)
    db = apsw.Connection(str(data / EVENTS_FILE))
    ((checked, last),) = db.execute(
        "select count(*), max(first) from (select min(time) as first from checks where time > ? group by monitor)",
        (began,),
    ).fetchall()
    ((unknown,),) = db.execute("select count(*) from monitor_spans where state = 4").fetchall()
    ((told,),) = db.execute("select count(*) from transitions").fetchall()
    db.close()
    seconds = (float(str(last)) - ready) / 1000
    report(
        "monitors after kill -9",
        checked=int(str(checked)),
        seconds=seconds,
        gaps=int(str(unknown)),
        told=int(str(told)),
    )
    if (checked, unknown, told) != (monitors, monitors, 0):
        sys.exit("Not every monitor was checked again, or had a gap, or somebody was told")


def _fill(path: Path, account: Account, monitors: int, port: int) -> None:
    """So many monitors, straight into the table, each of a host of its own."""
    remark(f"writing {monitors:,} monitors")
    db = apsw.Connection(str(path))
    with db:
        for number in range(monitors):
            host = f"127.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255 or 1}"
            monitor = Monitor(
                number=0,
                id=f"monitor-{number:016}",
                organization_id=account.organization_id,
                url=f"http://{host}:{port}/{number}",
                interval=INTERVAL,
            )
            rows.insert(db, stored_monitor(monitor, None, monitor.url))
    db.close()


def _lateness(path: Path, since: float) -> tuple[list[float], int]:
    """How many ms after its time each check began, and how many failed."""
    db = apsw.Connection(str(path))
    found = db.execute("select monitor, time, status from checks where time >= ?", (since,)).fetchall()
    db.close()
    late = []
    for number, at, _ in found:
        phase = schedule.phase(f"monitor-{int(str(number)) - 1:016}", INTERVAL)
        late.append(float((int(str(at)) - phase) % (INTERVAL * 1000)))
    return late, sum(status != 1 for _, _, status in found)


@contextmanager
def _target() -> Iterator[int]:
    """What answers everything with a short text, in a process of its own; its port."""
    with socket.socket() as listener:
        listener.bind(("0.0.0.0", 0))  # a host of its own for each monitor, all of them here
        listener.listen(4_096)
        port = int(listener.getsockname()[1])
        descriptor = listener.fileno()
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.benchmarks.monitors", str(descriptor)], pass_fds=[descriptor]
        )
        pin(process.pid, GENERATOR_CORE)
        try:
            yield port
        finally:
            process.kill()
            process.wait()


class _Answering(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, _: bytes) -> None:
        self._transport.write(_ANSWER)
        self._transport.close()


async def _serve(descriptor: int) -> None:
    listener = socket.socket(fileno=descriptor)
    server = await asyncio.get_running_loop().create_server(_Answering, sock=listener)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(_serve(int(sys.argv[1])))
