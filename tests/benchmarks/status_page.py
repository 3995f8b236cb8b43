"""A public status page of ten monitors at a minute: the first visitor, later ones, and a crowd while events come in."""

import asyncio
import itertools
import statistics
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import apsw
import httpx

from analytics_box.base.facts.layout import INSERT
from analytics_box.base.facts.uptime import UP
from analytics_box.base.store.schema import EVENTS_FILE
from tests.benchmarks.figures import machine, percentile, remark, report
from tests.benchmarks.server import serving
from tests.benchmarks.steady import Count, begin, end
from tests.benchmarks.wrk import Run, crowd, needed
from tests.running import Account, Server, set_up

MONITORS = 10
ROUNDS = 5
SECONDS = 10
PAUSE_MS = 30  # of each connection: about 2,000 requests a second
_PAGE = "/status/load"
_DAY = 86_400_000
_LUA = Path(__file__).with_name("page.lua")


def main(rate: int) -> None:
    """Print the figures, the crowd's beside that many events a second. Needs wrk (Debian's package)."""
    needed()
    machine()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        account = set_up(data)
        with serving(data) as server:
            _page(server, account)
        _fill(data / EVENTS_FILE)
        with serving(data) as server:
            report("status page, no day stored", first_ms=_ask(server)[0])
        cold = []
        for _ in range(ROUNDS):
            with serving(data) as server:
                cold.append(_ask(server)[0])
        report("status page, cold", median_ms=statistics.median(cold), slowest_ms=max(cold))
        with serving(data) as server:
            later = _ask(server, 200)
            report("status page, cached", median_ms=statistics.median(later), p99_ms=percentile(later, 99))
            _report("status page, as fast as it goes", _crowd(server, 0))
            run, count = asyncio.run(_beside_events(server, account, rate))
            slow = percentile(count.delays or [0.0], 99)
            remark(f"events: {count.right / SECONDS:.0f} a second, {count.wrong} wrong, p99 {slow:.1f} ms")
            _report(f"status page beside {rate} events a second", run, events_per_second=count.right / SECONDS)


def _page(server: Server, account: Account) -> None:
    """A page with ten monitors of nothing that could be reached."""
    with httpx.Client(base_url=server.url, headers={"x-api-key": account.api_key}) as client:
        page = _call(client, "statusPage/create", {"name": "Load", "slug": "load"})
        for number in range(MONITORS):
            wanted = {
                "url": f"https://service-{number}.example/health",
                "granularity": "minute",
                "name": f"Service {number}",
            }
            monitor = _call(client, "uptime/createSchedule", wanted)["scheduleId"]
            _call(client, "uptime/togglePause", {"scheduleId": monitor})
            _call(client, "statusPage/addMonitor", {"statusPageId": page["id"], "uptimeScheduleId": monitor})


def _call(client: httpx.Client, procedure: str, given: Mapping[str, object]) -> dict[str, str]:
    answer = client.post(f"/{procedure}", json=given)
    assert answer.status_code == 200, answer.text
    found: dict[str, str] = answer.json()
    return found


def _fill(path: Path) -> None:
    """Ninety days up for each monitor, and a check a minute of the last thirty."""
    now = int(time.time() * 1000)
    db = apsw.Connection(str(path))
    with db:
        monitors = [row[0] for row in db.execute("select distinct monitor from monitor_spans")]
        db.execute("delete from monitor_spans")
        for monitor in monitors:
            db.execute(INSERT["monitor_spans"], (monitor, UP, now - 90 * _DAY, 0))
            times = range(now - 30 * _DAY, now, 60_000)
            db.executemany(INSERT["checks"], ((monitor, at, *_CHECK) for at in times))
    remark(f"{len(monitors)} monitors have checks")
    db.close()


# status, kind, code, count; total, fastest, slowest, ttfb; their bins; phases; bytes, redirects, attempt, streak;
# certificate; numbers of texts; data
_CHECK = (
    0,
    1,
    200,
    1,
    120_000,
    120_000,
    120_000,
    90_000,
    20,
    19,
    1,
    1,
    1,
    1,
    1,
    500,
    0,
    1,
    0,
    None,
    None,
    0,
    0,
    0,
    0,
    0,
    None,
)


def _ask(server: Server, times: int = 1) -> list[float]:
    """How long the page takes, in ms, over a connection that is open."""
    took = []
    with httpx.Client(base_url=server.url) as client:
        client.get("/health")
        for _ in range(times):
            began = time.perf_counter()
            answer = client.get(_PAGE)
            took.append((time.perf_counter() - began) * 1000)
            assert answer.status_code == 200, answer.text
    return took


def _crowd(server: Server, pause: int) -> Run:
    return crowd("page", server.process.pid, server.url + _PAGE, _LUA, {"pause": pause}, seconds=SECONDS)


async def _beside_events(server: Server, account: Account, rate: int) -> tuple[Run, Count]:
    """A crowd at a rate while events come in."""
    count = Count()
    senders = await begin(server.url, account.website_id, rate, count, itertools.count(10**9))
    await asyncio.sleep(1)
    count.take()
    run = await asyncio.to_thread(_crowd, server, PAUSE_MS)
    taken = count.take()
    await end(senders)
    return run, taken


def _report(figure: str, run: Run, **more: float) -> None:
    report(
        figure,
        requests_per_second=run.requests / run.seconds,
        p50_ms=run.p50,
        p99_ms=run.p99,
        processor_us=run.processor / run.requests * 1e6,
        **more,
    )
