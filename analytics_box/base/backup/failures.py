"""Refusals of a backup or a restore.

Failed
├── NoRoom          a disk has too little room
├── NotABackup      the source is no backup, or it was changed, cut off or sealed with another passphrase
├── NotReached      the place cannot be read or written
├── UnsoundCopy     the copy of both files is damaged: they are, or the disk that it is on
└── Stopped         the box stops
"""

from collections.abc import Callable

GoingOn = Callable[[], None]  # raises what ends it


def nobody_minds() -> None:
    """Go on."""


class BackupFailed(Exception):
    """A backup or a restore cannot go on; the message says why and what to do."""


class BackupNoRoom(BackupFailed):
    """A disk has too little room."""


class NotABackup(BackupFailed):
    """The source is no backup, or it was changed, cut off or sealed with another passphrase."""


class NotReached(BackupFailed):
    """The place cannot be read or written."""


class UnsoundCopy(BackupFailed):
    """The copy of both files is damaged: they are, or the disk that it is on."""


class BoxStopping(BackupFailed):
    """The box stops."""
