"""The system's look-ups of names, in threads of their own.

The loop's own threads are few, and a name server that does not answer holds one for half a minute: a handful of such
names would hold up every other look-up. These threads are many, and none of them holds up the end of the process.
"""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Final

MOST: Final = 64  # look-ups at once; further ones wait

Found = list[tuple[Any, ...]]
_Future = asyncio.Future[Found]


class Lookups:
    """Starts a thread when a look-up finds none idle, and keeps it."""

    def __init__(self, look: Callable[[str], Found] | None = None, most: int = MOST) -> None:
        self._look = look or _system
        self._most = most
        self._waiting: SimpleQueue[tuple[asyncio.AbstractEventLoop, _Future, str]] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = self._free = 0

    async def find(self, name: str) -> Found:
        """What getaddrinfo says. Raises OSError or UnicodeError."""
        loop = asyncio.get_running_loop()
        future: _Future = loop.create_future()
        with self._lock:
            starts = self._free <= 0 and self._threads < self._most
            self._threads += starts
            self._free += starts - 1  # below 0: so many wait for a thread
        if starts:
            threading.Thread(target=self._work, name="look-up", daemon=True).start()
        self._waiting.put((loop, future, name))
        return await future

    def _work(self) -> None:
        while True:
            loop, future, name = self._waiting.get()
            found = [] if future.cancelled() else self._tried(name)
            with self._lock:
                self._free += 1
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
