"""P12: redirects a second over many links, with every click written; what an end takes of them, and the memory."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import apsw
import httpx

from analytics_box.base.store.schema import BOX_FILE, EVENTS_FILE
from tests.benchmarks.figures import machine, remark, report
from tests.benchmarks.server import memory_mb, serving, wait
from tests.benchmarks.wrk import CONNECTIONS, COUNTED, WARM, Run, crowd, needed
from tests.running import BROWSER, Account, Server, set_up

CHANGES = 50
PAUSE_MS = 6  # of each connection in the runs at about the rate of the goal; the others ask as fast as they can
_LUA = Path(__file__).with_name("links.lua")
_TARGET = "https://www.shop-number-{}.example/products/spring/item-{}?ref=newsletter"


def main(links: int) -> None:
    """Print the figures. Needs wrk (Debian's package)."""
    needed()
    machine()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        account = set_up(data)
        with serving(data) as server:
            wait(2)
            empty = memory_mb(server.process.pid)
        _fill(data / BOX_FILE, account, links)
        began = time.monotonic()
        with serving(data) as server:
            ready = time.monotonic() - began
            if links > 20_000:
                server.wait_until_printed("short links are in memory")
            report(
                "links in memory",
                links=links,
                rss_mb=memory_mb(server.process.pid),
                rss_mb_without=empty,
                seconds_until_ready=ready,
                seconds_until_loaded=time.monotonic() - began,
            )
            runs = [_run(server, links) for _ in range(WARM + COUNTED)]
            _report("P12", runs[WARM:])
            paced = [_run(server, links, PAUSE_MS) for _ in range(COUNTED)]
            _report("P12 at a rate", paced)
            runs += paced
            report("P12 memory after", rss_mb=memory_mb(server.process.pid))
        answered = sum(run.requests for run in runs)
        stored = _stored(data)[0]
        # wrk breaks off what is under way when its time is over: those clicks are stored without being counted.
        at_most = answered + CONNECTIONS * len(runs)
        report("clicks after SIGTERM", answered=answered, stored=stored, at_most=at_most)
        if not answered <= stored <= at_most:
            sys.exit("The clicks stored are not those answered")
        with serving(data) as server:
            _changes(server, account, links)
        _kill(data, links)


def _fill(path: Path, account: Account, links: int) -> None:
    """So many links with nothing but a target, straight into the table."""
    remark(f"writing {links:,} links")
    db = apsw.Connection(str(path))
    with db:
        db.executemany(
            """
            insert into links (id, organization_id, created_by, domain, slug, name, target_url, target_domain,
                               redirect_status, query_forwarding, created_at, updated_at)
            values (?, ?, 'load', '', ?, ?, ?, ?, 302, 'none', 1, 1)
            """,
            (
                (
                    f"link-{number:016}",
                    account.organization_id,
                    f"s{number:07}",
                    f"Link {number}",
                    _TARGET.format(number % 1_000, number),
                    f"www.shop-number-{number % 1_000}.example",
                )
                for number in range(links)
            ),
        )
    db.close()


def _run(server: Server, links: int, pause: int = 0) -> Run:
    return crowd("links", server.process.pid, server.url, _LUA, {"links": links, "pause": pause})


def _report(figure: str, runs: list[Run]) -> None:
    report(
        figure,
        requests_per_second=statistics.median(run.requests / run.seconds for run in runs),
        p50_ms=statistics.median(run.p50 for run in runs),
        p99_ms=statistics.median(run.p99 for run in runs),
        processor_us=statistics.median(run.processor / run.requests * 1e6 for run in runs),
        connections=CONNECTIONS,
    )


def _changes(server: Server, account: Account, links: int) -> None:
    """How long after the answer to a change a redirect still shows what was before, while others follow links."""
    command = ["wrk", "-t1", "-c16", "-d20s", "-s", str(_LUA), server.url]
    crowd = subprocess.Popen(command, env=os.environ | {"LOAD_LINKS": str(links)}, stdout=subprocess.DEVNULL)
    took = []
    try:
        with httpx.Client(headers={"x-api-key": account.api_key, "user-agent": BROWSER}) as client:
            for number in range(CHANGES):
                wanted = f"https://changed.example/{number}"
                change: dict[str, Any] = {"id": f"link-{number:016}", "targetUrl": wanted}
                assert client.post(f"{server.url}/links/update", json=change).status_code == 200
                began = time.monotonic()
                while client.get(f"{server.url}/l/s{number:07}").headers["location"] != wanted:
                    pass
                took.append((time.monotonic() - began) * 1e3)
    finally:
        crowd.terminate()
        crowd.wait()
    report("change until seen", most_ms=max(took), median_ms=statistics.median(took), changes=CHANGES)


def _kill(data: Path, links: int) -> None:
    """How long before a kill -9 in a crowd the latest click is that is still there."""
    with serving(data) as server:
        if links > 20_000:
            server.wait_until_printed("short links are in memory")
        command = ["wrk", "-t1", f"-c{CONNECTIONS}", "-d6s", "-s", str(_LUA), server.url]
        crowd = subprocess.Popen(command, env=os.environ | {"LOAD_LINKS": str(links)}, stdout=subprocess.DEVNULL)
        wait(4)
        killed = time.time_ns() // 1_000_000
        server.kill()
        crowd.terminate()
        crowd.wait()
    report("kill -9", lost_ms=killed - _stored(data)[1])


def _stored(data: Path) -> tuple[int, int]:
    """How many clicks there are, and when the last was (UTC ms)."""
    db = apsw.Connection(str(data / EVENTS_FILE))
    try:
        count, last = db.execute("select count(*), max(time) from link_clicks").fetchall()[0]
    finally:
        db.close()
    return int(str(count)), int(str(last))
