"""Whether it is the box that is cut off, and not what it checks (monitors: states).

When most checks fail at once for reasons of the network, well-known hosts are asked. Until they answer or do not, such
results are held. Where none answers, the results say nothing. Hosts that never answered before are no evidence: a box
may be where they cannot be reached. Most checks are those of most organizations, too: one whose monitors all fail says
nothing about the box while others find what they ask.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from analytics_box.clock import HOUR, Clock
from analytics_box.monitors.result import OF_THE_NETWORK
from analytics_box.monitors.running.batch import Finished

log = logging.getLogger(__name__)

AT_ONCE: Final = 30_000  # ms in which checks fail "at once"
AGAIN: Final = 10_000  # ms until the hosts are asked again

Ask = Callable[[str], Awaitable[bool]]
Release = Callable[[Finished], None]


class _Latest(NamedTuple):
    """What a monitor's latest check was like, and the organization that it is of."""

    ended: int
    is_cut: bool
    group: str


class _Group(Struct):
    """How many monitors of an organization were checked lately, and how many of them could not be reached."""

    monitors: int = 0
    failing: int = 0


class Isolation:
    """Lets results through, at once or after a look at the `canaries`. Without canaries the box is never cut off.

    `answered_at` is when one last answered, 0 for never, and `since` when the box was found cut off (UTC ms).
    """

    def __init__(self, canaries: Sequence[str], ask: Ask, clock: Clock, release: Release) -> None:
        self.answered_at = 0
        self.since: int | None = None
        self._canaries, self._ask, self._clock, self._release = tuple(canaries), ask, clock, release
        self._latest: dict[int, _Latest] = {}
        self._order: deque[tuple[int, int]] = deque()
        self._failing = 0
        self._groups: dict[str, _Group] = {}
        self._held: list[Finished] = []
        self._asking: asyncio.Task[None] | None = None
        self._asked_at: int | None = None

    def take(self, finished: Finished, *, is_down: bool, group: str = "") -> None:
        """A check has ended, of a monitor that was down before or not; `group` is the organization that it is of."""
        is_cut = _is_cut(finished)
        if not self._canaries or not finished.is_conclusive:
            self._release(finished)
            return
        if not (is_cut and is_down):  # that it still fails is no news
            self._note(finished.number, _Latest(finished.ended, is_cut, group))
        if any(one.number == finished.number for one in self._held):
            self._held.append(finished)  # in their order
        elif not is_cut:
            self._release(finished)
        elif self.since is not None:
            self._release(finished._replace(is_conclusive=False))
        elif self._asking is not None or self._is_likely:
            self._held.append(finished)
            if self._asking is None and self._is_time():
                self._begin()
        else:
            self._release(finished)

    def look(self) -> None:
        """Ask again while the box is cut off or results are held, and where no canary has ever answered."""
        if self._canaries and self._asking is None:
            is_wanted, again = (True, AGAIN) if self.since is not None or self._held else (not self.answered_at, HOUR)
            if is_wanted and self._is_time(again):
                self._begin()

    async def settle(self) -> None:
        """Returns when nobody is asked."""
        while self._asking is not None:
            await asyncio.gather(self._asking, return_exceptions=True)

    async def stop(self) -> None:
        """Ask no more. What is held says nothing."""
        if self._asking is not None:
            self._asking.cancel()
            await self.settle()
        self._let_go(is_cut=True)

    @property
    def _is_likely(self) -> bool:
        if not self.answered_at or 2 * self._failing <= len(self._latest):
            return False
        failing = sum(2 * each.failing > each.monitors for each in self._groups.values())
        return 2 * failing > len(self._groups)

    def _is_time(self, again: int = AGAIN) -> bool:
        return self._asked_at is None or not 0 <= self._clock.now() - self._asked_at < again

    def _note(self, number: int, latest: "_Latest") -> None:
        """Remember the latest result of each monitor for a moment."""
        self._forget(number)
        self._latest[number] = latest
        self._order.append((latest.ended, number))
        self._count(latest, 1)
        while self._order and self._order[0][0] < latest.ended - AT_ONCE:
            old, one = self._order.popleft()
            if one in self._latest and self._latest[one].ended == old:
                self._forget(one)

    def _forget(self, number: int) -> None:
        before = self._latest.pop(number, None)
        if before is not None:
            self._count(before, -1)

    def _count(self, latest: "_Latest", by: int) -> None:
        group = self._groups.setdefault(latest.group, _Group())
        group.monitors += by
        group.failing += by * latest.is_cut
        self._failing += by * latest.is_cut
        if not group.monitors:
            del self._groups[latest.group]

    def _begin(self) -> None:
        self._asked_at = self._clock.now()
        self._asking = asyncio.get_running_loop().create_task(self._ask_all())

    async def _ask_all(self) -> None:
        is_cut = True
        try:
            answers = await asyncio.gather(*map(self._ask, self._canaries), return_exceptions=True)
            is_cut = True not in answers
            self._found(is_cut=is_cut)
        finally:
            self._asking = None
            self._let_go(is_cut=is_cut)

    def _let_go(self, *, is_cut: bool) -> None:
        held, self._held = self._held, []
        for finished in held:
            self._release(finished._replace(is_conclusive=not (is_cut and _is_cut(finished))))

    def _found(self, *, is_cut: bool) -> None:
        now = self._clock.now()
        if not is_cut:
            self.answered_at = now
        if is_cut and self.since is None and self.answered_at and self._held:
            self.since = now
            log.warning("Monitors: the box is cut off from the network; what checks find says nothing until it is not")
        elif not is_cut and self.since is not None:
            log.warning("Monitors: the box is not cut off any more, after %.0f s", (now - self.since) / 1000)
            self.since = None
            self._latest.clear()
            self._order.clear()
            self._groups.clear()
            self._failing = 0


def _is_cut(finished: Finished) -> bool:
    """Whether it may be the box that is cut off."""
    return finished.result.outcome == "fail" and finished.result.reason in OF_THE_NETWORK
