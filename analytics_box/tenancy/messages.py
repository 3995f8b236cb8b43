"""What procedures of many rooms take and answer with."""

from datetime import UTC, datetime
from typing import Annotated

from msgspec import Meta, Struct

Text = Annotated[str, Meta(max_length=255)]


class OfOrganization(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that may name an organization; else it is the caller's."""

    organizationId: Text | None = None


class Success(Struct, frozen=True):
    success: bool = True


def date(instant: int) -> datetime:
    """An instant in UTC ms as a date of an answer."""
    return datetime.fromtimestamp(instant / 1000, UTC)
