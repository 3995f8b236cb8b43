"""Connections to a SQLite file: one that writes, and those that read."""

import contextlib
from pathlib import Path

import apsw

BUSY_MS = 5_000
# Statements that stay compiled, in a ring that each use of one goes on by a place: those of a busy moment must not push
# out what is needed once in a hundred.
_KEPT_OF_A_WRITER = 1_000
LOG_KEPT = 32 << 20  # bytes of the write-ahead log's file that stay once it has started again


def connect(path: Path, *, writes: bool, durability: str, vfs: str | None) -> apsw.Connection:
    """A connection to a file that is there; one that does not write cannot, and is prepared before its first read."""
    kept = {"statementcachesize": _KEPT_OF_A_WRITER} if writes else {}
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE, vfs=vfs, **kept)
    connection.set_busy_timeout(BUSY_MS)
    connection.pragma("foreign_keys", True)
    # The plan of a statement does not depend on its values: else each run that binds others compiles it anew.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    if writes:
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", durability)
        connection.pragma("cache_size", -32_000)
        connection.pragma("journal_size_limit", LOG_KEPT)
        connection.pragma("temp_store", "memory")
    else:
        # What a read sorts and groups goes on in a file beside the database once it is long; the file has no name.
        connection.pragma("temp_store", "file")
        with contextlib.suppress(apsw.SQLError):  # it cannot be written: the system's directories are left
            connection.pragma("temp_store_directory", str(path.parent))
        connection.pragma("query_only", True)
    connection.pragma("schema_version")  # a first look, which opens the log, and makes it where there is none
    return connection


def prepare(connection: apsw.Connection) -> None:
    """Before the first read: what makes SQLite parse the schema, which takes longer than everything else, and memory
    that a connection in reserve does without."""
    connection.pragma("cache_size", -8_000)
