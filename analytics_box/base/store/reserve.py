"""Disk space that is kept for the day on which the disk is full, so that the box starts, redirects and deletes then.

Before that day, below a mark of free space, requests of anonymous callers are refused.
"""

import logging
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from analytics_box.base.store.trouble import Seldom

log = logging.getLogger(__name__)

FILE = "reserve"
SIZE = 8 << 20
ENOUGH = 3 * SIZE  # free bytes of a disk on which it is kept
LITTLE = SIZE // 2  # free bytes with which a start would fail
SMALL = 20  # the mark is at most this part of a disk
AGAIN = 1.1  # times the mark: free bytes with which events are taken again
FULL = "The server's disk is full. Try again later"
LOW = "The server's disk is nearly full. Try again later"


class Disk(NamedTuple):
    """Bytes of a disk: all, and those that the box may still write to."""

    total: int
    free: int


def disk_of(directory: Path) -> Disk:
    """The disk of this directory. Raises OSError."""
    found = shutil.disk_usage(directory)
    return Disk(found.total, found.free)


def mark_of(mark: int, total: int) -> int:
    """The free bytes below which events are refused on a disk of `total` bytes."""
    return min(mark, total // SMALL)


class Reserve:
    """The reserve of a data directory. While it is given up, its file is empty, and whatever adds to the data is
    refused; so is what adds to it while fewer than `mark` bytes of the disk are free (0: however few)."""

    def __init__(self, directory: Path, mark: int = 0, disk: Callable[[Path], Disk] = disk_of) -> None:
        self._path = directory / FILE
        self._mark, self.disk = mark, disk
        self.is_low = False
        self._may_complain = Seldom()
        self.is_given_up = self._path.exists() and not self._path.stat().st_size

    @property
    def refusal(self) -> str:
        """The reason why nothing may be added to the data; empty if there is none."""
        if self.is_given_up:
            return FULL
        return LOW if self.is_low else ""

    def look(self) -> None:
        """See how much of the disk is free."""
        try:
            disk = self.disk(self._path.parent)
        except OSError as broken:
            log.warning("The free space of %s cannot be determined: %s", self._path.parent, broken.strerror)
            return
        mark = mark_of(self._mark, disk.total)
        if not self.is_low and disk.free < mark:
            self.is_low = True
            log.error(
                "Less than %d MB of the disk of %s are free (least_free_mb). Events are refused and "
                "clicks wait in memory. Users can still sign in, export and delete",
                *(mark // 1_000_000, self._path.parent),
            )
        elif self.is_low and disk.free >= mark * AGAIN:
            self.is_low = False
            log.info("There is enough disk space again. Events are accepted")

    def keep(self) -> None:
        """Set the space aside where it is not yet, and there is plenty."""
        if not self._has_space():
            if shutil.disk_usage(self._path.parent).free < ENOUGH:
                return
            try:
                _make(self._path)
            except OSError as broken:
                if not self.is_given_up:
                    self._path.unlink(missing_ok=True)
                if self._may_complain:
                    log.warning("No disk space can be reserved: %s", broken.strerror)
                return
        if self.is_given_up:
            log.info("There is enough disk space again. Events are accepted")
            self.is_given_up = False

    def keep_from_start(self) -> None:
        """Keep the reserve before the files are opened; give it up if they could not be opened otherwise."""
        self.look()
        if shutil.disk_usage(self._path.parent).free < LITTLE:
            self.give_up()
        else:
            self.keep()

    def give_up(self) -> bool:
        """Free the space, because the disk is full; whether there was any."""
        if not self.is_given_up:
            log.error(
                "The disk of %s is full. Events are refused and clicks wait in memory until "
                "%d MB are free. Users can still sign in, export and delete",
                *(self._path.parent, ENOUGH >> 20),
            )
        self.is_given_up, had_space = True, self._has_space()
        if had_space:
            os.truncate(self._path, 0)
        return had_space

    def _has_space(self) -> bool:
        return self._path.exists() and self._path.stat().st_size == SIZE


def _make(path: Path) -> None:
    opened = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.posix_fallocate(opened, 0, SIZE)
    finally:
        os.close(opened)
