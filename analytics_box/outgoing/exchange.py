"""One HTTP/1.1 request over one connection, by httpcore, with how long each step took (monitors: phases)."""

import asyncio
import ssl
import time
from contextlib import aclosing
from typing import Final

from httpcore2 import URL, AsyncHTTP11Connection, LocalProtocolError, NetworkError, RemoteProtocolError, Request

from analytics_box.outgoing.addresses import Address
from analytics_box.outgoing.certificate import certificate_end
from analytics_box.outgoing.connection import Watched, connect, secure
from analytics_box.outgoing.failures import BadAnswer, Refused
from analytics_box.outgoing.messages import Body, Course, Header, Outgoing, Received, ms

_PIECES: Final = 100  # of a body, after which others get their turn
_OWN: Final = frozenset({"host", "content-length", "transfer-encoding", "connection", "te", "upgrade", "expect"})


async def exchange(
    outgoing: Outgoing, addresses: tuple[Address, ...], trust: ssl.SSLContext | None, course: Course
) -> Received:
    """Connect to the first of these vetted addresses that answers, send, and read. Raises Failed."""
    plain = await connect(addresses, outgoing.target.port, course)
    try:
        stream = plain if trust is None else await secure(plain, trust, outgoing.target.host, course)
        expires = certificate_end(stream.get_extra_info("ssl_object"))
        watched = Watched(stream)
        try:
            status, headers, body = await _talk(outgoing, watched)
        finally:
            ended = time.perf_counter()
            if watched.begun:
                course.phases.first_byte = ms(watched.sent, watched.begun)
        course.phases.transfer = ms(watched.begun, ended)
    finally:
        await plain.aclose()  # httpcore leaves a connection open that is given up while it is made secure
    return Received(
        status=status,
        headers=headers,
        body=body.kept,
        size=body.size,
        complete=body.complete,
        certificate_expires_at=expires,
        ended=ended,
    )


async def _talk(outgoing: Outgoing, stream: Watched) -> tuple[int, tuple[Header, ...], Body]:
    try:
        request = _request(outgoing)
        response = await AsyncHTTP11Connection(request.url.origin, stream).handle_async_request(request)
        if response.status == 101:
            raise BadAnswer("The answer does not come to the point")
        stream.expect_body()
        headers = tuple((name.decode("ascii").lower(), value.decode("latin-1")) for name, value in response.headers)
        body = Body(headers, outgoing)
        async with aclosing(response.aiter_stream()) as pieces:
            async for piece in pieces:
                if not body.take(piece):
                    break
                if not body.pieces % _PIECES:
                    await asyncio.sleep(0)
    except (LocalProtocolError, UnicodeError) as wrong:
        raise Refused("The method or a header has characters that cannot be sent") from wrong
    except RemoteProtocolError as wrong:
        raise BadAnswer("The answer is not HTTP, or it ended early") from wrong
    except (NetworkError, OSError) as broken:  # what TLS objects to after the handshake comes as it is
        raise BadAnswer("The connection was broken off before the answer was complete") from broken
    return response.status, headers, body


def _request(outgoing: Outgoing) -> Request:
    target = outgoing.target
    headers = [("Host", target.authority), ("Connection", "close")]
    headers += [(name, value) for name, value in outgoing.headers if name.lower() not in _OWN]
    if outgoing.body or outgoing.method in {"POST", "PUT", "PATCH"}:
        headers.append(("Content-Length", str(len(outgoing.body))))
    url = URL(scheme=target.scheme, host=target.host, port=target.port, target=target.path)
    return Request(outgoing.method, url, headers=headers, content=outgoing.body)
