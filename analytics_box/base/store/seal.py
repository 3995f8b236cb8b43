"""Secrets at rest, sealed with a key that lies in its own file (security: encryption at rest).

XChaCha20-Poly1305 by PyNaCl, which is loaded with the first secret: it costs 1 MB, a tenth of what OpenSSL does.
"""

import hashlib
import secrets
from pathlib import Path
from typing import Final

from analytics_box.base.store.files import write_private

KEY_FILE: Final = "secret.key"
KEY_BYTES = 32


class SealBroken(Exception):
    """Raised if an encrypted value cannot be read: the key file is missing or another one, or the bytes
    were changed."""


class Seal:
    """Seals small secrets of this box. The key file is made, with mode 0600, when the first secret is sealed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._key = b""

    def seal(self, secret: bytes, *, owner: str) -> bytes:
        """The secret as it may be stored; only `owner`, which says whose it is, opens it again."""
        from nacl.secret import Aead  # noqa: PLC0415  1 MB

        return bytes(Aead(self._loaded(make=True)).encrypt(secret, owner.encode()))

    def open(self, sealed: bytes, *, owner: str) -> bytes:
        """The value encrypted for this owner. Raises SealBroken."""
        from nacl.exceptions import CryptoError  # noqa: PLC0415  as above
        from nacl.secret import Aead  # noqa: PLC0415  1 MB

        try:
            return Aead(self._loaded(make=False)).decrypt(sealed, owner.encode())
        except (CryptoError, ValueError) as broken:  # PyNaCl's word for less than a seal
            raise SealBroken(
                f"A secret does not fit the key in {self._path}; restore the file it was sealed with"
            ) from broken

    def digest(self, text: str, *, owner: str) -> bytes:
        """16 bytes by which a sealed text can be found again, but not guessed without the key.

        Raises SealBroken, also when nothing has been sealed yet.
        """
        said = f"{owner}\0{text}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(said, digest_size=16, key=self._loaded(make=False), person=b"seal.digest").digest()

    def derive(self, name: str) -> bytes:
        """32 bytes that this key always gives for a name, and that say nothing of it. Raises SealBroken."""
        key = self._loaded(make=True)
        return hashlib.blake2b(name.encode(), digest_size=KEY_BYTES, key=key, person=b"seal.derive").digest()

    def _loaded(self, *, make: bool) -> bytes:
        if not self._key:
            if make and not self._path.exists():
                write_private(self._path, secrets.token_bytes(KEY_BYTES))
            try:
                found = self._path.read_bytes()
            except OSError as broken:
                raise SealBroken(f"{self._path} cannot be read: {broken.strerror}") from broken
            if len(found) != KEY_BYTES:
                raise SealBroken(f"{self._path} is not a key of {KEY_BYTES} bytes; restore the file")
            self._key = found
        return self._key
