"""What procedures of status pages have in common: how they name a page (wire 9.3)."""

from typing import Annotated

from msgspec import Meta, Struct

Id = Annotated[str, Meta(min_length=1, max_length=255)]


class OfOrganization(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that may name an organization; else it is the caller's."""

    organizationId: Id | None = None


class OnePage(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a status page."""

    statusPageId: Id
