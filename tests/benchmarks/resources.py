"""P9: memory 30 s after 100 accepted events. P11: from the start to the first accepted event."""

import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import httpx

from analytics_box.base.clock import SystemClock
from tests.benchmarks.figures import machine, remark, report
from tests.benchmarks.generator import fill
from tests.benchmarks.server import box, memory_mb, processor_seconds, serving, wait
from tests.running import BROWSER, Account, Server, set_up

SETTLE_SECONDS = 30
STARTS = 5


def memory() -> None:
    """P9."""
    machine()
    with tempfile.TemporaryDirectory() as folder, box(Path(folder) / "data") as (server, account):
        report("memory before any event", rss_mb=memory_mb(server.process.pid))
        for number in range(100):
            _send(server, account, number)
        wait(SETTLE_SECONDS)
        report("P9", rss_mb=memory_mb(server.process.pid), accepted=100, seconds_later=SETTLE_SECONDS)


def start(events: int) -> None:
    """P11, on a new directory, with stored events, and after a kill -9 with stored events."""
    machine()
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty"
        account = set_up(empty)
        _report_starts("P11 empty", [_start(empty, account) for _ in range(STARTS)])
        full = Path(folder) / "full"
        account = set_up(full)
        with serving(full):
            pass
        remark(f"writing {events:,} events")
        began = time.monotonic()
        written = fill(full, 2, events, end=SystemClock().now())
        size = (full / "events.db").stat().st_size
        report(
            "ledger",
            events=written,
            bytes_per_event=size / written,
            written_per_second=written / (time.monotonic() - began),
        )
        _report_starts("P11 full", [_start(full, account) for _ in range(STARTS)], events=written)
        killed = [_start(full, account, kill=True) for _ in range(STARTS)]
        _report_starts("P11 after kill -9", killed[1:], events=written)


class _Start(NamedTuple):
    """From starting the process to the answer to the first event, in seconds."""

    seconds: float
    processor: float  # of the server


def _report_starts(name: str, starts: Sequence[_Start], **more: float) -> None:
    """Report medians."""
    seconds, processor = (statistics.median(column) for column in zip(*starts, strict=True))
    report(name, seconds=seconds, processor_seconds=processor, **more)


def _start(data_dir: Path, account: Account, *, kill: bool = False) -> _Start:
    began = time.monotonic()
    with serving(data_dir) as server:
        _send(server, account, 0)
        start = _Start(time.monotonic() - began, processor_seconds(server.process.pid))
        if kill:
            server.kill()
    return start


def _send(server: Server, account: Account, number: int) -> None:
    answer = httpx.post(
        f"{server.url}/track",
        params={"website_id": account.website_id},
        headers={"user-agent": BROWSER, "accept": "*/*"},
        verify=False,
        json={"name": "screen_view", "path": f"https://example.com/{number}", "eventId": f"{number}-{time.time_ns()}"},
    )
    assert answer.status_code == 200, answer.text
