"""Files on the disk: small ones that are written whole, and whether a database is where it was opened."""

import os
from pathlib import Path


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner reads, whole or not at all, and be sure that it is on disk. Raises OSError."""
    beside = path.with_name(path.name + ".new")
    beside.unlink(missing_ok=True)
    opened = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(opened, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Be sure that names made and removed in a folder are on disk."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


class OpenedFiles:
    """The names of an open database and its log, and the files that had them when it was opened."""

    def __init__(self, path: Path) -> None:
        self._opened = [(name, inode) for name in (str(path), f"{path}-wal") if (inode := _inode(name)) is not None]

    def lost(self) -> Path | None:
        """The first name that belongs to no file or to another one; None if there is none."""
        for name, inode in self._opened:
            if _inode(name) != inode:
                return Path(name)
        return None


def _inode(name: str) -> tuple[int, int] | None:
    try:
        status = os.stat(name)
    except OSError:
        return None
    return status.st_dev, status.st_ino
