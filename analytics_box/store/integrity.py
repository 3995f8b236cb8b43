"""Whether a database file is sound: looked through whole, or in pieces while a box has it open.

A look at the whole file keeps the write-ahead log from starting again for as long as it lasts. Pieces do not: small
tables are checked one by one, rows and indexes of large ones are read some at a time. Only the whole look finds
pages that belong to nothing.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from analytics_box.errors import Unavailable
from analytics_box.store.db import Db
from analytics_box.store.trouble import words

PIECE = 100_000  # rows that are read at once
MOST_COMPLAINTS = 10
_PIECE_SECONDS = 600.0  # for one piece

Read = Callable[[Callable[[apsw.Connection], Any]], Any]


class Walk(NamedTuple):
    """A table, or one of its indexes, in the order of its key; what each piece of it reads."""

    source: str
    key: tuple[str, ...]
    read: tuple[str, ...]


def integrity(path: Path, *, in_use: bool = False) -> str:
    """What SQLite says of a file, "ok" if it is sound. A file that a server has open is looked through in pieces."""
    try:
        db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            db.pragma("cell_size_check", True)
            return integrity_in_pieces(lambda work: work(db)) if in_use else _complaints(db, "integrity_check(10)")
        finally:
            db.close()
    except apsw.Error as broken:
        if isinstance(broken, apsw.CorruptError | apsw.NotADBError):
            return _damaged(broken)
        return words(broken, path.parent) or f"cannot be read: {broken}"


def _damaged(broken: apsw.Error) -> str:
    return f"damaged ({broken}): stop the box and restore a backup of both databases"


def integrity_in_pieces(read: Read, *, piece: int = PIECE) -> str:
    """Check a file that is read through `read`, which gives back what a function makes of a connection."""
    try:
        for table in read(_tables):
            if not read(partial(_is_long, table=table, piece=piece)):
                found = read(partial(_complaints, check=f"quick_check({_quoted(table)})"))
                if found != "ok":
                    return str(found)
                continue
            for walk in read(partial(_walks, table=table)):
                after = None
                while after := read(partial(_read_piece, walk=walk, after=after, piece=piece)):
                    pass
    except apsw.Error as broken:
        return _damaged(broken)
    return "ok"


def look_through(db: Db) -> bool:
    """Look through a database that is in use, and note its damage. Return whether it is sound.

    For threads other than the event loop's. Raises Unavailable if the box stops before the end.
    """
    try:
        found = integrity_in_pieces(partial(db.read_now, seconds=_PIECE_SECONDS))
    except Unavailable:
        if db.damage.reason:
            return False
        raise
    if found != "ok":
        db.damage.note(found)
    return found == "ok"


def _complaints(db: apsw.Connection, check: str) -> str:
    return "; ".join(str(row[0]) for row in db.execute(f"pragma {check}").fetchall()[:MOST_COMPLAINTS])


def _tables(db: apsw.Connection) -> list[str]:
    return [str(name) for (name,) in db.execute("select name from sqlite_schema where type = 'table'").fetchall()]


def _is_long(db: apsw.Connection, *, table: str, piece: int) -> bool:
    return bool(db.execute(f"select 1 from {_quoted(table)} limit 1 offset ?", (piece,)).fetchall())


def _walks(db: apsw.Connection, *, table: str) -> list[Walk]:
    """The rows of a table, and those of its indexes that have every row and no null in their key."""
    columns = db.execute('select name, "notnull", pk from pragma_table_info(?)', (table,)).fetchall()
    names = tuple(_quoted(str(name)) for name, _, _ in columns)
    never_null = {str(name) for name, not_null, primary in columns if not_null or primary}
    primary = sorted((int(str(place)), _quoted(str(name))) for name, _, place in columns if place)
    without_rowid = db.execute("select wr from pragma_table_list(?) where schema = 'main'", (table,)).get
    key = tuple(name for _, name in primary) if without_rowid else ("rowid",)
    return [Walk(_quoted(table), key, names), *_indexes(db, table, never_null)]


def _indexes(db: apsw.Connection, table: str, never_null: set[str]) -> Iterator[Walk]:
    listed = "select name from pragma_index_list(?) where origin <> 'pk' and not partial"
    for (index,) in db.execute(listed, (table,)).fetchall():
        parts = db.execute('select cid, name, "desc" from pragma_index_xinfo(?) order by seqno', (index,)).fetchall()
        if all(cid == -1 or (name in never_null and not down) for cid, name, down in parts):
            key = tuple("rowid" if cid == -1 else _quoted(str(name)) for cid, name, _ in parts)
            yield Walk(f"{_quoted(table)} indexed by {_quoted(str(index))}", key, key)


def _read_piece(
    db: apsw.Connection, *, walk: Walk, after: tuple[Any, ...] | None, piece: int
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


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
