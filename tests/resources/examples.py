"""Example values for fields of input, by their types."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, get_type_hints

import msgspec
from msgspec import UNSET, Struct
from msgspec import inspect as types

from analytics_box.app.procedures import PROCEDURES
from analytics_box.base.urls import web_address
from analytics_box.resource.fields import declarations

_LINES = {line.name: line for line in PROCEDURES}


def input_of(procedure: str) -> type[Struct]:
    """The Struct that a procedure takes."""
    found: type[Struct] = get_type_hints(_LINES[procedure].handler)["given"]
    return found


def fields_of(procedure: str) -> dict[str, msgspec.structs.FieldInfo]:
    """The fields of a procedure's input, by their names on the wire."""
    return {field.encode_name: field for field in msgspec.structs.fields(input_of(procedure))}


def example(field: msgspec.structs.FieldInfo, number: int) -> Any:
    """The first (0) or second (1) example of a field; UNSET if its type has none. Declared web addresses have one."""
    if any(one.typed is web_address for one in declarations(field.type)):
        return f"https://example.com/{('first', 'second')[number]}-{field.encode_name}"
    return _of(types.type_info(field.type), field.encode_name, number, field.default)


def _of(kind: types.Type, name: str, number: int, default: Any = UNSET) -> Any:
    while isinstance(kind, types.Metadata):
        kind = kind.type
    match kind:
        case types.UnionType():
            found = (_of(one, name, number, default) for one in kind.types)
            return next((value for value in found if value is not UNSET), UNSET)
        case types.LiteralType():
            others = [value for value in kind.values if value != default]
            return others[min(number, len(others) - 1)]
        case types.BoolType():
            return (default is not True) if number == 0 else default is True
        case types.IntType() | types.FloatType():
            least = kind.ge if kind.ge is not None else 0
            most = kind.le if kind.le is not None else least + 10
            return int(min(least + 3 + number, most))
        case types.StrType():
            words = f"{('first', 'second')[number]} {name}"
            return f"{words[: (kind.max_length or 100) - 7]} {{next}}"
        case types.DateTimeType():
            return ("2027-01-01T00:00:00Z", "2027-02-01T00:00:00Z")[number]
        case types.VarTupleType() | types.ListType():
            item = _of(kind.item_type, name, number)
            return UNSET if item is UNSET else [item]
    return UNSET


def resembles(expected: Any, found: Any) -> bool:
    """Whether an answer shows what was given: it can have more fields than the input had."""
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        return all(name in found and resembles(value, found[name]) for name, value in expected.items())
    if isinstance(expected, list | tuple) and isinstance(found, list | tuple):
        return len(expected) == len(found) and all(map(resembles, expected, found))
    if isinstance(expected, str) and isinstance(found, str) and expected != found:
        return _instant(expected) is not None and _instant(expected) == _instant(found)
    return bool(expected == found)


def items_in(answer: Any) -> Iterator[Mapping[str, Any]]:
    """All objects with an id in the answer of a list, however deep."""
    if isinstance(answer, Mapping):
        if "id" in answer:
            yield answer
        for value in answer.values():
            yield from items_in(value)
    elif isinstance(answer, list):
        for value in answer:
            yield from items_in(value)


def _instant(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
