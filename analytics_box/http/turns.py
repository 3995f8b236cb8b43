"""Turns: so many requests of one address are answered at once, and others of it wait for theirs.

Each connection may send ahead, and the loop goes round by connection: without turns, hundreds of one address would put
as many answers before everybody else's next step.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """Whose requests are under way; who waits is let in by order of arrival."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._under_way: dict[str, int] = {}  # with those that wait
        self._free: dict[str, asyncio.Semaphore] = {}

    @asynccontextmanager
    async def of(self, network: str) -> AsyncIterator[None]:
        """One turn of an address, once it has a free one."""
        self._under_way[network] = self._under_way.get(network, 0) + 1
        try:
            async with self._free.setdefault(network, asyncio.Semaphore(self._at_once)):
                yield
        finally:
            self._leave(network)

    def _leave(self, network: str) -> None:
        self._under_way[network] -= 1
        if not self._under_way[network]:
            del self._under_way[network], self._free[network]
