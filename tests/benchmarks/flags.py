"""P13: a crowd asks for all flags of a website: new users, returning ones, and those who have the answer already."""

import statistics
import tempfile
from pathlib import Path
from typing import Any

import httpx

from tests.benchmarks.figures import machine, report
from tests.benchmarks.server import memory_mb, serving
from tests.benchmarks.wrk import CONNECTIONS, COUNTED, WARM, Run, crowd, needed
from tests.running import Account, Server, set_up

MODES = ("distinct", "repeated", "unchanged")
RETURNING = 1_000  # users of the modes that are not distinct
RAISED = {"limit_flags": 100_000_000, "limit_address": 100_000_000}  # counted all the same
_LUA = Path(__file__).with_name("flags.lua")
_BULK = "/public/v1/flags/bulk?clientId={client}&userId=user-{number}&properties=%7B%22plan%22%3A%22pro%22%7D"


def main(flags: int = 20) -> None:
    """Print the figures. Needs wrk (Debian's package)."""
    needed()
    machine()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        account = set_up(data)
        with serving(data, **RAISED) as server:
            _make(server, account, flags)
            asked = Path(folder) / "asked"
            asked.write_text("".join(_asked(server, account, flags)))
            for mode in MODES:
                runs = [_run(server, account, asked, mode) for _ in range(WARM + COUNTED)][WARM:]
                _report(f"P13 {mode}", runs, flags)
            report("P13 memory after", rss_mb=memory_mb(server.process.pid))


def _make(server: Server, account: Account, flags: int) -> None:
    """Flags of all kinds, with rules as products have them."""
    with httpx.Client(base_url=server.url, headers={"x-api-key": account.api_key}) as client:
        for number in range(flags):
            wanted = {"websiteId": account.website_id, "key": f"flag-{number:02}", **_flag(number)}
            answer = client.post("/flags/create", json=wanted)
            assert answer.status_code == 200, answer.text


def _flag(number: int) -> dict[str, Any]:
    """Two in five are rollouts, one in five has variants; each has a rule or two."""
    usual: dict[str, Any] = {
        "status": "active",
        "defaultValue": number % 2 == 0,
        "rules": [
            {"type": "user_id", "operator": "in", "values": [f"tester-{one}" for one in range(10)], "enabled": True},
            {"type": "email", "operator": "ends_with", "value": "@staff.example", "enabled": True},
            {"type": "property", "field": "plan", "operator": "equals", "value": "enterprise", "enabled": True},
        ][: number % 4],
    }
    match number % 5:
        case 0 | 1:
            return {**usual, "type": "rollout", "rolloutPercentage": 5 * number % 100}
        case 2:
            variants = [
                {"key": key, "type": "string", "value": f"value of {key}", "weight": weight}
                for key, weight in (("control", 50), ("a", 25), ("b", 25))
            ]
            return {**usual, "type": "multivariant", "variants": variants}
        case _:
            return {**usual, "type": "boolean", "payload": {"text": "Welcome", "number": number}}


def _asked(server: Server, account: Account, flags: int) -> list[str]:
    """What returning users ask, with the tag of the answer that they have."""
    lines = []
    with httpx.Client(base_url=server.url) as client:
        for number in range(RETURNING):
            path = _BULK.format(client=account.website_id, number=number)
            answer = client.get(path)
            assert answer.json()["count"] == flags, answer.text
            lines.append(f"{path} {answer.headers['etag']}\n")
    return lines


def _run(server: Server, account: Account, asked: Path, mode: str) -> Run:
    given = {"mode": mode, "client": account.website_id, "asked": str(asked)}
    return crowd(f"flags, {mode}", server.process.pid, server.url, _LUA, given)


def _report(figure: str, runs: list[Run], flags: int) -> None:
    report(
        figure,
        flags=flags,
        requests_per_second=statistics.median(run.requests / run.seconds for run in runs),
        p50_ms=statistics.median(run.p50 for run in runs),
        p99_ms=statistics.median(run.p99 for run in runs),
        processor_us=statistics.median(run.processor / run.requests * 1e6 for run in runs),
        connections=CONNECTIONS,
    )
