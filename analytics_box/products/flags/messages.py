"""Shared input of flag procedures: how they name a flag, and the website or organization of flags (wire 6.4)."""

from typing import Annotated

from msgspec import Meta, Struct

from analytics_box.products.flags.flag import LONGEST_DESCRIPTION, LONGEST_ENVIRONMENT, Id

Environment = Annotated[str, Meta(max_length=LONGEST_ENVIRONMENT)]
Note = Annotated[str, Meta(max_length=LONGEST_DESCRIPTION)]
Version = Annotated[int, Meta(ge=1)]


class OwnedInput(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Input that concerns the flags of a website, else of an organization; without either, of the caller's
    organization.
    """

    websiteId: Id | None = None
    organizationId: Id | None = None


class FlagId(OwnedInput, frozen=True, kw_only=True):
    """Input that names a flag. The owner is optional; if it is given, it must be correct."""

    id: Id
