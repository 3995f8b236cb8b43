"""Input and output of procedures of a flag's history."""

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct

from analytics_box.products.flags.flag import LONGEST_DESCRIPTION, FlagDefinition
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
    """Input of flags.diff: the changes from one version to another, in either direction."""

    flagId: Id
    from_: Number
    to: Number


class RestoreFlag(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Input of flags.restore. `current` is the version that the caller knows; if the flag is another by now, nothing
    is done."""

    flagId: Id
    version: Number
    note: Annotated[str, Meta(max_length=LONGEST_DESCRIPTION)] = ""
    current: Number | None = None


class DefinitionChangeAnswer(Struct, frozen=True):
    """A change. `item` identifies the part: a variant's or a flag's key, the number of a rule.

    `text` describes it in a line.
    """

    field: str
    kind: Kind
    item: str
    before: Any
    after: Any
    text: str


class FlagVersionAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """A version with its actor, time and reason, and the changes since the one before that is kept.

    `actorName`, a person's email address or a key's name, is visible to people only, not to API keys.
    """

    version: int
    key: str
    environment: str | None
    action: str
    actor: str
    actor_name: str | None
    note: str
    at: datetime
    changes: tuple[DefinitionChangeAnswer, ...]


class FlagHistoryAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """Answer of flags.history: the newest first."""

    flag_id: str
    versions: tuple[FlagVersionAnswer, ...]
    has_more: bool


class WholeVersion(FlagVersionAnswer, frozen=True, kw_only=True, rename="camel"):
    """A version with all that the flag decided by; fields that are as in a new flag are left out."""

    definition: FlagDefinition


class FlagDifferenceAnswer(Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    """Answer of flags.diff."""

    from_: int
    to: int
    changes: tuple[DefinitionChangeAnswer, ...]
