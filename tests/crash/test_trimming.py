"""kill -9 while events leave events.db for ClickHouse: each is there once."""

import time
from pathlib import Path

import httpx
import pytest

from tests.query.clickhouse.served import needs_chdb
from tests.query.clickhouse.served import serving as clickhouse
from tests.running import UNLIMITED, Account, Server, set_up
from tests.sdk.stored import rows

pytestmark = [pytest.mark.crash, needs_chdb]

EVENTS, AT_ONCE = 5_000, 100
KILLS = 3
PATIENCE_SECONDS = 60.0
OLD = 60 * 86_400_000  # ms


def send(server: Server, account: Account, first: int) -> None:
    """Visits of two months ago."""
    then = int(time.time() * 1000) - OLD
    events = [
        {
            "name": "screen_view",
            "path": f"/{number}",
            "websiteId": account.website_id,
            "anonymousId": f"visitor {number % 50}",
            "timestamp": then + number,
        }
        for number in range(first, first + AT_ONCE)
    ]
    headers = {"x-api-key": account.api_key}
    answer = httpx.post(f"{server.url}/track", json=events, headers=headers, timeout=30)
    assert answer.status_code == 200, answer.text


def floor(data_dir: Path) -> int:
    found = rows(data_dir, "select until from trimmed where source = 'events'")
    return int(found[0][0]) if found else 0


def wait_until(server: Server, what: str, wanted: int) -> None:
    """The floor has come so far."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while floor(server.data_dir) < wanted:
        assert time.monotonic() < deadline, f"{what}: {server.printed()}"
        time.sleep(0.01)


@pytest.mark.thorough
def test_events_that_leave_while_the_box_is_killed_are_in_clickhouse_once(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    account = set_up(data_dir)
    with clickhouse() as served:
        url = served.new_database()
        settings = UNLIMITED | {"columnar": "clickhouse", "clickhouse_url": url}
        server = Server(data_dir, settings)
        try:
            server.wait_until_ready()
            for first in range(0, EVENTS, AT_ONCE):
                send(server, account, first)
        finally:
            server.kill()
        settings["clickhouse_keep_days"] = 35
        for _ in range(KILLS):
            reached = floor(data_dir)
            server = Server(data_dir, settings)
            try:
                server.wait_until_ready()
                wait_until(server, "trimming", min(reached + 1, EVENTS - 1))
            finally:
                server.kill()
        server = Server(data_dir, settings)
        try:
            server.wait_until_ready()
            wait_until(server, "the end", EVENTS - 1)
            there = served.ask("select count(), uniqExact(id), uniqExact(path) from events", url).split()
        finally:
            server.kill()
    assert there == [str(EVENTS)] * 3
    assert rows(data_dir, "select count(*) from stored_events where site <> 0") == [(1,)]
    assert rows(data_dir, "select sum(count) from trimmed_sites where source = 'events'") == [(EVENTS - 1,)]
