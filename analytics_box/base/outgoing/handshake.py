"""A TLS handshake with a vetted place: its certificate, and what is wrong with it."""

from msgspec import Struct

from analytics_box.base.outgoing.addresses import Address
from analytics_box.base.outgoing.certificate import ServerCertificate, certificate_of
from analytics_box.base.outgoing.client import Client
from analytics_box.base.outgoing.connection import connect, secure
from analytics_box.base.outgoing.deadline import within
from analytics_box.base.outgoing.failures import NotSecure, NotTrusted
from analytics_box.base.outgoing.messages import RequestCourse
from analytics_box.base.outgoing.target import HostPort


class Handshake(Struct, frozen=True):
    """The result of a handshake. `wrong` is empty for a certificate that is accepted. `protocol` is like TLSv1.3."""

    certificate: ServerCertificate
    protocol: str
    wrong: str = ""


async def handshake(client: Client, place: HostPort, *, seconds: float, course: RequestCourse) -> Handshake:
    """Connect and agree on TLS. A certificate that is not accepted is told with the reason. Raises Failed."""
    async with within(seconds):
        addresses = await client.vet(place, course)
        try:
            return await _shaken(client, place, addresses, course, verify=True)
        except NotTrusted as wrong:
            # Nothing is known of a certificate that was refused: a second connection asks for it without judging it.
            found = await _shaken(client, place, addresses, course, verify=False)
            return Handshake(found.certificate, found.protocol, str(wrong))


async def _shaken(
    client: Client, place: HostPort, addresses: tuple[Address, ...], course: RequestCourse, *, verify: bool
) -> Handshake:
    plain = await connect(addresses, place.port, course)
    try:
        stream = await secure(plain, client.trust(verify=verify), place.host, course)
        session = stream.session
        certificate = certificate_of(session)
        if certificate is None:
            raise NotSecure("The other side shows no certificate")
        return Handshake(certificate, str(session.version() or ""))
    finally:
        plain.close()
