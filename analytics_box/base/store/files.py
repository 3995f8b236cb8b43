"""Small files that are written whole, scratch databases, and whether a database is where it was opened."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw


def scratch(db: apsw.Connection, tables: Sequence[str]) -> apsw.Connection:
    """A private database with these tables and their indexes as they are in `db` now, all empty.

    It lives in memory; above 64 MB it goes on in a temporary file. It has no triggers, and references between
    tables are not looked at.
    """
    made = apsw.Connection("")  # a temporary database, which goes with the connection
    made.pragma("cache_size", -64_000)
    made.pragma("foreign_keys", False)
    for table in tables:
        statements = db.execute(
            """
            -- scratch.scratch
            select sql from sqlite_schema where tbl_name = ? and type in ('table', 'index') and sql is not null
            order by type desc
            """,
            (table,),
        )
        for (statement,) in statements.fetchall():
            made.execute(str(statement))
    return made


def copy(db: apsw.Connection, into: apsw.Connection, table: str, condition: str, values: Sequence[Any]) -> None:
    """Copy the rows that meet a condition, row by row; those that are there already stay."""
    columns = [str(name) for (name,) in db.execute("select name from pragma_table_info(?)", (table,)).fetchall()]
    names, places = ", ".join(columns), ", ".join("?" * len(columns))
    found = db.execute(f"-- scratch.copy\nselect {names} from {table} where {condition}", values)
    with into:
        into.executemany(f"-- scratch.copy\ninsert or ignore into {table} ({names}) values ({places})", found)


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
    sync(path.parent)


def sync(path: Path) -> None:
    """Be sure that a file's bytes, or the names made and removed in a folder, are on disk."""
    opened = os.open(path, os.O_RDONLY)
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
