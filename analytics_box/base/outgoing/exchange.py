"""An HTTP/1.1 request over one connection, with the time of each step (monitors: phases).

h11 writes the request. The answer is read by `head` and `framing`, which accept what browsers accept. The bytes are
carried here, so that there is a limit to those before an answer, and a clock for its first byte.
"""

import asyncio
import ssl
import time
from typing import Final

import h11

from analytics_box.base.outgoing.addresses import Address
from analytics_box.base.outgoing.certificate import certificate_end
from analytics_box.base.outgoing.connection import connect, secure
from analytics_box.base.outgoing.failures import AddressRefused, BadAnswer, TooLarge
from analytics_box.base.outgoing.framing import Framing
from analytics_box.base.outgoing.head import NOT_HTTP, AnswerHead, HeadReader
from analytics_box.base.outgoing.messages import Body, Outgoing, ReceivedAnswer, RequestCourse, ms
from analytics_box.base.outgoing.stream import TcpStream

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
            raise AddressRefused("The method or a header has characters that cannot be sent") from wrong
        except OSError as broken:  # what TLS objects to after the handshake is one, too
            raise BadAnswer("The connection was broken off before the answer was complete") from broken
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
                    raise TooLarge(f"The answer's header is larger than {_HEADER_BYTES} bytes")
                data = await self._receive(min(_PIECE, left))
                if not data:
                    raise BadAnswer(NOT_HTTP)
                left -= len(data)
                reader.take(data)
            elif head.status == 101:
                raise BadAnswer("The server switched to another protocol, which was not requested")
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
