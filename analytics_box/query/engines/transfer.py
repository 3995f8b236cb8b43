"""The transfer of rows from events.db into the column replica: as text that the databases themselves write and parse,
so that the event loop goes on in the meantime. Numbers are transferred separately, because splitting them at their
commas takes a fraction of the time of reading JSON.
"""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from analytics_box.base.facts.layout import SHOWN_AS, stored_table
from analytics_box.base.facts.tables import COMBINATIONS, FACT_NAMES, TABLES
from analytics_box.base.store.db import Connection

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

PROPERTIES = "event_properties"
_FEW: Final = 4  # rows that are sooner inserted as values: to understand a statement that reads text takes 5 ms
_TYPES = {"string": "integer", "integer": "bigint", "real": "double", "text": "varchar"}
_NULLABLE = frozenset(column.name for table in TABLES if table.replicated for column in table.columns if column.null)


class TransferTable(NamedTuple):
    """A table of events.db, and the types of its columns in the replica. At most one of them holds texts."""

    name: str
    columns: tuple[tuple[str, str], ...]

    @property
    def numbers(self) -> list[str]:
        return [name for name, type_ in self.columns if type_ != "varchar"]

    @property
    def text(self) -> str | None:
        return next((name for name, type_ in self.columns if type_ == "varchar"), None)


# The strings come last: a row's strings are there as soon as the row is.
COPIED = tuple(
    TransferTable(table.name, (("id", "bigint"), *((column.name, _TYPES[column.kind]) for column in table.columns)))
    for table in TABLES
    if table.replicated
)


class Piece(NamedTuple):
    """Rows of a table on their way, as texts: see `write`. `properties` are those of events."""

    table: TransferTable
    rows: int
    last: int
    numbers: str
    texts: str
    properties: str


def read(db: Connection, table: TransferTable, where: str, values: Mapping[str, int | str]) -> Piece:
    """The rows of events.db that meet a condition, in the order of its ids."""
    numbers, text = ", ".join(table.numbers), table.text
    texts = f"json_group_array(json_array(id, {text})) filter (where {text} is not null)" if text else "''"
    (found,) = db.execute(
        f"""
        -- transfer.read
        select count(*), coalesce(max(id), 0), json_group_array(json_array({numbers})), {texts}
        from (select {numbers}{f", {text}" if text else ""} from {relation(table)} where {where})
        """,
        values,
    ).fetchall()
    properties = _properties(db, where, values) if table.name == "events" and str(found[3]) != "[]" else ""
    rows, last = int(str(found[0])), int(str(found[1]))
    return Piece(table, rows, last, str(found[2]).strip("[]"), str(found[3]), properties)


def write(replica: "DuckDBPyConnection", piece: Piece) -> None:
    """Add rows to the replica."""
    if not piece.rows:
        return
    insert = _insert_few if piece.rows <= _FEW else _insert
    insert(replica, piece.table, piece.numbers, piece.texts)
    if piece.properties:
        replica.execute(
            f"insert into {PROPERTIES} select cast(row[1] as bigint), row[2], row[3], row[4]"
            " from (select unnest(from_json($1, '[[\"varchar\"]]')) as row)",
            [piece.properties],
        )


def relation(table: TransferTable) -> str:
    """The rows of a table of facts as its view shows them, but with joins: that is faster if all columns are read."""
    if table.name not in FACT_NAMES:
        return table.name
    parts = ", ".join(f"coalesce({one.table}.{part}, 0) as {part}" for one in COMBINATIONS for part in one.parts)
    joins = "".join(f" left join {one.table} on {one.table}.id = stored.{one.column}" for one in COMBINATIONS)
    shown = ", ".join((*SHOWN_AS.get(table.name, ()), parts))
    return f"(select stored.*, {shown} from {stored_table(table.name)} as stored{joins})"


# The events with all columns.
RELATION = next(relation(table) for table in COPIED if table.name == "events")


def _insert(replica: "DuckDBPyConnection", table: TransferTable, numbers: str, texts: str) -> None:
    """Add rows: their numbers as `1,2],[3,4`, their texts as a list of ids and texts in JSON."""
    places = {name: place for place, name in enumerate(table.numbers, start=1)}
    shown = [
        f"cast({_number_at(name, places[name])} as {type_}) as {name}" if name in places else f"pair[2] as {name}"
        for name, type_ in table.columns
    ]
    beside = (
        " left join (select unnest(from_json($2, '[[\"varchar\"]]')) as pair)"
        f" on cast(pair[1] as bigint) = cast(row[{places['id']}] as bigint)"
    )
    replica.execute(
        f"insert into {table.name} by name select {', '.join(shown)}"
        f" from (select string_split(unnest(string_split($1, '],[')), ',') as row){beside if table.text else ''}",
        [numbers, texts] if table.text else [numbers],
    )


def _insert_few(replica: "DuckDBPyConnection", table: TransferTable, numbers: str, texts: str) -> None:
    """Insert a few rows, with each number and text as a value of the statement."""
    rows, said = json.loads(f"[[{numbers}]]"), dict(json.loads(texts or "[]"))
    if table.text:
        at = table.numbers.index("id")
        rows = [[*row, said.get(row[at])] for row in rows]
    names = [*table.numbers, *filter(None, (table.text,))]
    places = f"({', '.join('?' * len(names))})"
    replica.execute(
        f"insert into {table.name} ({', '.join(names)}) values {', '.join([places] * len(rows))}",
        [value for row in rows for value in row],
    )


def _number_at(name: str, place: int) -> str:
    """A number as it came, `null` for what was not measured."""
    return f"nullif(row[{place}], 'null')" if name in _NULLABLE else f"row[{place}]"


def _properties(db: Connection, where: str, values: Mapping[str, int | str]) -> str:
    """The properties of these events, one by one; empty if they have none."""
    (found,) = db.execute(
        f"""
        -- transfer.properties
        select json_group_array(json_array(event, key, type, case when type in ('object', 'array') then value
          when type in ('true', 'false') then type else cast(atom as text) end)), count(*)
        from (select id as event, properties from {stored_table("events")} where {where}), json_each(properties)
        where type <> 'null'
        """,
        values,
    ).fetchall()
    return str(found[0]) if int(str(found[1])) else ""
