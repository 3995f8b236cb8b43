"""kill -9 while a person is removed: after a restart nothing half is left, and the person does not come back."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.running import BROWSER, UNLIMITED, Account, Server, serving, set_up
from tests.sdk.stored import rows

pytestmark = pytest.mark.crash

ROUNDS = (0.004, 0.02)  # seconds from the request to the kill
DEVICES = 5
PATIENCE_SECONDS = 40.0


def post(server: Server, account: Account, path: str, body: object) -> httpx.Response:
    return httpx.post(server.url + path, json=body, headers={"x-api-key": account.api_key}, timeout=30)


def fill(server: Server, account: Account, person: str) -> None:
    """Somebody with many devices, and somebody else who does the same."""
    for name in (person, "bystander"):
        events = [
            {
                "name": "screen_view",
                "path": f"/{name}/{number}",
                "websiteId": account.website_id,
                "anonymousId": f"{name}-{number % DEVICES}",
                "sessionId": f"session of {name} {number % DEVICES}",
            }
            for number in range(100)
        ]
        assert post(server, account, "/track", events).status_code == 200
        for number in range(DEVICES):
            said = {"profileId": name, "websiteId": account.website_id, "anonymousId": f"{name}-{number}"}
            assert post(server, account, "/identify", {**said, "traits": {"name": name}}).status_code == 200
        vitals = [
            {"metricName": "LCP", "metricValue": 1, "anonymousId": f"{name}-{number % DEVICES}"} for number in range(20)
        ]
        answer = httpx.post(
            f"{server.url}/vitals?client_id={account.website_id}",
            json=vitals,
            headers={"user-agent": BROWSER, "accept": "*/*", "origin": "https://example.com"},
        )
        assert answer.status_code == 200, answer.text


def count(data_dir: Path, name: str) -> tuple[int, int, int]:
    """How many events and people there are of this name, and how many strings that speak of it."""
    ((events,),) = rows(
        data_dir, f"select count(*) from events join strings on strings.id = path where value like '/{name}/%'"
    )
    ((people,),) = rows(
        data_dir, f"select count(*) from profiles join strings on strings.id = profile where value = '{name}'"
    )
    ((strings,),) = rows(data_dir, f"select count(*) from strings where value like '%{name}%'")
    return int(events), int(people), int(strings)


def wait_until_done(server: Server) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while rows(server.data_dir, "select 1 from erasures"):
        assert time.monotonic() < deadline, server.printed()
        time.sleep(0.1)


def test_a_removal_that_is_killed_is_completed(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    account = set_up(data_dir)
    for number, delay in enumerate(ROUNDS):
        person = f"person-{number}"
        with serving(data_dir, **UNLIMITED) as server, ThreadPoolExecutor(1) as pool:
            fill(server, account, person)
            given = {"websiteId": account.website_id, "profileId": person}
            with suppress(httpx.HTTPError):
                request = pool.submit(post, server, account, "/profiles/delete", given)
                time.sleep(delay)
                server.kill()
                request.result()
        with serving(data_dir, **UNLIMITED) as server:
            wait_until_done(server)
            left = count(data_dir, person)
            assert left == (0, 0, 0) or left[:2] == (100, 1), f"half of {person} is left: {left}"
            if left[1]:  # the box was gone before it knew of it; asked again, it does it
                assert post(server, account, "/profiles/delete", given).json()["rowsRemoved"] == 120
                assert count(data_dir, person) == (0, 0, 0)
            assert count(data_dir, "bystander")[0] == 100 * (number + 1)
            assert post(server, account, "/profiles/getById", given).status_code == 404
            ((entries,),) = rows(data_dir, "select count(*) from audit where subject = 'person'", file="box.db")
            assert entries == number + 1
