"""What procedures of monitors have in common: how they name an organization or a monitor (wire 8.1)."""

from typing import Annotated

from msgspec import Meta, Struct

Id = Annotated[str, Meta(min_length=1, max_length=255)]


class OfOrganization(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that may name an organization; else it is the caller's."""

    organizationId: Id | None = None


class OneSchedule(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a monitor."""

    scheduleId: Id
