"""Disk space that is kept for the day on which the disk is full, so that the box starts, redirects and deletes then."""

import logging
import os
import shutil
from pathlib import Path

log = logging.getLogger(__name__)

FILE = "reserve"
SIZE = 8 << 20
ENOUGH = 3 * SIZE  # free bytes of a disk on which it is kept
LITTLE = SIZE // 2  # free bytes with which a start would fail


class Reserve:
    """The reserve of a data directory. While it is given up, its file is empty, and whatever adds to the data is
    refused."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / FILE
        self.is_given_up = self._path.exists() and not self._path.stat().st_size

    def keep(self) -> None:
        """Set the space aside where it is not yet, and there is plenty."""
        if not self._has_space():
            if _free(self._path.parent) < ENOUGH:
                return
            try:
                _make(self._path)
            except OSError as broken:
                if not self.is_given_up:
                    self._path.unlink(missing_ok=True)
                log.warning("No reserve of disk space can be made: %s", broken.strerror)
                return
        if self.is_given_up:
            log.info("There is room on the disk again: events are taken")
            self.is_given_up = False

    def keep_from_start(self) -> None:
        """The same before the files are opened, or give it up where nothing could be opened without."""
        if _free(self._path.parent) < LITTLE:
            self.give_up()
        else:
            self.keep()

    def give_up(self) -> bool:
        """Free the space, because the disk is full; whether there was any."""
        if not self.is_given_up:
            log.error(
                "The disk of %s is full: events are refused, and clicks wait in memory, until %d MB are free. The "
                "reserve lets people sign in, export and delete",
                *(self._path.parent, ENOUGH >> 20),
            )
        self.is_given_up, had_space = True, self._has_space()
        if had_space:
            os.truncate(self._path, 0)
        return had_space

    def _has_space(self) -> bool:
        return self._path.exists() and self._path.stat().st_size == SIZE


def _free(directory: Path) -> int:
    return shutil.disk_usage(directory).free


def _make(path: Path) -> None:
    opened = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.posix_fallocate(opened, 0, SIZE)
    finally:
        os.close(opened)
