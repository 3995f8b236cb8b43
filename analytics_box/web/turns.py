"""Turns: so many requests of one address are answered at once, and others of it wait for theirs.

Each connection may send ahead, and the loop goes round by connection: without turns, hundreds of one address would put
as many answers before everyone else's next step.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager


class RequestTurns:
    """Requests in progress by address; waiting requests are admitted in order of arrival."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._under_way: dict[str, int] = {}  # with those that wait
        self._free: dict[str, asyncio.Semaphore] = {}

    @asynccontextmanager
    async def of(self, network: str) -> AsyncIterator[Callable[[], None]]:
        """A turn of an address, once it has a free one. It ends with the block, or with a call of what is yielded:
        an answer that only waits for its client needs no turn."""
        self._under_way[network] = self._under_way.get(network, 0) + 1
        free = self._free.setdefault(network, asyncio.Semaphore(self._at_once))
        has_turn = False

        def end() -> None:
            nonlocal has_turn
            if has_turn:
                has_turn = False
                free.release()

        try:
            await free.acquire()
            has_turn = True
            yield end
        finally:
            end()
            self._leave(network)

    def _leave(self, network: str) -> None:
        self._under_way[network] -= 1
        if not self._under_way[network]:
            del self._under_way[network], self._free[network]
