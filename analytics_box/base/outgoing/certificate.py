"""The contents of a certificate, including one that is not trusted.

Python's `getpeercert` tells nothing of a certificate that was not verified. Its TLS object beneath does: it is asked
with care, so that a Python without it only tells less.
"""

import ssl
from pathlib import Path
from typing import Any

from msgspec import Struct


def tls_context(certificates: Path | None = None) -> ssl.SSLContext:
    """A client's context that verifies certificates and speaks TLS 1.2 or newer, also where Python allows less.

    The file of `certificates` replaces the certificate authorities of the system.
    """
    context = ssl.create_default_context(cafile=certificates)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # Python from 3.13 on refuses private authorities without key usage, which browsers accept.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


_MOST_NAMES = 100


class ServerCertificate(Struct, frozen=True):
    """The certificate of a server. `starts_at` and `ends_at` are UTC ms; `issuer` and `subject` are for people.

    `names` are those that it is for; `chain` says whom the server presents, from its own up to an authority.
    """

    subject: str = ""
    issuer: str = ""
    names: tuple[str, ...] = ()
    starts_at: int | None = None
    ends_at: int | None = None
    chain: tuple[str, ...] = ()


def certificate_of(session: ssl.SSLObject | None) -> ServerCertificate | None:
    """The certificate of the other side, verified or not; None if it showed none."""
    chain = _chain(session)
    if not chain:
        return None
    own = chain[0]
    names = tuple(str(value) for kind, value in own.get("subjectAltName", ()) if kind in {"DNS", "IP Address"})
    return ServerCertificate(
        subject=_subject_name(own.get("subject", ())),
        issuer=_subject_name(own.get("issuer", ())),
        names=names[:_MOST_NAMES],
        starts_at=_instant(own.get("notBefore")),
        ends_at=_instant(own.get("notAfter")),
        chain=tuple(_subject_name(each.get("subject", ())) for each in chain),
    )


def certificate_end(session: ssl.SSLObject | None) -> int | None:
    """The expiry of the other side's certificate, in UTC ms; None without one."""
    if session is None:
        return None
    verified: Any = session.getpeercert()
    if verified:
        return _instant(verified.get("notAfter"))
    found = certificate_of(session)
    return found.ends_at if found else None


def _chain(session: ssl.SSLObject | None) -> list[dict[str, Any]]:
    beneath = getattr(session, "_sslobj", None)
    ask = getattr(beneath, "get_unverified_chain", None)
    if ask is None:
        verified: Any = session.getpeercert() if session is not None else None
        return [verified] if verified else []
    return [each.get_info() for each in ask() or ()]


def _subject_name(name: Any) -> str:
    """The common name, or the organization where there is none."""
    parts = {key: str(value) for attributes in name for key, value in attributes}
    called = parts.get("commonName") or parts.get("organizationName") or ""
    return "".join(character for character in called if character.isprintable())[:200]


def _instant(text: object) -> int | None:
    """A time as OpenSSL writes it in UTC ms."""
    try:
        return ssl.cert_time_to_seconds(text) * 1000 if isinstance(text, str) else None
    except ValueError:  # a year that no calendar has
        return None
