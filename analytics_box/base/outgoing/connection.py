"""A connection to one vetted address, plain or secure."""

import asyncio
import ssl
import time
from typing import Final

from analytics_box.base.outgoing.addresses import Address
from analytics_box.base.outgoing.failures import NotConnected, NotSecure, NotTrusted
from analytics_box.base.outgoing.messages import RequestCourse, ms
from analytics_box.base.outgoing.stream import PlainStream, SecureStream, is_end

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
        raise NotTrusted(f"The certificate is not accepted: {broken.verify_message}") from broken
    except OSError as broken:
        if isinstance(broken, ssl.SSLError) and not is_end(broken):
            reason = broken.reason or ""
            words = _TLS_WORDS.get(reason) or reason.replace("_", " ").lower()
            raise NotSecure(f"No secure connection: {words}") from broken
        raise NotSecure("The other side breaks off while a secure connection is made") from broken
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
