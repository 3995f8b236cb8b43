"""The content encodings of answers, unpacked within bounds of memory and time.

gzip and deflate are unpacked as they come in. brotli and zstd need up to 16 MB of their own for each body: those are
unpacked when the whole body is there, one at a time in this process.
"""

import sys
import threading
import zlib
from collections.abc import Callable
from typing import Final, Literal, Protocol

from analytics_box.base import later
from analytics_box.base.outgoing.failures import BadAnswer

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
    return BadAnswer(f"The answer is compressed with {extra}, whose library is not installed: {later.missing(extra)}")


_WHOLE: Final[dict[str, Callable[[], Whole]]] = {"br": _brotli, "zstd": _zstd}
_KNOWN: Final = frozenset(("gzip", "x-gzip", "deflate", *_WHOLE))
