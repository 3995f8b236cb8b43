"""Detection of a crash of the last run: a file exists while a box runs. The presence of SQLite's logs does not tell."""

import logging
from pathlib import Path

from analytics_box.base.store import schema
from analytics_box.base.store.files import sync, write_private

log = logging.getLogger(__name__)

RUNNING_FILE = "running"
UNCHECKED_FILE = "unchecked"  # is there after an unclean stop or damage, until both databases were looked through
_STARTING, _OPEN, _CLOSING = b"starting", b"open", b"closing"


def was_left_open(directory: Path) -> bool:
    """Whether a run did not close its files, and nobody looked through them since. Call it before they are opened."""
    running, unchecked = directory / RUNNING_FILE, directory / UNCHECKED_FILE
    if running.exists():
        unchecked.touch(mode=0o600)
        if running.read_bytes() == _OPEN:
            _miss_logs(directory)
    return unchecked.exists()


def _miss_logs(directory: Path) -> None:
    for name in (schema.BOX_FILE, schema.EVENTS_FILE):
        if not (directory / f"{name}-wal").exists():
            log.error(
                "The server did not stop cleanly, and the log of %s (%s-wal) is gone. The most "
                "recent writes are lost unless another program merged the log",
                *(directory / name, name),
            )


def starting(directory: Path) -> None:
    """The files are about to be opened."""
    _mark(directory, _STARTING)


def mark_opened(directory: Path) -> None:
    """Both files are open, with their logs."""
    _mark(directory, _OPEN)


def closing(directory: Path) -> None:
    """The files are about to be closed, which removes their logs."""
    _mark(directory, _CLOSING)


def mark_closed(directory: Path) -> None:
    """Note that both files are closed and complete. On a read-only disk the next start looks through them."""
    try:
        (directory / RUNNING_FILE).unlink(missing_ok=True)
        sync(directory)
    except OSError as broken:
        log.warning("%s cannot be removed: %s", directory / RUNNING_FILE, broken.strerror)


def found_damaged(directory: Path) -> None:
    """Have the next start look through both databases, because one was found damaged while the box ran."""
    try:
        (directory / UNCHECKED_FILE).touch(mode=0o600)
    except OSError as broken:
        log.warning("%s cannot be created: %s", directory / UNCHECKED_FILE, broken.strerror)


def found_sound(directory: Path) -> None:
    """Both databases were looked through after an unclean stop."""
    (directory / UNCHECKED_FILE).unlink(missing_ok=True)


def _mark(directory: Path, state: bytes) -> None:
    try:
        write_private(directory / RUNNING_FILE, state)
    except OSError as broken:
        log.warning("%s cannot be written: %s", directory / RUNNING_FILE, broken.strerror)
