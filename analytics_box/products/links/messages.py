"""Input that link procedures share: how they name an organization or a link. Pure."""

from typing import Annotated

from msgspec import Meta, Struct

Id = Annotated[str, Meta(min_length=1, max_length=255)]
Url = Annotated[str, Meta(max_length=4096)]
Short = Annotated[str, Meta(max_length=64)]


class LinkOrganizationInput(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that may name an organization; else it is the caller's."""

    organizationId: Id | None = None


class OneLink(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a link."""

    id: Id
    organizationId: Id | None = None
