"""What procedures of flags have in common: how they name a flag, and whose flags they are about (wire 6.4)."""

from typing import Annotated

from msgspec import Meta, Struct

from analytics_box.products.flags.flag import LONGEST_DESCRIPTION, LONGEST_ENVIRONMENT, LONGEST_FOLDER

Id = Annotated[str, Meta(min_length=1, max_length=255)]
Environment = Annotated[str, Meta(max_length=LONGEST_ENVIRONMENT)]
Folder = Annotated[str, Meta(max_length=LONGEST_FOLDER)]
Note = Annotated[str, Meta(max_length=LONGEST_DESCRIPTION)]
Version = Annotated[int, Meta(ge=1)]


class OfScope(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Input that is about the flags of a website, else of an organization; without either of the caller's own."""

    websiteId: Id | None = None
    organizationId: Id | None = None


class OneFlag(OfScope, frozen=True, kw_only=True):
    """Input that names a flag. Whose it is need not be said; where it is said, it must be right."""

    id: Id
