"""A box for benchmarks: its own process on one core, its limits off by named settings."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from analytics_box.base import settings
from tests.running import Account, Server, set_up

SERVER_CORE, GENERATOR_CORE = "0", "1"
READY_SECONDS = 600.0  # for a replica of ten million events
LIMITS_OFF = {row.name: 0 for row in settings.table() if row.name.startswith(("limit_", "budget_"))}


@contextmanager
def box(data_dir: Path, **changed: object) -> Iterator[tuple[Server, Account]]:
    """A running box on a new data directory with one website, its process pinned to a core."""
    account = set_up(data_dir)
    with serving(data_dir, **changed) as server:
        yield server, account


@contextmanager
def serving(data_dir: Path, **changed: object) -> Iterator[Server]:
    """The same on a data directory that is set up."""
    server = Server(data_dir, LIMITS_OFF | changed)
    try:
        server.wait_until_ready()
        pin(server.process.pid, SERVER_CORE)
        yield server
        server.stop()
    finally:
        server.kill()


def pin(pid: int, *cores: str) -> None:
    """Keep a process and all its threads on these cores, where there are two."""
    if (os.cpu_count() or 1) > 1:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), {int(core) for core in cores})


def memory_mb(pid: int) -> float:
    """Resident memory of a process, in MB of 10^6 bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def processor_seconds(pid: int) -> float:
    """What a process has used of its core so far, in user and system time."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait(seconds: float) -> None:
    """Let time pass: benchmarks may."""
    time.sleep(seconds)
