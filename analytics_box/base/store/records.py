"""Rows as typed values: each row of a statement becomes a frozen Struct with the same field names."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import apsw
import msgspec

T = TypeVar("T", bound=msgspec.Struct)


def all_of(
    db: apsw.Connection,
    kind: type[T],
    statement: str,
    values: Any = (),
    *,
    decoded: Mapping[str, Callable[[Any], object]] = {},
) -> list[T]:
    """Every row as a `kind`; the statement lists its columns in the order of the fields.

    0 and 1 become booleans where a field wants one. `decoded` are functions that decode columns, by field.
    """
    cursor = db.execute(statement, values)
    rows = cursor.fetchall()
    if not rows:
        return []
    names = kind.__struct_fields__
    found = [dict(zip(names, row, strict=True)) for row in rows]
    for field, decode in decoded.items():
        for one in found:
            one[field] = decode(one[field])
    return [msgspec.convert(one, kind, strict=False) for one in found]


def one_of(db: apsw.Connection, kind: type[T], statement: str, values: Any = ()) -> T | None:
    """The first row as a `kind`, or None."""
    found = all_of(db, kind, statement, values)
    return found[0] if found else None


def quote_name(name: str) -> str:
    """The name of a table or column inside a statement: in a file that someone hands us it may be anything."""
    return '"' + name.replace('"', '""') + '"'


def json_list(values: Iterable[object]) -> str:
    """Values as a JSON array, for json_each."""
    return msgspec.json.encode(list(values)).decode()
