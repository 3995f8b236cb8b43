"""The column replica: the facts of events.db again, column by column, in columns.duckdb.

It is derived and can be deleted at any time. Facts are only ever added, with ids that grow, and removed; what is
removed or changed is named in the table `changes` by triggers. So the replica follows by taking, in one snapshot of
events.db, first what `changes` names and then the rows after its own last ones, each piece in one transaction of its
own. A crash leaves it at some earlier state of events.db, from where it goes on.
"""

import hashlib
import json
import logging
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.base.store.db import Connection
from analytics_box.query.engines import duckdb as engine
from analytics_box.query.engines import transfer
from analytics_box.query.engines.memory import half
from analytics_box.query.engines.transfer import COPIED, PROPERTIES, Piece, TransferTable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

log = logging.getLogger(__name__)

FILE_NAME = "columns.duckdb"
SPILL_NAME = "columns.spill"
MOST_SPILLED = "2GB"  # of disk that queries may use next to their memory
_BYTES_OF_A_ROW = 80  # 42 were measured; strings and the log come on top
_BYTES_AT_LEAST = 64 << 20
# Rows that travel together. DuckDB takes 5 ms to plan the statement that adds them.
PIECE = 20_000
# Pieces of a table that one transaction adds.
PIECES = 10
VERSION = 9  # of what is made of the rows; a replica of another one is rebuilt
_NEXT = "id > :last order by id limit :piece"


class ReplicaNoRoom(Exception):
    """The disk has too little room for a replica; the message says how much it takes."""


class ReplicaUnusable(Exception):
    """Raised when a replica has to be rebuilt; the message gives the reason."""


class Replica:
    """An open replica. `open_replica` makes one; `step` and `close` are called by one thread at a time."""

    def __init__(self, connection: "DuckDBPyConnection", applied: int, *, has_remains: bool) -> None:
        self.connection = connection
        self._looking, self._one_looks = connection.cursor(), Lock()  # for other threads than that of the steps
        self._applied = applied  # the last change that was taken
        self._has_remains = has_remains
        self._last = {table.name: self._last_id(table.name) for table in COPIED}
        # Rows that were added since the replica was opened.
        self.added = 0
        # A new replica has half of its memory until it is reopened.
        self.is_new = False

    @property
    def applied(self) -> int:
        """The number of the last change that is in the replica."""
        return self._applied

    @property
    def has_remains(self) -> bool:
        """Whether strings were removed: their bytes may still be in the file, until it is rebuilt."""
        return self._has_remains

    def rows(self) -> int:
        """The number of rows of facts in the replica."""
        return sum(self._look(f"select count(*) from {name}") for name in FACT_NAMES)

    def memory(self) -> int:
        """Bytes of memory that it holds."""
        return self._look("select coalesce(sum(memory_usage_bytes), 0) from duckdb_memory()")

    def last(self, table: str) -> int:
        """The id of the newest row that it has of this table."""
        return self._last[table]

    def step(self, db: Connection) -> bool:
        """Take one piece of what is new; whether there may be more. Runs on a reader of events.db."""
        db.execute("begin")
        try:
            return self._is_behind(db) and self._take(db)
        finally:
            db.execute("rollback")

    def close(self) -> None:
        self._looking.close()
        self.connection.close()

    def _look(self, sql: str) -> int:
        with self._one_looks:
            return int(self._looking.execute(sql).fetchall()[0][0])

    def _is_behind(self, db: Connection) -> bool:
        newest = " union all ".join(f"select coalesce(max(id), -1) from {table.name}" for table in COPIED)
        found = db.execute(f"-- columns.newest\n{newest}").fetchall()
        return _newest_change(db) != self._applied or [int(str(last)) for (last,) in found] != list(self._last.values())

    def _take(self, db: Connection) -> bool:
        changes = db.execute(
            "-- columns.changes\nselect id, source, row from changes where id > ? order by id limit ?",
            (self._applied, PIECE),
        ).fetchall()
        applied = int(str(changes[-1][0])) if changes else self._applied
        has_remains = self._has_remains or any(source == "strings" for _, source, _ in changes)
        before = dict(self._last)
        more = len(changes) == PIECE
        self.connection.execute("begin")
        try:
            for table in COPIED:
                ids = sorted({int(str(row)) for _, source, row in changes if source == table.name})
                if ids:
                    self._renew(db, table, ids)
            if not more:  # ids of removed rows may come again: first all changes, then new rows
                for table in COPIED:
                    goes_on = self._append(db, table)
                    while goes_on and table.name == "strings":  # no row may be seen before its strings
                        goes_on = self._append(db, table)
                    more |= goes_on
            if changes:
                self.connection.execute("update replica set applied = $1, has_remains = $2", [applied, has_remains])
            self.connection.execute("commit")
        except BaseException:
            self._last = before
            self.connection.execute("rollback")
            raise
        self._applied, self._has_remains = applied, has_remains
        return more

    def _renew(self, db: Connection, table: TransferTable, ids: list[int]) -> None:
        """Remove these rows, and take those of them again that are still there."""
        listed = json.dumps(ids)
        where = "id in (select value from json_each(:ids)) and id <= :last"
        values: dict[str, int | str] = {"ids": listed, "last": self._last[table.name]}
        self._remove(table, listed)
        # Behind the last that is left, ids may be those of new rows, of which some are in no change: they come later.
        values["last"] = self._last[table.name] = self._last_id(table.name)
        transfer.write(self.connection, transfer.read(db, table, where, values))

    def _remove(self, table: TransferTable, ids: str) -> None:
        self.connection.execute(f"delete from {table.name} where id in (select value from numbers_in($1))", [ids])
        if table.name == "events":
            self.connection.execute(
                f"delete from {PROPERTIES} where event in (select value from numbers_in($1))", [ids]
            )

    def _append(self, db: Connection, table: TransferTable) -> bool:
        """Add the rows after the last one, up to PIECES pieces; return whether there may be more."""
        piece = self._read_next(db, table)
        if piece.rows < PIECE:
            transfer.write(self.connection, piece)
            return False
        # SQLite reads the next piece while DuckDB writes this one; neither needs the interpreter for that.
        with ThreadPoolExecutor(1, thread_name_prefix="columns-write") as writer:
            for _ in range(PIECES - 1):
                written = writer.submit(transfer.write, self.connection, piece)
                piece = self._read_next(db, table)
                written.result()
                if piece.rows < PIECE:
                    break
            transfer.write(self.connection, piece)
        return piece.rows == PIECE

    def _read_next(self, db: Connection, table: TransferTable) -> Piece:
        piece = transfer.read(db, table, _NEXT, {"last": self._last[table.name], "piece": PIECE})
        if piece.rows:
            self._last[table.name] = piece.last
            self.added += piece.rows
        return piece

    def _last_id(self, table: str) -> int:
        return self._number(f"select coalesce(max(id), -1) from {table}")

    def _number(self, sql: str) -> int:
        return int(self.connection.execute(sql).fetchall()[0][0])


def open_replica(path: Path, db: Connection, *, memory: str, threads: int) -> Replica:
    """Open the replica of these facts, or make a new one where there is none that could go on.

    Raises ReplicaNoRoom, or the engine's errors, when that is impossible too.
    """
    import duckdb  # noqa: PLC0415  # 60 ms and 25 MB that small boxes do not pay

    shutil.rmtree(path.with_name(SPILL_NAME), ignore_errors=True)  # of a run that was killed
    if path.exists():
        try:
            return _open_file(path, db, memory=memory, threads=threads)
        except (ReplicaUnusable, duckdb.Error) as why:
            log.info("Rebuilding the column replica: %s", why)
    forget_replica(path)
    _check_room(path.parent, db)
    # DuckDB keeps written blocks up to this limit while a replica is built, although no query reads them.
    connection = _connect(path, memory=half(memory), threads=threads)
    for table in COPIED:
        columns = ", ".join(f"{name} {type_}" for name, type_ in table.columns)
        connection.execute(f"create table {table.name} ({columns})")
    connection.execute(f"create table {PROPERTIES} (event bigint, key varchar, kind_of varchar, value varchar)")
    for macro in engine.MACROS:
        connection.execute(macro)
    applied = _newest_change(db)
    connection.execute("create table replica (shape varchar, applied bigint, has_remains boolean)")
    connection.execute("insert into replica values ($1, $2, false)", [_shape(), applied])
    replica = Replica(connection, applied, has_remains=False)
    replica.is_new = True
    return replica


def _check_room(directory: Path, db: Connection) -> None:
    newest = " union all ".join(f"select coalesce(max(id), 0) from {table}" for table in FACT_NAMES)
    rows = sum(int(str(last)) for (last,) in db.execute(f"-- columns.check_room\n{newest}").fetchall())
    wanted, free = rows * _BYTES_OF_A_ROW + _BYTES_AT_LEAST, shutil.disk_usage(directory).free
    if free < wanted:
        raise ReplicaNoRoom(f"it may take {wanted >> 20} MB, and {free >> 20} MB are free on the disk of {directory}")


def forget_replica(path: Path) -> None:
    """Remove a replica's files, and what queries have left next to them."""
    shutil.rmtree(path.with_name(SPILL_NAME), ignore_errors=True)
    for file in (path, path.with_name(path.name + ".wal")):
        file.unlink(missing_ok=True)


def _open_file(path: Path, db: Connection, *, memory: str, threads: int) -> Replica:
    connection = _connect(path, memory=memory, threads=threads)
    try:
        found = connection.execute("select shape, applied, has_remains from replica").fetchall()
        if len(found) != 1 or found[0][0] != _shape():
            raise ReplicaUnusable("it has another shape")
        if found[0][2]:
            raise ReplicaUnusable("what was removed from the events may still be in its file")
        replica = Replica(connection, int(found[0][1]), has_remains=False)
        _check_goes_on(replica, db)
    except BaseException:
        connection.close()
        raise
    return replica


def _check_goes_on(replica: Replica, db: Connection) -> None:
    """Whether it is an earlier state of these facts: all changes since are known, and its last rows are theirs."""
    newest = _newest_change(db)
    rows = db.execute("-- columns.oldest\nselect coalesce(min(id), 0) from changes").fetchall()
    oldest = int(str(rows[0][0])) or newest + 1
    if not oldest - 1 <= replica.applied <= newest:
        raise ReplicaUnusable("it has missed changes")
    for table in COPIED:
        last = replica.last(table.name)
        columns = [name for name, type_ in table.columns if type_ != "double"]
        own = replica.connection.execute(f"select {', '.join(columns)} from {table.name} where id = $1", [last])
        its = db.execute(f"-- columns.check\nselect {', '.join(columns)} from {table.name} where id = ?", (last,))
        found, there = own.fetchall(), its.fetchall()
        if found != there and not _has_changed(db, table.name, last, since=replica.applied):
            raise ReplicaUnusable(f"its {table.name} are others")


def _has_changed(db: Connection, table: str, row: int, *, since: int) -> bool:
    found = db.execute(
        "-- columns.has_changed\nselect 1 from changes where source = ? and row = ? and id > ?", (table, row, since)
    )
    return bool(found.fetchall())


def _connect(path: Path, *, memory: str, threads: int) -> "DuckDBPyConnection":
    import duckdb  # noqa: PLC0415  # see open_replica

    connection = duckdb.connect(
        str(path),
        config={
            "memory_limit": memory,
            "threads": threads,
            "temp_directory": str(path.with_name(SPILL_NAME)),
            "max_temp_directory_size": MOST_SPILLED,
            "default_block_size": "65536",  # a column of a row group fills blocks of 256 KB badly: 8 % of the file
            "checkpoint_threshold": "64MB",  # the newest rows are packed again each time
            "default_null_order": "nulls_first_on_asc_last_on_desc",  # as SQLite
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        },
    )
    connection.execute("set enable_progress_bar = false")  # it would be drawn into the log
    connection.execute("set enable_external_access = false")
    connection.execute("set allowed_configs = ['threads']")  # processors
    connection.execute("set lock_configuration = true")
    return connection


def _shape() -> str:
    return hashlib.sha256(json.dumps([VERSION, COPIED, engine.MACROS]).encode()).hexdigest()


def _newest_change(db: Connection) -> int:
    rows = db.execute("-- columns.newest\nselect seq from sqlite_sequence where name = 'changes'").fetchall()
    return int(str(rows[0][0])) if rows else 0
