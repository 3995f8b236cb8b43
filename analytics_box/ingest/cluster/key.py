"""The key that the machines of a cluster share: its holders can request the mirror from the primary.

Requests and answers are sealed with it (XChaCha20-Poly1305), so that only who has the key makes or reads them.
"""

import hashlib
from pathlib import Path

from analytics_box.ingest.cluster.messages import KNOCK

KEY_BYTES = 32
LEAST = 32  # characters of the file's first line


class BadKeyFile(Exception):
    """The file of the key cannot be used; the message says why."""


class ForgedMessage(Exception):
    """Raised for a message that was not encrypted with this key, or not for this purpose."""


class ClusterKey:
    """Seals messages between machines. `purpose` says what a message is for: it opens for nothing else."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def seal(self, message: bytes, purpose: str) -> bytes:
        """The message as it may travel."""
        from nacl.secret import Aead  # noqa: PLC0415  1 MB

        return bytes(Aead(self._key).encrypt(message, purpose.encode()))

    def open(self, sealed: bytes, purpose: str) -> bytes:
        """The content of a message encrypted for this purpose. Raises ForgedMessage."""
        from nacl.exceptions import CryptoError  # noqa: PLC0415  as above
        from nacl.secret import Aead  # noqa: PLC0415  1 MB

        try:
            return Aead(self._key).decrypt(sealed, purpose.encode())
        except (CryptoError, ValueError) as broken:
            raise ForgedMessage("It is not sealed with this key") from broken

    def credential(self, at: int) -> str:
        """The Authorization header of a request that is sent now (UTC ms)."""
        return f"Cluster {self.seal(b'%d' % at, KNOCK).hex()}"

    def sent_at(self, credential: bytes) -> int:
        """The time at which a request with this header was sent, UTC ms. Raises ForgedMessage."""
        try:
            return int(self.open(bytes.fromhex(credential.decode("ascii").removeprefix("Cluster ")), KNOCK))
        except ValueError as broken:
            raise ForgedMessage("The credential does not match this key") from broken


def read_key(file: str) -> ClusterKey:
    """The key that the first line of this file gives. Raises BadKeyFile."""
    path = Path(file).expanduser()
    try:
        mode, text = path.stat().st_mode & 0o777, path.read_text("utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError) as broken:
        raise BadKeyFile(f"cluster_key_file cannot be read: {broken}") from broken
    if mode & 0o077:
        raise BadKeyFile(f"{path} is open to other users (mode {mode:04o}): chmod 600 {path}")
    if len(text) < LEAST:
        raise BadKeyFile(f"The first line of {path} is shorter than {LEAST} characters: openssl rand -hex 32 > {path}")
    return ClusterKey(hashlib.blake2b(text.encode(), digest_size=KEY_BYTES, person=b"cluster").digest())
