"""Running checks, limited in number, per group and per host. Waiting checks have no task."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Final, NamedTuple

from analytics_box.base.turns import FairQueue

GLOBAL: Final = 256
PER_GROUP: Final = 64
SLOW: Final = 128  # of those that took long last time, next to the others
SLOW_PER_GROUP: Final = 32
PER_HOST: Final = 4
AT_ONCE: Final = 16  # next to them, that people wait for
AT_ONCE_PER_GROUP: Final = 4

Run = Callable[[], Coroutine[Any, Any, None]]
Host = tuple[str, str]  # a group and a host: what one group asks of a host holds up no other


class _Work(NamedTuple):
    host: Host | None  # none for what is wanted at once
    ticket: int
    run: Run


class Pool:
    """Runs at most `most` at once, and at most `per_group` of one group and `per_host` of its checks of one host.

    Others wait: those of a group in the order they came, groups in turn. What is wanted at once has room of its own.
    """

    def __init__(
        self,
        most: int = GLOBAL,
        per_host: int = PER_HOST,
        *,
        per_group: int = PER_GROUP,
        at_once: int = AT_ONCE,
        at_once_per_group: int = AT_ONCE_PER_GROUP,
    ) -> None:
        self._per_host = per_host
        self._due: FairQueue[_Work] = FairQueue(most, per_group)
        self._at_once: FairQueue[_Work] = FairQueue(at_once, at_once_per_group)
        self._waiting: dict[Host, deque[_Work]] = {}  # for another one of their host
        self._hosts: dict[Host, int] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._dropped: set[int] = set()
        self._next = 0

    @property
    def running(self) -> int:
        """The number of checks in progress."""
        return len(self._tasks)

    def submit(self, host: str, run: Run, *, group: str = "", at_once: bool = False) -> int:
        """Run this when there is room, or soon, since someone waits for it; returns what it can be dropped by."""
        self._next += 1
        work = _Work(None if at_once else (group, host), self._next, run)
        if work.host is None:
            self._at_once.add(group, work)
            self._start(self._at_once)
        elif self._hosts.get(work.host, 0) >= self._per_host:
            self._waiting.setdefault(work.host, deque()).append(work)
        else:
            self._hosts[work.host] = self._hosts.get(work.host, 0) + 1
            self._due.add(group, work)
            self._start(self._due)
        return work.ticket

    def drop(self, ticket: int) -> None:
        """Break off what was submitted and has not ended, or never begin it."""
        task = self._tasks.get(ticket)
        if task is not None:
            task.cancel()
        else:
            self._dropped.add(ticket)

    async def stop(self, seconds: float) -> None:
        """Begin nothing more, give what runs this long, and break off the rest."""
        self._due.clear()
        self._at_once.clear()
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
            # In Python 3.14 `gather` does not wait for tasks that have ended and are not removed here yet.
            await asyncio.wait(self._tasks.values())

    def _start(self, line: FairQueue[_Work]) -> None:
        while (found := line.next()) is not None:
            group, work = found
            if work.ticket in self._dropped:
                self._dropped.discard(work.ticket)
                self._leave(line, group, work)
            else:
                self._begin(line, group, work)

    def _begin(self, line: FairQueue[_Work], group: str, work: _Work) -> None:
        task = asyncio.get_running_loop().create_task(work.run())
        self._tasks[work.ticket] = task
        task.add_done_callback(lambda _: self._ended(line, group, work))

    def _ended(self, line: FairQueue[_Work], group: str, work: _Work) -> None:
        del self._tasks[work.ticket]
        self._leave(line, group, work)
        self._start(line)

    def _leave(self, line: FairQueue[_Work], group: str, work: _Work) -> None:
        line.leave(group)
        if work.host is not None:
            self._free(work.host)

    def _free(self, host: Host) -> None:
        """Let the next one of this host stand in line."""
        waiting = self._waiting.get(host)
        while waiting:
            work = waiting.popleft()
            if work.ticket not in self._dropped:
                self._due.add(host[0], work)
                break
            self._dropped.discard(work.ticket)
        else:
            self._hosts[host] -= 1
            if not self._hosts[host]:
                del self._hosts[host]
        if not waiting:
            self._waiting.pop(host, None)
