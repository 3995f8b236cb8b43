"""Giving the empty pages of a database back to the disk: in small writes while a box has it open, or by storing it
again.

Storing a file again also closes the gaps in pages that are partly empty. It needs as much room again as the file has,
twice: for the new content, and for the write-ahead log through which it goes.
"""

import shutil
from pathlib import Path
from typing import Final, Literal

import apsw
from msgspec import Struct

from analytics_box.base.store.db import Connection, Db

PAGES_AT_ONCE: Final = 500  # 4 MB, so that other writes hardly wait
ROOM: Final = 64 << 20  # bytes that the log may take in the meantime


class VacuumResult(Struct, frozen=True):
    """A database before and after, in bytes, and how: its empty pages were given back, or it was stored again."""

    file: str
    before: int
    after: int
    how: Literal["pages", "rebuilt"]


class VacuumNoRoom(Exception):
    """The disk has too little room for it; the message says how much is needed."""


async def give_back(db: Db) -> VacuumResult:
    """Give back all empty pages of an open database; other writes wait for a moment at a time.

    The file has its new length once the log is folded back. Raises VacuumNoRoom or Unavailable.
    """
    check_room(db.path, ROOM)
    before = await db.read(_bytes)
    while await db.write(shorten):
        pass
    return VacuumResult(db.path.name, before, await db.read(_bytes), "pages")


def rebuild(path: Path) -> VacuumResult:
    """Store a database again that nobody has open; it is whole whenever this is broken off. Raises VacuumNoRoom or
    apsw.Error."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        before = _bytes(db)
        content = (_number(db, "page_count") - _number(db, "freelist_count")) * _number(db, "page_size")
        check_room(path, 2 * content + ROOM)
        db.pragma("temp_store", "file")
        db.pragma("temp_store_directory", str(path.parent))
        db.execute("vacuum")
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        return VacuumResult(path.name, before, _bytes(db), "rebuilt")
    finally:
        db.close()


def shorten(db: Connection) -> bool:
    """Take some empty pages off the end of a file; whether there may be more to take."""
    empty = _number(db, "freelist_count")
    if not empty:
        return False
    db.execute(f"pragma incremental_vacuum({PAGES_AT_ONCE})").fetchall()
    return _number(db, "freelist_count") < empty  # a file that someone rebuilt may not know how


def check_room(path: Path, needed: int) -> None:
    """Raises VacuumNoRoom where the disk of a file has less room than this."""
    free = shutil.disk_usage(path.parent).free
    if free < needed:
        raise VacuumNoRoom(
            f"{path.name} needs {needed / 1e6:,.0f} MB of free disk for this, but only {free / 1e6:,.0f} MB are free"
        )


def _bytes(db: Connection) -> int:
    return _number(db, "page_count") * _number(db, "page_size")


def _number(db: Connection, pragma: str) -> int:
    return int(str(db.pragma(pragma)))
