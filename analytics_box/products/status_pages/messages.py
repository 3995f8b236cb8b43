"""Input that procedures of status pages share (wire 9.3)."""

from typing import Annotated

from msgspec import Meta, Struct

Id = Annotated[str, Meta(min_length=1, max_length=255)]


class StatusPageOrganizationInput(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that may name an organization; else it is the caller's."""

    organizationId: Id | None = None


class StatusPageId(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a status page."""

    statusPageId: Id
