"""kill -9 while events come in and are asked about: the column replica goes on, and answers have every event."""

import random
from pathlib import Path

import httpx
import pytest

from analytics_box.query.engines.columns import FILE_NAME
from tests.crash.load import Load, stored_names
from tests.running import UNLIMITED, Account, Server, serving, set_up

ROUNDS = 4
SEED = 11
SETTINGS = UNLIMITED | {"columnar": "on"}
READY = "The column replica is ready"


def counted(url: str, account: Account) -> int:
    """How many events the box counts."""
    answer = httpx.post(
        f"{url}/v1/query",
        params={"website_id": account.website_id},
        headers={"x-api-key": account.api_key},
        json={"parameters": ["summary_totals", "custom_events_summary"], "preset": "last_7d"},
    )
    assert answer.status_code == 200, answer.text
    (found,) = (entry["data"][0] for entry in answer.json()["data"] if entry["parameter"] == "custom_events_summary")
    return int(found["total_events"])


@pytest.mark.crash
def test_after_kill_9_answers_from_the_replica_have_every_event(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    account = set_up(data_dir)
    chance = random.Random(SEED)
    for turn in range(ROUNDS):
        server = Server(data_dir, SETTINGS)
        try:
            server.wait_until_ready()
            server.wait_until_printed(READY)
            with Load(server.url, account, f"round {turn}") as load:
                for _ in range(chance.randint(1, 4)):
                    load.wait_until_acknowledged(len(load.acknowledged) + chance.randint(10, 150))
                    before = len(load.acknowledged)
                    assert counted(server.url, account) >= before
                server.kill()
        finally:
            server.kill()
    assert (data_dir / FILE_NAME).exists()
    with serving(data_dir, **SETTINGS) as server:
        server.wait_until_printed(READY)
        found = counted(server.url, account)
    assert found == len(stored_names(data_dir))
    assert "Traceback" not in server.log.read_text()
