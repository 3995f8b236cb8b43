"""box.db and events.db belong together: facts know their website, link or monitor by numbers that box.db gives.

Both files carry the id of the box, and events.db the highest numbers that were ever given, so that another file, or an
older one, in the place of either is noticed before a new website is shown the events of another.
"""

import json
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import apsw

from analytics_box.base.store import migrations, schema
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.migrations import Seen
from analytics_box.base.store.writes import Work

T = TypeVar("T")

ACCEPT = "analytics-box accept-files"

# What box.db numbers: its table, and the column of events.db where those numbers stand, which indexes begin with.
_NUMBERED = {"sites": "site", "links": "link", "monitors": "monitor"}


class NotAPair(Exception):
    """The two files do not belong together; the message says what to do."""


class Numbers(NamedTuple):
    """The highest numbers of websites (and organizations), of short links and of monitors."""

    sites: int
    links: int
    monitors: int


class Side(NamedTuple):
    """The numbers that one file gave or knows of, and the id of the box, which is empty in an events.db
    that was never seen next to a box.db."""

    numbers: Numbers
    box_id: str


class PairState(NamedTuple):
    """The steps of both files, and the sides of those that lack no step."""

    seen: Seen
    sides: dict[str, Side]


def look(directory: Path) -> PairState:
    """Open both files once, because SQLite parses the schema each time. Raises DamagedFile."""
    sides: dict[str, Side] = {}
    return PairState(migrations.look(directory, lambda name, db: sides.update({name: _side(name, db)})), sides)


def bring_together(directory: Path, looked: PairState | None = None, *, accept: bool = False) -> list[str]:
    """Migrate both files and make sure that they belong together; what was accepted, in words.

    `looked` is what a look at them said, if there was one. With `accept` the box goes on without its events, or with an
    older box.db. Raises NotAPair, and what `migrate` does.
    """
    box, events = directory / schema.BOX_FILE, directory / schema.EVENTS_FILE
    looked = looked or look(directory)
    done = _check_both_are_there(box, events, looked.seen, accept=accept)
    migrations.migrate(directory, looked.seen)
    ours, theirs = (looked.sides.get(file.name) or _with(file, partial(_side, file.name)) for file in (box, events))
    _check_match(box, events, ours, theirs, accept=accept)
    (given, box_id), (known, other_id) = ours, theirs
    if _is_older(ours, theirs):
        given = Numbers(*map(max, known, given))
        _with(box, lambda db: _skip_to(db, given))
        done.append(
            f"{box.name} goes on after the numbers that {events.name} knows; "
            "newer websites, links and monitors are gone"
        )
    if other_id != box_id or known != given:
        _with(events, lambda db: _note(db, box_id, given))
    return done


def check(directory: Path, looked: PairState) -> None:
    """See what a start would refuse about these files, and change nothing.

    Raises NotAPair, NewerSchema or OutdatedSchema.
    """
    box, events = directory / schema.BOX_FILE, directory / schema.EVENTS_FILE
    migrations.pending(directory, looked.seen)
    _check_both_are_there(box, events, looked.seen, accept=False)
    if looked.sides.keys() >= {box.name, events.name}:
        _check_match(box, events, looked.sides[box.name], looked.sides[events.name], accept=False)


def _check_match(box: Path, events: Path, ours: Side, theirs: Side, *, accept: bool) -> None:
    """Raises NotAPair."""
    if theirs.box_id and theirs.box_id != ours.box_id:
        raise NotAPair(
            f"{box} and {events.name} belong to different servers; restore two files from the same backup, or move "
            f"{events.name} elsewhere and start without events: {ACCEPT} --data-dir {box.parent}"
        )
    if _is_older(ours, theirs) and not accept:
        raise NotAPair(
            f"{box} is older than {events.name}, which refers to websites, links or monitors created later; restore a "
            f"{box.name} as recent as the events, or continue without them: {ACCEPT} --data-dir {box.parent}"
        )


def _is_older(ours: Side, theirs: Side) -> bool:
    """Whether events.db knows of numbers that box.db has not given yet."""
    return any(known > given for known, given in zip(theirs.numbers, ours.numbers, strict=True))


def mismatch(box: Connection, events: Connection) -> tuple[str, str]:
    """The id of the box, and why these two files do not belong together: empty if they do. It writes nothing."""
    box_id, other_id = _box_id(box), _box_id(events)
    if other_id and other_id != box_id:
        return box_id, f"{schema.BOX_FILE} and {schema.EVENTS_FILE} belong to different servers"
    if any(theirs > ours for theirs, ours in zip(_numbers_known(events), _numbers_given(box), strict=True)):
        return box_id, f"{schema.BOX_FILE} is older than {schema.EVENTS_FILE}"
    return box_id, ""


async def note_numbers(box_db: Db, events: Db) -> None:
    """Tell events.db which numbers have been given since, so that no older box.db gives them again."""
    given = await box_db.read(_numbers_given)
    if await events.read(_numbers_noted) != given:
        box_id = await box_db.read(_box_id)
        await events.write(lambda db: _note(db, box_id, given))


def _check_both_are_there(box: Path, events: Path, seen: Seen, *, accept: bool) -> list[str]:
    has_box, has_events = bool(seen[box.name]), bool(seen[events.name])
    if has_events and not has_box:
        raise NotAPair(
            f"{box} is missing or empty, but {events.name} has events of a server; restore {box.name}, "
            f"or move {events.name} elsewhere to start over"
        )
    if has_events or not has_box or not _with(box, _has_accounts):
        return []
    if not accept:
        raise NotAPair(
            f"{events} is missing or empty, but this server has been in use; restore it, "
            f"or begin without events: {ACCEPT} --data-dir {box.parent}"
        )
    return [f"{events.name} is new and has no events"]


def _with(path: Path, work: Work[T]) -> T:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        db.pragma("synchronous", "full")
        return work(db)
    finally:
        db.close()


def _side(name: str, db: Connection) -> Side:
    return Side(_numbers_given(db) if name == schema.BOX_FILE else _numbers_known(db), _box_id(db))


def _has_accounts(db: Connection) -> bool:
    return bool(db.table_exists(None, "users") and db.execute("-- pairing.accounts\nselect 1 from users").fetchone())


def _box_id(db: Connection) -> str:
    return str(db.execute("-- pairing.box_id\nselect id from box").fetchall()[0][0])


def _numbers_given(db: Connection) -> Numbers:
    """The numbers that box.db has given so far."""
    rows = db.execute("-- pairing.given\nselect name, seq from sqlite_sequence").fetchall()
    last = {str(name): int(str(number)) for name, number in rows}
    return Numbers(*(last.get(table, 0) for table in Numbers._fields))


def _numbers_noted(db: Connection) -> Numbers:
    there = {name for (name,) in db.execute("-- pairing.noted\nselect name from pragma_table_info('box')").fetchall()}
    columns = (f"last_{column}" for column in _NUMBERED.values())  # an older version's file lacks the newer of them
    wanted = ", ".join(column if column in there else "0" for column in columns)
    (found,) = db.execute(f"-- pairing.noted\nselect {wanted} from box").fetchall()
    return Numbers(*(int(str(number)) for number in found))


def _numbers_known(db: Connection) -> Numbers:
    """The highest numbers in events.db: noted, or in its facts since."""
    noted = _numbers_noted(db)._asdict()
    for name, column in _NUMBERED.items():
        for table in _tables_with(db, column):
            with suppress(apsw.CorruptError):  # the look through both files names what is damaged
                found = db.execute(f"-- pairing.known\nselect max({column}) from {table}").fetchall()
                noted[name] = max(noted[name], int(str(found[0][0] or 0)))
    return Numbers(**noted)


def _tables_with(db: Connection, column: str) -> list[str]:
    found = db.execute(
        """
        -- pairing.tables_with
        select tables.name from sqlite_schema as tables, pragma_table_info(tables.name) as columns
        where tables.type = 'table' and columns.name = ?
        """,
        (column,),
    ).fetchall()
    return [str(table) for (table,) in found]


def _note(db: Connection, box_id: str, given: Numbers) -> None:
    db.execute(
        "-- pairing.note\nupdate box set id = ?, last_site = ?, last_link = ?, last_monitor = ?", (box_id, *given)
    ).fetchall()


def _skip_to(db: Connection, numbers: Numbers) -> None:
    rows = tuple(numbers._asdict().items())
    with db:
        db.execute(
            "-- pairing.skip_to\ndelete from sqlite_sequence where name in (select value from json_each(?))",
            (json.dumps(Numbers._fields),),
        ).fetchall()
        db.executemany("-- pairing.skip_to\ninsert into sqlite_sequence (name, seq) values (?, ?)", rows).fetchall()
