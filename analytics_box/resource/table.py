"""A table as one declaration: how rows of a frozen Struct are inserted, updated, deleted and found in it.

Columns follow from the Struct's fields. Statements that count, rank or join are hand-written next to the declaration.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec import Struct, inspect

from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.store.db import Connection, ConstraintError

Row = TypeVar("Row", bound=Struct)

_PLAIN: Final = (
    inspect.StrType,
    inspect.IntType,
    inspect.FloatType,
    inspect.BytesType,
    inspect.LiteralType,
    inspect.NoneType,
)
# An update leaves these alone.
_FIXED: Final = frozenset(("id", "created_by", "created_at"))


class ChildList(Struct, frozen=True):
    """A table with a row for each text of a list.

    `owner` is its column with the key of the owning row, `value` the one with the text. `marks` are columns with a
    fixed value, if one table has several lists.
    """

    table: str
    owner: str
    value: str
    marks: Mapping[str, int] = {}


class Table(Generic[Row]):
    """A table of box.db whose rows are of one Struct.

    `key` names a row; a table with a `generated` key gets it from SQLite. `columns` are the columns of fields with
    another name. `lists` are fields in separate tables. `sql` are expressions that read and write a field instead of
    its column; the one that writes names fields as `:field`, and is empty for a field that is only read. A field that
    is no plain value is stored as JSON, by its function in `written` if it has one. `conflicts` are the constraints
    that a caller can break: part of SQLite's text → the field on the wire and the message; `invalid` are those that
    the wire answers with 400 instead of 409.

    Each method takes a connection inside the caller's transaction; a condition is SQL after `where`, with its order.
    """

    def __init__(
        self,
        name: str,
        kind: type[Row],
        *,
        key: str = "id",
        generated: bool = False,
        columns: Mapping[str, str] = {},
        lists: Mapping[str, ChildList] = {},
        written: Mapping[str, Callable[[Any], Any]] = {},
        sql: Mapping[str, tuple[str, str]] = {},
        conflicts: Mapping[str, tuple[str, str]] = {},
        invalid: Mapping[str, tuple[str, str]] = {},
    ) -> None:
        self.name, self.kind, self._key, self.lists = name, kind, key, lists
        self._refusals = ((Conflict.about, conflicts), (BadRequest.about, invalid))
        self._generated = generated
        types = {field.name: field.type for field in msgspec.structs.fields(kind)}
        column = {field: columns.get(field, field) for field in types}
        read_only = {field for field, (_, write) in sql.items() if not write}
        inserted = tuple(
            field for field in types if field not in {*lists, *read_only} and not (generated and field == key)
        )
        updated = tuple(field for field in inserted if field != key and field not in _FIXED)
        self._stored = tuple(field for field in types if field not in lists)
        self._fields = (*self._stored, *lists)
        computed = {field for field in read_only if sql[field][0] != column[field]}
        self.stored_columns = tuple(column[field].strip('"') for field in self._stored if field not in computed)
        read = (sql[field][0] if field in sql else column[field] for field in self._stored)
        self.columns: Final = ", ".join((*read, *map(self._list_column, lists)))
        value = {field: sql[field][1] if field in sql else f":{field}" for field in types}
        names, values = ", ".join(column[one] for one in inserted), ", ".join(value[one] for one in inserted)
        self._insert = f"-- {name}.insert\ninsert into {name} ({names}) values ({values})"
        changes = ", ".join(f"{column[field]} = {value[field]}" for field in updated)
        self._update = f"-- {name}.update\nupdate {name} set {changes} where {column[key]} = :{key}"
        self._select = f"-- {name}.select\nselect {self.columns} from {name}"
        self._delete = f"-- {name}.delete\ndelete from {name} where {column[key]} = ?"
        readers = {field: _reader(types[field], is_list=field in lists) for field in types}
        self._readers = tuple((field, read) for field, read in readers.items() if read is not None)
        encoded = {field: _write for field, read in readers.items() if read not in {None, _bool} and field not in lists}
        self._writers = tuple((encoded | dict(written)).items())

    def _list_column(self, field: str) -> str:
        child = self.lists[field]
        own = " and ".join(
            (f"{child.owner} = {self.name}.{self._key}", *(f"{n} = {v}" for n, v in child.marks.items()))
        )
        return f"(select json_group_array({child.value}) from {child.table} where {own}) as {field}"

    def select(self, db: Connection, statement: str, values: Any = ()) -> list[Row]:
        """The rows of a statement that selects `columns`."""
        return [self._row(row) for row in db.execute(statement, values).fetchall()]

    def all(self, db: Connection, condition: str, *values: Any, **named: Any) -> list[Row]:
        """The rows that meet a condition, in its order; its values come by place or by name."""
        return self.select(db, f"{self._select} where {condition}", named or values)

    def first(self, db: Connection, condition: str, *values: Any) -> Row | None:
        """The first row that meets a condition."""
        found = self.all(db, f"{condition} limit 1", *values)
        return found[0] if found else None

    def find(self, db: Connection, row_id: str) -> Row | None:
        """The row with this id."""
        return self.first(db, "id = ?", row_id)

    def count(self, db: Connection, condition: str = "true", *values: Any) -> int:
        """The number of rows that meet a condition."""
        statement = f"-- {self.name}.count\nselect count(*) from {self.name} where {condition}"
        return int(str(db.execute(statement, values).fetchall()[0][0]))

    def keys(self, db: Connection, condition: str, *values: Any) -> list[Any]:
        """The keys of the rows that meet a condition."""
        statement = f"-- {self.name}.keys\nselect {self._key} from {self.name} where {condition}"
        return [key for (key,) in db.execute(statement, values).fetchall()]

    def insert(self, db: Connection, row: Row) -> Row:
        """Store a new row; the row with its key. Raises Conflict."""
        self._execute(db, self._insert, row)
        if self._generated:
            row = msgspec.structs.replace(row, **{self._key: db.last_insert_rowid()})
        self._put_lists(db, row)
        return row

    def update(self, db: Connection, row: Row) -> None:
        """Store all that can change of a row. Raises Conflict."""
        self._execute(db, self._update, row)
        key = getattr(row, self._key)
        for table, owner in {(child.table, child.owner) for child in self.lists.values()}:
            db.execute(f"-- {table}.replace\ndelete from {table} where {owner} = ?", (key,))
        self._put_lists(db, row)

    def delete(self, db: Connection, key: Any) -> None:
        """Delete the row with this key."""
        db.execute(self._delete, (key,))

    def _row(self, row: Any) -> Row:
        values = dict(zip(self._fields, row, strict=True))
        for field, read in self._readers:
            values[field] = read(values[field])
        return self.kind(**values)

    def _execute(self, db: Connection, statement: str, row: Row) -> None:
        values = {field: getattr(row, field) for field in self._stored}
        for field, write in self._writers:
            values[field] = write(values[field])
        try:
            db.execute(statement, values)
        except ConstraintError as broken:
            for refuse, constraints in self._refusals:
                for part, (field, message) in constraints.items():
                    if part in str(broken):
                        raise refuse(field, message) from broken
            raise

    def _put_lists(self, db: Connection, row: Row) -> None:
        key = getattr(row, self._key)
        for field, child in self.lists.items():
            texts = [(key, text, *child.marks.values()) for text in getattr(row, field)]
            if texts:
                names = ", ".join((child.owner, child.value, *child.marks))
                marks = ", ?" * len(child.marks)
                statement = f"insert into {child.table} ({names}) values (?, ?{marks}) on conflict do nothing"
                db.executemany(f"-- {child.table}.put\n{statement}", texts)


def _write(value: Any) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()


def _reader(kind: Any, *, is_list: bool) -> Callable[[Any], Any] | None:
    """The function that turns a column into a field of this type; None for plain values."""
    info = inspect.type_info(kind)
    kinds = info.types if isinstance(info, inspect.UnionType) else (info,)
    plain = [one.type if isinstance(one, inspect.Metadata) else one for one in kinds]
    if all(isinstance(one, _PLAIN) for one in plain):
        return None
    if all(isinstance(one, inspect.BoolType | inspect.NoneType) for one in plain):
        return _bool
    decode = msgspec.json.Decoder(kind).decode
    if is_list:
        return lambda value: tuple(sorted(decode(value)))
    return lambda value: None if value is None else decode(value)


def _bool(value: Any) -> bool | None:
    return None if value is None else bool(value)
