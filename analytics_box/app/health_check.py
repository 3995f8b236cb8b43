"""Asking the server of this machine whether it answers, wherever it listens."""

import http.client
import socket
import ssl

from analytics_box.base.settings import Settings

_SECONDS = 5.0
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  compared, not listened on


def ask(settings: Settings) -> str:
    """Ask GET /health and return the answer. Raises OSError or HTTPException for any other answer than 200.

    The certificate is not verified: it is for the box's public name, which is not asked here.
    """
    connection = http.client.HTTPConnection("localhost", timeout=_SECONDS)  # a name that every box answers to
    connection.sock = _connect(settings)
    try:
        connection.request("GET", "/health")
        answer = connection.getresponse()
        body = answer.read().decode(errors="replace")
    finally:
        connection.close()
    if answer.status != http.client.OK:
        raise http.client.HTTPException(f"GET /health answers {answer.status}: {body}")
    return body


def _connect(settings: Settings) -> socket.socket:
    if settings.unix_socket:
        opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        opened.settimeout(_SECONDS)
        opened.connect(settings.unix_socket)
        return opened
    host = _EVERYWHERE.get(settings.host, settings.host)
    plain = socket.create_connection((host, settings.port), _SECONDS)
    if not settings.tls_certificate:
        return plain
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(plain)
