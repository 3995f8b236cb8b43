"""A crowd of clients (wrk) that asks a server on another core as fast as it answers, and what that took of both."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.figures import remark
from tests.benchmarks.server import GENERATOR_CORE, processor_seconds

CONNECTIONS = 64
SECONDS = 5
PATIENCE = "10s"  # until an answer counts as wrong
WARM, COUNTED = 2, 3


class Run(NamedTuple):
    """What the generator saw (median and 99th percentile in ms), and the processor time that the server took."""

    requests: int
    wrong: int
    seconds: float
    p50: float
    p99: float
    processor: float


def needed() -> None:
    """End here if wrk is missing (Debian's package)."""
    if shutil.which("wrk") is None:
        sys.exit("wrk is missing: apt-get install wrk")


def crowd(
    name: str, pid: int, url: str, script: Path, given: Mapping[str, str | int], *, seconds: int = SECONDS
) -> Run:
    """One run. The script gets what is `given` as LOAD_… and prints a line of figures; every answer has to be right."""
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "--timeout", PATIENCE]
    command += ["-s", str(script), url]
    if (os.cpu_count() or 1) > 1:
        command = ["taskset", "-c", GENERATOR_CORE, *command]
    environment = os.environ | {f"LOAD_{key.upper()}": str(value) for key, value in given.items()}
    before = processor_seconds(pid)
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    processor = processor_seconds(pid) - before
    line = next(line for line in ended.stdout.splitlines() if line.startswith("LOAD "))
    requests, wrong, *rest = line.split()[1:]
    took, p50, p99 = (float(number) for number in rest)
    run = Run(int(requests), int(wrong), took, p50, p99, processor)
    remark(f"{name}: {run}")
    if run.wrong:
        sys.exit(f"{run.wrong} answers were wrong:\n{ended.stdout}")
    return run
