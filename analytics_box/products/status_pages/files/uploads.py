"""Upload addresses: anyone who has one can upload a picture once within ten minutes. Pure but for the key.

An address has the page, the kind of picture, the requester and the expiry, under a signature. The requester must still
have permission when it is used.
"""

import base64
import hashlib
import hmac
from typing import Final

import msgspec
from msgspec import Struct

from analytics_box.base.errors import NotFound
from analytics_box.base.store.seal import Seal
from analytics_box.base.translation import _
from analytics_box.products.status_pages.page import FileKind

GOOD_FOR: Final = 10 * 60_000  # ms
UNKNOWN: Final = _("This upload address has expired. Request a new one")
_NAME: Final = "status page uploads"  # of the key that signs
_SIGNATURE: Final = 16  # bytes


class Upload(Struct, frozen=True, array_like=True):
    """A permitted upload: the picture, its expiry (UTC ms), and the organization and actor who requested it."""

    organization_id: str
    page_id: str
    kind: FileKind
    actor: str
    user_id: str | None
    until: int
    nonce: str = ""

    @property
    def digest(self) -> bytes:
        """The name under which its use is stored: of the content, because an address can be written in several ways."""
        return hashlib.sha256(msgspec.json.encode(self)).digest()


_DECODER: Final = msgspec.json.Decoder(Upload)


def token_of(seal: Seal, upload: Upload) -> str:
    """The end of the address. Raises SealBroken."""
    said = msgspec.json.encode(upload)
    return base64.urlsafe_b64encode(_signature(seal, said) + said).decode().rstrip("=")


def upload_of(seal: Seal, token: str, now: int) -> Upload:
    """The upload that this token permits. Raises NotFound for a forged token and for an expired one."""
    try:
        whole = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        signature, said = whole[:_SIGNATURE], whole[_SIGNATURE:]
        if not hmac.compare_digest(signature, _signature(seal, said)):
            raise NotFound(UNKNOWN)
        found = _DECODER.decode(said)
    except ValueError as broken:  # of base64, or of JSON
        raise NotFound(UNKNOWN) from broken
    if found.until <= now:
        raise NotFound(UNKNOWN)
    return found


def _signature(seal: Seal, said: bytes) -> bytes:
    return hmac.digest(seal.derive(_NAME), said, hashlib.sha256)[:_SIGNATURE]
