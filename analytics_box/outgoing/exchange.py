"""One HTTP/1.1 request over one connection, by httpcore, with how long each step took (monitors: phases)."""

import ssl
import time
from contextlib import aclosing
from typing import Final

from httpcore2 import URL, AsyncHTTP11Connection, LocalProtocolError, NetworkError, RemoteProtocolError, Request

from analytics_box.outgoing.addresses import Address
from analytics_box.outgoing.connection import Watched, connect, ms, secure
from analytics_box.outgoing.failures import BadAnswer, Refused
from analytics_box.outgoing.messages import Body, Header, Outgoing, Phases, Received

_OWN: Final = frozenset({"host", "content-length", "transfer-encoding", "connection", "te", "upgrade", "expect"})


async def exchange(
    outgoing: Outgoing, addresses: tuple[Address, ...], trust: ssl.SSLContext | None, *, dns: float
) -> Received:
    """Connect to the first of these vetted addresses that answers, send, and read. `dns` is in ms. Raises Failed."""
    plain, address, connecting = await connect(addresses, outgoing.target.port)
    try:
        began = time.perf_counter()
        stream = plain if trust is None else await secure(plain, trust, outgoing.target.host)
        tls = 0.0 if trust is None else ms(began)
        expires = _expiry(stream.get_extra_info("ssl_object"))
        watched = Watched(stream)
        status, headers, body = await _talk(outgoing, watched)
        ended = time.perf_counter()
    finally:
        await plain.aclose()  # httpcore leaves a connection open that is given up while it is made secure
    return Received(
        status=status,
        headers=headers,
        body=bytes(body.kept),
        complete=body.complete,
        address=str(address),
        certificate_expires_at=expires,
        phases=Phases(
            dns=dns,
            connect=connecting,
            tls=tls,
            first_byte=ms(watched.sent, watched.begun),
            transfer=ms(watched.begun, ended),
        ),
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


def _expiry(session: ssl.SSLObject | None) -> int | None:
    """When the certificate ends, in UTC ms; None where none was checked."""
    certificate = session.getpeercert() if session is not None else None
    ends = certificate.get("notAfter") if certificate else None
    return ssl.cert_time_to_seconds(ends) * 1000 if isinstance(ends, str) else None
