"""A connection to one vetted address, plain or secure."""

import asyncio
import ssl
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from analytics_box.base.outgoing.addresses import Address
from analytics_box.base.outgoing.certificate import ServerCertificate, certificate_of
from analytics_box.base.outgoing.failures import BadAnswer, NotConnected, NotSecure, NotTrusted, TooSlow
from analytics_box.base.outgoing.messages import RequestCourse, ms
from analytics_box.base.outgoing.stream import PlainStream, SecureStream, TcpStream, is_end
from analytics_box.base.outgoing.target import HostPort
from analytics_box.base.translation import _

if TYPE_CHECKING:
    from analytics_box.base.outgoing.client import Client

_CONNECT_SECONDS: Final = 5.0  # for each address but the last, so that one dead address does not use up the time


async def connect(addresses: tuple[Address, ...], port: int, course: RequestCourse) -> PlainStream:
    """A connection to the first address that answers; which one and how long it took is in `course`.

    Raises NotConnected.
    """
    reason = ""
    for address in addresses:
        await course.enter(address)
        course.address = str(address)
        began = time.perf_counter()
        try:
            stream = await _dial(address, port, is_last=address == addresses[-1])
        except OSError as broken:  # TimeoutError is one
            reason = _why(broken)
        else:
            course.phases.connect = ms(began)
            return stream
    raise NotConnected(reason)


async def _dial(address: Address, port: int, *, is_last: bool) -> PlainStream:
    """A connection to this address. Raises OSError."""
    stream = PlainStream(address)
    try:
        if is_last:
            await stream.connect(port)
        else:
            async with asyncio.timeout(_CONNECT_SECONDS):
                await stream.connect(port)
    except BaseException:
        stream.close()
        raise
    return stream


async def secure(plain: PlainStream, trust: ssl.SSLContext, host: str, course: RequestCourse) -> SecureStream:
    """TLS over a plain connection. Raises NotSecure, and NotTrusted where only the certificate is wrong."""
    began = time.perf_counter()
    stream = SecureStream(plain, trust, host)
    try:
        await stream.handshake()
    except ssl.SSLCertVerificationError as broken:
        raise NotTrusted(
            _("The certificate is not accepted: {verify_message}").format(verify_message=broken.verify_message)
        ) from broken
    except OSError as broken:
        if isinstance(broken, ssl.SSLError) and not is_end(broken):
            reason = broken.reason or ""
            words = _TLS_WORDS.get(reason) or reason.replace("_", " ").lower()
            raise NotSecure(_("No secure connection: {words}").format(words=words)) from broken
        raise NotSecure(_("The server closed the connection during the TLS handshake")) from broken
    course.phases.tls = ms(began)
    return stream


_TLS_WORDS: Final = {
    "": "the other side gives up",
    "UNSUPPORTED_PROTOCOL": "the other side only speaks an old version of TLS",
    "TLSV1_ALERT_PROTOCOL_VERSION": "the other side speaks no version of TLS that is safe",
    "WRONG_VERSION_NUMBER": "the other side does not speak TLS on this port",
    "PACKET_LENGTH_TOO_LONG": "the other side does not speak TLS on this port",
    "DH_KEY_TOO_SMALL": "the key of the other side is too short to be safe",
}


def _why(broken: OSError) -> str:
    """The operating system's message."""
    if isinstance(broken, ConnectionRefusedError):
        return "The connection is refused: nothing listens on this port"
    if isinstance(broken, TimeoutError):
        return "No server is listening at this address"
    return "This address is unreachable"


class within:  # noqa: N801  as asyncio.timeout reads
    """Give what is done in this block so many seconds. Raises TooSlow."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._timeout = seconds, asyncio.timeout(seconds)

    async def __aenter__(self) -> None:
        await self._timeout.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, broken: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._timeout.__aexit__(kind, broken, trace)
            if isinstance(broken, TimeoutError):  # the system's own
                raise broken
        except TimeoutError as late:
            raise TooSlow(_("No complete response within {seconds:g} seconds").format(seconds=self._seconds)) from late


class Handshake(Struct, frozen=True):
    """The result of a handshake. `wrong` is empty for a certificate that is accepted. `protocol` is like TLSv1.3."""

    certificate: ServerCertificate
    protocol: str
    wrong: str = ""


async def handshake(client: "Client", place: HostPort, *, seconds: float, course: RequestCourse) -> Handshake:
    """Connect and agree on TLS. A certificate that is not accepted is told with the reason. Raises Failed."""
    async with within(seconds):
        addresses = await client.vet(place, course)
        try:
            return await _shaken(client, place, addresses, course, verify=True)
        except NotTrusted as wrong:
            # Nothing is known of a certificate that was refused: a second connection asks for it without judging it.
            found = await _shaken(client, place, addresses, course, verify=False)
            return Handshake(found.certificate, found.protocol, str(wrong))


async def _shaken(
    client: "Client", place: HostPort, addresses: tuple[Address, ...], course: RequestCourse, *, verify: bool
) -> Handshake:
    plain = await connect(addresses, place.port, course)
    try:
        stream = await secure(plain, client.trust(verify=verify), place.host, course)
        session = stream.session
        certificate = certificate_of(session)
        if certificate is None:
            raise NotSecure(_("The server sent no certificate"))
        return Handshake(certificate, str(session.version() or ""))
    finally:
        plain.close()


HEARD_BYTES: Final = 4_096
_QUIET_SECONDS: Final = 1.0  # once somebody has begun to speak, this long a silence is the end of it

Enough = Callable[[bytes], bool]


async def talk(
    client: "Client",
    place: HostPort,
    *,
    seconds: float,
    send: bytes = b"",
    enough: Enough | None,
    course: RequestCourse,
) -> bytes:
    """Connect, send, and read up to 4 KB until `enough` of it is there; without `enough` nothing is read.

    Reading ends with the connection, too, and with a second of silence after the first byte. `course.phases` has the
    first byte, and the last as `transfer`. Raises Failed.
    """
    async with within(seconds):
        addresses = await client.vet(place, course)
        stream = await connect(addresses, place.port, course)
        try:
            if send:
                await stream.write(send)
            return await _read_line(stream, enough, course) if enough is not None else b""
        except OSError as broken:
            raise BadAnswer(_("The connection was closed")) from broken
        finally:
            stream.close()


async def _read_line(stream: TcpStream, enough: Enough, course: RequestCourse) -> bytes:
    began = time.perf_counter()
    heard = await stream.read(HEARD_BYTES)
    if not heard:
        raise BadAnswer(_("The server closed the connection without a response"))
    first = last = time.perf_counter()
    course.phases.first_byte = ms(began, first)
    while len(heard) < HEARD_BYTES and not enough(heard):
        try:
            async with asyncio.timeout(_QUIET_SECONDS):
                more = await stream.read(HEARD_BYTES - len(heard))
        except TimeoutError:
            break
        if not more:
            break
        heard += more
        last = time.perf_counter()
    course.phases.transfer = ms(first, last)
    return heard
