"""Whether the box can do its work now: its files are there and sound, the disk has room, and writes reach it."""

import asyncio
import errno
import os
import shutil
from pathlib import Path

from analytics_box.base.errors import Unavailable
from analytics_box.base.store.db import Db
from analytics_box.base.store.reserve import Reserve
from analytics_box.base.store.running import RUNNING_FILE

_PROBE_SECONDS = 2.0
_MEGABYTE = 1_000_000


class Readiness:
    """Looks at the databases of a box, which have to be open."""

    def __init__(self, databases: tuple[Db, ...], *, least_free: int, reserve: Reserve | None = None) -> None:
        self._databases = databases
        self._least_free = least_free
        self._reserve = reserve

    async def trouble(self) -> str:
        """The reason why the box cannot work, in words without secrets; empty if it can.

        After a failed write another one is tried: no client may send any while the box is not ready.
        """
        for db in self._databases:
            if lost := db.look():
                return lost
            if db.damage.trouble:
                return db.damage.trouble
        if is_read_only(self._databases[0].path.parent):
            return "The disk is read-only"
        if free_bytes(self._databases[0].path.parent) < self._least_free * _MEGABYTE:
            return f"Less than {self._least_free} MB of the disk are free"
        if self._reserve is not None and self._reserve.refusal:
            return "Events are refused, because little of the disk is free"
        for db in self._databases:
            if db.failing and not await _takes_writes(db):
                return f"{db.path.name} cannot be written"
        return ""


def free_bytes(directory: Path) -> int:
    """The bytes that the box may still write to the disk of this directory."""
    return shutil.disk_usage(directory).free


def is_read_only(directory: Path) -> bool:
    """Return whether nothing can be written to the disk of a data directory.

    A file system that was made read-only after an error of its disk does not always say so, but refuses a new
    timestamp.
    """
    try:
        if os.statvfs(directory).f_flag & os.ST_RDONLY:
            return True
        os.utime(directory / RUNNING_FILE)
    except OSError as broken:
        return broken.errno in {errno.EROFS, errno.EIO}
    return False


async def _takes_writes(db: Db) -> bool:
    try:
        async with asyncio.timeout(_PROBE_SECONDS):
            # Changes nothing, but writes a page.
            await db.write(lambda found: found.pragma("user_version", found.pragma("user_version")))
    except (Unavailable, TimeoutError):
        return False
    return True
