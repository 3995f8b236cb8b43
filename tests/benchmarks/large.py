"""The largest questions at once: what they do to memory, to /health and to events that come in meanwhile.

The website has LONG paths of 2,000 characters and as many custom events with properties of 2,000. A key that reads
data asks MANY times at once for 20 parameters, no two of them alike: the answers to the first FILLING nearly fill
the budget, the others have a limit of 10,000. So do anonymous callers, as the website is public.
"""

import asyncio
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

import apsw
import httpx

from analytics_box.base.clock import DAY, SystemClock
from analytics_box.base.facts.event import CUSTOM, PAGE_VIEW, VISITOR_BITS
from analytics_box.base.facts.layout import INSERT, STORED_COLUMNS, stored_attributes
from analytics_box.base.facts.tables import ATTRIBUTES
from analytics_box.base.store import schema
from analytics_box.base.store.db import Db
from analytics_box.base.store.strings import Strings
from tests.benchmarks.figures import machine, percentile, remark, report
from tests.benchmarks.query import SITE, prepared
from tests.benchmarks.server import GENERATOR_CORE, READY_SECONDS, memory_mb, serving, wait
from tests.benchmarks.steady import Count, begin, end
from tests.running import BROWSER, Account

LONG = 6_000
LENGTH = 2_000  # characters
EVENTS = 20_000  # others
DAYS = 30
MANY = 20
PARAMETERS, FILLING = 20, 11
RATE = 50  # events a second meanwhile
LOOK = 0.05  # seconds between two looks at /health and at the memory
IDLE_SECONDS = 10
PATIENCE = 300.0
COLUMNAR = ("off", "on")  # SQLite, and the replica
MOST_MB, MOST_MS = 250.0, 100.0
TYPES = ("top_pages", "entry_pages", "exit_pages", "custom_event_properties")
SEEN = {"answered": b'"success":true,"data"', "too_much": b"LIMIT_EXCEEDED", "too_long": b"This took longer"}
# Whose first parameters have this limit and page: behind the ordinary paths, which come first.
CALLERS = {"nobody": (0, 0), "a key": (380, 7), "anonymous callers": (45, 46)}


def main() -> None:
    """Print figures without and with these questions, on each engine; fails past the goals."""
    machine()
    missed = []
    for columnar in COLUMNAR:
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "data"
            account = prepared(data, EVENTS, DAYS)
            _fill(data)
            with serving(data, columnar=columnar, limit_key_in_flight=MANY) as server:
                if columnar == "on":
                    server.wait_until_printed("The column replica is ready", seconds=READY_SECONDS)
                wait(IDLE_SECONDS)
                idle = memory_mb(server.process.pid)
                report(f"{columnar}: idle", rss_mb=idle)
                for who in CALLERS:
                    more, health = asyncio.run(_watch(server.url, server.process.pid, account, who, idle, columnar))
                    missed += [f"{columnar}, {who}"] if more > MOST_MB or health > MOST_MS else []
                remark(server.printed()[-2_000:])
    if missed:
        sys.exit(f"Missed: {', '.join(missed)}")


def _fill(directory: Path) -> None:
    """Write the long texts, and make the website public."""
    db = Db(directory / schema.EVENTS_FILE, readers=1)
    try:
        db.write_now(partial(_insert, SystemClock().now()))
    finally:
        db.close()
    box = apsw.Connection(str(directory / schema.BOX_FILE))
    box.execute("update websites set is_public = 1")
    box.close()


def _insert(now: int, db: apsw.Connection) -> None:
    random, strings = Random(1), Strings(1_000)
    nothing = stored_attributes(db, strings, ("",) * len(ATTRIBUTES))
    view, bought = strings.number(db, "screen_view"), strings.number(db, "bought")
    own_columns = STORED_COLUMNS["events"][: -len(nothing) - 1]
    rows = []
    for number in range(LONG):
        long = random.randbytes(LENGTH // 2).hex()
        own = {
            "site": SITE,
            "time": now - 2 * DAY + number,
            "visitor": random.getrandbits(VISITOR_BITS - 1) * 2,
            "session": 10_000_000 + number,
        }
        path = strings.number(db, f"/{long}")
        for kind, name in ((PAGE_VIEW, view), (CUSTOM, bought)):
            values = {**own, "kind": kind, "name": name, "path": path}
            properties = json.dumps({"sku": long[::-1]}) if kind == CUSTOM else None
            rows.append((*(values.get(column, 0) for column in own_columns), *nothing, properties))
    db.executemany(INSERT["events"], rows)


async def _watch(url: str, pid: int, account: Account, who: str, idle: float, columnar: str) -> tuple[float, float]:
    """Ask all of it and look on; the memory over idle (MB), and the 99th percentile of /health (ms)."""
    events, health, memory = Count(), [0.0], [idle]
    senders = await begin(url, account.website_id, RATE, events, count())
    results, sender = multiprocessing.Pipe(duplex=False)
    key = account.api_key if who == "a key" else ""
    asker = multiprocessing.Process(target=_ask, args=(url, account.website_id, key, CALLERS[who], sender), daemon=True)
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        await client.get("/health")
        asker.start()
        while not results.poll():
            began = time.perf_counter()
            await client.get("/health")
            health.append((time.perf_counter() - began) * 1000)
            memory.append(memory_mb(pid))
            await asyncio.sleep(LOOK)
    asker.join()
    found = events.take()
    await end(senders)
    seconds, bytes_of, outcomes = results.recv()
    report(
        f"{columnar}: questions of {who}",
        seconds=seconds,
        answered_mb=bytes_of / 1e6,
        more_mb=max(memory) - idle,
        left_mb=memory[-1] - idle,
        health_p50_ms=percentile(health, 50),
        health_p99_ms=percentile(health, 99),
        health_max_ms=max(health),
        events=found.right,
        events_wrong=found.wrong,
        event_p50_ms=percentile(found.delays or [0.0], 50),
        event_p99_ms=percentile(found.delays or [0.0], 99),
        **{str(name): number for name, number in outcomes.items()},
    )
    return max(memory) - idle, percentile(health, 99)


def _ask(url: str, site: str, key: str, paging: tuple[int, int], sender: Connection) -> None:
    """Ask in a process of its own; how long it took, the bytes that came, and what became of all."""
    os.sched_setaffinity(0, {int(GENERATOR_CORE) % (os.cpu_count() or 1)})
    began = time.monotonic()
    if not paging[0]:
        wait(IDLE_SECONDS)
        sender.send((IDLE_SECONDS, 0, {}))
        return
    answers = asyncio.run(_ask_all(url, site, key, paging))
    outcomes = sum((counts for _, counts in answers), Counter[str]())
    sender.send((time.monotonic() - began, sum(size for size, _ in answers), dict(outcomes)))


async def _ask_all(url: str, site: str, key: str, paging: tuple[int, int]) -> list[tuple[int, Counter[str]]]:
    headers = {"user-agent": BROWSER, "accept-encoding": "identity"} | ({"x-api-key": key} if key else {})
    limits = httpx.Limits(max_connections=MANY)
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE, limits=limits, headers=headers) as client:
        return await asyncio.gather(*(_one(client, site, number, paging) for number in range(MANY)))


async def _one(client: httpx.AsyncClient, site: str, number: int, paging: tuple[int, int]) -> tuple[int, Counter[str]]:
    """The bytes of one answer, which is read and not kept, and what became of its parameters."""
    today = datetime.now(UTC).date()
    parameters = [
        {
            "name": TYPES[at % len(TYPES)],
            "id": str(at),
            "start_date": str(today - timedelta(days=10 + number * PARAMETERS + at)),
            "end_date": str(today),
        }
        for at in range(PARAMETERS)
    ]
    body = [
        {"parameters": parameters[:FILLING], "limit": paging[0], "page": paging[1], "preset": "today"},
        {"parameters": parameters[FILLING:], "limit": 10_000, "preset": "today"},
    ]
    size, found = 0, Counter[str]()
    async with client.stream("POST", "/v1/query", params={"website_id": site}, json=body) as answer:
        async for piece in answer.aiter_raw():
            size += len(piece)
            found.update({name: piece.count(text) for name, text in SEEN.items()})
        found[f"status_{answer.status_code}"] += 1
    return size, found
