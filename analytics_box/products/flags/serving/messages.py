"""What the routes of flags take and answer that need an API key (wire 6.1)."""

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from analytics_box.products.flags.editing.messages import GivenFields, Key
from analytics_box.products.flags.editing.shown import FlagShown, VariantShown
from analytics_box.products.flags.flag import FlagType, Status
from analytics_box.products.flags.messages import Id, Note, Version

ClientId = Annotated[str, Meta(min_length=1, max_length=255, description="Of a website, or an organization's id.")]


class NewByKey(GivenFields, frozen=True, kw_only=True):
    """A new flag. With a `userId` it is only for that user, before the one for everybody."""

    clientId: ClientId
    key: Key
    userId: Id | None = None
    note: Note = ""


class ChangedByKey(GivenFields, frozen=True, kw_only=True):
    """What is to change of a flag. With a `version` only a flag that is still of this version changes; else 409."""

    clientId: ClientId
    version: Version | None = None
    note: Note = ""


class FlagBriefly(Struct, frozen=True, kw_only=True):
    """A flag that was made or changed."""

    id: str
    key: str
    description: str | None
    type: FlagType
    status: Status
    defaultValue: bool
    variants: tuple[VariantShown, ...]
    createdAt: datetime
    updatedAt: datetime


class OneFlagAnswered(Struct, frozen=True, kw_only=True):
    """The flag as it has become."""

    flag: FlagBriefly
    requestId: str


class Definitions(Struct, frozen=True, kw_only=True):
    """Flags as they are defined."""

    flags: tuple[FlagShown, ...]
    count: int
    requestId: str


class DeletedByKey(Struct, frozen=True, kw_only=True):
    """The flag is gone."""

    requestId: str
    success: Literal[True] = True


class Result(Struct, frozen=True, kw_only=True):
    """What a flag gives. `reason` says why; `variant` is there for flags with variants."""

    enabled: bool
    value: Any
    payload: Any
    reason: str
    variant: str = ""
    flagId: str = ""
    flagType: str = ""


class Results(Struct, frozen=True, kw_only=True):
    """What flags give, by their keys; keys that no active flag has are not there."""

    flags: dict[str, Result]
    count: int


class ServiceHealth(Struct, frozen=True, kw_only=True):
    """That flags are served."""

    service: Literal["flags"]
    status: Literal["ok"]
    version: str
