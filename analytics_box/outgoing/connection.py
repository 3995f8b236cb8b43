"""A connection to one vetted address, plain or secure, over which httpcore speaks HTTP."""

import ssl
import sys
import time
from typing import Any, Final

from httpcore2 import AnyIOBackend, AsyncNetworkStream, ConnectError, ConnectTimeout

from analytics_box.outgoing.addresses import Address
from analytics_box.outgoing.failures import NotConnected, NotSecure, TooLarge

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


async def connect(addresses: tuple[Address, ...], port: int) -> tuple[AsyncNetworkStream, Address, float]:
    """A connection to the first address that answers, which one, and how long that took in ms. Raises NotConnected."""
    reason = ""
    for address in addresses:
        seconds = None if address == addresses[-1] else _CONNECT_SECONDS
        began = time.perf_counter()
        try:
            return await AnyIOBackend().connect_tcp(str(address), port, seconds), address, ms(began)
        except (ConnectError, ConnectTimeout) as broken:
            reason = _why(broken)
    raise NotConnected(reason)


async def secure(plain: AsyncNetworkStream, trust: ssl.SSLContext, host: str) -> AsyncNetworkStream:
    """TLS over a plain connection. Raises NotSecure."""
    try:
        return await plain.start_tls(trust, host)
    except ConnectError as broken:
        wrong = broken.__cause__
        if isinstance(wrong, ssl.SSLCertVerificationError):
            raise NotSecure(f"The certificate is not accepted: {wrong.verify_message}") from broken
        if isinstance(wrong, ssl.SSLError):
            reason = (wrong.reason or "the other side gives up").replace("_", " ").lower()
            raise NotSecure(f"No secure connection: {reason}") from broken
        raise NotSecure("The other side breaks off while a secure connection is made") from broken


def ms(began: float, ended: float | None = None) -> float:
    """From one perf_counter to another, or to now, in ms."""
    return max(0.0, ((time.perf_counter() if ended is None else ended) - began) * 1000)


def _why(broken: BaseException | None) -> str:
    """What the operating system said, which is the last of the causes."""
    while broken is not None:
        if isinstance(broken, ConnectionRefusedError):
            return "The connection is refused: nothing listens on this port"
        if isinstance(broken, TimeoutError):
            return "Nobody answers at this address"
        broken = broken.__cause__
    return "There is no way to this address"
