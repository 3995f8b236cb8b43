"""Values as they are typed in a form, one on each line. Pure.

A line in quotes is a text, which may have line breaks as JSON writes them. Numbers, true and false keep their types if
properties are compared; everywhere else they are texts.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from analytics_box.products.flags.flag import Scalar


def as_posted(text: str, *, lines: bool) -> str:
    """The text that a browser sends for a field that shows this text; only fields with `lines` have line breaks."""
    text = text.replace("\0", "\N{REPLACEMENT CHARACTER}").replace("\r\n", "\n").replace("\r", "\n")
    return text if lines else text.replace("\n", "")


def lines(values: Iterable[Scalar], *, texts: bool) -> str:
    """Values as a field of several lines has them; `texts` where only texts are compared."""
    return "\n".join(_line(one, texts=texts) for one in values)


def values(text: str, *, texts: bool) -> tuple[Scalar, ...]:
    """The values that a field of several lines has."""
    return tuple(_value(line.strip(), texts=texts) for line in text.split("\n") if line.strip())


def json_text(value: object) -> str:
    """JSON over several lines, as people read it; empty for null."""
    return msgspec.json.format(msgspec.json.encode(value)).decode() if value is not None else ""


def value_text(value: object, *, texts: bool) -> str:
    """A single value of any kind as its field has it, empty for null; `texts` if the field takes texts alone."""
    if not isinstance(value, str):
        return json_text(value)
    is_plain = texts or typed_value(value, texts=False) == value
    return value if is_plain and value else msgspec.json.encode(value).decode()


def typed_value(text: str, *, texts: bool) -> Any:
    """The value of a field for a single value of any kind: JSON, or a text without quotes; None for an empty field."""
    if texts:
        return text or None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return text or None


def _line(value: Scalar, *, texts: bool) -> str:
    if not isinstance(value, str):
        return msgspec.json.encode(value).decode()
    plain = value and value == value.strip() and value.isprintable() and not value.startswith('"')
    if plain and _value(value, texts=texts) == value and isinstance(_value(value, texts=texts), str):
        return value
    return msgspec.json.encode(value).decode()


def _value(line: str, *, texts: bool) -> Scalar:
    try:
        found = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return line
    if isinstance(found, str) or (isinstance(found, bool | int | float) and not texts):
        return found
    return line
