"""One connection to a box that may be killed at any moment."""

import asyncio

PATIENCE = 30.0  # seconds until an answer counts as none
PAUSE = 0.05  # seconds between two tries to connect


class Line:
    """A connection that is opened anew when it has broken, for one request at a time."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, request: bytes) -> int | None:
        """The status of the answer; None where there is none. Waits as long as nobody listens."""
        reader, writer = self._streams or await self._connected()
        try:
            async with asyncio.timeout(PATIENCE):
                writer.write(request)
                return await _status(reader)
        except (OSError, asyncio.IncompleteReadError):  # a time that is over is the first
            writer.close()
            self._streams = None
            return None

    def close(self) -> None:
        """Hang up."""
        if self._streams is not None:
            self._streams[1].close()

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        while True:
            try:
                self._streams = await asyncio.open_connection("127.0.0.1", self._port)
            except OSError:
                await asyncio.sleep(PAUSE)
            else:
                return self._streams


async def _status(reader: asyncio.StreamReader) -> int:
    """Read one answer whole; its status."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    _, named, rest = head.partition(b"content-length:")
    await reader.readexactly(int(rest.split(b"\r\n", 1)[0]) if named else 0)
    return int(head.split(b" ", 2)[1])
