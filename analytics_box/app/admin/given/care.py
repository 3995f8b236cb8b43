"""What the commands `prune` and `vacuum` are given."""

from typing import Annotated

from msgspec import Meta, Struct

from analytics_box.app.admin.given.words import Text


class Prune(Struct, frozen=True, forbid_unknown_fields=True):
    """What to remove: facts from before the UTC day with this number, or with None what each website's retention has
    over. Of one website, or of all; `clicks` are those on short links."""

    before: Annotated[int, Meta(ge=0)] | None = None
    website: Text | None = None
    websites: bool = True
    clicks: bool = False
    dry_run: bool = False


class Retire(Struct, frozen=True, forbid_unknown_fields=True):
    """An ingest machine, by its number."""

    number: Annotated[int, Meta(ge=1, le=1023)]


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing has to be said."""
