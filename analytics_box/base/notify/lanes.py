"""Working off an outbox: what goes to one receiver one after the other, to different ones side by side."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Final, Generic, TypeVar

from analytics_box.base import background
from analytics_box.base.turns import FairQueue

T = TypeVar("T")

log = logging.getLogger(__name__)

_AT_ONCE: Final = 32
_OF_GROUP: Final = 8
ROUND: Final = 100  # deliveries looked at in one go


class Lanes(Generic[T]):
    """Works off what is due.

    `due` gives at most ROUND, of each receiver at most one, and none of the lanes and groups that it is given: those
    are under way. `lane` says whose one is, `group` who shares the room, so that receivers of one group that do not
    answer hold up no other. `attempt` tries one and writes down what came of it, so that it is due no more, or later.
    Both raise what the database raises, which ends the round.
    """

    def __init__(
        self,
        due: Callable[[Collection[str], Collection[str]], Awaitable[Sequence[T]]],
        attempt: Callable[[T], Awaitable[None]],
        lane: Callable[[T], str],
        group: Callable[[T], str],
    ) -> None:
        self._due = due
        self._attempt = attempt
        self._lane = lane
        self._group = group
        self._turns: FairQueue[T] = FairQueue(_AT_ONCE, _OF_GROUP)
        self._waiting: set[str] = set()  # lanes of what waits for its turn
        self._look = True  # whether more may be due than waits for its turn
        self._told = asyncio.Event()
        self._busy = False
        self._stopping = False
        self._tasks: set[asyncio.Task[None]] = set()
        # Group and task by lane, so that nothing is sent twice at the same time.
        self._sending: dict[str, tuple[str, asyncio.Task[None]]] = {}

    def soon(self) -> None:
        """Work it off now, without waiting for that: something was put into it."""
        self._told.set()
        if not self._busy:
            background.begin(self._guarded(), self._tasks)

    async def run(self) -> None:
        """Try all that is due. If that is under way already, it looks again instead."""
        self._told.set()
        if self._busy:
            return
        self._busy = True
        try:
            await self._work_off()
        finally:
            self._busy = False

    async def stop(self, seconds: float) -> None:
        """Begin nothing new, and let what is being sent finish, but not for ever."""
        self._stopping = True
        self._told.set()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)
        for task in self._tasks:
            task.cancel()

    async def _work_off(self) -> None:
        """Send everything that is due; return when nothing is in flight."""
        sending = self._sending
        while True:
            if self._told.is_set():
                self._told.clear()
                self._look = True
            try:
                await self._fetch()
            except BaseException:
                self._forget_waiting()
                raise
            self._begin_next()
            if not sending and not self._told.is_set():  # or something was put in after that look
                return
            told = background.begin(self._wait_until_told(), self._tasks)
            done, _ = await asyncio.wait(
                {told, *(task for _, task in sending.values())}, return_when=asyncio.FIRST_COMPLETED
            )
            told.cancel()
            self._take_results(done)

    async def _fetch(self) -> None:
        """Let what is due stand in line: at most a round of each group at the same time."""
        while self._look and not self._stopping:
            found = await self._due({*self._sending, *self._waiting}, self._turns.waiting)
            self._look = len(found) >= ROUND
            for one in found:
                self._waiting.add(self._lane(one))
                self._turns.add(self._group(one), one)
        if self._stopping:
            self._forget_waiting()

    def _begin_next(self) -> None:
        while (coming := self._turns.next()) is not None:
            group, one = coming
            lane = self._lane(one)
            self._waiting.discard(lane)
            self._sending[lane] = group, background.begin(self._try(one), self._tasks)

    def _take_results(self, done: Collection["asyncio.Task[None]"]) -> None:
        """Raises what an attempt raised."""
        ended = [self._sending.pop(lane) for lane, (_, task) in list(self._sending.items()) if task in done]
        for group, _ in ended:
            self._turns.leave(group)
            if not self._turns.waits(group):
                self._look = True
        for _, task in ended:
            if task.exception() is not None:
                self._forget_waiting()
            task.result()

    def _forget_waiting(self) -> None:
        """Discard deliveries that have not begun; the next round finds them again."""
        self._turns.clear()
        self._waiting.clear()
        self._look = True

    async def _wait_until_told(self) -> None:
        await self._told.wait()

    async def _guarded(self) -> None:
        try:
            await self.run()
        except Exception:
            log.exception("Deliveries could not be processed and will be retried")

    async def _try(self, one: T) -> None:
        await self._attempt(one)
