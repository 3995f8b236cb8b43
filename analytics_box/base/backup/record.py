"""The last backups of a data directory, in a small file next to its databases: what there was, where, and what failed.

It is next to them, not in them, so that a restore does not bring back an older account of what was backed up.
"""

import logging
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from analytics_box.base.backup.manifest import Kind
from analytics_box.base.store.files import write_private

log = logging.getLogger(__name__)

FILE: Final = "backups.json"
_KEPT: Final = 30


class BackupEntry(Struct, frozen=True, omit_defaults=True):
    """A backup. Times are UTC ms: `moment` is the state that it holds, `ended` when it was done or failed.

    `error` is empty for a complete one. `name` is its name for users.
    """

    kind: Kind
    place: str
    ended: int
    moment: int = 0
    name: str = ""
    bytes: int = 0
    seconds: float = 0.0
    sealed: bool = False
    has_key: bool = False
    error: str = ""

    @property
    def has_key_in_clear(self) -> bool:
        """Whether the backup reveals what the server stores encrypted."""
        return self.has_key and not self.sealed


class _RecordFile(Struct):
    backups: list[BackupEntry] = []


def read_record(directory: Path) -> list[BackupEntry]:
    """The last backups, oldest first; none where the file cannot be read."""
    try:
        return msgspec.json.decode((directory / FILE).read_bytes(), type=_RecordFile).backups
    except FileNotFoundError:
        return []
    except (OSError, msgspec.DecodeError) as broken:
        log.warning("%s cannot be read: %s", directory / FILE, broken)
        return []


def add(directory: Path, entry: BackupEntry) -> None:
    """Write down a backup. Only who holds the data directory may: a running box, or a command under its lock.

    The last one that is whole is never forgotten.
    """
    all_ = [*read_record(directory), entry]
    kept = all_[-_KEPT:]
    if not any(is_good(one) for one in kept):
        kept = [one for one in all_ if is_good(one)][-1:] + kept
    try:
        write_private(directory / FILE, msgspec.json.format(msgspec.json.encode(_RecordFile(kept))))
    except OSError as broken:
        log.error("%s cannot be written: %s", directory / FILE, broken.strerror)


def is_good(entry: BackupEntry) -> bool:
    """Whether it is whole, and somewhere that a lost disk does not take with it."""
    return not entry.error and entry.kind != "upgrade"
