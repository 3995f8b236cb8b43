"""The expiry of a certificate: the second date of its validity (RFC 5280 4.1.2.5), read from its DER form."""

import ssl
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from analytics_box.app.watch.warnings import WatchedCertificate

_END: Final = "-----END CERTIFICATE-----"
_CONTEXT, _UTC_TIME, _GENERALIZED_TIME = 0xA0, 0x17, 0x18  # tags of DER
_FORMS: Final = {_UTC_TIME: "%y%m%d%H%M%SZ", _GENERALIZED_TIME: "%Y%m%d%H%M%SZ"}
_BEFORE_VALIDITY: Final = 3  # serial number, algorithm and issuer


def certificate(file: str) -> WatchedCertificate | None:
    """The first certificate of a PEM file; None without a file."""
    if not file:
        return None
    try:
        text = Path(file).read_text("latin-1")
        first = text[text.index("-----BEGIN CERTIFICATE-----") : text.index(_END) + len(_END)]
        return WatchedCertificate(_ends(ssl.PEM_cert_to_DER_cert(first)))
    except (OSError, ValueError, IndexError):
        return WatchedCertificate(None)


def _ends(der: bytes) -> int:
    """UTC ms. Raises ValueError or IndexError for what is no certificate."""
    _, whole, _ = _value(der, 0)
    _, body, _ = _value(whole, 0)
    place = _value(body, 0)[2] if body[0] == _CONTEXT else 0  # its version, which may be left out
    for _ in range(_BEFORE_VALIDITY):
        place = _value(body, place)[2]
    _, validity, _ = _value(body, place)
    kind, text, _ = _value(validity, _value(validity, 0)[2])
    if kind not in _FORMS:
        raise ValueError(kind)
    return int(datetime.strptime(text.decode("ascii"), _FORMS[kind]).replace(tzinfo=UTC).timestamp() * 1000)


def _value(data: bytes, place: int) -> tuple[int, bytes, int]:
    """The tag and the content of the value that begins here, and where the next one begins."""
    length, begin = data[place + 1], place + 2
    if length & 0x80:
        count = length & 0x7F
        length, begin = int.from_bytes(data[begin : begin + count]), begin + count
    if begin + length > len(data):
        raise ValueError("It ends too early")
    return data[place], data[begin : begin + length], begin + length
