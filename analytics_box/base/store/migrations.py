"""The schemas of box.db and events.db, as append-only lists of steps.

Steps run through sqlite-utils at start-up, before apsw opens the files: two SQLite libraries must never hold one
file open at the same time in one process. Each step is plain SQL, one statement per call, inside one transaction
with the record that it was applied. sqlite-utils is imported only when a step is pending; it costs 19 MB.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from analytics_box.base.store import schema

if TYPE_CHECKING:
    from sqlite_utils import Database

Step = tuple[str, tuple[str, ...]]  # name, statements
Seen = dict[str, list[str]]  # by file: the names of its steps, oldest first; none where it is missing or empty

SET = "analytics_box"
BACKUPS = "backups"  # in the data directory: what was there before an upgrade


class NewerSchema(Exception):
    """The file was written by a newer version of the box; this one must not touch it."""


class DamagedFile(Exception):
    """The file cannot be read as a database."""


def migrate(directory: Path, seen: Seen | None = None) -> None:
    """Bring both files in this directory to the schema of this version; `seen` is what they are at, if that is known.

    Raises NewerSchema or DamagedFile.
    """
    seen = seen or look(directory)
    for name, steps in _files():
        if _lacking(directory / name, seen[name], steps):
            _apply(directory / name, steps)


def pending(directory: Path, seen: Seen) -> list[tuple[str, str]]:
    """The steps that files which are there and at `seen` still have to take, by file. Raises NewerSchema."""
    return [
        (name, step) for name, steps in _files() if seen[name] for step in _lacking(directory / name, seen[name], steps)
    ]


def look(directory: Path, also: Callable[[str, apsw.Connection], None] | None = None) -> Seen:
    """The steps that both files have seen. `also` looks, too, at each that lacks none. Raises DamagedFile."""
    return {name: _look(directory / name, [step for step, _ in steps], also) for name, steps in _files()}


def _files() -> tuple[tuple[str, tuple[Step, ...]], ...]:
    return (schema.BOX_FILE, schema.BOX), (schema.EVENTS_FILE, schema.EVENTS)


def _lacking(path: Path, seen: list[str], steps: tuple[Step, ...]) -> list[str]:
    known = [step for step, _ in steps]
    if unknown := [step for step in seen if step not in known]:
        raise NewerSchema(
            f"{path} was written by a newer version of Analytics Box (it has {', '.join(unknown)}); "
            f"install that version or restore a backup{_way_back(path.parent)}"
        )
    return [step for step in known if step not in seen]


def _way_back(directory: Path) -> str:
    """Where the backup of before an upgrade is; the command says what it lacks before it does anything."""
    backups = directory / BACKUPS
    return f": analytics-box restore --data-dir {directory} {backups}" if backups.is_dir() else ""


def _look(path: Path, known: list[str], also: Callable[[str, apsw.Connection], None] | None) -> list[str]:
    """Names of the steps that this file has seen, oldest first; none for one that is missing or empty."""
    if not path.exists() or path.stat().st_size == 0:
        return []
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        if path.with_name(f"{path.name}-wal").exists():  # how the last run ended stays to be seen
            db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        seen = applied(db)
        if also is not None and seen == known:
            also(path.name, db)
        return seen
    except (apsw.NotADBError, apsw.CorruptError) as damage:
        raise DamagedFile(f"{path} cannot be read ({damage}); restore a backup") from damage
    finally:
        db.close()


def applied(db: apsw.Connection) -> list[str]:
    """Names of the steps that an open file has seen, oldest first."""
    if not db.table_exists(None, "_sqlite_migrations"):
        return []
    rows = db.execute(
        "-- migrations.applied\nselect name from _sqlite_migrations where migration_set = ? order by rowid",
        (SET,),
    )
    return [str(name) for (name,) in rows.fetchall()]


def _apply(path: Path, steps: tuple[Step, ...]) -> None:
    from sqlite_utils import Database, Migrations  # noqa: PLC0415  costs 19 MB, so only when a step is pending

    migrations = Migrations(SET)
    for name, statements in steps:

        def run(db: "Database", statements: tuple[str, ...] = statements) -> None:
            for statement in statements:
                db.execute(statement)

        migrations(name=name)(run)

    db = Database(path)
    try:
        db.execute("pragma page_size = 8192")
        db.execute("pragma auto_vacuum = incremental")
        db.execute("pragma secure_delete = on")  # a step may store people's data anew: nothing of the old place stays
        migrations.apply(db)
    finally:
        db.close()
