"""What h11 leaves to us: when the first byte came, what may come before an answer, an end to everything."""

import asyncio
import os
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager, suppress
from glob import glob
from typing import cast

import pytest

from analytics_box.base.outgoing.client import OutgoingAnswer, OutgoingRequest
from analytics_box.base.outgoing.failures import BadAnswer, TooLarge, TooSlow
from tests.base.outgoing.places import OPEN, PEM, client_of, names, plain, web
from tests.base.outgoing.test_client import run
from tests.cases import each

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
SECONDS = 0.05


@asynccontextmanager
async def server(serve: Serve) -> AsyncIterator[int]:
    """The port of a server that does this."""
    listening = await asyncio.start_server(serve, OPEN, 0)
    async with listening:
        yield listening.sockets[0].getsockname()[1]


async def fetch(serve: Serve) -> OutgoingAnswer:
    async with server(serve) as port:
        return await client_of().fetch(OutgoingRequest(f"http://{OPEN}:{port}/"))


def test_the_first_byte_is_not_the_whole_head() -> None:
    async def slowly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        whole = plain()
        writer.write(whole[:5])
        await asyncio.sleep(SECONDS)
        writer.write(whole[5:])
        writer.close()

    phases = asyncio.run(fetch(slowly)).phases
    assert (phases.first_byte or 0) > 0
    assert (phases.transfer or 0) > SECONDS * 900


@pytest.mark.parametrize("line", [b"\r\nHTTP/1.1 103 Early Hints\r\n", b"X: 1\r\n"], ids=["interim answers", "headers"])
def test_bytes_before_an_answer_are_bounded(line: bytes) -> None:
    async def endlessly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 103 Early Hints\r\n")
        with suppress(OSError):
            while True:
                writer.write(line * 1_000)
                await writer.drain()
        writer.close()

    with pytest.raises(TooLarge, match="header is larger"):
        asyncio.run(fetch(endlessly))


def test_a_connection_that_never_becomes_secure_is_given_up_with_the_request() -> None:
    async def left() -> bytes:
        ended: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readexactly(100)
            with suppress(OSError):
                await reader.read()
            ended.set_result(b"the other side is gone")
            writer.close()

        async with server(silent) as port:
            with pytest.raises(TooSlow):
                await client_of().fetch(OutgoingRequest(f"https://{OPEN}:{port}/", seconds=0.2))
            return await asyncio.wait_for(ended, 10)

    assert asyncio.run(left())


def test_tls_alert_after_the_handshake_is_no_answer() -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(PEM)
    context.verify_mode = ssl.CERT_REQUIRED  # of the client, which has none and learns of it when it reads

    async def objecting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        session = context.wrap_bio(incoming, outgoing, server_side=True)
        with suppress(ssl.SSLError):
            while True:
                incoming.write(await reader.read(65_536))
                with suppress(ssl.SSLWantReadError):
                    session.do_handshake()
                writer.write(outgoing.read())
        writer.write(outgoing.read())
        writer.close()

    async def asked() -> None:
        async with server(objecting) as port, names() as known:
            known.records[("name.test", "A")] = [[OPEN]]
            await client_of(known).fetch(OutgoingRequest(f"https://name.test:{port}/"))

    with pytest.raises(BadAnswer, match="connection was closed"):
        asyncio.run(asked())


@pytest.mark.parametrize("is_secure", [False, True], ids=["plain", "secure"])
def test_a_body_that_fits_in_no_buffer_arrives_whole_both_ways(*, is_secure: bool) -> None:
    body = bytes(range(256)) * 16_384  # 4 MB

    async def asked() -> tuple[bytes, bytes]:
        async with names() as known, web(secure=is_secure) as place:
            known.records[("name.test", "A")] = [[OPEN]]
            place.reply = lambda request: plain(request.partition(b"\r\n\r\n")[2])
            url = f"{'https' if is_secure else 'http'}://name.test:{place.port}/"
            answer = await client_of(known).fetch(OutgoingRequest(url, method="POST", body=body, body_bytes=len(body)))
            return answer.body, place.heard[0].partition(b"\r\n\r\n")[2]

    assert run(asked()) == (body, body)


def test_an_answer_counts_that_comes_before_the_request_is_taken() -> None:
    async def refusing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(plain(b"too much", "413 Content Too Large"))
        await writer.drain()
        cast(asyncio.Transport, writer.transport).pause_reading()
        writer.write_eof()
        await gone.wait()
        writer.close()

    async def asked() -> OutgoingAnswer:
        try:
            async with server(refusing) as port:
                return await client_of().fetch(OutgoingRequest(f"http://{OPEN}:{port}/", method="PUT", body=b"x" * 100))
        finally:
            gone.set()

    gone = asyncio.Event()
    assert run(asked()).status == 413


@each(
    ("scheme", "said"),
    [("http", b""), ("http", b"HTTP/1.1 200 OK\r\nContent-"), ("http", plain()[:-1]), ("https", b"")],
)
def test_whatever_is_given_up_leaves_no_socket(scheme: str, said: bytes) -> None:
    async def asked() -> list[bytes]:
        heard: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        async def saying(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            first = await reader.read(65_536)
            writer.write(said)
            await writer.drain()
            asking.cancel()
            with suppress(OSError):
                first += await reader.read()
            heard.set_result(first)
            writer.close()

        async with server(saying) as port:
            asking = asyncio.ensure_future(client_of().fetch(OutgoingRequest(f"{scheme}://{OPEN}:{port}/")))
            await asyncio.wait([asking])
            assert asking.cancelled()
            return [await asyncio.wait_for(heard, 10)]

    assert run(asked())


def test_nothing_is_left_of_a_connection_that_is_never_made() -> None:
    async def asked() -> None:
        with socket.socket() as full:  # nobody accepts: once two wait, the next ones hear nothing
            full.bind((OPEN, 0))
            full.listen(0)
            port = full.getsockname()[1]
            with ExitStack() as waiting:
                for _ in range(2):
                    one = waiting.enter_context(socket.socket())
                    one.setblocking(False)
                    one.connect_ex((OPEN, port))
                before = _sockets()
                with pytest.raises(TooSlow):
                    await client_of().fetch(OutgoingRequest(f"http://{OPEN}:{port}/", seconds=0.1))
                assert _sockets() == before

    run(asked())


def _sockets() -> int:
    return sum(os.path.islink(link) and "socket" in os.readlink(link) for link in glob("/proc/self/fd/*"))
