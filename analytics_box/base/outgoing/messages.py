"""Requests and answers as values, and a body as it is read: unpacked, cut at its caps, and counted in a
budget that answers share.

gzip and deflate are unpacked as they come in. brotli and zstd need up to 16 MB of their own for each body: those are
unpacked when the whole body is there, one at a time in this process.
"""

import asyncio
import sys
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from io import BytesIO
from ipaddress import IPv4Address, IPv6Address
from types import TracebackType
from typing import Final, Literal, Protocol, Self

from msgspec import Struct, field

from analytics_box.base import later
from analytics_box.base.outgoing.failures import BadAnswer
from analytics_box.base.outgoing.target import RequestTarget
from analytics_box.base.translation import _

NOT_PACKED: Final = "The response cannot be decompressed"
_GZIP_OR_ZLIB: Final = 47  # wbits: whichever it is
_BARE_DEFLATE: Final = -15
_ZSTD_WINDOW: Final = 23  # log2 of 8 MB, which RFC 9659 asks of all who send zstd over HTTP
_TURN: Final = threading.Lock()

Whole = Callable[[bytes, int], bytes]  # the packed body and the number of bytes wanted → at least as many, or all


class Inflating(Protocol):
    """A body that is unpacked as it comes in."""

    def decompress(self, data: bytes, most: int, /) -> bytes:
        """Return up to `most` bytes. Raises BadAnswer."""


class DeflateDecoder:
    """gzip or deflate. With `may_be_bare` the header of deflate may be missing, as some servers send it."""

    def __init__(self, *, may_be_bare: bool) -> None:
        self._inflate = zlib.decompressobj(wbits=_GZIP_OR_ZLIB)
        self._may_be_bare = may_be_bare
        self._begun = b""

    def decompress(self, data: bytes, most: int, /) -> bytes:
        """Return up to `most` bytes. Raises BadAnswer."""
        try:
            return self._decompressed(data, most)
        except zlib.error as wrong:
            raise BadAnswer(NOT_PACKED) from wrong

    def _decompressed(self, data: bytes, most: int) -> bytes:
        if not self._may_be_bare:
            return self._inflate.decompress(data, most)
        self._begun += data
        if len(self._begun) < 2:  # the header, if there is one
            return b""
        data, self._begun, self._may_be_bare = self._begun, b"", False
        try:
            return self._inflate.decompress(data, most)
        except zlib.error:
            self._inflate = zlib.decompressobj(wbits=_BARE_DEFLATE)
            return self._inflate.decompress(data, most)


def encodings(value: str) -> tuple[str, ...]:
    """The content encodings that a header names, in the order in which they were applied.

    Empty if nothing is packed, and if a name is unknown, such as `none` or `UTF-8`: browsers read such a body as it is.
    """
    named = tuple(name for part in value.split(",") if (name := part.strip().lower()) not in {"", "identity"})
    return named if all(name in _KNOWN for name in named) else ()


def whole(encoding: str) -> Whole:
    """The function that unpacks a whole body, one at a time. Raises BadAnswer if its library is not installed."""
    unpacked = _WHOLE[encoding]()

    def in_turn(data: bytes, most: int) -> bytes:
        with _TURN:
            return unpacked(data, most)

    return in_turn


def _brotli() -> Whole:
    try:
        import brotli  # noqa: PLC0415  # seldom wanted; what the extra `brotli` installs
    except ImportError as missing:
        raise _not_installed("brotli") from missing

    def unpacked(data: bytes, most: int) -> bytes:
        try:
            return bytes(brotli.Decompressor().process(data, output_buffer_limit=most))
        except brotli.error as wrong:
            raise BadAnswer(NOT_PACKED) from wrong

    return unpacked


def _zstd() -> Whole:
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd  # noqa: PLC0415  # seldom wanted
        else:
            from backports import zstd  # noqa: PLC0415  # as above; what the extra `zstd` installs
    except ImportError as missing:
        raise _not_installed("zstd") from missing

    def unpacked(data: bytes, most: int) -> bytes:
        options: dict[int, int] = {zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW}
        try:
            return bytes(zstd.ZstdDecompressor(options=options).decompress(data, most))
        except zstd.ZstdError as wrong:
            raise BadAnswer(NOT_PACKED) from wrong

    return unpacked


def _not_installed(extra: Literal["brotli", "zstd"]) -> BadAnswer:
    return BadAnswer(
        _("The response is compressed with {extra}, whose library is not installed: {missing}").format(
            extra=extra, missing=later.missing(extra)
        )
    )


_WHOLE: Final[dict[str, Callable[[], Whole]]] = {"br": _brotli, "zstd": _zstd}
_KNOWN: Final = frozenset(("gzip", "x-gzip", "deflate", *_WHOLE))


MOST: Final = 67_108_864  # bytes of all answers that are kept at once
PER_GROUP: Final = 16_777_216  # of one group, such as the checks of one organization


class BodyBudget:
    """A limit on bytes in total, and a share of them for one group."""

    def __init__(self, most: int = MOST, per_group: int = PER_GROUP) -> None:
        self._most, self._per_group = most, per_group
        self._groups: Counter[str] = Counter()
        self.taken = 0

    def take(self, group: str, size: int) -> bool:
        """Take this many more bytes. Return False, and take none, if they are not available."""
        if self.taken + size > self._most or self._groups[group] + size > self._per_group:
            return False
        self.taken += size
        self._groups[group] += size
        return True

    def give(self, group: str, size: int) -> None:
        """Return bytes to the budget."""
        self.taken -= size
        self._groups[group] -= size
        if not self._groups[group]:
            del self._groups[group]


class Share:
    """The bytes that one request takes of a budget, until the end of its block. `is_short` is whether it was refused
    some.
    """

    def __init__(self, budget: BodyBudget, group: str) -> None:
        self.is_short = False
        self._budget, self._group, self._size = budget, group, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self._budget.give(self._group, self._size)
        self._size = 0

    def take(self, size: int) -> bool:
        """Take this many more bytes. Return False if they are not available."""
        if not self._budget.take(self._group, size):
            self.is_short = True
            return False
        self._size += size
        return True


OTHERS: Final = ""  # on whose behalf is asked what is no check of a monitor, such as webhooks
CANARIES: Final = "canaries"  # the box's own: whether it is cut off is not for the names of monitors to say
_MOST_PIECES: Final = 50_000  # of a body: one in pieces of a byte would cost more time than all others together

Header = tuple[str, str]


class Outgoing(Struct, frozen=True):
    """A request to send. Of the answer's body at most `body_bytes` are read, and `decoded_bytes` kept once unpacked.

    Without `keep` the body is read and counted, and neither unpacked nor kept; the same if `share` has no room for it.
    """

    method: str
    target: RequestTarget
    headers: tuple[Header, ...]
    body: bytes
    body_bytes: int
    decoded_bytes: int
    keep: bool = True
    share: Share | None = None


class RequestPhases(Struct):
    """The times of the steps, in ms; None for a step that did not exist, or was not reached.

    `first_byte` counts from the moment the request was sent.
    """

    dns: float | None = None
    connect: float | None = None
    tls: float | None = None
    first_byte: float | None = None
    transfer: float | None = None


class NetworkSpot(Protocol):
    """Room to ask one network at a time (crowd). `waited` are ms that it took to have it."""

    waited: float

    async def enter(self, address: IPv4Address | IPv6Address) -> None:
        """Ask this address from now on, and no other."""


class RequestCourse(Struct):
    """The progress of a request: written while it runs, so that the caller has it after a failure, too.

    `phases` and `address`, the one that was dialled, are those of the last connection. `group` is the party on whose
    behalf it
    is asked (lookups); without a `spot` it waits for nobody.
    """

    group: str = OTHERS
    phases: RequestPhases = field(default_factory=RequestPhases)
    address: str = ""
    redirects: int = 0
    spot: NetworkSpot | None = None

    async def enter(self, address: IPv4Address | IPv6Address) -> None:
        """Before an address is dialled: wait until it may be."""
        if self.spot is not None:
            await self.spot.enter(address)

    @property
    def waited(self) -> float:
        """For how many ms it had to."""
        return 0.0 if self.spot is None else self.spot.waited


class ReceivedAnswer(Struct, frozen=True):
    """A received answer. `complete` is false if the body was cut; `size` is that of the body as it came, packed.

    `unreadable` says why a body could not be unpacked; it is empty then. The certificate's end is in UTC ms; None for
    http. `ended` is the perf_counter of the last byte.
    """

    status: int
    headers: tuple[Header, ...]
    body: bytes
    size: int
    complete: bool
    unreadable: str
    certificate_expires_at: int | None
    ended: float


class Body:
    """The body as it comes in, unpacked, up to both caps.

    `unreadable` says why it cannot be unpacked. That is for those who look into it: status and headers are right.
    """

    def __init__(self, headers: tuple[Header, ...], outgoing: Outgoing) -> None:
        self._kept = BytesIO()  # which gives its bytes away without a copy
        self.size = self.pieces = 0
        self.complete = True
        self.unreadable = ""
        self._left = outgoing.body_bytes
        self._most = outgoing.decoded_bytes
        self._keeps = outgoing.keep
        self._share = outgoing.share
        self._inflate: Inflating | None = None
        self._whole: Whole | None = None
        if outgoing.keep:
            self._begin(encodings(",".join(value for name, value in headers if name == "content-encoding")))

    def _begin(self, packed: tuple[str, ...]) -> None:
        """Get ready for a body in these encodings."""
        if len(packed) > 1:
            self._give_up("The answer is compressed more than once")
        elif packed and packed[0] not in {"br", "zstd"}:
            self._inflate = DeflateDecoder(may_be_bare=packed[0] == "deflate")
        elif packed:
            try:
                self._whole = whole(packed[0])
            except BadAnswer as missing:
                self._give_up(str(missing))

    def take(self, data: bytes) -> bool:
        """Keep some more of it; whether what follows is read."""
        self.pieces += 1
        goes_on = len(data) <= self._left and self.pieces <= _MOST_PIECES
        data = data[: self._left]
        self._left -= len(data)
        self.size += len(data)
        if self._keeps:
            self._keep(data)
        self.complete = self.complete and goes_on
        return goes_on

    async def unpacked(self) -> bytes:
        """The part of the body that was kept."""
        if self._whole is None or self.unreadable:
            return self._kept.getvalue()
        try:
            plain = await asyncio.to_thread(self._whole, self._kept.getvalue(), self._most + 1)
        except BadAnswer as wrong:
            self._give_up(str(wrong))
            return b""
        self.complete = self.complete and len(plain) <= self._most
        if self._share is not None and not self._share.take(len(plain)):
            self.complete = False
            return b""
        return plain[: self._most]

    def _keep(self, data: bytes) -> None:
        room = self._most - self._kept.tell()
        try:
            plain = data[: room + 1] if self._inflate is None else self._inflate.decompress(data, room + 1)
        except BadAnswer as wrong:
            self._give_up(str(wrong))
            return
        is_whole = len(plain) <= room
        plain = plain[:room]
        if self._share is None or self._share.take(len(plain)):
            self._kept.write(plain)
        else:
            is_whole = False
        if not is_whole:  # what follows is only counted
            self.complete = self._keeps = False

    def _give_up(self, why: str) -> None:
        self.unreadable, self.complete, self._keeps = why, False, False
        self._kept = BytesIO()


def ms(began: float, ended: float | None = None) -> float:
    """From one perf_counter to another, or to now, in ms."""
    return max(0.0, ((time.perf_counter() if ended is None else ended) - began) * 1000)


def status_text(status: int) -> str:
    """A status with its phrase, such as 404 Not Found; the number alone if it is not a known one."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)
