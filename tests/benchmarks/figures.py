"""What a benchmark reports: one line of JSON per figure on standard output, remarks on standard error."""

import json
import os
import platform
import statistics
import sys
import sysconfig
import timeit
from collections.abc import Sequence
from pathlib import Path

import apsw

import analytics_box


def report(name: str, **values: float | int | str) -> None:
    """Print a figure. Units stand in the names: _ms, _mb, per_second; a ratio has none."""
    rounded = {key: round(value, 3) if isinstance(value, float) else value for key, value in values.items()}
    print(json.dumps({"figure": name, **rounded}), flush=True)


def remark(text: str) -> None:
    """Say what is going on."""
    print(text, file=sys.stderr, flush=True)


def machine() -> None:
    """Print what the figures of this run were measured on."""
    cpu = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name"))
    memory = int(Path("/proc/meminfo").read_text().split()[1]) / 1024**2
    report(
        "machine",
        cpu=cpu.partition(":")[2].strip(),
        cores=os.cpu_count() or 0,
        memory_gib=memory,
        system=platform.platform(),
        python=platform.python_version(),
        python_build=_build(),
        bytecode=(Path(analytics_box.__file__).parent / "__pycache__").is_dir(),
        sqlite=apsw.sqlitelibversion(),
        load_before=os.getloadavg()[0],
    )


def _build() -> str:
    """The build of the interpreter, and its time for a short loop: without PGO and LTO it takes half as long
    again."""
    given = sysconfig.get_config_var("CONFIG_ARGS") or ""
    named = "PGO" if "--enable-optimizations" in given else "no PGO named"
    loop = min(timeit.repeat("{str(n): (n, [n]) for n in range(20_000)}", number=1, repeat=9))
    return f"{named}, {platform.python_compiler()}, loop {loop * 1000:.1f} ms"


def percentile(values: Sequence[float], percent: float) -> float:
    """Linear between ranks (semantics 22)."""
    if len(values) == 1:
        return values[0]
    return statistics.quantiles(values, n=1000, method="inclusive")[round(percent * 10) - 1]
