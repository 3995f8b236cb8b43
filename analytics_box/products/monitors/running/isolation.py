"""Detection of a box that is cut off from a network, rather than the services that it checks (monitors: states).

A network failure of a monitor that was up says nothing by itself: it is held until another host of that network, a
canary, has answered a question asked after it. If no canary answers, and most monitors checked since cannot be reached
either, the box is cut off, and what it holds says nothing. Most monitors are those of most organizations as well.

Canaries are no evidence before one has answered for the first time, since a box may be where they cannot be reached.
They are none either if they cannot be asked while most monitors are reached.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from analytics_box.base.clock import HOUR, Clock
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.result import OF_THE_NETWORK
from analytics_box.products.monitors.running.batch import FinishedCheck

log = logging.getLogger(__name__)

AGAIN: Final = 10_000  # ms between two looks, for all monitors together

Ask = Callable[[Monitor], Awaitable[bool]]
Canaries = Callable[[Collection[int]], Sequence[Monitor]]
Release = Callable[[FinishedCheck], None]


class _Latest(NamedTuple):
    """The latest check of a monitor since the first one was held: whether it was cut off, and its organization."""

    is_cut: bool
    group: str


class _OrganizationChecks(Struct):
    """The monitors of an organization that were checked since, and those of them that could not be reached."""

    monitors: int = 0
    failing: int = 0


class Isolation:
    """Lets results about a network through, immediately or after a look at its `canaries`.

    `canaries` returns checks of hosts that have nothing to do with the monitors of these numbers. Without canaries the
    box is never cut off. `answered_at` is when one last answered, 0 if they are no evidence, and `since` when the box
    was found cut off (UTC ms). With `learns` a monitor that passes is an answer as well. After `longest` ms without
    one, results count again.
    """

    def __init__(
        self,
        network: str,
        canaries: Canaries,
        ask: Ask,
        clock: Clock,
        release: Release,
        *,
        learns: bool = False,
        longest: int | None = None,
    ) -> None:
        self.answered_at = 0
        self.since: int | None = None
        self._network, self._learns, self._longest = network, learns, longest
        self._canaries, self._ask, self._clock, self._release = canaries, ask, clock, release
        self._is_asked = learns or bool(canaries(()))
        self._latest: dict[int, _Latest] = {}
        self._failing = 0
        self._groups: dict[str, _OrganizationChecks] = {}
        self._held: list[FinishedCheck] = []
        self._asking: asyncio.Task[None] | None = None
        self._asked_at: int | None = None

    def take(self, finished: FinishedCheck, *, is_down: bool, group: str = "") -> None:
        """A check has ended, of a monitor that was down before or not; `group` is the organization that it is of."""
        is_cut = _is_cut(finished)
        if not self._is_asked or not finished.is_conclusive:
            self._release(finished)
            return
        if self._learns and finished.result.outcome != "fail":
            self.answered_at = self._clock.now()
        is_news = is_cut and not is_down  # that a monitor still fails is none
        if is_news and self.answered_at and self.since is None and not self._held:
            self._forget_all_but(set())
        if is_news or not is_cut:
            self._note(finished.number, _Latest(is_cut, group))
        if self.holds(finished.number):
            self._held.append(finished)  # in their order
        elif not is_cut:
            self._release(finished)
        elif self.since is not None:
            self._release(finished._replace(is_conclusive=False))
        elif is_news and self.answered_at:
            self._held.append(finished)
            self.look()
        else:
            self._release(finished)

    def holds(self, number: int) -> bool:
        """Return whether a result of this monitor is held."""
        return any(one.number == number for one in self._held)

    def look(self) -> None:
        """Ask again while the box is cut off or results are held, and now and then if canaries are no evidence yet."""
        due = self.due_at()
        if due is not None and due <= self._clock.now():
            self._asked_at = self._clock.now()
            self._asking = asyncio.get_running_loop().create_task(self._ask_all(len(self._held)))

    def due_at(self) -> int | None:
        """The time of the next look (UTC ms); None if none is needed, or a look is under way."""
        if not self._is_asked or self._asking is not None:
            return None
        now = self._clock.now()
        is_urgent = self.since is not None or bool(self._held)
        if not is_urgent and (self.answered_at or self._learns):
            return None
        if self._asked_at is None or self._asked_at > now:  # or the clock was set back
            return now
        return self._asked_at + (AGAIN if is_urgent else HOUR)

    async def settle(self) -> None:
        """Return when no check is under way."""
        while self._asking is not None:
            await asyncio.gather(self._asking, return_exceptions=True)

    async def stop(self) -> None:
        """Ask no more. What is held says nothing."""
        if self._asking is not None:
            self._asking.cancel()
            await self.settle()
        self._let_go(len(self._held), is_cut=True)

    @property
    def _is_likely(self) -> bool:
        """Whether most of what was checked since the first result was held could not be reached."""
        if 2 * self._failing < len(self._latest):
            return False
        failing = sum(2 * each.failing >= each.monitors for each in self._groups.values())
        return 2 * failing > len(self._groups)

    def _note(self, number: int, latest: "_Latest") -> None:
        """Remember the latest result of each monitor while it may tell whether the box is cut off."""
        if not (self._held or self.since is not None or (latest.is_cut and self.answered_at)):
            return
        before = self._latest.get(number)
        if before is not None:
            self._count(before, -1)
        self._latest[number] = latest
        self._count(latest, 1)

    def _count(self, latest: "_Latest", by: int) -> None:
        group = self._groups.setdefault(latest.group, _OrganizationChecks())
        group.monitors += by
        group.failing += by * latest.is_cut
        self._failing += by * latest.is_cut
        if not group.monitors:
            del self._groups[latest.group]

    def _forget_all_but(self, numbers: set[int]) -> None:
        for number in self._latest.keys() - numbers:
            self._count(self._latest.pop(number), -1)

    async def _ask_all(self, held: int) -> None:
        """Ask the canaries about the first `held` results; what came since waits for the next look."""
        is_cut = True
        try:
            canaries = self._canaries(() if self.since is not None else {one.number for one in self._held})
            is_cut = self._found(answers=await self._any_answers(canaries)) if canaries else self._found_none()
        finally:
            self._asking = None
            self._let_go(held, is_cut=is_cut)

    async def _any_answers(self, canaries: Sequence[Monitor]) -> bool:
        """Whether one answers; the others are not waited for."""
        asked = [asyncio.ensure_future(self._ask(canary)) for canary in canaries]
        try:
            for answer in asyncio.as_completed(asked):
                try:
                    if await answer:
                        return True
                except Exception as broken:
                    log.warning("A canary of %s could not be checked: %s", self._network, type(broken).__name__)
            return False
        finally:
            for one in asked:
                one.cancel()

    def _let_go(self, count: int, *, is_cut: bool) -> None:
        held, self._held = self._held[:count], self._held[count:]
        if self.since is None:
            self._forget_all_but({one.number for one in self._held})
        for finished in held:
            self._release(finished._replace(is_conclusive=not (is_cut and _is_cut(finished))))

    def _found(self, *, answers: bool) -> bool:
        """Draw the conclusion of a look; whether the box is cut off."""
        now = self._clock.now()
        if answers:
            self.answered_at = now
        if answers and self.since is not None:
            log.warning("Monitors: %s can be reached again, after %.0f s", self._network, (now - self.since) / 1000)
        elif not answers and self.answered_at and (self._held or self.since is not None) and not self._is_likely:
            log.error("Monitors: no canary of %s answers, but most monitors do, so canaries are ignored", self._network)
            self.answered_at = 0
        elif not answers and self._is_over(now):
            log.error("Monitors: %s has been unreachable for too long, so check results count again", self._network)
            self.answered_at = 0
        elif not answers and self.answered_at and self.since is None and self._held:
            log.warning("Monitors: the server cannot reach %s. Check results are unknown until it can", self._network)
            self.since = now
            return True
        elif not answers:
            return self.since is not None
        self.since = None
        return False

    def _found_none(self) -> bool:
        """Without a host to ask, results count."""
        self.since = None
        return False

    def _is_over(self, now: int) -> bool:
        return self.since is not None and self._longest is not None and now - self.since >= self._longest


def _is_cut(finished: FinishedCheck) -> bool:
    """Whether it may be the box that is cut off."""
    return finished.result.outcome == "fail" and finished.result.reason in OF_THE_NETWORK
