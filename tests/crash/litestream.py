"""Litestream, the real program, with the configuration of the manual."""

import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MANUAL = Path(__file__).parents[2] / "web" / "manual"
PATIENCE = 60.0
PROGRAM = shutil.which("litestream")
FILES = ("box.db", "events.db")


def configured(folder: Path, data: Path, away: Path) -> Path:
    """A file with the configuration of the manual, for this data directory and this replica."""
    (text,) = re.findall(r"```yaml\n(dbs:.*?)```", (MANUAL / "backup.md").read_text(), re.DOTALL)
    path = folder / "litestream.yml"
    path.write_text(text.replace("/var/lib/analytics-box", str(data)).replace("/mnt/replica", str(away)))
    return path


@contextmanager
def replicating(configuration: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Litestream at work, ended in order unless it is killed before."""
    log = configuration.with_suffix(".log").open("ab")
    with log, subprocess.Popen(words("replicate", configuration), stdout=log, stderr=log) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)


def words(command: str, configuration: Path, *more: str) -> list[str]:
    """A command line."""
    return [str(PROGRAM), command, "-config", str(configuration), *more]


def wait_until_replicated(process: "subprocess.Popen[bytes]", away: Path) -> None:
    """Return once both files have something there."""
    deadline = time.monotonic() + PATIENCE
    while not all(list((away / name).rglob("*.ltx")) for name in FILES):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
