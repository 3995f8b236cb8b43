"""A description of a database without its contents: its pragmas, its steps, and the number of rows."""

import re
import time
from pathlib import Path
from typing import Final

import apsw
from msgspec import Struct

from analytics_box.base.store import schema
from analytics_box.base.store.integrity import integrity
from analytics_box.base.store.migrations import SET

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
    rows = db.execute("-- report.steps\nselect name from _sqlite_migrations where migration_set = ?", (SET,)).fetchall()
    return [str(name) for (name,) in rows]


def _our_words(name: str) -> frozenset[str]:
    """The words of the steps that made a file: the names of its tables are among them."""
    return frozenset(re.findall(r"\w+", " ".join(one for _, statements in _STEPS[name] for one in statements)))


def _count(db: apsw.Connection, table: str) -> int | None:
    until = time.monotonic() + _SECONDS
    db.set_progress_handler(lambda: time.monotonic() > until, 10_000)
    try:
        return int(str(db.execute(f'-- report.count\nselect count(*) from "{table}"').fetchall()[0][0]))
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
