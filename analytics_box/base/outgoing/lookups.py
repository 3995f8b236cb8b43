"""The system's look-ups of names, in threads of their own.

The loop's own threads are few, and a name server that does not answer holds one for half a minute: a handful of such
names would hold up every other look-up. These threads are many, none of them holds up the end of the process, and one
group alone, such as the monitors of one organization, never has all of them.
"""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Final, NamedTuple

from analytics_box.base.outgoing.messages import CANARIES, OTHERS
from analytics_box.base.turns import FairQueue

MOST: Final = 64  # look-ups of all groups at once; further ones wait
PER_GROUP: Final = 16
OWN: Final = 16  # beside them, for each of these that are no group's

Found = list[tuple[Any, ...]]
_Future = asyncio.Future[Found]


class _Job(NamedTuple):
    loop: asyncio.AbstractEventLoop
    future: _Future
    name: str


class Lookups:
    """Starts a thread when a look-up finds none idle, and keeps it."""

    def __init__(
        self,
        look: Callable[[str], Found] | None = None,
        most: int = MOST,
        per_group: int = PER_GROUP,
        own: int = OWN,
    ) -> None:
        self._look = look or _system
        self._shared: FairQueue[_Job] = FairQueue(most, per_group)
        self._own: dict[str, FairQueue[_Job]] = {OTHERS: FairQueue(own, own), CANARIES: FairQueue(own, own)}
        self._begun: SimpleQueue[tuple[FairQueue[_Job], str, _Job]] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = self._free = 0

    async def find(self, name: str, group: str = OTHERS) -> Found:
        """The addresses from getaddrinfo. Raises OSError or UnicodeError."""
        loop = asyncio.get_running_loop()
        future: _Future = loop.create_future()
        room = self._own.get(group, self._shared)
        with self._lock:
            room.add(group, _Job(loop, future, name))
            self._start(room)
        return await future

    def _start(self, room: FairQueue[_Job]) -> None:
        """Give threads what has room now; the lock is held."""
        while (found := room.next()) is not None:
            if self._free:
                self._free -= 1
            else:
                self._threads += 1
                threading.Thread(target=self._work, name="look-up", daemon=True).start()
            self._begun.put((room, *found))

    def _work(self) -> None:
        while True:
            room, group, (loop, future, name) = self._begun.get()
            found = [] if future.cancelled() else self._tried(name)
            with self._lock:
                self._free += 1
                room.leave(group)
                self._start(room)
            with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(_settle, future, found)

    def _tried(self, name: str) -> Found | BaseException:
        try:
            return self._look(name)
        except Exception as broken:
            return broken


def _settle(future: _Future, found: Found | BaseException) -> None:
    if future.done():
        return
    if isinstance(found, BaseException):
        future.set_exception(found)
    else:
        future.set_result(found)


def _system(name: str) -> Found:
    return list(socket.getaddrinfo(name, None, type=socket.SOCK_STREAM))
