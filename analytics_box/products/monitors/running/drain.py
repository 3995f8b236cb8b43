"""The queue of happenings on their way to events.db: they wait in memory for a moment, and are written in groups.

The state in memory follows the commits. Transitions are passed on after the commit, and again after a crash in
between: recipients recognize a transition by its id. While the disk refuses, happenings wait, up to a limit.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

from analytics_box.base import background
from analytics_box.base.clock import HOUR, MINUTE, Clock
from analytics_box.base.errors import Unavailable
from analytics_box.base.facts.uptime import PAUSED, UNKNOWN, UptimeSpan
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.strings import Strings
from analytics_box.base.store.trouble import Seldom
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.running import rows
from analytics_box.products.monitors.running.batch import FinishedCheck, Happening, HappeningBatch, WatchGap
from analytics_box.products.monitors.running.rows import StoredStates, Transition
from analytics_box.products.monitors.running.states import MonitorStanding, waiting_longer, without_row
from analytics_box.products.monitors.running.watched import WatchedDraft, WatchedMonitor

log = logging.getLogger(__name__)

T = TypeVar("T")

WAIT: Final = 0.25  # seconds until what waits is written
AT_ONCE: Final = 2_000  # that are written in one transaction
MOST_WAITING: Final = 50_000  # that wait for a disk that refuses: some 30 MB
ALIVE: Final = 8_000  # ms after which the box says again that it watches, where nothing else is written
TRIES: Final = 24  # of an occurrence that cannot be delivered: about a day

Tell = Callable[[list[Transition]], Awaitable[None]]
Committed = Callable[[HappeningBatch, list[Happening]], None]


class Drain:
    """Events that are not on disk yet. The drain calls `committed` after each commit, on the event loop."""

    def __init__(
        self,
        events: Db,
        strings: Strings,
        clock: Clock,
        monitors: Mapping[int, WatchedMonitor],
        parent_of: Callable[[WatchedMonitor], int | None],
        tell: Tell,
        committed: Committed,
    ) -> None:
        self.alive_at = 0
        self.canaries_at = 0
        self.refusal = ""  # the latest reason why something could not be written
        self._events, self._strings, self._clock = events, strings, clock
        self._monitors, self._parent_of = monitors, parent_of
        self._tell, self._committed = tell, committed
        self._waiting: list[Happening] = []
        self._lost: dict[int, int] = {}
        self._untold: list[Transition] = []
        self._held: dict[int, tuple[int, int]] = {}  # monitors: how often one could not be told, and when it is again
        self._timer: asyncio.TimerHandle | None = None
        self._writing, self._telling = asyncio.Lock(), asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._may_complain = Seldom()

    @property
    def waiting(self) -> int:
        """The number of happenings that are not on disk."""
        return len(self._waiting)

    def add(self, happening: Happening) -> None:
        """Something happened. It is written soon."""
        self._waiting.append(happening)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(WAIT, self._begin)

    def owe(self, transitions: Iterable[Transition]) -> None:
        """Add transitions that were written, but not passed on, before the box ended."""
        self._untold += transitions

    async def flush(self) -> bool:
        """Write what has happened so far; whether all of it is on disk. It goes on where its caller is cancelled."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._waiting:
            self._begin_to_tell()
            return True
        return await asyncio.shield(background.begin(self._flush(), self._tasks))

    async def _flush(self) -> bool:
        async with self._writing:
            while self._waiting:
                if not await self._write_some():
                    self._bound()
                    return False
        self._begin_to_tell()
        return True

    async def stay_alive(self, canaries_at: int) -> None:
        """Write what waits, and that the box watches where that was not written for a while. Tell what is untold.

        A canary last answered at `canaries_at`. Raises Unavailable.
        """
        if not await self.flush():
            return  # what was seen and is not on disk was not seen, should the box end now
        is_news, self.canaries_at = canaries_at != self.canaries_at, canaries_at
        if is_news or self._clock.now() - self.alive_at >= ALIVE:
            await self.say_alive()
        self._begin_to_tell()

    async def say_alive(self) -> None:
        """Write that the box watches now. Raises Unavailable."""
        now = self._clock.now()
        await self._events.write(partial(rows.alive, now=now, canaries_at=self.canaries_at))
        self.alive_at = now

    async def settle(self) -> None:
        """Returns when what could be written and told has been."""
        await self.flush()
        while self._tasks:
            for task in (await asyncio.wait(self._tasks))[0]:
                task.result()

    def _begin(self) -> None:
        self._timer = None
        background.begin(self._write(), self._tasks)

    async def _write(self) -> None:
        if not await self.flush() and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(1.0, self._begin)

    async def _write_some(self) -> bool:
        """Write what has waited longest; whether that could be done."""
        some = self._waiting[:AT_ONCE]
        try:
            try:
                await self._commit(some)
                del self._waiting[: len(some)]
            except Unavailable:
                raise
            except Exception:
                log.exception("%d check results could not be written together", len(some))
                await self._write_one_by_one(some)
        except Unavailable as refused:
            self.refusal = refused.message
            if self._may_complain:
                log.warning("Checks of monitors wait for the disk: %s", refused.message)
            return False
        return True

    async def _write_one_by_one(self, some: list[Happening]) -> None:
        """Write these, which have waited longest. Raises Unavailable; the rest of them goes on waiting."""
        for one in some:
            try:
                await self._commit([one])
            except Unavailable:
                raise
            except Exception:
                log.exception("A check result of monitor %d could not be written", one.number)
            del self._waiting[0]

    async def _commit(self, some: list[Happening]) -> None:
        now = self._clock.now()
        lost = [WatchGap(number, at, now) for number, at in self._lost.items()]
        batch = HappeningBatch(self._monitors, self._parent_of, now)
        batch.add((*lost, *some))
        transitions = await self._events.write(partial(batch.write, strings=self._strings), adds=True)
        self._lost = {}
        self.alive_at = now
        for number, draft in batch.drafts.items():
            if number in self._monitors:
                self._monitors[number].draft = draft
        self._untold += transitions
        try:
            self._committed(batch, some)
        except Exception:
            log.exception("Alerts and incidents of %d check results are left out", len(some))

    def _bound(self) -> None:
        """Give up the oldest of too many that wait; nothing is known of those monitors from then on."""
        extra = len(self._waiting) - MOST_WAITING
        if extra <= 0:
            return
        if self._may_complain:
            log.error("Checks of monitors are lost: more than %d wait for the disk", MOST_WAITING)
        given_up = [one for one in self._waiting if isinstance(one, FinishedCheck)][:extra]
        for one in given_up:
            self._lost.setdefault(one.number, one.result.at)
        gone = set(map(id, given_up))
        self._waiting = [one for one in self._waiting if id(one) not in gone]

    def _begin_to_tell(self) -> None:
        if self._untold and not self._telling.locked():
            background.begin(self._tell_all(), self._tasks)

    async def _tell_all(self) -> None:
        async with self._telling:
            try:
                while some := self._to_tell():
                    await self._tell_some(some)
            except Unavailable as refused:
                log.warning("Alerts of monitors could not be queued yet: %s", refused.message)
            except Exception:
                log.exception("Queued alerts of monitors could not be recorded yet")

    def _to_tell(self) -> list[Transition]:
        """Transitions to pass on now. If one fails, later ones of the same monitor wait also."""
        now = self._clock.now()
        return [one for one in self._untold if self._held.get(one.number, (0, 0))[1] <= now]

    async def _tell_some(self, some: list[Transition]) -> None:
        done = some
        try:
            await self._tell(some)
        except Unavailable:
            raise
        except Exception:
            done = [one for one in some if await self._is_done(one)]
        ids = {one.id for one in done}
        await self._events.write(partial(rows.mark_told, ids=list(ids)))
        for one in done:
            self._held.pop(one.number, None)
        self._untold = [one for one in self._untold if one.id not in ids]

    async def _is_done(self, one: Transition) -> bool:
        """Tell this by itself; whether it was told, or was tried too often."""
        now = self._clock.now()
        tries, again_at = self._held.get(one.number, (0, 0))
        if again_at > now:
            return False
        try:
            await self._tell([one])
        except Unavailable:
            raise
        except Exception:
            if tries + 1 >= TRIES:
                log.exception("Gave up on the alert of monitor %d after %d attempts", one.number, TRIES)
                return True
            if not tries:
                log.exception("The alert of monitor %d cannot be queued yet", one.number)
            self._held[one.number] = tries + 1, now + min(MINUTE << tries, HOUR)
            return False
        return True


GAP: Final = 15_000  # ms without a sign of life that are none yet


class RecoveredState(NamedTuple):
    """Transitions that were not passed on before the box ended, and the time of the last answer of a canary (UTC ms; 0
    for never).

    `seen_until` is the time until which changes of maintenance windows were handled; later ones must be looked up.
    """

    untold: list[Transition]
    canaries_at: int
    seen_until: int


async def recover(events: Db, monitors: Mapping[int, WatchedMonitor], now: int) -> RecoveredState:
    """Bring monitors to where they were, and write down a gap before now.

    No check is replayed, and what is told is based on no gap: rows of checks begin again, and who waits to be told gets
    the gap as extra time. Raises Unavailable.
    """
    drafts, recovered = await events.write(partial(_recover, monitors=dict(monitors), now=now))
    for number, draft in drafts.items():
        if number in monitors:
            monitors[number].draft = draft
    return recovered


def _recover(
    db: Connection, monitors: Mapping[int, WatchedMonitor], now: int
) -> tuple[dict[int, WatchedDraft], RecoveredState]:
    stored = rows.load_states(db)
    since = now if stored.alive_at is None else stored.alive_at
    is_gap = now - since > GAP
    if is_gap:
        log.info("Monitors: no checks for %.0f s", (now - since) / 1000)
        rows.gap(db, since)
        stored = rows.load_states(db)
    last = rows.last_results(db, [number for number in monitors if number in stored.standings])
    drafts, extended = {}, {}
    for number, watched in monitors.items():
        draft = drafts[number] = _draft(stored, number, watched.monitor, is_gap=is_gap)
        draft.last = last.get(number)
        standing = waiting_longer(watched.monitor, draft.standing, since, now)
        if standing is not draft.standing:
            extended[number] = draft.standing = standing
    rows.save(db, extended)
    rows.alive(db, now)
    return drafts, RecoveredState(rows.untold(db), stored.canaries_at, now if is_gap else min(since, now))


def _draft(stored: StoredStates, number: int, monitor: Monitor, *, is_gap: bool) -> WatchedDraft:
    span = stored.open_spans.get(number, UptimeSpan(0, 0))
    standing = without_row(stored.standings.get(number, MonitorStanding()))
    return WatchedDraft(
        standing=standing,
        shown=span.state,
        shown_since=span.start,
        is_unknown=span.state == UNKNOWN and (is_gap or standing.base != "new"),
        is_paused=span.state == PAUSED or (monitor.is_paused and not span.state),
        seen=span.start,
    )
