"""What a running box takes, looked at from outside: memory, logs, descriptors and queues, a line of JSON each."""

import os
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import httpx
import msgspec
from msgspec import Struct

from tests.benchmarks.server import memory_mb

LOGS = {"events_log_mb": "events.db-wal", "state_log_mb": "box.db-wal", "replica_log_mb": "columns.duckdb.wal"}
_QUEUES = {
    "writes_waiting": "analytics_box_writes_waiting",
    "reads": "analytics_box_reads",
    "reads_held": "analytics_box_reads_held",
    "replica_behind": "analytics_box_replica_rows_behind",
    "replica_ready": "analytics_box_replica_ready",
}


class Sample(Struct, frozen=True):
    """A look at the process. `second` counts from the beginning of the soak, `life` the starts of the box from 0.

    `logs` are megabytes by LOGS, `queues` what waits in both databases together; empty while the box does not say.
    """

    second: float
    life: int
    rss_mb: float
    descriptors: int
    logs: dict[str, float]
    queues: dict[str, float]
    own_rss_mb: float
    free_gb: float
    others: dict[str, float]


class Samples:
    """All of them, in memory as far as the end needs them, and in a file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.memory: list[tuple[int, float, float]] = []  # life, second, MB
        self.descriptors = 0  # at most

    def note(self, sample: Sample) -> None:
        """Write it down."""
        self._file.write(msgspec.json.encode(sample) + b"\n")
        self._file.flush()
        self.memory.append((sample.life, sample.second, sample.rss_mb))
        self.descriptors = max(self.descriptors, sample.descriptors)

    def slopes(self) -> list[float]:
        """MB an hour in the second half of each life that was long enough for two looks there."""
        lives: dict[int, list[tuple[float, float]]] = {}
        for life, second, mb in self.memory:
            lives.setdefault(life, []).append((second / 3600, mb))
        halves = [looks[len(looks) // 2 :] for looks in lives.values()]
        return [_slope(half) for half in halves if len(half) > 1]

    def peaks(self) -> list[float]:
        """The most memory of each life, in MB."""
        lives: dict[int, float] = {}
        for life, _, mb in self.memory:
            lives[life] = max(lives.get(life, 0.0), mb)
        return list(lives.values())


async def look(
    client: httpx.AsyncClient, pid: int, data: Path, *, second: float, life: int, others: dict[str, float]
) -> Sample:
    """What there is to see now. Raises OSError where the process has just ended."""
    disk = os.statvfs(data)
    return Sample(
        second=round(second, 1),
        life=life,
        rss_mb=round(memory_mb(pid), 1),
        descriptors=len(os.listdir(f"/proc/{pid}/fd")),
        logs={name: round(size_mb(data / file), 2) for name, file in LOGS.items()},
        queues=await queues(client),
        own_rss_mb=round(memory_mb(os.getpid()), 1),
        free_gb=round(disk.f_bavail * disk.f_frsize / 1e9, 1),
        others={name: round(value, 2) for name, value in others.items()},
    )


async def queues(client: httpx.AsyncClient) -> dict[str, float]:
    """How much waits, as the box itself says; nothing where it does not answer."""
    try:
        answer = await client.get("/metrics")
    except httpx.TransportError:
        return {}
    lines = [line.rpartition(" ") for line in answer.text.splitlines() if not line.startswith("#")]
    return {
        short: sum(float(value) for named, _, value in lines if named.partition("{")[0] == name)
        for short, name in _QUEUES.items()
    }


def size_mb(file: Path) -> float:
    """Megabytes of a file; 0 where there is none."""
    try:
        return file.stat().st_size / 1e6
    except FileNotFoundError:
        return 0.0


def _slope(looks: Sequence[tuple[float, float]]) -> float:
    hours, sizes = zip(*looks, strict=True)
    return statistics.linear_regression(hours, sizes).slope
