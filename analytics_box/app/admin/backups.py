"""The commands of `backup` beside a running box: it copies its files, and writes down what became of the backup."""

from typing import Final

from msgspec import Struct

from analytics_box.base.backup.backups import Backups
from analytics_box.base.backup.record import BackupEntry
from analytics_box.base.backup.take import PairCopy
from analytics_box.web.call import Parts

COPY_SECONDS: Final = 4 * 3_600.0  # for a copy of both files


class NewCopy(Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing has to be said of it."""


class BackupRecorded(Struct, frozen=True):
    """Confirmation that the backup was recorded."""


async def backup_copy(parts: Parts, given: NewCopy) -> PairCopy:
    """backup copy: a copy of both files as they are at one moment. Raises Conflict."""
    return await parts[Backups].copy()


async def backup_note(parts: Parts, given: BackupEntry) -> BackupRecorded:
    """backup note: what became of a backup."""
    await parts[Backups].note(given)
    return BackupRecorded()
