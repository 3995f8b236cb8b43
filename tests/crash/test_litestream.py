"""Litestream, the real program, with the configuration of the manual: what it restores after a crash is a box again."""

import subprocess
from pathlib import Path

import pytest

from tests.crash.litestream import FILES, PATIENCE, PROGRAM, configured, replicating, wait_until_replicated, words
from tests.crash.load import Load, stored_names
from tests.running import UNLIMITED, Account, serving, set_up

pytestmark = [pytest.mark.crash, pytest.mark.skipif(PROGRAM is None, reason="litestream is not installed")]


@pytest.fixture
def configuration(tmp_path: Path) -> Path:
    """The one of the manual, with the places of this test."""
    return configured(tmp_path, tmp_path / "data", tmp_path / "away")


def restored(configuration: Path, data: Path, into: Path) -> Path:
    """Both files, from what was replicated."""
    into.mkdir(mode=0o700)
    for name in FILES:
        command = words("restore", configuration, "-o", str(into / name), str(data / name))
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
        assert ended.returncode == 0, ended.stderr
    return into


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


def test_replica_is_sound_and_paired_after_both_are_killed(tmp_path: Path, configuration: Path) -> None:
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
