"""The lock of a data directory: one process at a time."""

import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from analytics_box.base.settings import SettingsError
from analytics_box.base.store import trouble

log = logging.getLogger(__name__)

LOCK_FILE = "lock"


class AlreadyRunning(Exception):
    """Another process has this data directory."""


@contextmanager
def lock(directory: Path) -> Iterator[None]:
    """Own the data directory, made with mode 0700 if need be. Raises AlreadyRunning, SettingsError or DataTrouble."""
    os.umask(0o077)
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        opened = (directory / LOCK_FILE).open("a")
    except OSError as broken:
        raise SettingsError(
            trouble.words(broken, directory)
            or f"data_dir (ANALYTICS_BOX_DATA_DIR): {directory} cannot be used: {broken.strerror}"
        ) from broken
    with opened as file, trouble.in_words(directory), _folder(directory) as folder:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _lock_folder(folder, fcntl.LOCK_EX)
        except OSError as taken:
            raise AlreadyRunning(
                f"{directory} is in use by another Analytics Box. Stop it first, or choose another --data-dir"
            ) from taken
        yield


def is_served(directory: Path) -> bool:
    """Whether a box has this data directory now. It writes nothing, so that it also works on a read-only disk."""
    try:
        with _folder(directory) as folder:
            _lock_folder(folder, fcntl.LOCK_SH)
            with (directory / LOCK_FILE).open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except BlockingIOError:
        return True
    return False


@contextmanager
def _folder(directory: Path) -> Iterator[int]:
    opened = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield opened
    finally:
        os.close(opened)


def _lock_folder(folder: int, kind: int) -> None:
    """Lock the folder itself, because the lock file may be removed. Network file systems may not know how."""
    try:
        fcntl.flock(folder, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError as unknown:
        log.debug("The folder cannot be locked, only its file: %s", unknown)
