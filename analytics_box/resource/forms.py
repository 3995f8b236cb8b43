"""The plain fields of a resource as inputs of a form: filled in from a row, and read from a post.

Inputs are named like the fields on the wire. Text, numbers, choices, check boxes, times, secrets and lists of words
are plain; fields of other types have inputs and functions of the room's own.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct, inspect

from analytics_box.base.errors import BadRequest, ErrorDetail
from analytics_box.base.translation import _
from analytics_box.resource.fields import DeclaredField, Field, given_fields

Kind = Literal["text", "number", "decimal", "choice", "box", "words", "time", "secret"]

_LAST_YEAR: Final = 2999


class Input(Struct, frozen=True):
    """An input of a form and the field that it edits."""

    declared: DeclaredField
    field: Field
    kind: Kind
    type: inspect.Type


@cache
def inputs_of(kind: type[Struct]) -> Mapping[str, Input]:
    """The inputs for the plain fields of a resource, by their names on the wire."""
    found = {}
    for declared, field in given_fields(kind):
        plain = _plain_type(declared.type)
        chosen = _kind(plain, field)
        if chosen is not None:
            found[declared.wire_name] = Input(declared, field, chosen, plain)
    return found


def _plain_type(hint: Any) -> inspect.Type:
    """A type without None and without what annotates it."""
    info = inspect.type_info(hint)
    while True:
        if isinstance(info, inspect.Metadata):
            info = info.type
        elif isinstance(info, inspect.UnionType):
            others = [one for one in info.types if not isinstance(one, inspect.NoneType)]
            if len(others) != 1:
                return info
            (info,) = others
        else:
            return info


def _kind(plain: inspect.Type, field: Field) -> Kind | None:
    if field.secret:
        return "secret"
    match plain:
        case inspect.IntType():
            return "number" if field.wire is None else "time" if field.wire is datetime else "choice"
        case inspect.FloatType():
            return "decimal"
        case inspect.StrType():
            return "text"
        case inspect.LiteralType():
            return "choice"
        case inspect.BoolType():
            return "box"
        case inspect.VarTupleType():
            item = plain.item_type
            item = item.type if isinstance(item, inspect.Metadata) else item
            return "words" if isinstance(item, inspect.StrType) else None
    return None


def fill(row: Struct, zone: str) -> dict[str, str]:
    """The inputs of a form as a row has them, with its times in a zone; secrets stay empty."""
    return {wire: _text(one, getattr(row, one.declared.name), zone) for wire, one in inputs_of(type(row)).items()}


def _text(one: Input, value: Any, zone: str) -> str:
    match one.kind:
        case "secret":
            return ""
        case "box":
            return "on" if value else ""
        case "words":
            return ", ".join(value)
        case "time":
            return "" if value is None else local_time(value, zone)
        case "decimal":
            return "" if value is None else f"{value:.15g}"
        case "choice" if value is not None and one.field.shown is not None:
            return str(one.field.shown(value))
    return "" if value is None else str(value)


def local_time(instant: int, zone: str) -> str:
    """An instant in UTC ms as an input of a day and a time holds it, to the minute."""
    return f"{datetime.fromtimestamp(instant / 1000, UTC).astimezone(ZoneInfo(zone)):%Y-%m-%dT%H:%M}"


def read(
    form: Mapping[str, str], kind: type[Struct], zone: str, before: Struct | None, wrong: dict[str, str]
) -> dict[str, Any]:
    """The plain fields of a posted form as a message has them; errors are added to `wrong`.

    Inputs that the form does not have are left out. An empty secret stays as it is, unless the form also has its name
    behind `remove`. A time that stays as it was `before` stays to the millisecond.
    """
    found: dict[str, Any] = {}
    for wire, one in inputs_of(kind).items():
        if one.kind == "secret" and f"remove{wire[0].upper()}{wire[1:]}" in form:
            found[wire] = None
        elif wire in form and (form[wire] or one.kind != "secret"):
            try:
                found[wire] = _value(one, form[wire], zone, before)
            except ValueError as refused:
                wrong[wire] = str(refused)
    return found


def read_posted(form: Mapping[str, str], kind: type[Struct], zone: str, before: Struct | None) -> dict[str, Any]:
    """The plain fields of a posted form as a message has them. Raises BadRequest, which names all that is wrong."""
    wrong: dict[str, str] = {}
    found = read(form, kind, zone, before, wrong)
    refuse(wrong)
    return found


def refuse(wrong: Mapping[str, str]) -> None:
    """Raises BadRequest, which names all that is wrong in a form, if anything is."""
    if wrong:
        raise BadRequest(next(iter(wrong.values())), details=tuple(ErrorDetail(*one) for one in wrong.items()))


def _value(one: Input, text: str, zone: str, before: Struct | None) -> Any:
    """The value in an input. Raises ValueError with the message for the person."""
    if one.kind == "secret":
        return _check_length(text, one.type)
    text = one.field.typed(text)
    match one.kind:
        case "box":
            return bool(text)
        case "words":
            return [word.strip() for word in text.split(",") if word.strip()]
        case "number":
            is_optional = one.declared.is_optional or one.field.null
            return _number(text, one.type) if text or not is_optional else None
        case "decimal":
            return decimal(text) if text else None
        case "time":
            return _time(text, zone, None if before is None else getattr(before, one.declared.name)) if text else None
        case "choice" if text:
            return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else text
    return text or (None if one.declared.is_optional else "")


def _check_length(text: str, plain: inspect.Type) -> str:
    least, most = getattr(plain, "min_length", None) or 0, getattr(plain, "max_length", None)
    if len(text) < least or (most is not None and len(text) > most):
        raise ValueError(_("Use {least} to {most} characters").format(least=least, most=most))
    return text


def _number(text: str, plain: inspect.Type) -> int:
    least, most = getattr(plain, "ge", None), getattr(plain, "le", None)
    if text.isascii() and text.isdecimal() and len(text) < 16:
        number = int(text)
        if (least is None or number >= least) and (most is None or number <= most):
            return number
    if most is not None:
        raise ValueError(
            _("Enter a whole number from {least} to {most}").format(least=f"{least or 0:,}", most=f"{most:,}")
        )
    raise ValueError(_("Enter a whole number, at least {least}").format(least=f"{least or 0:,}"))


def decimal(text: str) -> float:
    """A number as people type it: with a point or a comma, and with or without a percent sign. Raises ValueError."""
    try:
        found = msgspec.json.decode(text.replace(",", ".").removesuffix("%").strip(), type=float)
    except (msgspec.MsgspecError, UnicodeEncodeError) as refused:
        raise ValueError(_("Enter a number, such as 25 or 12.5")) from refused
    return found


def _time(text: str, zone: str, before: int | None) -> datetime:
    if before is not None and text == local_time(before, zone):
        return datetime.fromtimestamp(before / 1000, UTC)
    try:
        when = datetime.fromisoformat(text)
    except ValueError as refused:
        raise ValueError(_("Enter a day and a time")) from refused
    if when.tzinfo is not None or not 1980 <= when.year <= _LAST_YEAR:
        raise ValueError(_("Enter a day and a time"))
    return when.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
