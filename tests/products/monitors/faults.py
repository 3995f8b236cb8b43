"""A server with faults on demand, which stands in for the internet: the path of a request says what goes wrong."""

import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final
from warnings import catch_warnings

from tests.base.outgoing.places import OPEN, PEM, plain

EXPIRED_PEM: Final = Path(__file__).with_name("expired.pem")  # for name.test, of an authority that is trusted
EXPIRED_AT: Final = 1_580_515_200_000
SELF_SIGNED_PEM: Final = Path(__file__).with_name("self_signed.pem")
_FOR_EVER: Final = 60  # seconds; every test gives up long before
_GONE: Final = (OSError, asyncio.IncompleteReadError, ssl.SSLError, asyncio.CancelledError)

Serve = Callable[["Faults", asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Faults:
    """Where it listens, what it heard, and how many bytes it got rid of."""

    def __init__(self) -> None:
        self.port = 0
        self.heard: list[bytes] = []
        self.sent = 0
        self.connections = 0

    async def write(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        writer.write(data)
        await writer.drain()
        self.sent += len(data)

    async def endlessly(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        """Until the other side is gone."""
        while not writer.is_closing():
            await self.write(writer, data)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with suppress(*_GONE):
            head = await reader.readuntil(b"\r\n\r\n")
            self.heard.append(head)
            path = head.split(b" ", 2)[1].decode().partition("?")[0].removeprefix("/")
            await FAULTS.get(path, _fine)(self, reader, writer)
        writer.close()


def says(data: bytes) -> Serve:
    """Sends this, and closes."""

    async def serve(faults: Faults, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await faults.write(writer, data)

    return serve


def goes_on(start: bytes, again: bytes) -> Serve:
    """Sends the beginning, and then the same for ever."""

    async def serve(faults: Faults, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await faults.write(writer, start)
        await faults.endlessly(writer, again)

    return serve


def hangs_after(start: bytes) -> Serve:
    """Sends the beginning, and then nothing until the other side is gone."""

    async def serve(faults: Faults, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if start:
            await faults.write(writer, start)
        await asyncio.wait_for(reader.read(), _FOR_EVER)

    return serve


def drips(start: bytes, drop: bytes) -> Serve:
    """Sends the beginning, and then a little at a time."""

    async def serve(faults: Faults, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await faults.write(writer, start)
        while not writer.is_closing():
            await faults.write(writer, drop)
            await asyncio.sleep(0.01)

    return serve


_fine = says(plain(b"hello"))
_OK: Final = b"HTTP/1.1 200 OK\r\n"
_PACKED: Final = b"Content-Encoding: gzip\r\n"


def _bomb() -> bytes:
    packed = gzip.compress(b"\0" * 50_000_000)
    return _OK + _PACKED + b"Content-Length: %d\r\n\r\n" % len(packed) + packed


async def _bombs(faults: Faults, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await faults.write(writer, _bomb())


FAULTS: Final[dict[str, Serve]] = {
    "hang": hangs_after(b""),
    "hang-in-head": hangs_after(_OK + b"Content-Len"),
    "hang-in-body": hangs_after(_OK + b"Content-Length: 10\r\n\r\nhal"),
    "drip-head": drips(_OK, b"X: y\r\n"),
    "drip-body": drips(_OK + b"Content-Length: 1000000\r\n\r\n", b"x"),
    "interim": drips(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    "loop": says(plain(b"", "302 Found", "Location: /loop")),
    "gigabytes": goes_on(_OK + b"Content-Length: 9000000000\r\n\r\n", b"x" * 262_144),
    "endless-chunks": goes_on(_OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 5_000),
    "endless-head": goes_on(_OK, b"X: " + b"y" * 1_000 + b"\r\n"),
    "endless-line": goes_on(b"HTTP/1.1 200 ", b"O" * 10_000),
    "bomb": _bombs,
    "not-packed": says(plain(b"plain", "200 OK", "Content-Encoding: gzip")),
    "silent-close": says(b""),
    "early-close": says(_OK + b"Content-Length: 10\r\n\r\nhalf"),
    "close-in-head": says(_OK + b"Content-Le"),
    "not-http": says(b"220 mail.example.com ESMTP\r\n"),
    "http-0.9": says(b"<html>hello</html>"),
    "bad-status": says(b"HTTP/1.1 two hundred OK\r\n\r\n"),
    "status-0": says(b"HTTP/1.1 000 Nothing\r\n\r\n"),
    "status-long": says(b"HTTP/1.1 20000 OK\r\n\r\n"),
    "bad-header": says(_OK + b"No colon here\r\n\r\n"),
    "two-lengths": says(_OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
    "upgrade": says(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
    "to-nowhere": says(plain(b"", "302 Found", "Location: http://")),
    "to-file": says(plain(b"", "302 Found", "Location: file:///etc/passwd")),
    "to-metadata": says(plain(b"", "302 Found", "Location: http://169.254.169.254/latest/")),
    "to-inside": says(plain(b"", "302 Found", "Location: http://10.0.0.1/")),
    "404": says(plain(b"no", "404 Not Found")),
    "500": says(plain(b"no", "500 Internal Server Error")),
    "503": says(plain(b"no", "503 Service Unavailable")),
    "599": says(plain(b"no", "599 ")),
    "once-moved": says(plain(b"", "301 Moved Permanently", "Location: /there")),
    "json": says(plain(b'{"status": "ok", "db": {"latency_ms": 12}, "nodes": ["a", "b"]}', "200 OK", "X-Kind: a")),
}


def secure(pem: Path = PEM) -> ssl.SSLContext:
    """What a server presents."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    return context


async def old_tls(_: Faults, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Speaks nothing newer than TLS 1.1, and says so in an alert."""
    context = secure()
    with catch_warnings(action="ignore", category=DeprecationWarning):
        context.maximum_version = ssl.TLSVersion.TLSv1_1
        context.minimum_version = ssl.TLSVersion.TLSv1
    context.set_ciphers("ALL:@SECLEVEL=0")
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    session = context.wrap_bio(incoming, outgoing, server_side=True)
    incoming.write(await reader.read(65_536))
    with suppress(ssl.SSLError):
        session.do_handshake()
    writer.write(outgoing.read())


@asynccontextmanager
async def faults(context: ssl.SSLContext | None = None, host: str = OPEN) -> AsyncIterator[Faults]:
    """The server on a free port."""
    found = Faults()
    server = await asyncio.start_server(found.serve, host, 0, ssl=context)
    found.port = server.sockets[0].getsockname()[1]
    try:
        yield found
    finally:
        server.close()


@asynccontextmanager
async def banner(serve: Serve, host: str = OPEN) -> AsyncIterator[Faults]:
    """A server that speaks as soon as somebody connects."""
    found = Faults()

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        found.connections += 1
        with suppress(*_GONE):
            await serve(found, reader, writer)
        writer.close()

    server = await asyncio.start_server(speak, host, 0)
    found.port = server.sockets[0].getsockname()[1]
    try:
        yield found
    finally:
        server.close()
