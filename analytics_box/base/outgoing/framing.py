"""The end of the body of an HTTP/1 answer, found as browsers find it. Pure."""

import re
from collections.abc import Iterator
from typing import Final

from analytics_box.base.outgoing.failures import BadAnswer
from analytics_box.base.outgoing.head import NOT_HTTP, AnswerHead

_LINE_BYTES: Final = 16_384  # of a line about a chunk, and of all after the last chunk
_SIZE = re.compile(rb"([0-9a-fA-F]{1,15})[ \t]*(?:;.*)?\r?\Z", re.DOTALL)
_EMPTY: Final = frozenset((204, 304))


class Framing:
    """Takes the body of an answer out of what arrives. `is_over` is whether its end was there."""

    def __init__(self, head: AnswerHead, method: str) -> None:
        self._left = 0 if method == "HEAD" or head.status in _EMPTY else head.length
        self._chunks = _Chunks() if head.is_chunked and self._left != 0 else None
        self.is_over = self._left == 0

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """The pieces of the body in the next bytes; no bytes are the end of the connection. Raises BadAnswer."""
        if self._chunks is not None:
            if not data:
                raise BadAnswer(NOT_HTTP)
            yield from self._chunks.pieces(data)
            self.is_over = self._chunks.is_over
        elif self._left is None:
            self.is_over = not data
            if data:
                yield data
        elif not data:
            raise BadAnswer(NOT_HTTP)
        else:
            piece = data[: self._left]
            self._left -= len(piece)
            self.is_over = not self._left
            yield piece


class _Chunks:
    """A body in chunks. Lines may end without a carriage return, and what follows the last chunk is passed over."""

    def __init__(self) -> None:
        self.is_over = False
        self._line = b""  # the beginning of one
        self._left = 0  # bytes of the chunk that are still to come
        self._is_after = False  # whether the end of a chunk's line comes next
        self._trailer = -1  # bytes after the last chunk, once it was there

    def pieces(self, data: bytes) -> Iterator[bytes]:
        place = 0
        while place < len(data) and not self.is_over:
            if self._left:
                piece = data[place : place + self._left]
                place += len(piece)
                self._left -= len(piece)
                self._is_after = not self._left
                yield piece
                continue
            end = data.find(b"\n", place) + 1
            self._line += data[place : end or len(data)]
            if len(self._line) > _LINE_BYTES:
                raise BadAnswer(NOT_HTTP)
            place = end or len(data)
            if end:
                line, self._line = self._line[:-1], b""
                self._take(line)

    def _take(self, line: bytes) -> None:
        """Take a whole line. Raises BadAnswer."""
        if self._is_after:
            if line.rstrip(b"\r"):
                raise BadAnswer(NOT_HTTP)
            self._is_after = False
        elif self._trailer >= 0:
            self._trailer += len(line) + 1
            self.is_over = not line.rstrip(b"\r")
            if self._trailer > _LINE_BYTES:
                raise BadAnswer(NOT_HTTP)
        else:
            size = _SIZE.match(line)
            if size is None:
                raise BadAnswer(NOT_HTTP)
            self._left = int(size[1], 16)
            if not self._left:
                self._trailer = 0
