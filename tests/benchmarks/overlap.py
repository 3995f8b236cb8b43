"""Queries that overlap without a gap while events come in: how long the write-ahead log gets, and what both take."""

import asyncio
import itertools
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx

from tests.benchmarks.figures import machine, percentile, remark, report
from tests.benchmarks.query import prepared
from tests.benchmarks.server import memory_mb, serving
from tests.benchmarks.steady import Count, begin, end
from tests.running import BROWSER, Account

STORED = 300_000  # events that are there before, so that a question takes a while
DAYS = 365
ASKERS = 6
EVERY = 10.0  # seconds between two lines
LOOK = 0.1  # seconds between two looks at the log
MOST_MB = 64.0
QUESTIONS = ("summary_metrics", "top_pages", "entry_pages", "session_metrics", "country", "traffic_sources")


class Seen:
    """The longest log, the times of questions in ms, and refusals, since the last look."""

    def __init__(self) -> None:
        self.log = 0.0
        self.times: list[float] = []
        self.refused = 0
        self.over = False

    def take(self) -> "Seen":
        """What has been seen so far; looking begins anew."""
        taken = Seen()
        taken.log, taken.times, taken.refused = self.log, self.times, self.refused
        self.log, self.times, self.refused = 0.0, [], 0
        return taken


def main(rate: int, seconds: int, stored: int) -> None:
    """Print a line each ten seconds; fails where the log of events.db was ever longer than 64 MB."""
    machine()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        remark("writing events")
        account = prepared(data, stored or STORED, DAYS)
        with serving(data, columnar="off", query_seconds=10) as server:
            longest = asyncio.run(_overlap(server.url, account, data, rate, seconds, server.process.pid))
    if longest > MOST_MB:
        sys.exit(f"The log was {longest:.0f} MB long")


async def _overlap(url: str, account: Account, data: Path, rate: int, seconds: int, pid: int) -> float:
    count, seen, longest = Count(), Seen(), 0.0
    senders = await begin(url, account.website_id, rate, count, itertools.count())
    async with httpx.AsyncClient(base_url=url, timeout=60, limits=httpx.Limits(max_connections=ASKERS)) as client:
        askers = [asyncio.create_task(_ask(client, account, number, seen)) for number in range(ASKERS)]
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            await _watch(data / "events.db-wal", min(EVERY, left), seen)
            found, events = seen.take(), count.take()
            longest = max(longest, found.log)
            report(
                f"{seconds - left + min(EVERY, left):.0f} s",
                log_mb=found.log,
                questions=len(found.times),
                refused=found.refused,
                question_p50_ms=percentile(found.times or [0.0], 50),
                question_p99_ms=percentile(found.times or [0.0], 99),
                events_per_second=events.right / min(EVERY, left),
                event_p50_ms=percentile(events.delays or [0.0], 50),
                event_p99_ms=percentile(events.delays or [0.0], 99),
                wrong=events.wrong,
                rss_mb=memory_mb(pid),
            )
        seen.over = True
        await asyncio.gather(*askers)
    await end(senders)
    report("overlap", seconds=seconds, longest_log_mb=longest)
    return longest


async def _watch(log: Path, seconds: float, seen: Seen) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        await asyncio.sleep(LOOK)
        seen.log = max(seen.log, _megabytes(log))


async def _ask(client: httpx.AsyncClient, account: Account, number: int, seen: Seen) -> None:
    """One question after another, none of which is answered from memory: new events come all the time."""
    last = datetime.now(UTC).date()
    for turn in itertools.count(number):
        if seen.over:
            return
        began = time.perf_counter()
        answer = await client.post(
            "/v1/query",
            params={"website_id": account.website_id},
            headers={"x-api-key": account.api_key, "user-agent": BROWSER},
            json={
                "parameters": [QUESTIONS[turn % len(QUESTIONS)]],
                "startDate": str(last - timedelta(days=DAYS - 1 - turn % 90)),
                "endDate": str(last),
            },
        )
        seen.times.append((time.perf_counter() - began) * 1000)
        seen.refused += answer.status_code != 200 or not answer.json()["data"][0]["success"]


def _megabytes(log: Path) -> float:
    return log.stat().st_size / 1e6 if log.exists() else 0.0
