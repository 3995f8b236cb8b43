"""Small files of the box beside its databases."""

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
