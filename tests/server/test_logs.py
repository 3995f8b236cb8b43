"""Lines of a running box: an access log on request, with request ids and without anything secret."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.running import BROWSER, Box, running_box

SECRETS = ("svc_", "203.0.113.9", "127.0.0.1:", "secret-token", "q=1", "slug-of-a-link", "someone@example.com")


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    with running_box(
        tmp_path_factory.mktemp("logs") / "data", access_log="on", trusted_proxies="127.0.0.1", limit_track=0
    ) as made:
        yield made


def logged(box: Box, *request_ids: str) -> list[dict[str, Any]]:
    """Every line of JSON so far; waits for those of these requests."""
    for request_id in request_ids:
        box.server.wait_until_printed(request_id, seconds=20)
    found = [line for line in box.server.log.read_text().splitlines() if line.startswith("{")]
    return [json.loads(line) for line in found]


def test_every_request_has_its_line_with_its_own_id(box: Box) -> None:
    async def send() -> list[tuple[str, int]]:
        async with httpx.AsyncClient(base_url=box.url, headers={"user-agent": BROWSER, "accept": "*/*"}) as client:
            asked = [client.get("/health"), client.get("/nothing-here"), client.get("/settings/box")]
            asked += [
                client.post(f"/track?website_id={box.account.website_id}", json={"name": "a", "path": f"/{number}"})
                for number in range(10)
            ]
            return [(answer.headers["x-request-id"], answer.status_code) for answer in await asyncio.gather(*asked)]

    answers = asyncio.run(send())
    lines = {line["requestId"]: line for line in logged(box, *dict(answers)) if line["logger"].endswith(".access")}
    assert {request_id: lines[request_id]["status"] for request_id, _ in answers} == dict(answers)
    assert lines[answers[0][0]]["path"] == "/health"
    assert lines[answers[-1][0]]["path"] == "/track"


def test_nothing_secret_is_in_it(box: Box) -> None:
    headers = {"x-api-key": box.account.api_key, "x-forwarded-for": "203.0.113.9", "user-agent": BROWSER}
    with httpx.Client(base_url=box.url, headers=headers) as client:
        for method, path in (
            ("GET", "/l/slug-of-a-link"),
            ("GET", "/reset/secret-token"),
            ("GET", "/v1/query/websites?q=1"),
            ("POST", "/rpc/websites/list?q=1"),
            ("GET", "/sites/someone@example.com?q=1"),
        ):
            last = client.request(method, path).headers["x-request-id"]
    lines = logged(box, last)
    paths = {line["path"] for line in lines if line["logger"].endswith(".access")}
    assert {"/l/...", "/reset/...", "/v1/query/websites", "/rpc/websites/list", "/sites/{website_id}"} <= paths
    text = "\n".join(map(json.dumps, lines))
    assert not [secret for secret in SECRETS if secret in text]
