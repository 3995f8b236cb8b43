"""Places on this machine that a client may be asked to reach, a name server, and a client that knows them."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from ipaddress import ip_network
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

from analytics_box.base.outgoing.addresses import Fence
from analytics_box.base.outgoing.certificate import tls_context
from analytics_box.base.outgoing.client import Client, Clients, Trust
from analytics_box.base.outgoing.fences import ALL, STRANGER, Fences, RequestAsker
from analytics_box.base.outgoing.resolve import ServerResolver

OPEN = "127.0.0.99"  # an address that the fence is told to let through
PEM = Path(__file__).with_name("certificate.pem")  # for name.test, valid until 2126; its key guards nothing
EXPIRES = 4_948_844_439_000

Reply = Callable[[bytes], bytes]


def plain(body: bytes = b"hello", status: str = "200 OK", *headers: str) -> bytes:
    """An answer as it goes over the wire."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Web:
    """A server that answers what it is told. `heard` are the requests, `connections` how many there were."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.connections = 0
        self.reply: Reply = lambda _: plain()
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next((line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), b":0")
            request = head + await reader.readexactly(int(length.partition(b":")[2]))
            self.heard.append(request)
            writer.write(self.reply(request))
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def web(host: str = OPEN, *, secure: bool = False) -> AsyncIterator[Web]:
    """A server on a free port."""
    found, context = Web(), None
    if secure:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(PEM)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await found.serve(reader, writer)  # as it is then: a test may put something else in its place

    server = await asyncio.start_server(serve, host, 0, ssl=context)
    found.port = server.sockets[0].getsockname()[1]
    try:
        yield found
    finally:
        server.close()


class Names(asyncio.DatagramProtocol):
    """A name server over UDP. `records` are lists of answers by (name, kind): each question takes the next one.

    The last stays. A name without any is NXDOMAIN.
    """

    def __init__(self) -> None:
        self.records: dict[tuple[str, str], list[list[str]]] = {}
        self.asked: list[tuple[str, str]] = []
        self.port = 0
        self.silent = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        if self.silent:
            return
        query = dns.message.from_wire(data)
        question = query.question[0]
        name, kind = question.name.to_text(omit_final_dot=True), dns.rdatatype.to_text(question.rdtype)
        self.asked.append((name, kind))
        reply = dns.message.make_response(query)
        reply.flags |= dns.flags.RA
        known = self.records.get((name, kind))
        if known:
            answers = known.pop(0) if len(known) > 1 else known[0]
            if answers:
                reply.answer.append(dns.rrset.from_text(question.name, 0, "IN", kind, *answers))
        elif not any(other == name for other, _ in self.records):
            reply.set_rcode(dns.rcode.NXDOMAIN)
        self._transport.sendto(reply.to_wire(), address)


@asynccontextmanager
async def names(bound: socket.socket | None = None) -> AsyncIterator[Names]:
    """A name server on a free port of this machine, or on a socket that is bound already."""
    found = Names()
    where: dict[str, Any] = {"sock": bound} if bound is not None else {"local_addr": ("127.0.0.1", 0)}
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(lambda: found, **where)
    found.port = transport.get_extra_info("sockname")[1]
    try:
        yield found
    finally:
        transport.close()


def client_of(server: Names | None = None, *, allowed: Sequence[str] = (f"{OPEN}/32",), own: int = 0) -> Client:
    """A client that asks this name server, and may reach these ranges; the box itself listens on port `own`."""
    asked = ServerResolver([("127.0.0.1", server.port)] if server else [("127.0.0.1", 9)])
    fence = Fence(tuple(ip_network(text) for text in allowed), "127.0.0.1", own)
    return Client(fence, asked, agent="test", trust=_trust())


def clients_of(server: Names | None = None, *, allowed: Sequence[str] = (f"{OPEN}/32",), own: int = 0) -> Clients:
    """Clients of askers who may all reach these ranges, but for strangers."""
    asked = ServerResolver([("127.0.0.1", server.port)] if server else [("127.0.0.1", 9)])
    fences = Fences(tuple(ip_network(text) for text in allowed), "127.0.0.1", own, opened=lambda _: ALL)
    return Clients(fences, asked, agent="test", trust=_trust())


@contextmanager
def strangers_reach_the_tests() -> Iterator[None]:
    """In here a stranger's fence has a gap for the tests' own address: nothing else answers a stranger's webhook."""
    fence_of = Fences.of

    def of(self: Fences, asker: RequestAsker) -> Fence:
        fence = fence_of(self, asker)
        return Fence((*fence.allowed, ip_network(OPEN))) if asker == STRANGER else fence

    with patch.object(Fences, "of", of):
        yield


def _trust() -> Trust:
    return Trust(tls_context(PEM))
