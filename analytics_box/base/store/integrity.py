"""Whether a database file is sound: looked through whole, or in pieces while a box has it open.

A look at the whole file keeps the write-ahead log from starting again for as long as it lasts. Pieces do not: small
tables are checked one by one, rows and indexes of large ones are read some at a time. Only the whole look finds
pages that belong to nothing.
"""

import os
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import apsw
from msgspec import Struct

from analytics_box.base.errors import Unavailable
from analytics_box.base.store import schema
from analytics_box.base.store.db import Db
from analytics_box.base.store.migrations import SET
from analytics_box.base.store.records import quote_name
from analytics_box.base.store.trouble import words

PIECE = 100_000  # rows that are read at once
_SMALL_PIECE = 2_000  # rows that are read at once by a regular look
_RUN_SECONDS = 0.02  # of a regular look at one file, besides that at the newest rows
_REST = 9.0  # times as long as a look at the whole file took, until the next one
_NEWEST = 20  # rows of each table
_HEADER = 100  # bytes of a database file
MOST_COMPLAINTS = 10
_PIECE_SECONDS = 600.0  # for one piece

Read = Callable[[Callable[[apsw.Connection], Any]], Any]


class IntegrityWalk(NamedTuple):
    """A table, or one of its indexes, in the order of its key; what each piece of it reads."""

    source: str
    key: tuple[str, ...]
    read: tuple[str, ...]


def integrity(path: Path, *, in_use: bool = False) -> str:
    """The result of SQLite's integrity check, "ok" if the file is sound. A file that a server has open is checked in
    pieces.
    """
    try:
        db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            db.pragma("cell_size_check", True)
            return integrity_in_pieces(lambda work: work(db)) if in_use else _complaints(db, "integrity_check(10)")
        finally:
            db.close()
    except apsw.Error as broken:
        if isinstance(broken, apsw.CorruptError | apsw.NotADBError):
            return _damage_text(broken)
        return words(broken, path.parent) or f"cannot be read: {broken}"


def _damage_text(broken: apsw.Error) -> str:
    return f"damaged ({broken}): stop the server and restore a backup of both databases"


def integrity_in_pieces(read: Read, *, piece: int = PIECE) -> str:
    """Check a file that is read through `read`, which gives back what a function makes of a connection."""
    try:
        return next((found for found in _pieces(read, piece) if found != "ok"), "ok")
    except apsw.Error as broken:
        return _damage_text(broken)


def _pieces(read: Read, piece: int) -> Iterator[str]:
    """Check one piece of a file after the other: "ok", or what SQLite says of it."""
    for table in read(_tables):
        if not read(partial(_is_long, table=table, piece=piece)):
            yield str(read(partial(_complaints, check=f"quick_check({quote_name(table)})")))
            continue
        for walk in read(partial(_walks, table=table)):
            after = None
            while after := read(partial(_read_piece, walk=walk, after=after, piece=piece)):
                yield "ok"
            yield "ok"


def look_through(db: Db) -> bool:
    """Look through a database that is in use, and note its damage. Return whether it is sound.

    For threads other than the event loop's. Raises Unavailable if the box stops before the end.
    """
    known = db.damage.disk_errors
    try:
        found = integrity_in_pieces(partial(_read_past_the_cache, db))
    except Unavailable:
        if db.damage.trouble:
            return False
        raise
    if found != "ok":
        db.damage.note(found)
        return False
    db.damage.clear_disk_error(known)
    return True


class RollingCheck:
    """A regular look at an open file, a little at a time and past SQLite's caches, so that damage is found before it is
    needed. For threads other than the event loop's.

    A commit does not read the pages that the writer has in memory: it would succeed over a file that is damaged.
    Each run therefore reads back the newest rows of each table, also through its indexes, and as much of everything
    else as fits into its time; the next run goes on from there.
    """

    def __init__(self, db: Db, *, seconds: float = _RUN_SECONDS, rest: float = _REST) -> None:
        self._db = db
        self._seconds = seconds
        self._rest = rest
        self._rests_until = 0.0
        self._newest: list[tuple[str, str]] = []
        self._pieces = _pieces(self._read, _SMALL_PIECE)
        self.rounds = 0  # through the whole file

    def run(self) -> None:
        """Look once. Damage is noted; it is not looked for any longer once it is known."""
        if self._db.look() or self._db.damage.reason:
            return
        try:
            if self._db.damage.disk_error or self._read(_is_too_short):
                self._look_through()
            else:
                self._go_on()
        except Unavailable:
            self._pieces = _pieces(self._read, _SMALL_PIECE)  # An iterator that has raised ends.
            if not self._db.damage.trouble:
                raise

    def _look_through(self) -> None:
        """Look at the whole file, unless the last such look was a moment ago."""
        began = time.monotonic()
        if began < self._rests_until:
            return
        try:
            look_through(self._db)
        finally:
            self._rests_until = time.monotonic() + self._rest * (time.monotonic() - began)

    def _go_on(self) -> None:
        ends = time.monotonic() + self._seconds
        self._newest = self._newest or self._read(_newest)
        incomplete: str = self._read(partial(_incomplete, newest=self._newest))
        if incomplete:
            self._db.damage.note(f"newest rows are missing from {incomplete}")
            return
        while True:
            found = next(self._pieces, None)
            if found is None:
                self.rounds += 1
                self._pieces = _pieces(self._read, _SMALL_PIECE)
                return
            if found != "ok":
                self._db.damage.note(found)
            if found != "ok" or time.monotonic() >= ends:
                return

    def _read(self, work: Callable[[apsw.Connection], Any]) -> Any:
        return _read_past_the_cache(self._db, work)


def _read_past_the_cache(db: Db, work: Callable[[apsw.Connection], Any]) -> Any:
    return db.read_now(partial(_past_the_cache, work=work), seconds=_PIECE_SECONDS)


def _past_the_cache(db: apsw.Connection, *, work: Callable[[apsw.Connection], Any]) -> Any:
    """Do some work without pages that the connection has in memory, and look at each page more closely."""
    db.pragma("shrink_memory")
    db.pragma("cell_size_check", True)
    try:
        return work(db)
    finally:
        db.pragma("cell_size_check", False)


def _is_too_short(db: apsw.Connection) -> bool:
    """Return whether the file has fewer bytes than its header says; also true for a moment while a log is folded
    back."""
    _, header = db.read("main", 0, 0, _HEADER)
    pages, size = int.from_bytes(header[28:32], "big"), int.from_bytes(header[16:18], "big")
    return pages * size > os.stat(db.filename).st_size


def _newest(db: apsw.Connection) -> list[tuple[str, str]]:
    """Tables and indexes by name, each with a statement that reads its newest rows, and is true if all are there."""
    statements = []
    for table in _tables(db):
        rows, *indexes = _walks(db, table=table)
        order = ", ".join(f"{column} desc" for column in rows.key)
        everything = ", ".join(f"max({column})" for column in rows.read)
        last = f"from {rows.source} not indexed order by {order} limit {_NEWEST}"
        statements.append((table, f"select count(*) >= 0, {everything} from (select {', '.join(rows.read)} {last})"))
        for index in indexes:
            keys = ", ".join(f"{column} as k{place}" for place, column in enumerate(index.key))
            found = " and ".join(f"entry.{column} = newest.k{place}" for place, column in enumerate(index.key))
            entries = index.source.replace(" indexed by ", " as entry indexed by ")
            statements.append(
                (
                    index.source,
                    f"select count(*) = (select count(*) from (select 1 {last})) "
                    f"from (select {keys} {last}) as newest cross join {entries} where {found}",
                )
            )
    return statements


def _incomplete(db: apsw.Connection, *, newest: list[tuple[str, str]]) -> str:
    """Read the newest rows of all tables, and find them through all indexes; the name of one that lacks some."""
    return next((name for name, statement in newest if not db.execute(statement).fetchall()[0][0]), "")


def _complaints(db: apsw.Connection, check: str) -> str:
    return "; ".join(str(row[0]) for row in db.execute(f"pragma {check}").fetchall()[:MOST_COMPLAINTS])


def _tables(db: apsw.Connection) -> list[str]:
    return [str(name) for (name,) in db.execute("select name from sqlite_schema where type = 'table'").fetchall()]


def _is_long(db: apsw.Connection, *, table: str, piece: int) -> bool:
    return bool(db.execute(f"select 1 from {quote_name(table)} limit 1 offset ?", (piece,)).fetchall())


def _walks(db: apsw.Connection, *, table: str) -> list[IntegrityWalk]:
    """The rows of a table, and those of its indexes that have every row and no null in their key."""
    columns = db.execute('select name, "notnull", pk from pragma_table_info(?)', (table,)).fetchall()
    names = tuple(quote_name(str(name)) for name, _, _ in columns)
    never_null = {str(name) for name, not_null, primary in columns if not_null or primary}
    primary = sorted((int(str(place)), quote_name(str(name))) for name, _, place in columns if place)
    without_rowid = db.execute("select wr from pragma_table_list(?) where schema = 'main'", (table,)).get
    key = tuple(name for _, name in primary) if without_rowid else ("rowid",)
    return [IntegrityWalk(quote_name(table), key, names), *_indexes(db, table, never_null)]


def _indexes(db: apsw.Connection, table: str, never_null: set[str]) -> Iterator[IntegrityWalk]:
    listed = "select name from pragma_index_list(?) where origin <> 'pk' and not partial"
    for (index,) in db.execute(listed, (table,)).fetchall():
        parts = db.execute('select cid, name, "desc" from pragma_index_xinfo(?) order by seqno', (index,)).fetchall()
        if all(cid == -1 or (name in never_null and not down) for cid, name, down in parts):
            key = tuple("rowid" if cid == -1 else quote_name(str(name)) for cid, name, _ in parts)
            yield IntegrityWalk(f"{quote_name(table)} indexed by {quote_name(str(index))}", key, key)


def _read_piece(
    db: apsw.Connection, *, walk: IntegrityWalk, after: tuple[Any, ...] | None, piece: int
) -> tuple[Any, ...] | None:
    """Read the rows after this key, as many as a piece has; the key of the last one if there may be more."""
    key = ", ".join(walk.key)
    places = ", ".join("?" * len(walk.key))
    beginning = f"where ({key}) > ({places})" if after else ""
    found = db.execute(
        f"select {key} from {walk.source} {beginning} order by {key} limit 1 offset {piece - 1}", after or ()
    ).fetchall()
    last = found[0] if found else None
    end = f"{'and' if after else 'where'} ({key}) <= ({places})" if last else ""
    everything = ", ".join(f"max({column})" for column in walk.read)  # each value is looked at, none is kept
    db.execute(
        f"select count(*), {everything} from {walk.source} {beginning} {end}", (*(after or ()), *(last or ()))
    ).fetchall()
    return last


_SECONDS: Final = 5.0  # that counting one table may take
_PRAGMAS: Final = ("page_size", "page_count", "freelist_count", "auto_vacuum", "journal_mode", "user_version")
_STEPS: Final = {schema.BOX_FILE: schema.BOX, schema.EVENTS_FILE: schema.EVENTS}


class DatabaseReport(Struct, frozen=True):
    """A database. `rows` are by table, null where counting takes too long; `missing` and `unknown` are steps."""

    pragmas: dict[str, object]
    steps: int
    missing: tuple[str, ...]
    unknown: int
    rows: dict[str, int | None]
    otherTables: int
    integrity: str


def libraries() -> dict[str, str]:
    """The versions of SQLite and of what speaks to it."""
    return {"sqlite": apsw.sqlite_lib_version(), "apsw": apsw.apsw_version()}


def report(path: Path, *, in_use: bool) -> DatabaseReport:
    """Look at a database file, and read it through. Raises apsw.Error."""
    known = [name for name, _ in _STEPS[path.name]]
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        seen = _steps(db)
        found = db.execute("select name from sqlite_schema where type = 'table'").fetchall()
        tables = [str(name) for (name,) in found if not str(name).startswith(("sqlite_", "_sqlite_"))]
        ours = [name for name in tables if name in _our_words(path.name)]
        return DatabaseReport(
            pragmas={
                name: value if isinstance(value := db.pragma(name), int | str) else str(value) for name in _PRAGMAS
            },
            steps=len(seen),
            missing=tuple(name for name in known if name not in seen),
            unknown=sum(name not in known for name in seen),
            rows={name: _count(db, name) for name in ours},
            otherTables=len(tables) - len(ours),
            integrity=_summary(integrity(path, in_use=in_use)),
        )
    finally:
        db.close()


def _steps(db: apsw.Connection) -> list[str]:
    if not db.table_exists(None, "_sqlite_migrations"):
        return []
    rows = db.execute(
        "-- integrity.steps\nselect name from _sqlite_migrations where migration_set = ?", (SET,)
    ).fetchall()
    return [str(name) for (name,) in rows]


def _our_words(name: str) -> frozenset[str]:
    """The words of the steps that made a file: the names of its tables are among them."""
    return frozenset(re.findall(r"\w+", " ".join(one for _, statements in _STEPS[name] for one in statements)))


def _count(db: apsw.Connection, table: str) -> int | None:
    until = time.monotonic() + _SECONDS
    db.set_progress_handler(lambda: time.monotonic() > until, 10_000)
    try:
        return int(str(db.execute(f'-- integrity.count\nselect count(*) from "{table}"').fetchall()[0][0]))
    except apsw.InterruptError:
        return None
    finally:
        db.set_progress_handler(None)


def _summary(found: str) -> str:
    """Summarize the result of an integrity check without the values and paths in it."""
    if found == "ok":
        return "ok"
    kinds = ("row", "index", "malformed", "missing", "NULL", "page", "Freelist", "btree", "damaged", "cannot be read")
    return f"not ok: {', '.join(kind for kind in kinds if kind.lower() in found.lower()) or 'something else'}"
