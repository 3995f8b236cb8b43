"""Bytes to and from the other side: over a plain socket, or over TLS on top of one.

Both read only when they are asked to, so that nothing piles up, and both may be given up at any moment.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable
from typing import Any, Final, Protocol, TypeVar

from analytics_box.base.outgoing.addresses import Address

_PIECE: Final = 65_536  # bytes that TLS takes from its socket at once

T = TypeVar("T")


class TcpStream(Protocol):
    """A connection."""

    @property
    def session(self) -> ssl.SSLObject | None:
        """Its TLS, if it has one."""

    async def write(self, data: bytes) -> None:
        """Send all of it. Raises OSError."""

    async def read(self, most: int) -> bytes:
        """At most so many bytes, as soon as there are some; none at the end. Raises OSError."""

    def close(self) -> None:
        """Give it up. A second call does nothing."""


class PlainStream:
    """A TCP connection, over which the loop only says when there is something to do."""

    session: ssl.SSLObject | None = None

    def __init__(self, address: Address) -> None:
        """A socket that is not connected yet. Raises OSError."""
        family = socket.AF_INET if address.version == 4 else socket.AF_INET6
        self._address = str(address)
        self._loop = asyncio.get_running_loop()
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        self._socket.setblocking(False)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    async def connect(self, port: int) -> None:
        """Connect to the address, which is never looked up. Raises OSError."""
        try:
            self._socket.connect((self._address, port))
        except BlockingIOError:
            await self._until(self._loop.add_writer, self._loop.remove_writer)
            code = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if code:
                raise OSError(code, "cannot connect") from None

    async def write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            try:
                left = left[self._socket.send(left) :]
            except BlockingIOError:
                await self._until(self._loop.add_writer, self._loop.remove_writer)

    async def read(self, most: int) -> bytes:
        while True:
            await self._until(self._loop.add_reader, self._loop.remove_reader)
            try:
                return self._socket.recv(most)
            except BlockingIOError:  # woken for nothing
                continue

    def close(self) -> None:
        self._socket.close()

    async def _until(self, begin: Callable[..., None], end: Callable[[int], Any]) -> None:
        """Wait until the socket is ready for more."""
        number, ready = self._socket.fileno(), self._loop.create_future()
        begin(number, _wake, ready)
        try:
            await ready
        finally:
            end(number)


class SecureStream:
    """TLS over a plain connection. Closing it closes that, without a word: as most of the web does."""

    def __init__(self, plain: PlainStream, trust: ssl.SSLContext, host: str) -> None:
        self._plain = plain
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.session: ssl.SSLObject = trust.wrap_bio(self._incoming, self._outgoing, server_hostname=host)

    async def handshake(self) -> None:
        """Agree on TLS. Raises ssl.SSLError, and OSError where the connection breaks."""
        await self._done(self.session.do_handshake)

    async def write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[await self._done(lambda: self.session.write(left)) :]  # noqa: B023  called at once

    async def read(self, most: int) -> bytes:
        try:
            return await self._done(lambda: self.session.read(most))
        except ssl.SSLZeroReturnError:
            return b""
        except ssl.SSLError as broken:
            if is_end(broken):  # many servers hang up without the end that TLS has for it
                return b""
            raise

    def close(self) -> None:
        self._plain.close()

    async def _done(self, step: Callable[[], T]) -> T:
        """The result of a step of TLS once it has been given all that it waits for."""
        while True:
            try:
                result = step()
            except ssl.SSLWantReadError:
                await self._send()
                data = await self._plain.read(_PIECE)
                if data:
                    self._incoming.write(data)
                else:
                    self._incoming.write_eof()
            else:
                await self._send()
                return result

    async def _send(self) -> None:
        if self._outgoing.pending:
            await self._plain.write(self._outgoing.read())


def is_end(broken: ssl.SSLError) -> bool:
    """Whether TLS only objects to the connection's end."""
    return isinstance(broken, ssl.SSLEOFError) or "UNEXPECTED_EOF" in (broken.reason or "")


def _wake(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)
