"""An HTTP/1.1 request over one connection, with the time of each step (monitors: phases).

h11 writes the request. The answer is read by `head` and `Framing`, which accept what browsers accept. The bytes are
carried here, so that there is a limit to those before an answer, and a clock for its first byte.
"""

import asyncio
import re
import ssl
import time
from collections.abc import Iterator
from typing import Final

import h11
from msgspec import Struct

from analytics_box.base.outgoing.addresses import Address
from analytics_box.base.outgoing.certificate import certificate_end
from analytics_box.base.outgoing.connection import connect, secure
from analytics_box.base.outgoing.failures import AddressRefused, BadAnswer, TooLarge
from analytics_box.base.outgoing.messages import Body, Header, Outgoing, ReceivedAnswer, RequestCourse, ms
from analytics_box.base.outgoing.stream import TcpStream
from analytics_box.base.translation import _

NOT_HTTP: Final = "The response is not HTTP, or it ended early"
_BEGINNING: Final = b"HTTP/"
_END = re.compile(rb"\n\r?\n")
_STATUS = re.compile(
    rb"HTTP/[0-9](?:\.[0-9])?[ \t]+(?P<status>[1-9][0-9]{2})(?:[^0-9].*)?\Z", re.IGNORECASE | re.DOTALL
)
_MOST_DIGITS: Final = 18  # of a length


class AnswerHead(Struct, frozen=True):
    """A head. Header names are in lower case. `length` is of the body in bytes; None if it says so itself."""

    status: int
    headers: tuple[Header, ...]
    is_chunked: bool
    length: int | None


class HeadReader:
    """Finds the heads in what arrives, interim ones first."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._searched = 0

    def take(self, data: bytes) -> None:
        """Add bytes that have arrived. Raises BadAnswer as soon as they cannot be HTTP."""
        self._data += data
        self._trim()

    def next(self) -> AnswerHead | None:
        """The next head; None until it is complete. Raises BadAnswer."""
        end = _END.search(self._data, max(0, self._searched - 2))
        self._searched = len(self._data)
        if end is None:
            return None
        found = _head(bytes(self._data[: end.start()]))
        del self._data[: end.end()]
        self._searched = 0
        if 100 <= found.status < 200:
            self._trim()
        return found

    @property
    def rest(self) -> bytes:
        """The bytes after the heads that were taken out."""
        return bytes(self._data)

    def _trim(self) -> None:
        """Blank lines may come before a head. Raises BadAnswer for what is no head."""
        if self._data.startswith((b"\r", b"\n")):
            self._data = self._data.lstrip(b"\r\n")
        if self._data[:5].upper() != _BEGINNING[: len(self._data)]:
            raise BadAnswer(NOT_HTTP)


def _head(text: bytes) -> AnswerHead:
    first, *lines = text.split(b"\n")
    found = _STATUS.match(first.rstrip(b"\r"))
    if found is None or b"\0" in text:
        raise BadAnswer(NOT_HTTP)
    headers = _headers(lines)
    is_chunked = _is_chunked(headers)
    return AnswerHead(int(found["status"]), headers, is_chunked, None if is_chunked else _length(headers))


def _headers(lines: list[bytes]) -> tuple[Header, ...]:
    """The headers of these lines. Lines that are none are passed over, with those that continue them."""
    found: list[tuple[str, list[bytes]]] = []
    values: list[bytes] | None = None
    for line in lines:
        text = line.strip(b" \t\r")
        if line[:1] in (b" ", b"\t"):
            if values is not None:
                values.append(text)
            continue
        name, colon, value = text.partition(b":")
        values = [value.strip(b" \t")] if colon and name.strip(b" \t") else None
        if values is not None:
            found.append((name.rstrip(b" \t").decode("latin-1").lower(), values))
    return tuple((name, b" ".join(values).decode("latin-1")) for name, values in found)


def _is_chunked(headers: tuple[Header, ...]) -> bool:
    codings = [part.strip() for name, value in headers if name == "transfer-encoding" for part in value.split(",")]
    return bool(codings) and codings[-1].lower() == "chunked"


def _length(headers: tuple[Header, ...]) -> int | None:
    """The length that is given; None if the body ends with the connection. Raises BadAnswer for two of them."""
    parts = [part.strip() for name, value in headers if name == "content-length" for part in value.split(",")]
    lengths = {int(part) for part in parts if part.isascii() and part.isdecimal() and len(part) <= _MOST_DIGITS}
    if len(lengths) > 1:
        raise BadAnswer(NOT_HTTP)
    return lengths.pop() if lengths else None


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


_HEADER_BYTES: Final = 65_536  # of all that comes before a body
_PIECE: Final = 65_536  # bytes that are read at once
_PIECES: Final = 100  # of a body, after which others get their turn
_OWN: Final = frozenset({"host", "content-length", "transfer-encoding", "connection", "te", "upgrade", "expect"})
_WITH_LENGTH: Final = frozenset({"POST", "PUT", "PATCH"})  # even if they have no body


async def exchange(
    outgoing: Outgoing, addresses: tuple[Address, ...], trust: ssl.SSLContext | None, course: RequestCourse
) -> ReceivedAnswer:
    """Connect to the first of these vetted addresses that answers, send, and read. Raises Failed."""
    plain = await connect(addresses, outgoing.target.port, course)
    try:
        stream = plain if trust is None else await secure(plain, trust, outgoing.target.host, course)
        expires = certificate_end(stream.session)
        talk = _Talk(stream)
        try:
            head, body = await talk.about(outgoing)
        finally:
            ended = time.perf_counter()
            if talk.begun:
                course.phases.first_byte = ms(talk.sent, talk.begun)
        course.phases.transfer = ms(talk.begun, ended)
    finally:
        plain.close()
    kept = await body.unpacked()
    return ReceivedAnswer(
        status=head.status,
        headers=head.headers,
        body=kept,
        size=body.size,
        complete=body.complete,
        unreadable=body.unreadable,
        certificate_expires_at=expires,
        ended=ended,
    )


class _Talk:
    """A request and its answer. `sent` and `begun`, when its first byte came, are perf_counter seconds; 0 for never."""

    def __init__(self, stream: TcpStream) -> None:
        self.sent = self.begun = 0.0
        self._stream = stream
        self._rest = b""  # of what came with the head

    async def about(self, outgoing: Outgoing) -> tuple[AnswerHead, Body]:
        """The head and the body of the answer. Raises Failed."""
        try:
            await self._send(outgoing)
            head = await self._head()
            body = Body(head.headers, outgoing)
            await self._read(body, Framing(head, outgoing.method))
        except (h11.LocalProtocolError, UnicodeError) as wrong:
            raise AddressRefused(_("The method or a header contains invalid characters")) from wrong
        except OSError as broken:  # what TLS objects to after the handshake is one, too
            raise BadAnswer(_("The connection was closed before the response was complete")) from broken
        return head, body

    async def _send(self, outgoing: Outgoing) -> None:
        data = (h11.Connection(h11.CLIENT).send(_request(outgoing)) or b"") + outgoing.body
        try:  # a request that says its length ends without a word
            await self._stream.write(data)
        except ssl.SSLError:
            raise
        except OSError:  # the other side may have answered already, and take no more
            pass
        self.sent = time.perf_counter()

    async def _head(self) -> AnswerHead:
        """The head of the answer, after those that only precede it. Raises TooLarge or BadAnswer."""
        reader, left = HeadReader(), _HEADER_BYTES
        while True:
            head = reader.next()
            if head is None:
                if not left:
                    raise TooLarge(
                        _("The response header is larger than {header_bytes} bytes").format(header_bytes=_HEADER_BYTES)
                    )
                data = await self._receive(min(_PIECE, left))
                if not data:
                    raise BadAnswer(NOT_HTTP)
                left -= len(data)
                reader.take(data)
            elif head.status == 101:
                raise BadAnswer(_("The server switched to another protocol, which was not requested"))
            elif head.status >= 200:
                self._rest = reader.rest
                return head

    async def _read(self, body: Body, framing: Framing) -> None:
        data = self._rest
        while not framing.is_over:
            for piece in framing.pieces(data or await self._receive(_PIECE)):
                if not body.take(piece):
                    return
                if not body.pieces % _PIECES:
                    await asyncio.sleep(0)
            data = b""

    async def _receive(self, most: int) -> bytes:
        """Hear some more of the answer; nothing at its end."""
        data = await self._stream.read(most)
        self.begun = self.begun or time.perf_counter()
        return data


def _request(outgoing: Outgoing) -> h11.Request:
    target = outgoing.target
    headers = [("Host", target.authority), ("Connection", "close")]
    headers += [header for header in outgoing.headers if header[0].lower() not in _OWN]
    if outgoing.body or outgoing.method in _WITH_LENGTH:
        headers.append(("Content-Length", str(len(outgoing.body))))
    return h11.Request(method=outgoing.method, target=target.path, headers=headers)
