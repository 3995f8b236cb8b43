"""Hours with everything at once: events, questions, redirects, slow attackers, and a kill -9 every now and then.

Afterwards every acknowledged event is there once, figures are those of the crowd that was sent, and memory and logs
are as flat as the samples say. Settings are those that a box comes with, but for what one address may send.
"""

import asyncio
import itertools
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import httpx
import uvloop

from analytics_box.base.clock import SystemClock
from analytics_box.base.facts.layout import stored_table
from analytics_box.query.engines import MANY
from tests.benchmarks.asking import DAYS, Askers, differences
from tests.benchmarks.figures import machine, percentile, remark, report
from tests.benchmarks.generator import fill
from tests.benchmarks.retrying import Clicks, Events
from tests.benchmarks.samples import LOGS, Samples, look, queues, size_mb
from tests.benchmarks.server import GENERATOR_CORE, SERVER_CORE, pin
from tests.benchmarks.slow import Slow
from tests.running import BROWSER, Account, Server, serving, set_up

# All honest requests come from one address, and redirects that follow a restart may come before links are in memory.
SETTINGS: dict[str, Any] = {
    "limit_track": 0,
    "limit_address": 0,
    "limit_link_lookups": 0,
    "budget_texts": 0,
    "metrics": "on",
}
REDIRECTS = 20  # a second
LINKS = 100
EVERY = 10.0  # seconds between two samples
LOOK = 0.2  # seconds between two looks at the logs
CATCH_UP = 600.0  # seconds that the replica may take at the end
STOP_SECONDS = 120.0
MOST_WORDS = 50  # lines about what is wrong
EVENT_BYTES = 300  # with its id, its row in the replica, and a change that waits for it
SPARE_BYTES = 2 << 30


class Other(NamedTuple):
    """Websites beside that of the crowd, and how many events they have together."""

    websites: tuple[str, ...]
    events: int


NOBODY = Other((), 0)


class Box:
    """A box on one port, killed and started again. `life` counts its starts from 0."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.life = -1
        self.starts: list[float] = []  # seconds until it answered
        self._settings = dict(SETTINGS)
        self.server: Server
        self.start()

    def start(self) -> None:
        """Start it and wait until it answers."""
        began = time.monotonic()
        self.life += 1
        self.server = Server(self.data, self._settings)
        self.server.wait_until_ready()
        self.starts.append(time.monotonic() - began)
        self._settings["port"] = self.server.port
        pin(self.server.process.pid, SERVER_CORE)

    @property
    def pid(self) -> int:
        return self.server.process.pid


def main(rate: int, minutes: float, kill_every: float, samples: Path | None, stored: int = 0) -> None:
    """Write samples to a file and print a summary; fails where anything was lost or is wrong at the end.

    With `stored`, another website has that many events of the same 30 days, and is asked for by turns.
    """
    machine()
    with tempfile.TemporaryDirectory() as folder:
        _need_room(Path(folder), rate * minutes * 60)
        file = samples or Path(tempfile.gettempdir()) / f"soak-{os.getpid()}.jsonl"
        remark(f"samples go to {file}")
        account = set_up(Path(folder) / "data")
        other = _filled(Path(folder) / "data", account, stored) if stored else NOBODY
        box = Box(Path(folder) / "data")
        try:
            with file.open("wb") as written, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                wrong = runner.run(_soak(box, account, rate, minutes * 60, kill_every, Samples(written), other))
        finally:
            box.server.kill()
    if wrong:
        sys.exit("\n".join(wrong[:MOST_WORDS]))


async def _soak(
    box: Box, account: Account, rate: int, seconds: float, kill_every: float, samples: Samples, other: "Other"
) -> list[str]:
    """What was lost or wrong, in words."""
    if (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, {int(GENERATOR_CORE)})
    port = box.server.port
    async with AsyncExitStack() as ending:
        client = await ending.enter_async_context(httpx.AsyncClient(base_url=box.server.url, timeout=60))
        slugs = [await _link(client, account, number) for number in range(LINKS)]
        slow = Slow(port, account.website_id)
        ending.push_async_callback(slow.end)
        clicks = Clicks(port, slugs, REDIRECTS)
        events = Events(port, account.website_id, rate)
        askers = Askers(client, account, events, other.websites)
        logs = dict.fromkeys(LOGS, 0.0)
        watching = asyncio.create_task(_watch_logs(box.data, logs))
        sampling = asyncio.create_task(_sample(box, client, events, askers, samples))
        await _kill_now_and_then(box, clicks, seconds, kill_every)
        for part in (askers, clicks, events):
            await part.end()
        if not sampling.cancel():
            sampling.result()  # it should not have ended
        await slow.end()
        await _caught_up(client, events.known.views + other.events)
        wrong = [*askers.wrong, *await differences(client, account, events.known)]
        if code := await asyncio.to_thread(box.server.stop, seconds=STOP_SECONDS):
            wrong.append(f"the box ended with {code}")
        watching.cancel()
    stored, followed = _stored(box.data)
    stored -= other.events
    errors = [line for line in box.server.log.read_text().splitlines() if '"error"' in line or "Traceback" in line]
    for line in errors[:20]:
        remark(line)
    slopes, peaks = samples.slopes(), samples.peaks()
    report(
        "soak",
        minutes=seconds / 60,
        kills=box.life,
        acknowledged=events.known.views,
        stored=stored,
        lost=max(events.known.views - stored, 0),
        sent_again=events.again,
        refused=sum(events.refused.values()),
        clicks=clicks.answered,
        clicks_lost=max(clicks.answered - followed, 0),
        clicks_lost_at_most=clicks.lost_at_most,
        questions=askers.answered,
        questions_refused=askers.refused,
        wrong_figures=len(wrong),
        rss_slope_mb_per_hour=statistics.median(slopes) if slopes else 0.0,
        rss_first_life_mb=peaks[0],
        rss_last_life_mb=peaks[-1],
        rss_most_mb=max(peaks),
        **{f"{name.removesuffix('_mb')}_most_mb": size for name, size in logs.items()},
        descriptors_most=samples.descriptors,
        first_start_s=box.starts[0],
        worst_start_s=max(box.starts),
        attackers_opened=sum(slow.opened.values()),
        errors_logged=len(errors),
    )
    return [*_not_as_acknowledged(events, stored), *_not_as_followed(clicks, followed), *wrong]


def _not_as_acknowledged(events: Events, stored: int) -> Iterator[str]:
    """In words, where what is stored is not what was acknowledged."""
    known = events.known.views
    if stored < known:
        yield f"{known - stored} acknowledged events are lost"
    if stored > known:
        yield f"{stored - known} events are stored twice"
    if events.refused.keys() - {503}:
        yield f"events were refused, by status: {events.refused}"


def _not_as_followed(clicks: Clicks, stored: int) -> Iterator[str]:
    """The same for clicks. A redirect without an answer may have been a click."""
    most = clicks.answered + clicks.unanswered
    if stored < clicks.answered - clicks.lost_at_most:
        yield f"{clicks.answered - stored} clicks are lost, of {clicks.lost_at_most} at most"
    if stored > most:
        yield f"{stored} clicks are stored, of {most} at most"
    if clicks.wrong:
        yield f"{clicks.wrong} answers were no redirects"


def _filled(data: Path, account: Account, events: int) -> Other:
    """A second website with so many events in the days that are asked for."""
    with serving(data) as server:
        answer = httpx.post(
            f"{server.url}/websites/create",
            json={"name": "Filled", "domain": "filled.example"},
            headers={"x-api-key": account.api_key, "user-agent": BROWSER},
        )
        assert answer.status_code == 200, answer.text
        website = str(answer.json()["id"])
    remark(f"writing {events:,} events of another website")
    db = apsw.Connection(str(data / "box.db"), flags=apsw.SQLITE_OPEN_READONLY)
    number = int(str(db.execute("select max(site) from websites").fetchall()[0][0]))
    db.close()
    return Other((website,), fill(data, number, events, end=SystemClock().now(), days=DAYS - 1))


def _need_room(folder: Path, events: float) -> None:
    disk = os.statvfs(folder)
    free, needed = disk.f_bavail * disk.f_frsize, events * EVENT_BYTES + SPARE_BYTES
    if free < needed:
        sys.exit(f"{folder} has {free / 1e9:.1f} GB free, {needed / 1e9:.1f} are needed: name another place by TMPDIR")


async def _link(client: httpx.AsyncClient, account: Account, number: int) -> str:
    answer = await client.post(
        "/links/create",
        json={"name": f"Link {number}", "targetUrl": f"https://target.example/{number}", "slug": f"soak-{number}"},
        headers={"x-api-key": account.api_key, "user-agent": BROWSER},
    )
    assert answer.status_code == 200, answer.text
    return str(answer.json()["slug"])


async def _kill_now_and_then(box: Box, clicks: Clicks, seconds: float, every: float) -> None:
    """Returns at the end. There is no kill in the last half of an interval."""
    began = time.monotonic()
    for number in itertools.count(1):
        if number * every > seconds - every / 2:
            break
        await asyncio.sleep(max(began + number * every - time.monotonic(), 0))
        clicks.killed()
        box.server.kill()
        await asyncio.to_thread(box.start)
        remark(f"killed and started again in {box.starts[-1]:.2f} s")
    await asyncio.sleep(max(began + seconds - time.monotonic(), 0))


async def _watch_logs(data: Path, most: dict[str, float]) -> None:
    while True:
        for name, file in LOGS.items():
            most[name] = max(most[name], size_mb(data / file))
        await asyncio.sleep(LOOK)


async def _sample(box: Box, client: httpx.AsyncClient, events: Events, askers: Askers, samples: Samples) -> None:
    began = time.monotonic()
    views = 0
    while True:
        await asyncio.sleep(EVERY)
        delays, times = events.take_delays(), askers.take_times()
        others = {
            "events_per_second": (events.known.views - views) / EVERY,
            "event_p50_ms": percentile(delays or [0.0], 50),
            "event_p99_ms": percentile(delays or [0.0], 99),
            "questions": len(times),
            "question_most_ms": max(times, default=0.0),
        }
        views = events.known.views
        try:
            samples.note(
                await look(client, box.pid, box.data, second=time.monotonic() - began, life=box.life, others=others)
            )
        except OSError:  # it was killed a moment ago
            continue


async def _caught_up(client: httpx.AsyncClient, events: int) -> None:
    """Returns once the replica has all events, or where there are too few for one."""
    until = time.monotonic() + CATCH_UP
    while events >= MANY:
        found = await queues(client)
        if found.get("replica_ready") and not found["replica_behind"]:
            return
        if time.monotonic() > until:
            sys.exit("The column replica does not catch up")
        await asyncio.sleep(1)


def _stored(data: Path) -> tuple[int, int]:
    """How many events and clicks there are."""
    db = apsw.Connection(str(data / "events.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        counts = [
            db.execute(f"select count(*) from {table}").fetchall()[0][0]
            for table in (stored_table("events"), "link_clicks")
        ]
    finally:
        db.close()
    events, clicks = (int(str(count)) for count in counts)
    return events, clicks
