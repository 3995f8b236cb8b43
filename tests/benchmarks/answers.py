"""P5 to P8: what a whole box answers, over HTTP, on the set of the query benchmark.

Answers are kept while the facts stay the same, so an event is sent before each question.
"""

import asyncio
import itertools
import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx

from tests.benchmarks.figures import machine, percentile, remark, report
from tests.benchmarks.query import prepared
from tests.benchmarks.server import LIMITS_OFF, READY_SECONDS, memory_mb
from tests.benchmarks.steady import Count, begin, end
from tests.running import BROWSER, Account, Server, serving

OVERVIEW = (
    *("summary_metrics", "events_by_date", "top_pages", "entry_pages", "exit_pages", "traffic_sources"),
    *("country", "browser_name", "os_name", "device_types", "utm_campaigns", "session_metrics"),
)
RUNS = 10
ROLLED_UP = "All days that are over are rolled up"
SMALL = 100_000  # events in 30 days (P6)
INGEST_PER_SECOND = 4_000
INGEST_SECONDS = 20


class Client:
    """Somebody who sends events to a box and asks it."""

    def __init__(self, server: Server, account: Account) -> None:
        self._account = account
        self._client = httpx.Client(base_url=server.url, timeout=60, headers={"user-agent": BROWSER, "accept": "*/*"})
        self._numbers = itertools.count()

    def send(self, events: int) -> None:
        """So many page views, acknowledged."""
        for first in range(0, events, 100):
            sent = [
                {"name": "screen_view", "path": f"https://example.com/new-{nth}", "eventId": f"{time.time_ns()}-{nth}"}
                for nth in range(first, min(first + 100, events))
            ]
            answer = self._client.post("/track", params={"website_id": self._account.website_id}, json=sent)
            assert answer.status_code == 200, answer.text

    def ask(self, names: tuple[str, ...], days: int) -> float:
        """How many ms the answer took; every parameter of it has to succeed."""
        last = datetime.now(UTC).date()
        began = time.perf_counter()
        answer = self._client.post(
            "/v1/query",
            params={"website_id": self._account.website_id},
            headers={"x-api-key": self._account.api_key},
            json={"parameters": list(names), "startDate": str(last - timedelta(days=days - 1)), "endDate": str(last)},
        )
        took = (time.perf_counter() - began) * 1000
        assert answer.status_code == 200, answer.text
        assert all(entry["success"] for entry in answer.json()["data"]), answer.text[:1000]
        return took

    def ask_anew(self, names: tuple[str, ...], days: int, *, events: int = 1) -> float:
        """The same after new events."""
        self.send(events)
        return self.ask(names, days)


def main(events: int, days: int, folder: Path | None) -> None:
    """Fill two boxes, a small one without a replica and a large one, without and with one, and ask them."""
    machine()
    with tempfile.TemporaryDirectory() as temporary:
        small = prepared(Path(temporary) / "small", SMALL, 30)
        with serving(Path(temporary) / "small", **LIMITS_OFF, columnar="off") as server:
            server.wait_until_printed(ROLLED_UP, seconds=READY_SECONDS)
            client = Client(server, small)
            times = [client.ask_anew(OVERVIEW, 30) for _ in range(RUNS)]
            report("P6", median_ms=statistics.median(times), p95_ms=percentile(times, 95), events=SMALL)
        large = folder or Path(temporary) / "large"
        account = prepared(large, events, days)
        with serving(large, **LIMITS_OFF, columnar="off") as server:
            remark("waiting for the roll-ups without a replica")
            server.wait_until_printed(ROLLED_UP, seconds=READY_SECONDS)
            _ask_overviews(server, Client(server, account), "P5 without a replica")
        with serving(large, **LIMITS_OFF, columnar="on") as server:
            remark("waiting for the replica")
            server.wait_until_printed("The column replica is ready", seconds=READY_SECONDS)
            server.wait_until_printed(ROLLED_UP, seconds=READY_SECONDS)
            _ask_large(server, account)


def _ask_overviews(server: Server, client: Client, figure: str) -> None:
    for range_ in (30, 365):
        client.ask_anew(OVERVIEW, range_)
        times = [client.ask_anew(OVERVIEW, range_) for _ in range(RUNS)]
        again = [client.ask(OVERVIEW, range_) for _ in range(RUNS)]
        report(
            figure,
            days=range_,
            median_ms=statistics.median(times),
            p95_ms=percentile(times, 95),
            kept_ms=statistics.median(again),
            rss_mb=memory_mb(server.process.pid),
        )


def _ask_large(server: Server, account: Account) -> None:
    client = Client(server, account)
    _ask_overviews(server, client, "P5")
    one = [client.ask_anew(("summary_totals",), 1) for _ in range(RUNS)]
    many = [client.ask_anew(("summary_totals",), 1, events=1_000) for _ in range(RUNS)]
    report("P7", one_new_ms=statistics.median(one), thousand_new_ms=statistics.median(many))
    quiet = [client.ask_anew((name,), 30) for name in OVERVIEW for _ in range(3)]
    busy, count = asyncio.run(_while_ingesting(server, account, client))
    report(
        "P8",
        quiet_p95_ms=percentile(quiet, 95),
        busy_p95_ms=percentile(busy, 95),
        questions=len(busy),
        ingest_per_second=count.right / INGEST_SECONDS,
        ingest_p99_ms=percentile(count.delays, 99),
        wrong=count.wrong,
        rss_mb=memory_mb(server.process.pid),
    )


async def _while_ingesting(server: Server, account: Account, client: Client) -> tuple[list[float], Count]:
    """How long questions took while events came in, and what became of those."""
    count = Count()
    senders = await begin(server.url, account.website_id, INGEST_PER_SECOND, count, itertools.count(10**9))
    times: list[float] = []
    until = time.monotonic() + INGEST_SECONDS
    for name in itertools.cycle(OVERVIEW):
        times.append(await asyncio.to_thread(client.ask, (name,), 30))
        if time.monotonic() > until:
            break
    await end(senders)
    return times, count
