"""Working off an outbox: what goes to one receiver one after the other, to different ones side by side."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")

log = logging.getLogger(__name__)

_AT_ONCE: Final = 32


class Lanes(Generic[T]):
    """Works off what is due.

    `due` gives some of it, of each receiver at most one; `lane` says whose it is. `attempt` tries one and writes down
    what came of it, so that it is due no more, or later. Both raise what the database raises, which ends the round.
    """

    def __init__(
        self,
        due: Callable[[], Awaitable[Sequence[T]]],
        attempt: Callable[[T], Awaitable[None]],
        lane: Callable[[T], str],
    ) -> None:
        self._due = due
        self._attempt = attempt
        self._lane = lane
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._told = asyncio.Event()
        self._busy = False
        self._stopping = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._sending: dict[str, asyncio.Task[None]] = {}  # by lane, so that nothing is sent twice at once

    def soon(self) -> None:
        """Work it off now, without waiting for that: something was put into it."""
        self._told.set()
        if not self._busy:
            self._begin(self._guarded())

    async def run(self) -> None:
        """Try all that is due. If that is under way already, it looks once more instead."""
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
        """Returns when nothing is due or on its way any more."""
        sending = self._sending
        while True:
            self._told.clear()
            for one in [] if self._stopping else await self._due():
                lane = self._lane(one)
                if lane not in sending:
                    sending[lane] = self._begin(self._try(one))
            if not sending:
                return
            told = self._begin(self._wait_until_told())
            done, _ = await asyncio.wait({told, *sending.values()}, return_when=asyncio.FIRST_COMPLETED)
            told.cancel()
            for lane in [lane for lane, task in sending.items() if task in done]:
                sending.pop(lane).result()

    async def _wait_until_told(self) -> None:
        await self._told.wait()

    async def _guarded(self) -> None:
        try:
            await self.run()
        except Exception:
            log.exception("Deliveries could not be worked off; they are tried again")

    def _begin(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _try(self, one: T) -> None:
        async with self._slots:
            await self._attempt(one)
