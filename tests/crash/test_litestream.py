"""Litestream, the real program, with the configuration of the manual: what it restores after a crash is a box again."""

import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.crash.load import Load, stored_names
from tests.running import UNLIMITED, Account, serving, set_up

MANUAL = Path(__file__).parents[2] / "web" / "manual" / "backup.md"
PATIENCE = 60.0
PROGRAM = shutil.which("litestream")

pytestmark = [pytest.mark.crash, pytest.mark.skipif(PROGRAM is None, reason="litestream is not installed")]


@pytest.fixture
def configuration(tmp_path: Path) -> Path:
    """The one of the manual, with the places of this test."""
    (text,) = re.findall(r"```yaml\n(dbs:.*?)```", MANUAL.read_text(), re.DOTALL)
    text = text.replace("/var/lib/analytics-box", str(tmp_path / "data")).replace(
        "/mnt/replica", str(tmp_path / "away")
    )
    path = tmp_path / "litestream.yml"
    path.write_text(text)
    return path


@contextmanager
def replicating(configuration: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Litestream at work, ended in order unless it is killed before."""
    log = configuration.with_suffix(".log").open("ab")
    with log, subprocess.Popen(_words("replicate", configuration), stdout=log, stderr=log) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)


def _words(command: str, configuration: Path, *more: str) -> list[str]:
    return [str(PROGRAM), command, "-config", str(configuration), *more]


def restored(configuration: Path, data: Path, into: Path) -> Path:
    """Both files, from what was replicated."""
    into.mkdir(mode=0o700)
    for name in ("box.db", "events.db"):
        words = _words("restore", configuration, "-o", str(into / name), str(data / name))
        ended = subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE)
        assert ended.returncode == 0, ended.stderr
    return into


def wait_until_replicated(process: "subprocess.Popen[bytes]", away: Path) -> None:
    """Return once both files have something there."""
    deadline = time.monotonic() + PATIENCE
    while not all(list((away / name).rglob("*.ltx")) for name in ("box.db", "events.db")):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)


def load_and_kill(data: Path, account: Account, label: str, process: "subprocess.Popen[bytes] | None") -> Load:
    """Events until the box is killed, and Litestream with it, if it is named."""
    with serving(data, **UNLIMITED) as server, Load(server.url, account, label) as load:
        load.wait_until_acknowledged(300)
        server.kill()
        if process is not None:
            process.kill()
    return load


def test_all_that_was_acknowledged_is_replicated_once_litestream_has_ended(tmp_path: Path, configuration: Path) -> None:
    data = tmp_path / "data"
    account = set_up(data)
    with replicating(configuration) as process:
        load = load_and_kill(data, account, "one", None)
        wait_until_replicated(process, tmp_path / "away")
    copy = restored(configuration, data, tmp_path / "copy")
    assert load.acknowledged <= stored_names(copy) <= load.acknowledged | load.unanswered
    with serving(copy, **UNLIMITED) as server, Load(server.url, account, "two") as more:
        more.wait_until_acknowledged(20)
    assert load.acknowledged | more.acknowledged <= stored_names(copy)


def test_when_both_are_killed_what_was_replicated_is_sound_and_a_pair(tmp_path: Path, configuration: Path) -> None:
    data = tmp_path / "data"
    account = set_up(data)
    with serving(data, **UNLIMITED):
        pass
    with replicating(configuration) as process:
        wait_until_replicated(process, tmp_path / "away")
        load = load_and_kill(data, account, "one", process)
    copy = restored(configuration, data, tmp_path / "copy")
    assert stored_names(copy) <= load.acknowledged | load.unanswered
    with serving(copy, **UNLIMITED) as server, Load(server.url, account, "two") as more:
        more.wait_until_acknowledged(20)
    assert more.acknowledged <= stored_names(copy)
