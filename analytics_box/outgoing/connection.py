"""A connection to one vetted address, plain or secure, over which httpcore speaks HTTP."""

import ssl
import sys
import time
from typing import Any, Final

import anyio._backends._asyncio  # noqa: F401  else the first connection waits for it, and its time would be wrong
from httpcore2 import AnyIOBackend, AsyncNetworkStream, ConnectError, ConnectTimeout

from analytics_box.outgoing.addresses import Address
from analytics_box.outgoing.failures import NotConnected, NotSecure, NotTrusted, TooLarge
from analytics_box.outgoing.messages import Course, ms

_HEADER_BYTES: Final = 65_536
_CONNECT_SECONDS: Final = 5.0  # for each address but the last, so that one dead address does not use up the time


class Watched(AsyncNetworkStream):
    """What httpcore has no limit and no clock for: how much comes before an answer, and when its first byte does.

    `sent` and `begun` are perf_counter seconds. (Its traces tell of an answer once the whole head is there.)
    """

    def __init__(self, stream: AsyncNetworkStream) -> None:
        self.sent = self.begun = 0.0
        self._stream = stream
        self._left = _HEADER_BYTES

    async def write(self, buffer: bytes, *_: Any, **__: Any) -> None:
        try:
            await self._stream.write(buffer)
        finally:  # httpcore reads on when the other side has answered already and takes no more
            self.sent = time.perf_counter()

    async def read(self, max_bytes: int, *_: Any, **__: Any) -> bytes:
        """Raises TooLarge."""
        if not self._left:
            raise TooLarge(f"The answer's header is larger than {_HEADER_BYTES} bytes")
        data = await self._stream.read(min(max_bytes, self._left))
        self.begun = self.begun or time.perf_counter()
        self._left -= len(data)
        return data

    def expect_body(self) -> None:
        """The head is whole; a body has caps of its own."""
        self._left = sys.maxsize

    async def aclose(self) -> None:
        await self._stream.aclose()


async def connect(addresses: tuple[Address, ...], port: int, course: Course) -> AsyncNetworkStream:
    """A connection to the first address that answers; which one and how long it took is in `course`.

    Raises NotConnected.
    """
    reason = ""
    for address in addresses:
        seconds = None if address == addresses[-1] else _CONNECT_SECONDS
        await course.enter(address)
        course.address = str(address)
        began = time.perf_counter()
        try:
            stream = await AnyIOBackend().connect_tcp(course.address, port, seconds)
        except (ConnectError, ConnectTimeout) as broken:
            reason = _why(broken)
        else:
            course.phases.connect = ms(began)
            return stream
    raise NotConnected(reason)


async def secure(plain: AsyncNetworkStream, trust: ssl.SSLContext, host: str, course: Course) -> AsyncNetworkStream:
    """TLS over a plain connection. Raises NotSecure, and NotTrusted where only the certificate is wrong."""
    began = time.perf_counter()
    try:
        stream = await plain.start_tls(trust, host)
    except ConnectError as broken:
        wrong = broken.__cause__
        if isinstance(wrong, ssl.SSLCertVerificationError):
            raise NotTrusted(f"The certificate is not accepted: {wrong.verify_message}") from broken
        if isinstance(wrong, ssl.SSLError):
            raise NotSecure(f"No secure connection: {_words(wrong.reason or '')}") from broken
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


def _words(reason: str) -> str:
    return _TLS_WORDS.get(reason) or reason.replace("_", " ").lower()


def _why(broken: BaseException | None) -> str:
    """What the operating system said, which is the last of the causes."""
    while broken is not None:
        if isinstance(broken, ConnectionRefusedError):
            return "The connection is refused: nothing listens on this port"
        if isinstance(broken, TimeoutError):
            return "Nobody answers at this address"
        broken = broken.__cause__
    return "There is no way to this address"
