"""The engine of the monitors: checks each when it is due, and gives what comes of it to the drain.

It knows which monitors there are from `put` and `remove`. Both act at once, as `check_now` does: a check that was under
way of a monitor that is another now is broken off.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from analytics_box.base.clock import Clock
from analytics_box.base.errors import BadRequest, NotFound, Unavailable
from analytics_box.base.store.db import Db
from analytics_box.base.store.strings import Strings
from analytics_box.base.store.trouble import Seldom
from analytics_box.base.translation import _
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.result import CheckResult
from analytics_box.products.monitors.running import drain, schedule
from analytics_box.products.monitors.running.batch import (
    FinishedCheck,
    Happening,
    HappeningBatch,
    OverlayChange,
    TargetChange,
    WatchGap,
)
from analytics_box.products.monitors.running.checking import Check, Checking, waiting
from analytics_box.products.monitors.running.drain import Drain, Tell
from analytics_box.products.monitors.running.networks import Networks
from analytics_box.products.monitors.running.schedule import Planning
from analytics_box.products.monitors.running.states import patience, repeated_after
from analytics_box.products.monitors.running.watched import (
    CurrentStatus,
    Overlay,
    WatchedDraft,
    WatchedMonitor,
    host_of,
    live,
)
from analytics_box.products.monitors.window import MaintenanceWindow

log = logging.getLogger(__name__)

LOOK: Final = 5.0  # seconds between two looks at the clock, at most
BEAT: Final = 0.02  # and at least, unless something changes: what is due in the meantime begins together
_PROBED: Final = ("kind", "url", "timeout", "cache_bust", "options", "secrets")  # what a check goes by
_BACK: Final = 1_000  # ms that the clock may be set back unnoticed


class CheckEngine:
    """Checks monitors. `put` all of them, then `start`; nothing is checked before."""

    def __init__(
        self, check: Check, tell: Tell, events: Db, strings: Strings, clock: Clock, canaries: Sequence[str] = ()
    ) -> None:
        self.skipped = 0  # checks that were due while the one before still ran
        self._check, self._events, self._clock = check, events, clock
        self._monitors: dict[int, WatchedMonitor] = {}
        self._numbers: dict[str, int] = {}
        self._children: dict[str, set[int]] = {}
        self._wake = asyncio.Event()
        self._planning, self._checking = Planning(self._wake.set), Checking(check, clock, self._ended)
        self._drain = Drain(events, strings, clock, self._monitors, self._parent_of, tell, self._committed)
        self._networks = Networks(canaries, self._answers, clock, self._drain.add, self._monitors.values)
        self._is_wanted, self._is_alone, self._is_started = False, True, False
        self._loop: asyncio.Task[None] | None = None
        self._may_complain = Seldom()
        self._seen, self._monotonic = clock.now(), clock.monotonic()

    async def start(self, *, alone: bool = True) -> None:
        """Go on from where the box ended, and begin to check; without `alone` only when `tick` is called.

        Where events.db cannot be written this waits for a `tick` with which it can.
        """
        self._is_wanted, self._is_alone = True, alone
        try:
            await self._go_on(self._clock.now())
        except Unavailable as refused:
            log.error("Monitors are not checked yet: %s", refused.message)

    async def _go_on(self, now: int) -> None:
        recovered = await drain.recover(self._events, self._monitors, now)
        self._drain.owe(recovered.untold)
        self._networks.answered_at = self._drain.canaries_at = recovered.canaries_at
        self._drain.alive_at = now
        self._is_started = True
        self._seen, self._monotonic = now, self._clock.monotonic()
        for watched in self._monitors.values():
            watched.heard = now
            self._overlay(watched, recovered.seen_until)
            self._planning.first(watched, now)
        if self._is_alone:
            self._loop = asyncio.get_running_loop().create_task(self._run())

    async def stop(self, seconds: float) -> None:
        """Stop: start no further checks, wait `seconds` for running ones, and store the results."""
        self._is_wanted = self._is_started = False
        if self._loop is not None:
            self._loop.cancel()
            await asyncio.gather(self._loop, return_exceptions=True)
            self._loop = None
        await self._checking.stop(seconds)
        await self._networks.stop()
        await self._drain.settle()
        if self._monitors and not self._drain.waiting:
            try:
                await self._drain.say_alive()
            except Unavailable as refused:
                log.warning("Monitors: %s", refused.message)

    def put(self, monitor: Monitor, windows: Iterable[MaintenanceWindow] = ()) -> None:
        """A monitor was made, edited, paused or resumed, or its windows changed. A new one is checked immediately."""
        watched = self._monitors.get(monitor.number)
        now = self._clock.now()
        if watched is None:
            draft = WatchedDraft(is_paused=monitor.is_paused)
            watched = WatchedMonitor(monitor, Overlay(monitor, windows), draft, host_of(monitor), heard=now)
            self._monitors[monitor.number] = watched
            self._name(monitor)
            if self._is_started:
                self._overlay(watched, now)
                self._planning.soon(watched, now)
            return
        before, watched.monitor, watched.overlay = watched.monitor, monitor, Overlay(monitor, windows)
        watched.host = host_of(monitor)
        self._unname(before)
        self._name(monitor)
        if self._is_started:
            self._edited(watched, before, now)

    def remove(self, number: int) -> None:
        """A monitor is gone. What was stored of it is removed by the retention."""
        watched = self._monitors.pop(number, None)
        if watched is None:
            return
        self._unname(watched.monitor)
        self._planning.drop(number)
        self._checking.break_off(watched)
        for future in waiting(watched):
            future.set_exception(NotFound(_("The monitor was removed")))

    async def check_now(self, number: int) -> CheckResult:
        """Check a monitor now; resumes when what came of it is on disk, where the disk takes it.

        A check of it under way is waited for. Nothing is stored of one that is paused. Raises NotFound, and BadRequest
        for one that waits to be told.
        """
        watched = self._monitors.get(number)
        if watched is None:
            raise NotFound(_("This monitor does not exist"))
        if watched.monitor.kind == "push":
            raise BadRequest(_("Push monitors cannot be checked. They wait for heartbeats"))
        if watched.monitor.is_paused or not self._is_started:
            return await self.try_now(watched.monitor)
        future: asyncio.Future[CheckResult] = asyncio.get_running_loop().create_future()
        watched.waiting = [*(watched.waiting or ()), future]
        if not watched.is_running:
            self._checking.break_off(watched)
            self._checking.begin(watched, self._clock.now(), at_once=True)
        result = await future
        await self._drain.flush()
        return result

    async def try_now(self, monitor: Monitor) -> CheckResult:
        """Check what need not be stored; nothing comes of it but the result."""
        return await self._checking.try_now(monitor)

    async def pushed(self, number: int, at: int, ok: bool, message: str) -> None:
        """A monitor that waits was told something; resumes when that is on disk. Raises NotFound and Unavailable."""
        watched = self._monitors.get(number)
        if watched is None or watched.monitor.kind != "push":
            raise NotFound(_("This monitor does not exist"))
        if not self._is_started:
            raise Unavailable(_("Monitors are not running. Try again in a moment"), retry_after=5)
        if watched.monitor.is_paused:
            return
        outcome, reason = ("pass", "") if ok else ("fail", "failed")
        result = CheckResult(at=at, outcome=outcome, reason=reason, error="" if ok else message)  # type: ignore[arg-type]  # words of these types
        self._drain.add(FinishedCheck(number, result, at))
        self._planning.due.put(number, at + patience(watched.monitor))
        self._wake.set()
        if not await self._drain.flush():
            raise Unavailable(self._drain.refusal, retry_after=5)

    def state_of(self, number: int) -> CurrentStatus | None:
        """The current state of a monitor, as committed to disk; None if it is not known here."""
        watched = self._monitors.get(number)
        return live(watched, self._planning.due.due_at(number)) if watched is not None else None

    @property
    def refused(self) -> int:
        """The number of monitors whose last check was refused, because of the network that their target is in."""
        return sum(
            watched.draft.last is not None and watched.draft.last.reason == "refused" and not watched.monitor.is_paused
            for watched in self._monitors.values()
        )

    def by_state(self) -> dict[str, int]:
        """Return the number of monitors in each state."""
        return dict(Counter(live(watched, None).state for watched in self._monitors.values()))

    async def tick(self) -> None:
        """Begin what is due, and the loop again where it ended; write what waits, and that the box watches.

        Raises Unavailable.
        """
        if self._loop is not None and self._loop.done() and self._is_started:
            log.error("The loop of the monitors ended unexpectedly. Restarting it", exc_info=self._loop.exception())
            self._loop = asyncio.get_running_loop().create_task(self._run())
        if self._is_wanted and not self._is_started:
            await self._go_on(self._clock.now())
        if self._is_started:
            self._look()
            self._dispatch()
            self._miss()
            if self._monitors:
                self._networks.look()
                await self._drain.stay_alive(self._networks.answered_at)

    async def settle(self) -> None:
        """Returns when all checks under way have ended and what came of them is on disk and told; for tests."""
        while True:
            await self._checking.settle()
            await self._networks.settle()
            await self._drain.settle()
            if self._checking.is_idle and not self._drain.waiting:
                return

    @property
    def lateness(self) -> Counter[int]:
        """Of starts of checks, in microseconds, by facts.histogram."""
        return self._checking.lateness

    @property
    def isolated_since(self) -> int | None:
        """The time at which the box was found cut off from a network (UTC ms); None if it can reach all."""
        return self._networks.since

    # --- the loop

    async def _run(self) -> None:
        while True:
            self._look()
            self._dispatch()
            self._networks.look()
            self._wake.clear()
            due = min((at for at in (self._planning.next(), self._networks.due_at()) if at is not None), default=None)
            wait = LOOK if due is None else min(max((due - self._clock.now()) / 1000, 0), LOOK)
            timer = asyncio.get_running_loop().call_later(max(wait, BEAT), self._wake.set)
            await self._wake.wait()
            timer.cancel()

    def _look(self) -> None:
        """Notice that the clock was set, or that the box stood still."""
        now, monotonic = self._clock.now(), self._clock.monotonic()
        before, passed = self._seen, (monotonic - self._monotonic) * 1000
        self._seen, self._monotonic = now, monotonic
        if now - before > drain.GAP:
            log.warning("Monitors: no checks for %.0f s, or the clock was set ahead", (now - before) / 1000)
            self._stood_still(before, now)
        elif now - before < passed - _BACK:
            log.warning("Monitors: the clock was set back by %.0f s", (passed - now + before) / 1000)
            for watched in self._monitors.values():
                watched.heard = now
                self._planning.first(watched, now)

    def _stood_still(self, since: int, now: int) -> None:
        """Handle a time in which nothing was watched: discard checks in progress, and check all monitors again soon."""
        for number, watched in self._monitors.items():
            self._checking.break_off(watched)
            watched.heard = now
            self._drain.add(WatchGap(number, since, now))
            if watched.monitor.kind == "push":
                self._planning.due.drop(number)  # until it has its extra time
            else:
                self._planning.first(watched, now)
            if any(not future.done() for future in watched.waiting or ()):
                self._checking.begin(watched, now, at_once=True)

    def _miss(self) -> None:
        """Mark monitors as unknown whose latest result is older than twice the interval."""
        now = self._clock.now()
        for number, watched in self._monitors.items():
            monitor = watched.monitor
            until = watched.heard + 2_000 * monitor.interval
            if until < now and not watched.is_running and not monitor.is_paused and monitor.kind != "push":
                watched.heard = now
                self._drain.add(WatchGap(number, until, now))

    def _dispatch(self) -> None:
        now = self._clock.now()
        for number, at in self._planning.changes.take(now):
            self._window_changed(self._monitors[number], at, now)
        for number, due in self._planning.due.take(now):
            watched = self._monitors[number]
            if watched.monitor.kind == "push":
                self._late(watched, due, now)
                continue
            self._planning.due.put(number, schedule.next_due(watched.monitor.id, watched.monitor.interval, now))
            if watched.ticket:
                self.skipped += 1
            else:
                self._checking.begin(watched, due)

    def _ended(self, watched: WatchedMonitor, finished: FinishedCheck) -> None:
        last = watched.draft.last
        is_news = finished.result.reason == "refused" and (last is None or last.reason != "refused")
        if is_news and self._may_complain:
            log.warning(
                "Monitor %s is not allowed, possibly like others: %s", watched.monitor.id, finished.result.error
            )
        self._networks.take(finished, watched)
        if self._networks.due_at() is not None:
            self._wake.set()

    async def _answers(self, canary: Monitor) -> bool:
        """Return whether the host of this check can be reached."""
        return (await self._check(canary, self._clock.now())).outcome != "fail"

    def _late(self, watched: WatchedMonitor, due: int, now: int) -> None:
        """Record a missed heartbeat of a push monitor as a failed check; another follows after each interval."""
        result = CheckResult(at=due, outcome="fail", reason="late", error="Nothing was heard in time")
        self._drain.add(FinishedCheck(watched.monitor.number, result, now))
        self._planning.due.put(watched.monitor.number, now + watched.monitor.interval * 1000)

    def _window_changed(self, watched: WatchedMonitor, at: int, now: int) -> None:
        self._drain.add(OverlayChange(watched.monitor.number, at, watched.monitor.is_paused))
        self._planning.change(watched, at)
        if not watched.overlay.in_maintenance(at):
            self._planning.at_once(watched, now)  # so that people learn of what is wrong now

    # --- what changes

    def _edited(self, watched: WatchedMonitor, before: Monitor, now: int) -> None:
        monitor = watched.monitor
        self._overlay(watched, now)
        is_other = any(getattr(before, name) != getattr(monitor, name) for name in _PROBED)
        if is_other:
            self._drain.add(TargetChange(monitor.number))
        if is_other or before.is_paused or monitor.interval != before.interval:
            watched.heard = now
        if monitor.is_paused:
            self._planning.due.drop(monitor.number)
            self._checking.break_off(watched)
            for future in waiting(watched):
                future.set_exception(NotFound(_("The monitor was paused")))
        elif is_other or before.is_paused:
            self._checking.break_off(watched)
            self._planning.soon(watched, now)
        elif monitor.interval != before.interval or monitor.options.grace != before.options.grace:
            self._planning.following(watched, now)

    def _overlay(self, watched: WatchedMonitor, now: int) -> None:
        """Let the timeline show from now on whether it is paused or in maintenance."""
        self._drain.add(OverlayChange(watched.monitor.number, now, watched.monitor.is_paused))
        self._planning.change(watched, now)

    # --- after a commit

    def _committed(self, batch: HappeningBatch, happenings: list[Happening]) -> None:
        """Check those again soon that may be about to change, and those whose parent is out of trouble."""
        for happening in happenings:
            watched = self._monitors.get(happening.number)
            if isinstance(happening, WatchGap) and watched is not None and watched.monitor.kind == "push":
                self._planning.following(watched, self._clock.now())
            if (
                not isinstance(happening, FinishedCheck)
                or watched is None
                or watched.ticket
                or watched.monitor.is_paused
            ):
                continue
            standing = batch.drafts[happening.number].standing
            if (standing.is_open or not happening.is_conclusive) and watched.monitor.kind != "push":
                again = happening.ended + repeated_after(watched.monitor.interval)
                self._planning.due.put(happening.number, max(again, self._clock.now()))
                self._wake.set()
        for number in batch.relieved:
            parent = self._monitors.get(number)
            for child in self._children.get(parent.monitor.id, ()) if parent is not None else ():
                self._planning.at_once(self._monitors[child], self._clock.now())

    def _parent_of(self, watched: WatchedMonitor) -> int | None:
        return self._numbers.get(watched.monitor.parent_id) if watched.monitor.parent_id else None

    def _name(self, monitor: Monitor) -> None:
        self._numbers[monitor.id] = monitor.number
        if monitor.parent_id:
            self._children.setdefault(monitor.parent_id, set()).add(monitor.number)

    def _unname(self, monitor: Monitor) -> None:
        self._numbers.pop(monitor.id, None)
        if monitor.parent_id:
            siblings = self._children[monitor.parent_id]
            siblings.discard(monitor.number)
            if not siblings:
                del self._children[monitor.parent_id]
