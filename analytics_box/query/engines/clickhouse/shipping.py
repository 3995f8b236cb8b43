"""Shipments to ClickHouse, and its position.

Like the column replica, ClickHouse follows the table `changes` and the rows after its last ones. Rows that are sent
together are a shipment. Its content is recorded before it is sent (`PendingShipment`), and again when it has arrived. A
shipment whose answer was lost, or that was interrupted when the box was killed, is sent again under its number and its
token, and ClickHouse skips the rows that it already has. Rows that a shipment replaces are removed from earlier
shipments only.

Numbers and texts are sent as lines of JSON that SQLite writes, so that the event loop goes on in the meantime.
"""

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.facts import trimmed
from analytics_box.base.facts.layout import stored_table
from analytics_box.base.store.db import Connection
from analytics_box.base.store.files import write_private
from analytics_box.query.engines import transfer
from analytics_box.query.engines.clickhouse.machines import ClickHouseMachine
from analytics_box.query.engines.clickhouse.tables import BY_NAME, PROPERTIES, ClickHouseTable
from analytics_box.query.engines.counting import Row
from analytics_box.query.engines.transfer import COPIED

FILE_NAME = "clickhouse.json"
PIECE = 50_000  # rows of a table that go together
CHANGES = 5_000  # changed rows, which a statement lists by their ids
_COPIED = {table.name: table for table in COPIED}
_OF_JSON = "json_each(properties) where type <> 'null'"
_VALUE = (
    "case when type in ('object', 'array') then value when type in ('true', 'false') then type"
    " else cast(atom as text) end"
)
_MADE = {
    name: f"json((select json_group_array({of}) from {_OF_JSON}))"
    for name, of in zip(PROPERTIES, ("key", "type", _VALUE), strict=True)
}


class PendingShipment(Struct, frozen=True):
    """A shipment on its way: the changes up to this one, and per table the rows (after, until]. What was sent in vain
    since `began` (UTC ms) may still arrive; with another number of `tries` it is another one to ClickHouse."""

    until: int
    rows: dict[str, tuple[int, int]]
    began: int
    tries: int = 0

    def anew(self, now: int) -> "PendingShipment":
        """A new shipment of the same rows, of which ClickHouse has nothing yet."""
        return replace(self, began=now, tries=self.tries + 1)


class Position(Struct, frozen=True):
    """The position of ClickHouse: the number of the last shipment and of the last change, the last id of each table,
    and the shipment that may be on its way. `epoch` names the tables that it applies to. `removed_at` (UTC ms, or 0) is
    the first removal of rows whose bytes may still be on the server's disk. If ClickHouse was resumed, rows up to the
    ids in `kept` were kept: above them, shipments up to the number `before` are of an earlier time, should they still
    arrive. With several machines, this machine `began` (UTC ms) with the shipment `own_from`: rows above `kept` with a
    lower number came late. `doubted` are shipments that were sent more than once, and the time until which a part may
    still arrive (UTC ms).
    """

    epoch: str
    number: int = 0
    applied: int = 0
    last: dict[str, int] = msgspec.field(default_factory=dict)
    sending: PendingShipment | None = None
    removed_at: int = 0
    kept: dict[str, int] = msgspec.field(default_factory=dict)
    began: int = 0
    own_from: int = 0
    before: int = 0
    doubted: dict[int, int] = msgspec.field(default_factory=dict)

    def last_of(self, table: str) -> int:
        """The newest row that is there; -1 for none."""
        return self.last.get(table, -1)

    def sends(self, sending: PendingShipment) -> "Position":
        """The position while this is on its way."""
        return replace(self, sending=sending)

    def arrived(self, sending: PendingShipment, removed_at: int, doubted_until: int = 0) -> "Position":
        """The position once this is there, which has removed rows at this time, or none (0). It is doubted until then,
        or not at all (0)."""
        last = {name: until for name, (_, until) in sending.rows.items()}
        number, applied, removed_at = self.number + 1, sending.until, self.removed_at or removed_at
        doubted = self.doubted | ({number: doubted_until} if doubted_until else {})
        return replace(
            self, number=number, applied=applied, last=last, sending=None, removed_at=removed_at, doubted=doubted
        )

    def purged(self) -> "Position":
        """The position once nothing is left of removed rows."""
        return replace(self, removed_at=0, kept=self.kept if self.own_from else {}, before=0)


class ShipmentPart(Struct, frozen=True):
    """The rows of a shipment for one table: `count` lines of JSON, and the ids of the rows that they replace."""

    table: ClickHouseTable
    count: int
    lines: bytes
    changed: tuple[int, ...]


class Shipment(Struct, frozen=True):
    """The rows to send together, and whether more may follow."""

    sending: PendingShipment
    parts: tuple[ShipmentPart, ...]
    more: bool

    @property
    def removes(self) -> bool:
        """Whether rows are replaced or removed, so that who asks in the meantime may see half of it."""
        return any(part.changed for part in self.parts)


def read_position(directory: Path) -> Position | None:
    """The position that was written down; None if there is none that can be read."""
    try:
        return msgspec.json.decode((directory / FILE_NAME).read_bytes(), type=Position)
    except (OSError, msgspec.DecodeError):
        return None


def write_position(directory: Path, position: Position) -> None:
    """Write it down, so that it outlives this process and the machine. Raises OSError."""
    write_private(directory / FILE_NAME, msgspec.json.encode(position))


def forget_position(directory: Path) -> None:
    """Delete the recorded position, because the rows in ClickHouse are no longer known."""
    (directory / FILE_NAME).unlink(missing_ok=True)


def newest_change(db: Connection) -> int:
    """The number of the last change that was noted."""
    rows = db.execute("-- shipping.newest\nselect seq from sqlite_sequence where name = 'changes'").fetchall()
    return int(str(rows[0][0])) if rows else 0


def why_not_here(
    db: Connection, position: Position, newest: Mapping[str, list[Row]], machine: ClickHouseMachine | None = None
) -> str:
    """Return why these facts are not those that were sent until this position: an earlier state of the file was
    restored. `newest` are ClickHouse's newest rows. Empty if they are.
    """
    last = newest_change(db)
    found = db.execute("-- shipping.oldest\nselect coalesce(min(id), 0) from changes").fetchall()
    oldest = int(str(found[0][0])) or last + 1
    if not oldest - 1 <= position.applied <= last:
        return "they have missed changes"
    floors = trimmed.floors(db)
    for name, rows in newest.items():
        of, floor = position.last_of(name), floors.get(name, -1)
        if of < floor:
            return "they are of an earlier time"
        if of == floor:
            continue
        shown = ", ".join(_sqlite_column(BY_NAME[name], column, machine) for column in BY_NAME[name].plain)
        own = db.execute(f"-- shipping.own\nselect {shown} from {name} where id = ?", (of,)).fetchall()
        if [tuple(row) for row in own] != rows and not _has_changed(db, name, of, position.applied):
            return f"their {name} are others"
    return ""


def _has_changed(db: Connection, table: str, row: int, since: int) -> bool:
    found = db.execute(
        "-- shipping.has_changed\nselect 1 from changes where source = ? and row = ? and id > ?", (table, row, since)
    )
    return bool(found.fetchall())


class TopChanged(Exception):
    """Among the changed rows of a table is the newest one that is there: behind the newest of the others, ids may be
    those of new rows, of which some are in no change."""

    def __init__(self, table: str, changed: tuple[int, ...]) -> None:
        super().__init__(table)
        self.table, self.changed = table, changed


Left = Mapping[tuple[str, tuple[int, ...]], int]  # by a table and its changed rows: the newest of the others there


def next_shipment(
    db: Connection, position: Position, now: int, left: Left, machine: ClickHouseMachine | None = None
) -> Shipment | None:
    """Return the shipment after this position, from one snapshot of events.db; None if ClickHouse has caught up.

    Raises TopChanged if it needs to know the rows that are `left` there.
    """
    db.execute("begin")
    try:
        changes = _changes(db, position.applied, sys.maxsize)
        until = changes[-1][0] if changes else position.applied
        waits, goes_on = len(changes) == CHANGES, False  # first all changes, then new rows
        rows, floors = {}, trimmed.floors(db)
        for name in BY_NAME:
            after = max(_after(position, name, _changed_rows(changes, name), left), floors.get(name, -1))
            last, full = (after, False) if waits else _next(db, name, after)
            rows[name] = (after, last)
            goes_on |= full
            waits |= full and name == "strings"  # no row may be there before its strings
        if not changes and all(after == last for after, last in rows.values()):
            return None
        sending = PendingShipment(until, rows, now)
        return Shipment(sending, _parts(db, position, sending, machine), waits or goes_on)
    finally:
        db.execute("rollback")


def same_shipment(
    db: Connection, position: Position, sending: PendingShipment, machine: ClickHouseMachine | None = None
) -> Shipment:
    """Return the shipment that was on its way, with the current rows: later changes come with the next shipment."""
    db.execute("begin")
    try:
        return Shipment(sending, _parts(db, position, sending, machine), more=True)
    finally:
        db.execute("rollback")


def _parts(
    db: Connection, position: Position, sending: PendingShipment, machine: ClickHouseMachine | None
) -> tuple[ShipmentPart, ...]:
    changes = _changes(db, position.applied, sending.until)
    parts = []
    for name, (after, until) in sending.rows.items():
        changed = _changed_rows(changes, name)
        if changed or until > after:
            count, lines = _lines(db, BY_NAME[name], position.number + 1, changed, (after, until), machine)
            parts.append(ShipmentPart(BY_NAME[name], count, lines, changed))
    return tuple(parts)


def _changes(db: Connection, after: int, until: int) -> list[tuple[int, str, int]]:
    found = db.execute(
        "-- shipping.changes\nselect id, source, row from changes where id > ? and id <= ? order by id limit ?",
        (after, until, CHANGES),
    )
    return [(int(str(number)), str(source), int(str(row))) for number, source, row in found.fetchall()]


def _changed_rows(changes: Iterable[tuple[int, str, int]], table: str) -> tuple[int, ...]:
    return tuple(sorted({row for _, source, row in changes if source == table}))


def _after(position: Position, table: str, changed: tuple[int, ...], left: Left) -> int:
    """Up to which row nothing new can be; -1 for none. Raises TopChanged."""
    last = position.last_of(table)
    if last not in changed:
        return last
    if (table, changed) not in left:
        raise TopChanged(table, changed)
    return left[table, changed]


def _next(db: Connection, table: str, after: int) -> tuple[int, bool]:
    """The last row of the next piece, and whether there may be more behind it."""
    piece = f"select id from {stored_table(table)} where id > ? order by id limit ?"
    found = db.execute(f"-- shipping.next\nselect max(id), count(*) from ({piece})", (after, PIECE)).fetchall()
    last, count = found[0]
    return (after if last is None else int(str(last))), int(str(count)) == PIECE


def _lines(
    db: Connection,
    table: ClickHouseTable,
    number: int,
    changed: tuple[int, ...],
    rows: tuple[int, int],
    machine: ClickHouseMachine | None,
) -> tuple[int, bytes]:
    """The rows that go to a table, a line each, and how many they are: those that came, and those of the changed ones
    that are still there."""
    names = table.names if machine is None else machine.names(table)
    shown = ", ".join(_sqlite_column(table, name, machine) for name in names)
    values: Mapping[str, int | str] = {"number": number, "after": rows[0], "until": rows[1], "ids": json.dumps(changed)}
    wanted = "id > :after" if not changed else "(id > :after or id in (select value from json_each(:ids)))"
    found = db.execute(
        f"""
        -- shipping.lines
        select count(*), cast(group_concat(json_array({shown}, :number), char(10)) as blob)
        from {transfer.relation(_COPIED[table.name])} where id <= :until and {wanted}
        """,
        values,
    ).fetchall()
    count, lines = found[0]
    return int(str(count)), lines if isinstance(lines, bytes) else b""


def _sqlite_column(table: ClickHouseTable, name: str, machine: ClickHouseMachine | None) -> str:
    """SQLite's expression for a column as ClickHouse stores it."""
    return _MADE.get(name) or (name if machine is None else machine.shown(table, name))
