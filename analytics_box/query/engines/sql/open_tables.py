"""The tables of open days, and the statements that their roll-ups share."""

from collections.abc import Iterable, Sequence

from analytics_box.base.store.db import Connection
from analytics_box.query.rollups import ROLLS, Roll

# The name of all roll-ups of sessions.
SESSIONS = "sessions"

_DAY = "site integer, day integer"
OF_A_SESSION = (
    *("started", "first", "last", "views", "deeds", "events", "engaged", "starter"),
    *("entry", "entry_path", "exit", "exit_path"),
)
TABLES = (
    # `latest` is the time of the day's last event, of sessions that of the last start.
    f"create table open_days ({_DAY}, roll text, latest integer, primary key (site, day, roll)) without rowid",
    f"create table open_ids ({_DAY}, roll integer, first_value integer, second_value integer, visitor integer,"
    " primary key (site, day, roll, first_value, second_value, visitor)) without rowid",
    f"create table open_seen ({_DAY}, visitor integer, first_slot integer, last_slot integer,"
    " primary key (site, day, visitor)) without rowid",
    f"create table open_slots ({_DAY}, slot integer, pageviews integer, total_events integer, firsts integer,"
    " lasts integer, primary key (site, day, slot)) without rowid",
    f"create table open_starts ({_DAY}, slot integer, sessions integer, bounces integer, total_events integer,"
    " duration_total integer, primary key (site, day, slot)) without rowid",
    # The number of the sessions that a visitor began or ended on a page. `alike` is 1 if the id changes daily.
    f"create table open_ends ({_DAY}, roll integer, path integer, alike integer, visitor integer, number integer,"
    " primary key (site, day, roll, path, alike, visitor)) without rowid",
    f"create table open_sessions ({_DAY}, session integer, {', '.join(f'{name} integer' for name in OF_A_SESSION)},"
    " primary key (site, day, session)) without rowid",
)
_DIMENSIONS = sorted({name for roll in ROLLS for name in roll.group} - {"path"})
# They are kept with their connection, because each table that is created or dropped makes SQLite compile all statements
# again, which takes a tenth of the time of a small round.
TEMPORARY = {
    "taken_days": f"{_DAY}, roll text",
    "taken_events": f"{_DAY}, slot integer, time integer, kind integer, visitor integer, path integer,"
    f" {', '.join(f'{name} integer' for name in _DIMENSIONS)}",
    "met": f"{_DAY}, visitor integer, low integer, high integer",
    "touched_sessions": f"{_DAY}, session integer",
    "signed": f"n integer, {_DAY}, session integer, {', '.join(f'{name} integer' for name in OF_A_SESSION)}",
    "moved": f"{_DAY}, path integer, alike integer, visitor integer, n integer, was integer",
}
NUMBERS = {roll.name: number for number, roll in enumerate(ROLLS)}
TAKEN = "(site, {0}) in (select site, day from taken_days where roll = '{1}')"
# The roll-ups by page are views of one table (rollups_file).
_PAGES = "rolled_pages"


def cells_of(roll: Roll) -> tuple[str, list[str]]:
    """Return the table of a roll-up's cells, and the columns of its measures, in order."""
    measures = sorted(roll.measures)
    if roll.group == ("path",):
        return _PAGES, [f"rolled_{roll.name}_{measure}" for measure in measures]
    return f"rolled_{roll.name}", measures


def plus(columns: Iterable[str]) -> str:
    """Return a clause that adds these columns to an existing row."""
    sums = [f"{name} = {name} + excluded.{name}" for name in columns]
    return f"on conflict do update set {', '.join(sums)}"


def add_up(db: Connection, table: str, slots: str, columns: Sequence[str], name: str) -> None:
    """Recalculate the sums since midnight."""
    db.execute(f"-- open.forget_sums\ndelete from {table} where {TAKEN.format('day', name)}")
    sums = ", ".join(f"sum({column}) over so_far" for column in columns)
    db.execute(
        f"-- open.add_up\ninsert into {table} (site, day, slot, {', '.join(columns)})"
        f" select site, day, slot, {sums} from {slots} where {TAKEN.format('day', name)}"
        " window so_far as (partition by site, day order by slot)"
    )
