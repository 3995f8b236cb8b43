"""Checks under way: at most so many at once, and few of one host. What has to wait does so without a task."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Final

GLOBAL: Final = 256
SLOW: Final = 128  # of those that took long last time, beside the others
PER_HOST: Final = 4

Run = Callable[[], Coroutine[Any, Any, None]]


class Pool:
    """Runs at most `most` at once, and at most `per_host` of those of one host; others wait in the order they came."""

    def __init__(self, most: int = GLOBAL, per_host: int = PER_HOST) -> None:
        self._most, self._per_host = most, per_host
        self._ready: deque[tuple[str, int, Run]] = deque()
        self._waiting: dict[str, deque[tuple[int, Run]]] = {}  # for another one of their host
        self._hosts: dict[str, int] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._dropped: set[int] = set()
        self._next = 0

    @property
    def running(self) -> int:
        """How many run now."""
        return len(self._tasks)

    def submit(self, host: str, run: Run, *, at_once: bool = False) -> int:
        """Run this when there is room, or whatever there is; returns what it can be dropped by."""
        self._next += 1
        ticket, count = self._next, self._hosts.get(host, 0)
        if count >= self._per_host and not at_once:
            self._waiting.setdefault(host, deque()).append((ticket, run))
            return ticket
        self._hosts[host] = count + 1
        if at_once:
            self._begin(host, ticket, run)
        else:
            self._ready.append((host, ticket, run))
            self._start()
        return ticket

    def drop(self, ticket: int) -> None:
        """Break off what was submitted and has not ended, or never begin it."""
        task = self._tasks.get(ticket)
        if task is not None:
            task.cancel()
        else:
            self._dropped.add(ticket)

    async def stop(self, seconds: float) -> None:
        """Begin nothing more, give what runs this long, and break off the rest."""
        self._ready.clear()
        self._waiting.clear()
        tasks = list(self._tasks.values())
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def settle(self) -> None:
        """Returns when nothing runs or waits."""
        while self._tasks:
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _start(self) -> None:
        while self._ready and len(self._tasks) < self._most:
            host, ticket, run = self._ready.popleft()
            if ticket in self._dropped:
                self._dropped.discard(ticket)
                self._free(host)
                continue
            self._begin(host, ticket, run)

    def _begin(self, host: str, ticket: int, run: Run) -> None:
        task = asyncio.get_running_loop().create_task(run())
        self._tasks[ticket] = task
        task.add_done_callback(lambda _: self._ended(host, ticket))

    def _ended(self, host: str, ticket: int) -> None:
        del self._tasks[ticket]
        self._free(host)
        self._start()

    def _free(self, host: str) -> None:
        """Let the next one of this host stand in line."""
        waiting = self._waiting.get(host)
        while waiting:
            ticket, run = waiting.popleft()
            if ticket not in self._dropped:
                self._ready.append((host, ticket, run))
                break
            self._dropped.discard(ticket)
        else:
            self._hosts[host] -= 1
            if not self._hosts[host]:
                del self._hosts[host]
        if not waiting:
            self._waiting.pop(host, None)
