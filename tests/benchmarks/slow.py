"""One slow attacker of each kind: a few connections that say next to nothing, for hours."""

import asyncio
import contextlib
import socket

from tests.benchmarks.abuse import KINDS, PIPELINE

ADDRESS = "127.0.0.2"  # whoever is honest comes from 127.0.0.1
CONNECTIONS = 8  # of each kind
PAUSE = 1.0  # seconds between two drops
_HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"

# What follows the opening, drop by drop. Nobody reads what comes where requests are piled up unread.
DROPS = {"silent": b"", "preface": b"\0", "header": b"a", "body": b"a", "unread": PIPELINE, "kept": _HEALTH}


class Slow:
    """All attackers. `opened` counts their connections by kind: those that the box closed are opened anew."""

    def __init__(self, port: int, site: str) -> None:
        self.opened = dict.fromkeys(KINDS, 0)
        self._tasks = [
            asyncio.create_task(self._attack(port, kind, opening(site)))
            for kind, opening in KINDS.items()
            for _ in range(CONNECTIONS)
        ]

    async def end(self) -> None:
        """Leave."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _attack(self, port: int, kind: str, opening: bytes) -> None:
        while True:
            with contextlib.suppress(OSError), socket.socket() as opened:
                opened.setblocking(False)
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
                opened.bind((ADDRESS, 0))
                await asyncio.get_running_loop().sock_connect(opened, ("127.0.0.1", port))
                self.opened[kind] += 1
                await _drip(opened, opening, DROPS[kind], reads=kind != "unread")
            await asyncio.sleep(PAUSE)


async def _drip(opened: socket.socket, opening: bytes, drop: bytes, *, reads: bool) -> None:
    """Returns, or raises OSError, once the box has closed the connection."""
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(opened, opening)
    while True:
        if not reads:
            await asyncio.sleep(PAUSE)
        else:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PAUSE):
                    while await loop.sock_recv(opened, 4_096):
                        pass
                    return
        await loop.sock_sendall(opened, drop)
