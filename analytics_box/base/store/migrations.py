"""The schemas of box.db and events.db, as append-only lists of steps.

Steps run through sqlite-utils at start-up, before apsw opens the files: two SQLite libraries must never hold one
file open at the same time in one process. Each step is plain SQL, one statement per call, inside one transaction
with the record that it was applied. sqlite-utils is imported only when a step is pending; it costs 19 MB.
"""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from analytics_box.base.store import schema
from analytics_box.base.store.schema import Step

if TYPE_CHECKING:
    from sqlite_utils import Database

Seen = dict[str, list[str]]  # by file: the names of its steps, oldest first; none where it is missing or empty

SET = "analytics_box"
TAKE_OVER = (
    """
    -- migrations.take_over
    insert into _sqlite_migrations (migration_set, name, applied_at)
    select migration_set, ?2, max(applied_at) from _sqlite_migrations where migration_set = ?1
    """,
    "-- migrations.forget\ndelete from _sqlite_migrations where migration_set = ?1 and name <> ?2",
)
BACKUPS = "backups"  # in the data directory: what was there before an upgrade


class NewerSchema(Exception):
    """The file was written by a newer version of the box; this one must not touch it."""


class OutdatedSchema(Exception):
    """The file was created by a development version that is too old to be taken over."""


class DamagedFile(Exception):
    """The file cannot be read as a database."""


def migrate(directory: Path, seen: Seen | None = None) -> None:
    """Bring both files in this directory to the schema of this version; `seen` is what they are at, if that is known.

    Raises NewerSchema, OutdatedSchema or DamagedFile.
    """
    seen = seen or look(directory)
    pending(directory, seen)  # neither file changes if the other is refused
    for name, steps in _files():
        path = directory / name
        if is_of_development(seen[name]):
            take_over(path)
            seen = {**seen, name: [schema.FIRST]}
        if _lacking(path, seen[name], steps):
            _apply(path, steps)


def pending(directory: Path, seen: Seen) -> list[tuple[str, str]]:
    """The steps that files which are there and at `seen` still have to take, by file.

    Raises NewerSchema or OutdatedSchema.
    """
    return [
        (name, step) for name, steps in _files() if seen[name] for step in _lacking(directory / name, seen[name], steps)
    ]


def look(directory: Path, also: Callable[[str, apsw.Connection], None] | None = None) -> Seen:
    """The steps that both files have seen. `also` looks, too, at each that lacks none. Raises DamagedFile."""
    return {name: _look(directory / name, [step for step, _ in steps], also) for name, steps in _files()}


def _files() -> tuple[tuple[str, tuple[Step, ...]], ...]:
    return (schema.BOX_FILE, schema.BOX), (schema.EVENTS_FILE, schema.EVENTS)


def is_of_development(seen: Collection[str]) -> bool:
    """Return whether a file with these steps was created by a development version before 0.1.0."""
    return bool(seen) and schema.FIRST not in seen


def outdated(file: str, seen: Collection[str]) -> str:
    """The reason why a file of this name with these steps is too old; empty if it is not."""
    last, length = schema.DEVELOPMENT[file]
    if not is_of_development(seen) or (last in seen and len(seen) == length):
        return ""
    return (
        "was created by an early development version of Analytics Box, which this version cannot upgrade. Start its "
        f"data directory once with the last development version before 0.1.0 (its last step is {last}), then with "
        "this version"
    )


def unknown_steps(file: str, seen: Collection[str]) -> list[str]:
    """The steps of a newer version that a file of this name has taken."""
    known = {step for step, _ in dict(_files())[file]}
    return [] if is_of_development(seen) else [step for step in seen if step not in known]


def _lacking(path: Path, seen: list[str], steps: tuple[Step, ...]) -> list[str]:
    if reason := outdated(path.name, seen):
        raise OutdatedSchema(f"{path} {reason}")
    if unknown := unknown_steps(path.name, seen):
        raise NewerSchema(
            f"{path} was written by a newer version of Analytics Box (it has {', '.join(unknown)}). "
            f"Install that version, or restore a backup{_way_back(path.parent)}"
        )
    return [step for step, _ in steps if step not in seen]


def _way_back(directory: Path) -> str:
    """Return the command that restores the backup of before an upgrade; empty if there is none."""
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
        seen = applied_steps(db)
        if also is not None and seen == known:
            also(path.name, db)
        return seen
    except (apsw.NotADBError, apsw.CorruptError) as damage:
        raise DamagedFile(f"{path} cannot be read ({damage}); restore a backup") from damage
    finally:
        db.close()


def applied_steps(db: apsw.Connection) -> list[str]:
    """Names of the steps that an open file has seen, oldest first."""
    if not db.table_exists(None, "_sqlite_migrations"):
        return []
    rows = db.execute(
        "-- migrations.applied\nselect name from _sqlite_migrations where migration_set = ? order by rowid",
        (SET,),
    )
    return [str(name) for (name,) in rows.fetchall()]


def take_over(path: Path) -> None:
    """Record the first step instead of those of the last development version, which led to the same schema."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        db.pragma("synchronous", "full")
        with db:
            for statement in TAKE_OVER:
                db.execute(statement, (SET, schema.FIRST))
    finally:
        db.close()


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
        db.execute("pragma secure_delete = on")  # a step may store people's data again: nothing of the old place stays
        migrations.apply(db)
    finally:
        db.close()
