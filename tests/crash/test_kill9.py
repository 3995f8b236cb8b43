"""kill -9 under load, again and again on one data directory: every acknowledged event is there."""

import random
import shutil
from pathlib import Path

import pytest

from tests.crash.load import Load, stored_names
from tests.running import UNLIMITED, Server, serving, set_up

ROUNDS = 5
SEED = 9


@pytest.mark.crash
def test_acknowledged_writes_survive_kill_9_under_load(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    account = set_up(data_dir)
    chance = random.Random(SEED)
    acknowledged: set[str] = set()
    sent: set[str] = set()
    for turn in range(ROUNDS):
        server = Server(data_dir, UNLIMITED)
        try:
            server.wait_until_ready()
            with Load(server.url, account, f"round {turn}") as load:
                load.wait_until_acknowledged(chance.randint(20, 600))
                server.kill()
        finally:
            server.kill()
        assert load.refused == set()
        acknowledged |= load.acknowledged
        sent |= load.acknowledged | load.unanswered

        # A copy, for looking would tidy up after the crash; a socket cannot be copied.
        left = Path(shutil.copytree(data_dir, tmp_path / f"after {turn}", ignore=shutil.ignore_patterns("*.sock")))
        stored = stored_names(left)
        assert acknowledged - stored == set()
        assert stored - sent == set()

    with serving(data_dir, **UNLIMITED) as server:
        server.wait_until_printed("events.db is intact after an unclean stop")
        with Load(server.url, account, "last") as load:
            load.wait_until_acknowledged(50)
    assert acknowledged | load.acknowledged <= stored_names(data_dir)
    assert "Traceback" not in server.log.read_text()
