"""Time-based one-time passwords: RFC 6238 with SHA-1, 6 digits and steps of 30 s, as authenticator apps do. Pure."""

import hmac
from base64 import b32encode
from urllib.parse import quote, urlencode

from analytics_box.base.clock import SECOND

STEP = 30 * SECOND
DIGITS = 6
SECRET_BYTES = 20  # 160 bits (RFC 4226, 4)
WINDOW = 1  # steps before and after now whose codes are taken (RFC 6238, 5.2)


def code_at(secret: bytes, step: int, digits: int = DIGITS) -> str:
    """The code of the step with this number (RFC 4226, 5.3)."""
    mac = hmac.digest(secret, step.to_bytes(8, "big"), "sha1")
    offset = mac[-1] & 0x0F
    number = int.from_bytes(mac[offset : offset + 4], "big") & 0x7FFF_FFFF
    return str(number % 10**digits).zfill(digits)


def matching_step(secret: bytes, given: str, *, now: int, used: int) -> int | None:
    """The step that a code belongs to; None for a wrong one and for steps up to `used`. `now` is UTC ms."""
    given = "".join(given.split())
    if not given.isascii() or not given.isdigit() or len(given) != DIGITS:
        return None
    middle = now // STEP
    matching = [
        step
        for step in range(middle - WINDOW, middle + WINDOW + 1)
        if hmac.compare_digest(code_at(secret, step), given) and step > used
    ]
    return matching[-1] if matching else None


def secret_text(secret: bytes) -> str:
    """A secret as authenticator apps take it, in groups of four."""
    text = b32encode(secret).decode()
    return " ".join(text[at : at + 4] for at in range(0, len(text), 4))


def address(secret: bytes, *, account: str, issuer: str) -> str:
    """The otpauth:// address that a QR code holds."""
    fields = {"secret": b32encode(secret).decode(), "issuer": issuer, "digits": DIGITS, "period": STEP // SECOND}
    return f"otpauth://totp/{quote(issuer)}:{quote(account)}?{urlencode(fields, quote_via=quote)}"
