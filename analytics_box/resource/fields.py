"""The fields of a resource, declared once: by the types of its frozen Struct.

A type that carries a `Field` can be given by callers: `Url = Annotated[str, Meta(max_length=4096), Field(clean=…)]`,
and then `support_url: Url | None`. Fields without one are the box's own, such as ids and times of changes.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, Final, TypeVar, cast, get_args, get_type_hints

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from analytics_box.base import differences
from analytics_box.base.errors import BadRequest, ErrorDetail
from analytics_box.base.translation import _

T = TypeVar("T", bound=Struct)
Values = Mapping[str, Any]

_YEARS: Final = range(1970, 10_000)


class Field(Struct, frozen=True):
    """The part of a field's declaration that its type does not say.

    `name` is its name on the wire and in the audit log, if the Struct calls it otherwise. Callers give it in messages
    unless `given` is false. `clean` returns a given value in its one spelling, `clean_in` does so with what the caller
    passes to `values_of`; both raise BadRequest. `wire` is the type in messages; `shown` turns a stored value into it.
    `null` fields can be null in input although they never are, which means `empty`. A form reads a text by `typed`.
    Exports leave out a `secret`, and the audit log shows whether it has a value; of other fields it shows what
    `audited` returns.
    """

    name: str = ""
    given: bool = True
    clean: Callable[[Any], Any] | None = None
    clean_in: Callable[[Any, Any], Any] | None = None
    wire: Any = None
    shown: Callable[[Any], Any] | None = None
    null: bool = False
    empty: Any = None
    secret: bool = False
    audited: Callable[[Any], object] | None = None
    typed: Callable[[str], str] = str.strip


class DeclaredField(Struct, frozen=True):
    """A field with its names and its type, as `fields_of` finds it. An optional one can be None."""

    name: str
    wire_name: str
    type: Any
    field: Field | None
    is_optional: bool


@cache
def fields_of(kind: type[Struct]) -> tuple[DeclaredField, ...]:
    """All fields of a resource, in their order."""
    hints = get_type_hints(kind, include_extras=True)
    found = []
    for one in msgspec.structs.fields(kind):
        field = next(declarations(hints[one.name]), None)
        name = field.name if field is not None and field.name else one.encode_name
        hint = hints[one.name]
        is_optional = type(None) in get_args(hint.__origin__ if hasattr(hint, "__metadata__") else hint)
        found.append(DeclaredField(one.name, name, hint, field, is_optional))
    return tuple(found)


def declarations(hint: Any) -> Iterator[Field]:
    """The declarations in an annotation, from the outermost to those of its parts."""
    yield from (one for one in getattr(hint, "__metadata__", ()) if isinstance(one, Field))
    if hasattr(hint, "__metadata__"):
        yield from declarations(hint.__origin__)
    elif {type(None), UnsetType} & {*get_args(hint)}:
        for part in get_args(hint):
            yield from declarations(part)


def given_fields(kind: type[Struct]) -> tuple[tuple[DeclaredField, Field], ...]:
    """The fields that callers can give."""
    return tuple((one, one.field) for one in fields_of(kind) if one.field is not None and one.field.given)


def input_of(
    kind: type[Struct], *, needed: Collection[str] = (), without: Collection[str] = ()
) -> Callable[[type[T]], type[T]]:
    """Decorate the input of a procedure: it gets the fields of a resource that callers can give, but for those in
    `without`.

    Each can be left out, but for those that are `needed`; null empties a field. Fields that the decorated class has
    itself stay as they are.
    """

    def complete(message: type[T]) -> type[T]:
        fields: list[Any] = []
        for one, field in given_fields(kind):
            if one.name in without:
                continue
            hint = _wire_type(one, field) | None if field.null else _wire_type(one, field)
            if one.name in needed:
                fields.append((one.name, hint, msgspec.field(name=one.wire_name)))
            else:
                fields.append((one.name, hint | UnsetType, msgspec.field(default=UNSET, name=one.wire_name)))
        return _add_fields(message, fields, strict=True)

    return complete


def answer_with(kind: type[Struct]) -> Callable[[type[T]], type[T]]:
    """Decorate an answer: it gets the fields of a resource that callers can give.

    Fields that the decorated class has itself stay as they are, such as those that an answer shows as another type.
    """

    def complete(answer: type[T]) -> type[T]:
        given = given_fields(kind)
        fields = [(one.name, _wire_type(one, field), msgspec.field(name=one.wire_name)) for one, field in given]
        return _add_fields(answer, fields)

    return complete


def _wire_type(one: DeclaredField, field: Field) -> Any:
    """The type of a field in messages."""
    return one.type if field.wire is None else field.wire | None if one.is_optional else field.wire


def _add_fields(own: type[T], fields: Iterable[Any], *, strict: bool = False) -> type[T]:
    """A Struct with these fields in addition to its own."""
    names = {*own.__struct_fields__}
    made = msgspec.defstruct(
        own.__name__,
        [field for field in fields if field[0] not in names],
        bases=(own,),
        namespace={"__doc__": own.__doc__, "__module__": own.__module__},
        kw_only=True,
        frozen=True,
        forbid_unknown_fields=strict,
    )
    return cast(type[T], made)


def values_of(message: Struct, kind: type[Struct], context: Any = None) -> dict[str, Any]:
    """The values that a message gives to the fields of a resource, each in its one spelling.

    `context` is for `Field.clean_in`. Raises BadRequest that names all that is wrong.
    """
    values: dict[str, Any] = {}
    wrong: list[ErrorDetail] = []
    attributes = _attributes(type(message))
    for one, field in given_fields(kind):
        value = getattr(message, attributes.get(one.wire_name, ""), UNSET)
        if value is UNSET:
            continue
        try:
            values[one.name] = field.empty if value is None else _clean(value, field, context)
        except BadRequest as refused:
            details = refused.details or (ErrorDetail("", refused.message),)
            wrong += [detail if detail.field else replace(detail, field=one.wire_name) for detail in details]
    if wrong:
        raise BadRequest(wrong[0].message, details=tuple(wrong))
    return values


@cache
def _attributes(kind: type[Struct]) -> Mapping[str, str]:
    """The attributes of a message or an answer by their names on the wire."""
    return dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True))


def _clean(value: Any, field: Field, context: Any) -> Any:
    if field.clean is not None:
        value = field.clean(value)
    return value if field.clean_in is None else field.clean_in(value, context)


def answer_of(answer: type[T], *rows: Struct, **more: Any) -> T:
    """The answer about a row and its parts: their fields by their names on the wire, and `more`, which comes first."""
    attributes = _attributes(answer)
    values = {
        attributes[one.wire_name]: _as_shown(getattr(row, one.name), one.field)
        for row in rows
        for one in fields_of(type(row))
        if attributes.get(one.wire_name, "") not in {"", *more}
    }
    return answer(**values, **more)


def _as_shown(value: Any, field: Field | None) -> Any:
    return value if value is None or field is None or field.shown is None else field.shown(value)


def record_of(row: Struct) -> dict[str, Any]:
    """A row as a line of an exported file: its fields by their names on the wire, without secrets."""
    found = {}
    for one in fields_of(type(row)):
        if one.field is None or not one.field.secret:
            value = _as_shown(getattr(row, one.name), one.field)
            found[one.wire_name] = value.isoformat() if isinstance(value, datetime) else msgspec.to_builtins(value)
    return found


def given_of(row: Struct) -> dict[str, Any]:
    """The values that create a resource again, by their names on the wire, without secrets."""
    record = record_of(row)
    return {one.wire_name: record[one.wire_name] for one, _ in given_fields(type(row)) if one.wire_name in record}


def difference(before: Struct, after: Struct, *, without: Collection[str] = ()) -> differences.Detail:
    """The changed fields for the audit log, but for those in `without`."""
    names, audited = _in_log(type(before))
    return differences.difference(before, after, without=without, shown=audited, names=names)


@cache
def _in_log(kind: type[Struct]) -> tuple[Mapping[str, str], Mapping[str, Callable[[Any], object]]]:
    """The names of fields in the audit log if they differ, and how it shows their values."""
    declared = [(one.name, one.field) for one in fields_of(kind) if one.field is not None]
    names = {name: field.name for name, field in declared if field.name}
    audited = {name: field.audited for name, field in declared if field.audited is not None}
    return names, audited | {name: bool for name, field in declared if field.secret}


def or_null(text: str) -> str | None:
    """A text of an answer, null if it is empty."""
    return text or None


def date(instant: int) -> datetime:
    """An instant in UTC ms as a date of an answer."""
    return datetime.fromtimestamp(instant / 1000, UTC)


def instant_of(given: datetime) -> int:
    """A date as UTC ms; one without a zone is UTC. Raises BadRequest for a year that no calendar shows again."""
    aware = given if given.tzinfo is not None else given.replace(tzinfo=UTC)
    # Another zone can move the first and the last day into another year.
    if not _YEARS.start < aware.year < _YEARS.stop - 1:
        raise BadRequest(_("Enter a year from {start} and {stop}").format(start=_YEARS.start, stop=_YEARS.stop - 1))
    return round(aware.timestamp() * 1000)


# UTC ms in a row, a date in messages: times that callers give, and times that the box keeps.
Instant = Annotated[int, Field(wire=datetime, clean=instant_of, shown=date)]
Stamp = Annotated[int, Field(given=False, wire=datetime, shown=date)]
