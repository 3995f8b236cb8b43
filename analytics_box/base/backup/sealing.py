"""A stream that only a passphrase opens: Argon2id makes the key, XChaCha20-Poly1305 seals it chunk by chunk.

The stream: a line that says what it is, the salt, the costs of Argon2id, the header of libsodium's secretstream, then
chunks, each with its tag. The last one is marked, so that a stream that was cut off is noticed. Everything before the
chunks is authenticated with the first of them.
"""

import io
import secrets
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Final

from analytics_box.base.backup.failures import BackupFailed, NotABackup
from analytics_box.base.setting_values import LEAST_PASSPHRASE
from analytics_box.base.translation import _

MAGIC: Final = b"analytics-box sealed 1\n"
_CHUNK: Final = 1 << 16
_SALT: Final = 16
_COSTS: Final = struct.Struct(">II")  # passes, KiB of memory
_PASSES, _KIBIBYTES = 3, 64 * 1024
_MOST_PASSES, _MOST_KIBIBYTES = 20, 1024 * 1024  # of a stream that someone made

Write = Callable[[bytes], Any]


def passphrase_of(path: str, passphrase: str = "") -> bytes:
    """The passphrase, or else the first line of a file; empty if neither is given. Raises BackupFailed."""
    if passphrase or not path:
        return passphrase.encode()
    try:
        with Path(path).open("rb") as lines:
            found = lines.readline(4096).rstrip(b"\r\n")
    except OSError as broken:
        raise BackupFailed(
            _("The passphrase cannot be read from {path}: {strerror}").format(path=path, strerror=broken.strerror)
        ) from broken
    if len(found) < LEAST_PASSPHRASE:
        raise BackupFailed(
            _("The passphrase in the first line of {path} needs at least {least} characters").format(
                path=path, least=LEAST_PASSPHRASE
            )
        )
    return found


class Sealer:
    """Seals what is written to it and hands it on; `close` ends the stream."""

    def __init__(self, write: Write, passphrase: bytes) -> None:
        from nacl import bindings  # noqa: PLC0415  1 MB

        self._write, self._bindings, self._waiting = write, bindings, bytearray()
        salt = secrets.token_bytes(_SALT)
        self._state = bindings.crypto_secretstream_xchacha20poly1305_state()
        head = MAGIC + salt + _COSTS.pack(_PASSES, _KIBIBYTES)
        key = _key(passphrase, salt, _PASSES, _KIBIBYTES)
        self._first = head + bindings.crypto_secretstream_xchacha20poly1305_init_push(self._state, key)
        write(self._first)

    def write(self, content: bytes) -> int:
        """Take bytes."""
        self._waiting += content
        while len(self._waiting) > _CHUNK:
            self._push(bytes(self._waiting[:_CHUNK]), self._bindings.crypto_secretstream_xchacha20poly1305_TAG_MESSAGE)
            del self._waiting[:_CHUNK]
        return len(content)

    def close(self) -> None:
        """Seal the rest."""
        self._push(bytes(self._waiting), self._bindings.crypto_secretstream_xchacha20poly1305_TAG_FINAL)

    def _push(self, chunk: bytes, tag: int) -> None:
        self._write(self._bindings.crypto_secretstream_xchacha20poly1305_push(self._state, chunk, self._first, tag))
        self._first = b""


class OpenedBackup(io.RawIOBase):
    """An encrypted file, decrypted as it is read. Raises NotABackup if it was changed."""

    def __init__(self, source: BinaryIO, passphrase: bytes) -> None:
        from nacl import bindings  # noqa: PLC0415  as above

        self._source, self._bindings = source, bindings
        salt_and_costs = _exactly(source, _SALT + _COSTS.size)
        passes, kibibytes = _COSTS.unpack(salt_and_costs[_SALT:])
        if not (1 <= passes <= _MOST_PASSES and 8 <= kibibytes <= _MOST_KIBIBYTES):
            raise NotABackup(_("This encrypted backup was modified: decrypting it would need too much memory or time"))
        header = _exactly(source, bindings.crypto_secretstream_xchacha20poly1305_HEADERBYTES)
        self._state = bindings.crypto_secretstream_xchacha20poly1305_state()
        key = _key(passphrase, salt_and_costs[:_SALT], passes, kibibytes)
        bindings.crypto_secretstream_xchacha20poly1305_init_pull(self._state, header, key)
        self._first = MAGIC + salt_and_costs + header
        self._chunk, self._ended = memoryview(b""), False
        self._sealed_chunk = _CHUNK + bindings.crypto_secretstream_xchacha20poly1305_ABYTES

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        """Fill a buffer; 0 at the end."""
        while not self._chunk and not self._ended:
            self._pull()
        taken = self._chunk[: len(into)]
        into[: len(taken)] = taken
        self._chunk = self._chunk[len(taken) :]
        return len(taken)

    def _pull(self) -> None:
        sealed = _up_to(self._source, self._sealed_chunk)
        try:
            chunk, tag = self._bindings.crypto_secretstream_xchacha20poly1305_pull(self._state, sealed, self._first)
        except Exception as broken:  # PyNaCl raises what it likes for a chunk that is too short or was changed
            if self._first:
                raise NotABackup(_("The passphrase is wrong, or the backup was modified")) from broken
            raise NotABackup(_("This backup was modified or truncated")) from broken
        self._first, self._chunk = b"", memoryview(chunk)
        self._ended = tag == self._bindings.crypto_secretstream_xchacha20poly1305_TAG_FINAL
        if self._ended and self._source.read(1):
            raise NotABackup(_("This backup was modified: there is data after its end"))


def _key(passphrase: bytes, salt: bytes, passes: int, kibibytes: int) -> bytes:
    from nacl import pwhash  # noqa: PLC0415  as above

    return bytes(pwhash.argon2id.kdf(32, passphrase, salt, opslimit=passes, memlimit=kibibytes * 1024))


def _up_to(source: BinaryIO, size: int) -> bytes:
    """Bytes of a file that may give fewer at a time; fewer than `size` only at its end."""
    found = source.read(size)
    while found and len(found) < size:
        more = source.read(size - len(found))
        if not more:
            break
        found += more
    return found


def _exactly(source: BinaryIO, size: int) -> bytes:
    found = _up_to(source, size)
    if len(found) < size:
        raise NotABackup(_("This backup was truncated"))
    return found
