"""Whether it is the box that is cut off, and not what it checks (monitors: states).

When most checks fail at once for reasons of the network, well-known hosts are asked. Until they answer or do not, such
results are held. Where none answers, the results say nothing. Hosts that never answered before are no evidence: a box
may be where they cannot be reached.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from analytics_box.clock import HOUR, Clock
from analytics_box.monitors.result import OF_THE_NETWORK
from analytics_box.monitors.running.batch import Finished

log = logging.getLogger(__name__)

AT_ONCE: Final = 30_000  # ms in which checks fail "at once"
AGAIN: Final = 10_000  # ms until the hosts are asked again

Ask = Callable[[str], Awaitable[bool]]
Release = Callable[[Finished], None]


class Isolation:
    """Lets results through, at once or after a look at the `canaries`. Without canaries the box is never cut off.

    `answered_at` is when one last answered, 0 for never, and `since` when the box was found cut off (UTC ms).
    """

    def __init__(self, canaries: Sequence[str], ask: Ask, clock: Clock, release: Release) -> None:
        self.answered_at = 0
        self.since: int | None = None
        self._canaries, self._ask, self._clock, self._release = tuple(canaries), ask, clock, release
        self._latest: dict[int, tuple[int, bool]] = {}
        self._order: deque[tuple[int, int]] = deque()
        self._failing = 0
        self._held: list[Finished] = []
        self._asking: asyncio.Task[None] | None = None
        self._asked_at: int | None = None

    def take(self, finished: Finished, *, is_down: bool) -> None:
        """A check has ended, of a monitor that was down before or not."""
        is_cut = finished.result.outcome == "fail" and finished.result.reason in OF_THE_NETWORK
        if not self._canaries or not finished.is_conclusive:
            self._release(finished)
            return
        if not (is_cut and is_down):  # that it still fails is no news
            self._note(finished.number, finished.ended, is_cut=is_cut)
        if not is_cut:
            self._release(finished)
        elif self.since is not None:
            self._release(finished._replace(is_conclusive=False))
        elif self._asking is not None:
            self._held.append(finished)
        elif self._is_likely and self._is_time():
            self._held.append(finished)
            self._begin()
        else:
            self._release(finished)

    def look(self) -> None:
        """Ask again while the box is cut off, and where no canary has ever answered."""
        if self._canaries and self._asking is None:
            is_wanted, again = (True, AGAIN) if self.since is not None else (not self.answered_at, HOUR)
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

    @property
    def _is_likely(self) -> bool:
        return bool(self.answered_at) and 2 * self._failing > len(self._latest)

    def _is_time(self, again: int = AGAIN) -> bool:
        return self._asked_at is None or not 0 <= self._clock.now() - self._asked_at < again

    def _note(self, number: int, ended: int, *, is_cut: bool) -> None:
        """Remember the latest result of each monitor for a moment."""
        self._forget(number)
        self._latest[number] = ended, is_cut
        self._order.append((ended, number))
        self._failing += is_cut
        while self._order and self._order[0][0] < ended - AT_ONCE:
            old, one = self._order.popleft()
            if self._latest.get(one, (0, False))[0] == old:
                self._forget(one)

    def _forget(self, number: int) -> None:
        _, was_cut = self._latest.pop(number, (0, False))
        self._failing -= was_cut

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
            held, self._held = self._held, []
            for finished in held:
                self._release(finished._replace(is_conclusive=not is_cut))

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
            self._failing = 0
