"""What procedures of a flag's history take, and answer with."""

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct

from analytics_box.products.flags.flag import LONGEST_DESCRIPTION, Definition
from analytics_box.products.flags.history.difference import Kind

Id = Annotated[str, Meta(min_length=1, max_length=255)]
Number = Annotated[int, Meta(ge=1)]


class WhichHistory(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of flags.history: the newest versions, of those older than `before`."""

    flagId: Id
    before: Number | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 50


class OneVersion(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a version of a flag."""

    flagId: Id
    version: Number


class TwoVersions(Struct, frozen=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    """Input of flags.diff: what changed from one version to another, in either direction."""

    flagId: Id
    from_: Number
    to: Number


class Restored(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Input of flags.restore. `current` is the version that the caller knows; if the flag is another by now, nothing
    is done."""

    flagId: Id
    version: Number
    note: Annotated[str, Meta(max_length=LONGEST_DESCRIPTION)] = ""
    current: Number | None = None


class ChangeShown(Struct, frozen=True):
    """One thing that changed. `item` says which of several: a variant's or a flag's key, the number of a rule.

    `text` says it in a line.
    """

    field: str
    kind: Kind
    item: str
    before: Any
    after: Any
    text: str


class VersionShown(Struct, frozen=True, kw_only=True, rename="camel"):
    """A version: who made it when and why, and what changed to it from the one before that is kept.

    `actorName`, a person's e-mail address or a key's name, is told to people only, not to API keys.
    """

    version: int
    key: str
    environment: str | None
    action: str
    actor: str
    actor_name: str | None
    note: str
    at: datetime
    changes: tuple[ChangeShown, ...]


class HistoryShown(Struct, frozen=True, kw_only=True, rename="camel"):
    """Answer of flags.history: the newest first."""

    flag_id: str
    versions: tuple[VersionShown, ...]
    has_more: bool


class WholeVersion(VersionShown, frozen=True, kw_only=True, rename="camel"):
    """A version with all that the flag decided by; fields that are as in a new flag are left out."""

    definition: Definition


class DifferenceShown(Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    """Answer of flags.diff."""

    from_: int
    to: int
    changes: tuple[ChangeShown, ...]
