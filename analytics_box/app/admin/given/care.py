"""Inputs of `prune` and `vacuum`."""

from typing import Annotated

from msgspec import Meta, Struct

from analytics_box.app.admin.given.words import Text


class Prune(Struct, frozen=True, forbid_unknown_fields=True):
    """Facts to remove: from before the UTC day with this number, or with None those older than each website's
    retention. Of
    one website, or of all; `clicks` are those on short links.
    """

    before: Annotated[int, Meta(ge=0)] | None = None
    website: Text | None = None
    websites: bool = True
    clicks: bool = False
    dry_run: bool = False


class Retire(Struct, frozen=True, forbid_unknown_fields=True):
    """An ingest machine, by its number."""

    number: Annotated[int, Meta(ge=1, le=1023)]


class NoOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing has to be said."""
