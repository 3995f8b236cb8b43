"""What is asked and what comes back, as values, and a body as it is read: unpacked, and cut at its caps. Pure."""

import zlib
from typing import Final

from msgspec import Struct

from analytics_box.outgoing.failures import BadAnswer
from analytics_box.outgoing.target import Target

_GZIP_OR_ZLIB: Final = 47  # wbits: whichever it is

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


class Body:
    """The body as it comes in, unpacked, up to both caps. Raises BadAnswer for an encoding that was not asked for."""

    def __init__(self, headers: tuple[Header, ...], outgoing: Outgoing) -> None:
        self.kept = bytearray()
        self.complete = True
        self._left = outgoing.body_bytes
        self._most = outgoing.decoded_bytes
        encodings = [value.strip().lower() for name, value in headers if name == "content-encoding"]
        packed = [encoding for encoding in encodings if encoding not in {"", "identity"}]
        if packed and packed not in (["gzip"], ["x-gzip"], ["deflate"]):
            raise BadAnswer("The answer comes in an encoding that was not asked for")
        self._inflate = zlib.decompressobj(wbits=_GZIP_OR_ZLIB) if packed else None

    def take(self, data: bytes) -> bool:
        """Keep some more of it; whether there is room for what follows. Raises BadAnswer."""
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
