"""Running checks of monitors: started when there is capacity, and canceled when their result is no longer needed."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from analytics_box.base.clock import Clock
from analytics_box.base.errors import Unavailable
from analytics_box.base.facts.uptime import bin_of
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.result import CheckResult
from analytics_box.products.monitors.running.batch import FinishedCheck
from analytics_box.products.monitors.running.pool import SLOW, SLOW_PER_GROUP, Pool
from analytics_box.products.monitors.running.watched import WatchedMonitor, host_of

log = logging.getLogger(__name__)

Check = Callable[[Monitor, int], Awaitable[CheckResult]]
Ended = Callable[[WatchedMonitor, FinishedCheck], None]

_LONG: Final = 5_000_000  # microseconds; what took longer last time does not keep others waiting
_LATEST: Final = 15.0  # seconds after its time by which a check has to have ended


class Checking:
    """Runs checks. Calls `ended` with each result before the callers that wait for it get it."""

    def __init__(self, check: Check, clock: Clock, ended: Ended) -> None:
        self.lateness: Counter[int] = Counter()  # of starts, in microseconds, by facts.histogram
        self._check, self._clock, self._ended = check, clock, ended
        self._pool, self._slow = Pool(), Pool(SLOW, per_group=SLOW_PER_GROUP)

    @property
    def is_idle(self) -> bool:
        """Whether no check is under way."""
        return not self._pool.running and not self._slow.running

    async def stop(self, seconds: float) -> None:
        """Stop: start no further checks, wait `seconds` for running ones, and cancel the rest."""
        await asyncio.gather(self._pool.stop(seconds), self._slow.stop(seconds))

    async def settle(self) -> None:
        """Returns when none is under way."""
        await self._pool.settle()
        await self._slow.settle()

    def begin(self, watched: WatchedMonitor, due: int, *, at_once: bool = False) -> None:
        """Check a monitor when there is room, and sooner if a user waits for the result."""
        run = partial(self._run, watched, watched.version, due)
        last, group = watched.draft.last, watched.monitor.organization_id
        is_slow = last is not None and (last.total or 0) > _LONG and not at_once
        watched.lane = self._slow if is_slow else self._pool
        watched.ticket = watched.lane.submit(watched.host, run, group=group, at_once=at_once)

    async def _run(self, watched: WatchedMonitor, version: int, due: int) -> None:
        watched.is_running = True
        began, is_conclusive = self._clock.now(), True
        self.lateness[bin_of(max(began - due, 0) * 1000)] += 1
        try:
            async with asyncio.timeout(watched.monitor.seconds + _LATEST):
                result = await self._check(watched.monitor, began)
        except Unavailable as crowded:
            result, is_conclusive = CheckResult(at=began, outcome="fail", reason="failed", error=crowded.message), False
        except Exception:
            log.exception("The check of monitor %d failed unexpectedly", watched.monitor.number)
            result, is_conclusive = (
                CheckResult(at=began, outcome="fail", reason="failed", error="The check broke off"),
                False,
            )
        if watched.version != version:
            return
        watched.ticket, watched.is_running = 0, False
        watched.heard = self._clock.now()
        finished = FinishedCheck(watched.monitor.number, result, watched.heard, is_conclusive)
        self._ended(watched, finished)
        for future in waiting(watched):
            future.set_result(result)

    async def try_now(self, monitor: Monitor) -> CheckResult:
        """Check what need not be stored; nothing comes of it but the result."""
        found: asyncio.Future[CheckResult] = asyncio.get_running_loop().create_future()
        run = partial(self._try, monitor, found)
        ticket = self._pool.submit(host_of(monitor), run, group=monitor.organization_id, at_once=True)
        try:
            return await found
        except asyncio.CancelledError:
            self._pool.drop(ticket)
            raise

    async def _try(self, monitor: Monitor, found: asyncio.Future[CheckResult]) -> None:
        try:
            result = await self._check(monitor, self._clock.now())
            if not found.done():
                found.set_result(result)
        except Exception as broken:
            if not found.done():
                found.set_exception(broken)
        finally:
            found.cancel()  # where the end of the box broke it off

    def break_off(self, watched: WatchedMonitor) -> None:
        """Discard the result of a check of it that is in progress."""
        watched.version += 1
        if watched.ticket and watched.lane is not None:
            watched.lane.drop(watched.ticket)
        watched.ticket, watched.is_running = 0, False


def waiting(watched: WatchedMonitor) -> list[asyncio.Future[CheckResult]]:
    """Take the futures of the callers that wait for a check of it."""
    given, watched.waiting = watched.waiting or [], None
    return [future for future in given if not future.done()]
