"""Input and output shared by procedures of many rooms."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct

from analytics_box.base.errors import BadRequest, ErrorDetail
from analytics_box.base.wrong_values import wrong_value
from analytics_box.resource.fields import date

__all__ = ("OrganizationInput", "Success", "Text", "date", "message_of", "millis")

T = TypeVar("T")

Text = Annotated[str, Meta(max_length=255)]


class OrganizationInput(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that may name an organization; else it is the caller's."""

    organizationId: Text | None = None


class Success(Struct, frozen=True):
    success: bool = True


def millis(when: datetime) -> int:
    """A date of an answer as UTC ms."""
    return round(when.timestamp() * 1000)


def message_of(found: Mapping[str, Any], kind: type[T]) -> T:
    """The message that a form sends, of its fields. Raises BadRequest with the place and the accepted values."""
    try:
        return msgspec.convert({name: value for name, value in found.items() if value is not UNSET}, kind)
    except msgspec.ValidationError as refused:
        wrong = wrong_value(refused, kind)
        raise BadRequest(wrong.sentence, details=(ErrorDetail(wrong.path, wrong.message),)) from refused
