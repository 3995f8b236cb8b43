"""Input and output shared by procedures of many rooms."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct

from analytics_box.base.errors import BadRequest
from analytics_box.resource.fields import date

__all__ = ("OrganizationInput", "Success", "Text", "date", "message_of", "millis", "of_length")

T = TypeVar("T")

_LENGTH = re.compile(r"Expected `(str|array)[^`]*` of length (<=|>=) (\d+)")
_UNITS: Final = {"str": "characters", "array": "values"}
_BOUNDS: Final = {"<=": "at most", ">=": "at least"}

Text = Annotated[str, Meta(max_length=255)]


class OrganizationInput(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that may name an organization; else it is the caller's."""

    organizationId: Text | None = None


class Success(Struct, frozen=True):
    success: bool = True


def millis(when: datetime) -> int:
    """A date of an answer as UTC ms."""
    return round(when.timestamp() * 1000)


def message_of(found: Mapping[str, Any], kind: type[T], wrong: str) -> T:
    """The message that a form sends, of its fields. Raises BadRequest, in the words `wrong`, for what the fields would
    not let through by themselves."""
    try:
        return msgspec.convert({name: value for name, value in found.items() if value is not UNSET}, kind)
    except msgspec.ValidationError as refused:
        text, _, where = str(refused).partition(" - at ")
        said = of_length(text) or wrong.format(message=text)
        raise BadRequest.about(where.strip("`").removeprefix("$."), said) from refused


def of_length(refused: str) -> str:
    """The accepted length of a value that is too short or too long, in words; empty if it is refused for another
    reason.
    """
    found = _LENGTH.match(refused)
    if found is None:
        return ""
    kind, bound, count = found.groups()
    return "This is needed" if (bound, count) == (">=", "1") else f"It may have {_BOUNDS[bound]} {count} {_UNITS[kind]}"
