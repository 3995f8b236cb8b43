"""A copy of both databases as they are at one moment, while the box goes on writing.

Both writers are held for as long as it takes to begin a read of each file. Nothing is committed meanwhile, so the two
reads belong together: they see what was acknowledged until then, and nothing else. The reads are then copied page by
page, and writing goes on.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import apsw

from analytics_box.base.store import schema
from analytics_box.base.store.db import Db
from analytics_box.base.store.files import sync
from analytics_box.base.store.migrations import applied_steps
from analytics_box.base.store.pairing import mismatch
from analytics_box.base.store.readers import BUSY_MS
from analytics_box.base.store.records import quote_name

FILES = (schema.BOX_FILE, schema.EVENTS_FILE)
_PAGES_AT_ONCE = 1_000  # 8 MB between two looks at whether to go on
_TRIES = 5


class TableContents(NamedTuple):
    """The contents of a table: its number of rows, and the highest number of its column `id`, if that is a number."""

    rows: int
    last: int | None = None


class Contents(NamedTuple):
    """The contents of a pair: the id of its box, the steps of each file, and its tables by file and name."""

    box_id: str
    steps: dict[str, list[str]]
    tables: dict[str, dict[str, TableContents]]


class NotSound(Exception):
    """The copy, or what was copied, cannot be used; the message says why."""


class SnapshotLapse(Exception):
    """The writers could not be held long enough to begin both reads."""


def size(directory: Path) -> int:
    """Bytes of both files with their logs: as much as a copy takes at most."""
    names = (f"{name}{suffix}" for name in FILES for suffix in ("", "-wal"))
    return sum(file.stat().st_size for file in (directory / name for name in names) if file.exists())


def copy_pair(
    directory: Path, into: Path, databases: Sequence[Db], going_on: Callable[[], None], now: Callable[[], int]
) -> int:
    """Copy both files of a data directory; the moment they are of (UTC ms).

    `databases` are those that are open on them, none where no box runs. `going_on` is called every few megabytes and
    raises what ends the copying. Raises SnapshotLapse, and what the disk and SQLite raise.
    """
    with ExitStack() as opened:
        sources = [opened.enter_context(closing(_source(directory / name))) for name in FILES]
        moment = _begin_together(sources, databases, now)
        for name, source in zip(FILES, sources, strict=True):
            _copy(source, into / name, going_on)
            source.execute("rollback")
    sync(into)
    return moment


def _source(path: Path) -> apsw.Connection:
    """A reader that leaves the file's log as it is, if there is one: how the last run ended stays to be seen."""
    has_log = path.with_name(f"{path.name}-wal").exists()
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    db.set_busy_timeout(BUSY_MS)
    db.pragma("query_only", True)
    if has_log:
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    db.pragma("schema_version")  # a first look, which may recover the log
    return db


def _begin_together(sources: Sequence[apsw.Connection], databases: Sequence[Db], now: Callable[[], int]) -> int:
    for _ in range(_TRIES):
        with ExitStack() as held:
            holds = [held.enter_context(db.held()) for db in databases]
            for source in sources:
                source.execute("begin")
                source.execute("-- snapshot.begin\nselect 1 from sqlite_schema limit 1").fetchall()
            moment = now()
            if not any(hold.lapsed for hold in holds):
                return moment
        for source in sources:
            source.execute("rollback")
    raise SnapshotLapse("The server is too busy to start a backup. Try again")


def _copy(source: apsw.Connection, path: Path, going_on: Callable[[], None]) -> None:
    with closing(apsw.Connection(str(path))) as made:
        made.pragma("synchronous", "off")  # it is synced once, below
        made.pragma("locking_mode", "exclusive")
        with made.backup("main", source, "main") as backup:
            while not backup.done:
                backup.step(_PAGES_AT_ONCE)
                going_on()
        made.pragma("journal_mode", "delete")  # so that it can be read where nothing may be written
    sync(path)


@contextmanager
def reading(path: Path) -> Iterator[apsw.Connection]:
    """A copy that nobody writes to, also on a disk where nothing may be written."""
    address = f"file:{quote(str(path.absolute()))}?immutable=1"
    with closing(apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)) as db:
        yield db


def examine(folder: Path, going_on: Callable[[], None] = lambda: None) -> Contents:
    """Look a pair of copies through: sound, of one box, in step with one another. Raises NotSound."""
    for name in FILES:
        path = folder / name
        if not path.is_file() or not path.stat().st_size:
            raise NotSound(f"{name} is missing or empty; a backup is of both files or of none")
        _look_through(path, going_on)
    try:
        with reading(folder / schema.BOX_FILE) as box, reading(folder / schema.EVENTS_FILE) as events:
            box_id, complaint = mismatch(box, events)
            if complaint:
                raise NotSound(complaint)
            tables = {schema.BOX_FILE: _tables(box), schema.EVENTS_FILE: _tables(events)}
            steps = {schema.BOX_FILE: applied_steps(box), schema.EVENTS_FILE: applied_steps(events)}
            return Contents(box_id, steps, tables)
    except apsw.Error as broken:
        raise NotSound(f"The files cannot be read: {broken}") from broken


def _look_through(path: Path, going_on: Callable[[], None]) -> None:
    stopped: list[BaseException] = []

    def look() -> bool:
        try:
            going_on()
        except BaseException as end:  # raised below, outside of SQLite
            stopped.append(end)
        return bool(stopped)

    try:
        with reading(path) as db:
            db.set_progress_handler(look, 100_000)
            db.pragma("cell_size_check", True)
            found = db.execute("pragma integrity_check(10)").fetchall()
    except apsw.Error as broken:
        if stopped:
            raise stopped[0] from broken
        raise NotSound(f"{path.name} is damaged ({broken})") from broken
    if found != [("ok",)]:
        raise NotSound(f"{path.name} is damaged: " + "; ".join(str(row[0]) for row in found))


def box_id_of(directory: Path) -> str:
    """The id of the box whose data directory this is; empty if it cannot be told. No box may use it now."""
    try:
        with closing(_source(directory / schema.BOX_FILE)) as db:
            return str(db.execute("-- snapshot.box_id_of\nselect id from box").fetchall()[0][0])
    except (apsw.Error, IndexError):
        return ""


def tables_of(directory: Path) -> dict[str, dict[str, TableContents]]:
    """The tables of a data directory that no box uses now; none of a file that is missing or cannot be read."""
    found: dict[str, dict[str, TableContents]] = {}
    for name in FILES:
        try:
            with closing(_source(directory / name)) as db:
                found[name] = _tables(db)
        except apsw.Error:
            found[name] = {}
    return found


def _tables(db: apsw.Connection) -> dict[str, TableContents]:
    listed = db.execute(
        """
        -- snapshot.tables
        select tables.name, columns.type = 'INTEGER'
        from sqlite_schema as tables
        left join pragma_table_info(tables.name) as columns on columns.name = 'id' and columns.pk = 1
        where tables.type = 'table' and tables.name not like 'sqlite\\_%' escape '\\'
          and tables.name not like '\\_%' escape '\\'
        """
    ).fetchall()
    return {str(name): _table(db, str(name), numbered=bool(numbered)) for name, numbered in listed}


def _table(db: apsw.Connection, name: str, *, numbered: bool) -> TableContents:
    what = "count(*), max(id)" if numbered else "count(*), null"
    ((rows, last),) = db.execute(f"-- snapshot.table\nselect {what} from {quote_name(name)}").fetchall()
    return TableContents(int(str(rows)), None if last is None else int(str(last)))


def rows_after(directory: Path, file: str, table: str, last: int) -> int:
    """The number of rows of a table with a number beyond this; 0 if they cannot be read."""
    try:
        with closing(_source(directory / file)) as db:
            rows = db.execute(
                f"-- snapshot.rows_after\nselect count(*) from {quote_name(table)} where id > ?", (last,)
            ).fetchall()
            return int(str(rows[0][0]))
    except apsw.Error:
        return 0


def rows_in(directory: Path, file: str, tables: Sequence[str]) -> tuple[int, bool]:
    """Rows of those of these tables that there are, and whether all are there."""
    if not tables:
        return 0, True
    with closing(_source(directory / file)) as db:
        there = [table for table in tables if db.table_exists(None, table)]
        return sum(_table(db, table, numbered=False).rows for table in there), len(there) == len(tables)


def seconds_since(start: float) -> float:
    """Seconds since a value of time.monotonic."""
    return round(time.monotonic() - start, 3)
