"""Messages about values of the wrong type, length or range.

msgspec names the rule that a value breaks in the words of Python's types. Users read what to send instead, with the
place in the form of the wire: `steps[0].name must be at most 100 characters`.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import inspect

from analytics_box.base.translation import _

_type_info: Final = lru_cache(maxsize=64)(inspect.type_info)
_PLACE: Final = re.compile(r" - at (?:key in )?`\$\.?([^`]*)`\Z")
_STEP: Final = re.compile(r"\[(?:\d+|\.\.\.)\]|[^.\[\]]+")
_FIELD: Final = re.compile(r"Object (missing required|contains unknown) field `(.*)`\Z", re.DOTALL)
_LENGTH: Final = re.compile(r"Expected `(str|array|object|bytes)[^`]*` of (at least |at most )?length (<=|>=)? ?(\d+)")
_KINDS: Final = re.compile(r"Expected `([^`]+)`(?:, got `([^`]+)`)?\Z")
_LIMIT: Final = re.compile(r"Expected `(?:int|float)[^`]*` ([<>]=?) (\S+)\Z")
_LONGEST: Final = 60
_MOST_NAMED: Final = 40  # A list of all countries helps nobody.
_UNITS: Final = {"str": _("characters"), "array": _("values"), "object": _("fields"), "bytes": _("bytes")}
_BOUNDS: Final = {"<=": _("at most"), ">=": _("at least"), "<": _("less than"), ">": _("more than")}
_NOUNS: Final = {
    "str": _("text"),
    "int": _("a whole number"),
    "float": _("a number"),
    "bool": _("true or false"),
    "array": _("a list"),
    "object": _("an object"),
    "datetime": _("a date and time such as 2027-01-31T18:00:00Z"),
    "date": _("a date such as 2027-01-31"),
}


class WrongValue(NamedTuple):
    """A refused value: its place, empty for the whole input, and the rule that it breaks as "must be …"."""

    path: str
    rule: str

    @property
    def sentence(self) -> str:
        """The error for answers that show it without its field."""
        place = self.path or _("The value")
        return f"{place} {self.rule}"

    @property
    def message(self) -> str:
        """The error next to its field."""
        if self.rule.startswith("must"):
            return f"{self.rule[0].upper()}{self.rule[1:]}"
        return f"This {self.rule}"


def wrong_value(refused: msgspec.ValidationError, kind: Any = None) -> WrongValue:
    """The place and the rule of a refused value. With the type of the input it lists accepted values and ranges."""
    text = str(refused)
    place = _PLACE.search(text)
    path = place[1] if place else ""
    text = text[: place.start()] if place else text
    if field := _FIELD.match(text):
        name = field[2][:_LONGEST]
        rule = _("is required") if field[1].startswith("missing") else _("is not a known field")
        return WrongValue(f"{path}.{name}" if path else name, rule)
    if text.endswith("of length >= 1"):
        return WrongValue(path, _("is required"))
    if length := _LENGTH.match(text):
        unit, words, sign, count = length.groups()
        size = f"{words or (f'{_BOUNDS[sign]} ' if sign else '')}{count} {_UNITS[unit]}"
        return WrongValue(path, (_("must be {size}") if unit == "str" else _("must have {size}")).format(size=size))
    need = _need(text, () if kind is None else tuple(_types_at(kind, path)))
    return WrongValue(path, _("must be {need}").format(need=need) if need else _("is not an accepted value"))


def number_range(number: inspect.IntType | inspect.FloatType) -> str:
    """The range of a number in words."""
    kind = _NOUNS["int" if isinstance(number, inspect.IntType) else "float"]
    if number.gt is not None:
        return _("{kind} above {least:g}").format(kind=kind, least=number.gt)
    if number.ge is not None and number.le is not None:
        return _("{kind} from {least:g} to {most:g}").format(kind=kind, least=number.ge, most=number.le)
    if number.le is not None:
        return _("{kind} of at most {most:g}").format(kind=kind, most=number.le)
    return kind if number.ge is None else _("{kind} of at least {least:g}").format(kind=kind, least=number.ge)


def one_of(values: tuple[Any, ...]) -> str:
    """A list of the accepted values."""
    more = ", …" if len(values) > _MOST_NAMED else ""
    return _("one of: {values}").format(values=", ".join(map(str, values[:_MOST_NAMED])) + more)


def _need(text: str, types: tuple[inspect.Type, ...]) -> str:
    """The values that a rule accepts; empty if they are not known."""
    if kinds := _KINDS.match(text):
        wanted = kinds[1].split(" | ")
        nouns = [_NOUNS.get(one, one) for one in wanted if one != "null" and (one, "float" in wanted) != ("int", True)]
        need = _("{more} or {last}").format(more=", ".join(nouns[:-1]), last=nouns[-1]) if nouns[1:] else "".join(nouns)
        return _("{need}, not {got}").format(need=need, got=_NOUNS.get(kinds[2], kinds[2])) if kinds[2] else need
    values = tuple(
        dict.fromkeys(value for one in types if isinstance(one, inspect.LiteralType) for value in one.values)
    )
    if values and text.startswith("Invalid"):
        return one_of(values)
    numbers = [one for one in types if isinstance(one, inspect.IntType | inspect.FloatType)]
    if limit := _LIMIT.match(text):
        return number_range(numbers[0]) if len(numbers) == 1 else f"{_BOUNDS[limit[1]]} {limit[2].removesuffix('.0')}"
    examples = [(one.extra_json_schema or {})["examples"][0] for one in types if isinstance(one, inspect.Metadata)]
    if "regex" in text and examples:
        return _("a value such as {example}").format(example=examples[0])
    return _NOUNS["datetime"] if "datetime" in text else ""


def _types_at(kind: Any, path: str) -> Iterator[inspect.Type]:
    """Yield the types that the value at a path can have; none of a path that leaves the type."""
    types = list(_alternatives(_type_info(kind)))
    for step in _STEP.findall(path):
        types = [inner for one in types for child in _children(one, step) for inner in _alternatives(child)]
    yield from types


def _alternatives(one: inspect.Type) -> Iterator[inspect.Type]:
    if isinstance(one, inspect.Metadata) and (one.extra_json_schema or {}).get("examples"):
        yield one
    inner = (one.type,) if isinstance(one, inspect.Metadata) else getattr(one, "types", ())
    for each in inner:
        yield from _alternatives(each)
    if not inner:
        yield one


def _children(one: inspect.Type, step: str) -> Iterator[inspect.Type]:
    if isinstance(one, inspect.StructType):
        if one.tag_field == step:
            yield inspect.LiteralType((one.tag,))
        yield from (field.type for field in one.fields if field.encode_name == step)
    elif step.startswith("["):
        if isinstance(one, inspect.DictType):
            yield one.value_type
        elif isinstance(one, inspect.TupleType):
            yield from one.item_types
        elif isinstance(one, inspect.ListType | inspect.VarTupleType | inspect.SetType | inspect.FrozenSetType):
            yield one.item_type
