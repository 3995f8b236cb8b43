"""One HTTP/1.1 request over one connection to one address, with how long each step took (monitors: phases)."""

import asyncio
import socket
import ssl
import time
import zlib
from typing import Final

import h11
from msgspec import Struct

from analytics_box.outgoing.addresses import Address
from analytics_box.outgoing.failures import BadAnswer, NotConnected, NotSecure, Refused, TooLarge
from analytics_box.outgoing.target import Target

HEADER_BYTES: Final = 65_536
_CHUNK: Final = 65_536
_CONNECT_SECONDS: Final = 5.0  # for each address but the last, so that one dead address does not use up the time
_MOST_INTERIM: Final = 8  # answers 1xx before the real one
_HEADER_TOO_LARGE: Final = f"The answer's header is larger than {HEADER_BYTES} bytes"
_OWN: Final = frozenset({"host", "content-length", "transfer-encoding", "connection", "te", "upgrade", "expect"})

Header = tuple[str, str]


class Outgoing(Struct, frozen=True):
    """What is sent. Of the answer's body at most `body_bytes` are read, and `decoded_bytes` kept once unpacked."""

    method: str
    target: Target
    headers: tuple[Header, ...]
    body: bytes
    body_bytes: int
    decoded_bytes: int


class Phases(Struct, frozen=True):
    """How long the steps took, in ms. `first_byte` counts from the moment the request was sent."""

    dns: float = 0.0
    connect: float = 0.0
    tls: float = 0.0
    first_byte: float = 0.0
    transfer: float = 0.0


class Received(Struct, frozen=True):
    """What came back. `complete` is false where the body was cut. The certificate's end is in UTC ms; None for http."""

    status: int
    headers: tuple[Header, ...]
    body: bytes
    complete: bool
    address: str
    certificate_expires_at: int | None
    phases: Phases


async def exchange(
    outgoing: Outgoing, addresses: tuple[Address, ...], trust: ssl.SSLContext | None, *, dns: float
) -> Received:
    """Connect to the first of these vetted addresses that answers, send, and read. `dns` is in ms. Raises Failed."""
    target = outgoing.target
    connection, address, connecting = await _connect(addresses, target.port)
    connected = time.perf_counter()
    reader, writer = await _secure(connection, target, trust)
    try:
        secured = time.perf_counter()
        session = ssl_of(writer)
        answer = await _talk(outgoing, reader, writer)
    except OSError as broken:
        raise BadAnswer("The connection was broken off before the answer was complete") from broken
    finally:
        writer.transport.abort()
    return Received(
        status=answer.status,
        headers=answer.headers,
        body=answer.body,
        complete=answer.complete,
        address=str(address),
        certificate_expires_at=_expiry(session),
        phases=Phases(
            dns=dns,
            connect=connecting,
            tls=_ms(connected, secured) if session is not None else 0.0,
            first_byte=_ms(answer.sent, answer.begun),
            transfer=_ms(answer.begun, answer.ended),
        ),
    )


class _Answer(Struct, frozen=True):
    """An answer, and when the request was sent, and the answer began and ended (perf_counter seconds)."""

    status: int
    headers: tuple[Header, ...]
    body: bytes
    complete: bool
    sent: float
    begun: float
    ended: float


async def _connect(addresses: tuple[Address, ...], port: int) -> tuple[socket.socket, Address, float]:
    """A connection, to whom, and how long that took in ms. Raises NotConnected."""
    loop = asyncio.get_running_loop()
    reason = "Nobody answers at this address"
    for address in addresses:
        connection = socket.socket(socket.AF_INET if address.version == 4 else socket.AF_INET6, socket.SOCK_STREAM)
        connection.setblocking(False)
        began = time.perf_counter()
        try:
            async with asyncio.timeout(_CONNECT_SECONDS if address != addresses[-1] else None):
                await loop.sock_connect(connection, (str(address), port))
        except OSError as broken:  # a timeout is one too
            connection.close()
            reason = _why(broken)
        except BaseException:
            connection.close()
            raise
        else:
            return connection, address, _ms(began, time.perf_counter())
    raise NotConnected(reason)


def _why(broken: OSError) -> str:
    if isinstance(broken, ConnectionRefusedError):
        return "The connection is refused: nothing listens on this port"
    if isinstance(broken, TimeoutError):
        return "Nobody answers at this address"
    return "There is no way to this address"


async def _secure(
    connection: socket.socket, target: Target, trust: ssl.SSLContext | None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Reader and writer, with TLS for https. Raises NotSecure."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        if target.scheme == "http":
            return await asyncio.open_connection(sock=connection)
        return await asyncio.open_connection(sock=connection, ssl=trust, server_hostname=target.host)
    except ssl.SSLCertVerificationError as wrong:
        connection.close()
        raise NotSecure(f"The certificate is not accepted: {wrong.verify_message}") from wrong
    except ssl.SSLError as wrong:
        connection.close()
        reason = (wrong.reason or "").replace("_", " ").lower()
        raise NotSecure(f"No secure connection: {reason or 'the other side gives up'}") from wrong
    except OSError as broken:
        connection.close()
        raise NotSecure("The other side breaks off while a secure connection is made") from broken
    except BaseException:
        connection.close()
        raise


async def _talk(outgoing: Outgoing, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> _Answer:
    client = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEADER_BYTES)
    writer.write(_request(client, outgoing))
    await writer.drain()
    sent = time.perf_counter()
    client.receive_data(await reader.read(_CHUNK))
    begun = time.perf_counter()
    response = await _response(client, reader)
    headers = tuple((name.decode("ascii"), value.decode("latin-1")) for name, value in response.headers)
    if sum(len(name) + len(value) for name, value in headers) > HEADER_BYTES:  # one that came in few pieces
        raise TooLarge(_HEADER_TOO_LARGE)
    body = _Body(headers, outgoing)
    while isinstance(event := await _event(client, reader), h11.Data) and body.take(bytes(event.data)):
        pass
    return _Answer(response.status_code, headers, bytes(body.kept), body.complete, sent, begun, time.perf_counter())


async def _response(client: h11.Connection, reader: asyncio.StreamReader) -> h11.Response:
    """The answer's head, after those that are only interim."""
    for _ in range(_MOST_INTERIM):
        event = await _event(client, reader)
        if isinstance(event, h11.Response):
            return event
        if not isinstance(event, h11.InformationalResponse) or event.status_code == 101:
            break
    raise BadAnswer("The answer does not come to the point")


async def _event(client: h11.Connection, reader: asyncio.StreamReader) -> object:
    while True:
        try:
            event = client.next_event()
        except h11.RemoteProtocolError as wrong:
            if wrong.error_status_hint == 431:
                raise TooLarge(_HEADER_TOO_LARGE) from wrong
            raise BadAnswer("The answer is not HTTP, or it ended early") from wrong
        if event is not h11.NEED_DATA:
            return event
        client.receive_data(await reader.read(_CHUNK))


def _request(client: h11.Connection, outgoing: Outgoing) -> bytes:
    """The bytes of a request. Raises Refused for what cannot be sent."""
    headers = [("Host", outgoing.target.authority), ("Connection", "close")]
    headers += [(name, value) for name, value in outgoing.headers if name.lower() not in _OWN]
    if outgoing.body or outgoing.method in {"POST", "PUT", "PATCH"}:
        headers.append(("Content-Length", str(len(outgoing.body))))
    try:
        head = client.send(h11.Request(method=outgoing.method, target=outgoing.target.path, headers=headers))
        rest = client.send(h11.Data(data=outgoing.body)) if outgoing.body else b""
        end = client.send(h11.EndOfMessage())
    except (h11.LocalProtocolError, UnicodeError) as wrong:
        raise Refused("The method or a header has characters that cannot be sent") from wrong
    return b"".join(part or b"" for part in (head, rest, end))


class _Body:
    """The body as it comes in, unpacked, up to both caps."""

    def __init__(self, headers: tuple[Header, ...], outgoing: Outgoing) -> None:
        self.kept = bytearray()
        self.complete = True
        self._left = outgoing.body_bytes
        self._most = outgoing.decoded_bytes
        encodings = [value.strip().lower() for name, value in headers if name == "content-encoding"]
        packed = [encoding for encoding in encodings if encoding not in {"", "identity"}]
        if packed and packed not in (["gzip"], ["x-gzip"], ["deflate"]):
            raise BadAnswer("The answer comes in an encoding that was not asked for")
        self._inflate = zlib.decompressobj(wbits=47) if packed else None  # 47: gzip or zlib, whichever it is

    def take(self, data: bytes) -> bool:
        """Keep some more of it; whether there is room for what follows."""
        if len(data) > self._left:
            data, self.complete = data[: self._left], False
        self._left -= len(data)
        self._keep(data)
        return self.complete

    def _keep(self, data: bytes) -> None:
        room = self._most - len(self.kept)
        if self._inflate is None:
            plain = data[: room + 1]
        else:
            try:
                plain = self._inflate.decompress(data, room + 1)
            except zlib.error as wrong:
                raise BadAnswer("The answer cannot be unpacked") from wrong
        self.kept += plain[:room]
        if len(plain) > room:
            self.complete = False


def ssl_of(writer: asyncio.StreamWriter) -> ssl.SSLObject | None:
    """The TLS side of a connection, if it has one."""
    found: ssl.SSLObject | None = writer.get_extra_info("ssl_object")
    return found


def _expiry(session: ssl.SSLObject | None) -> int | None:
    """When the certificate ends, in UTC ms; None where none was checked."""
    certificate = session.getpeercert() if session is not None else None
    ends = certificate.get("notAfter") if certificate else None
    return ssl.cert_time_to_seconds(ends) * 1000 if isinstance(ends, str) else None


def _ms(began: float, ended: float) -> float:
    return max(0.0, (ended - began) * 1000)
