"""Input and output of the flag routes that need an API key (wire 6.1)."""

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from analytics_box.products.flags.editing.messages import FlagFields, Note, Version
from analytics_box.products.flags.editing.shown import FlagAnswer, VariantAnswer
from analytics_box.products.flags.flag import FlagType, Id, Key, Status

ClientId = Annotated[
    str, Meta(min_length=1, max_length=255, description="Client id of a website, or an organization's id.")
]


class CreateFlagByKey(FlagFields, frozen=True, kw_only=True):
    """A new flag. With a `userId` it is only for that user, and overrides the one for all users."""

    clientId: ClientId
    key: Key
    userId: Id | None = None
    note: Note = ""


class UpdateFlagByKey(FlagFields, frozen=True, kw_only=True):
    """A change of a flag. With a `version` the flag changes only if it still has this version; else 409."""

    clientId: ClientId
    version: Version | None = None
    note: Note = ""


class FlagBriefly(Struct, frozen=True, kw_only=True):
    """A flag that was created or changed."""

    id: str
    key: str
    description: str | None
    type: FlagType
    status: Status
    defaultValue: bool
    variants: tuple[VariantAnswer, ...]
    createdAt: datetime
    updatedAt: datetime


class FlagByKeyAnswer(Struct, frozen=True, kw_only=True):
    """The flag after the change."""

    flag: FlagBriefly
    requestId: str


class FlagDefinitionsAnswer(Struct, frozen=True, kw_only=True):
    """Flags as they are defined."""

    flags: tuple[FlagAnswer, ...]
    count: int
    requestId: str


class DeletedByKey(Struct, frozen=True, kw_only=True):
    """The confirmation that a flag was deleted."""

    requestId: str
    success: Literal[True] = True


class EvaluationResult(Struct, frozen=True, kw_only=True):
    """The result of a flag, with its `reason`; flags with variants have a `variant`."""

    enabled: bool
    value: Any
    payload: Any
    reason: str
    variant: str = ""
    flagId: str = ""
    flagType: str = ""


class EvaluationResults(Struct, frozen=True, kw_only=True):
    """The results of flags, by their keys; keys without an active flag are left out."""

    flags: dict[str, EvaluationResult]
    count: int


class ServiceHealth(Struct, frozen=True, kw_only=True):
    """The health of the flag service."""

    service: Literal["flags"]
    status: Literal["ok"]
    version: str
