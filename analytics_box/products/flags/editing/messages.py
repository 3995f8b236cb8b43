"""Input of the procedures that create and change flags (wire 6.2 and 6.4)."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.products.flags.flag import (
    LONGEST_DESCRIPTION,
    LONGEST_ENVIRONMENT,
    Algorithm,
    FlagDefinition,
    Folder,
    Id,
    Key,
    Status,
)
from analytics_box.resource.fields import input_of

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


class GivenBucketing(Struct, frozen=True, forbid_unknown_fields=True):
    """The bucketing of users. Without `algorithm` it does not change; new flags use `flagd`, which is independent."""

    algorithm: Algorithm | UnsetType = UNSET
    salt: str = ""
    variantSalt: str = ""
    attribute: str = ""


@input_of(FlagDefinition)
class FlagFields(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields of a flag that input can have. Fields that are left out do not change; null clears a field.

    The first of `rules` that matches decides, then those of the target groups, then the default rule: `defaultValue` of
    a boolean, `rolloutPercentage` of a rollout, `variants` by weight of a multivariant. The flag is off unless its
    `dependencies` are active and its `prerequisites` give the named outcomes; while it is off or inactive it gives its
    `offValue`.
    """

    bucketing: GivenBucketing | UnsetType | None = UNSET
    environment: Environment | UnsetType | None = UNSET


class CreateFlag(FlagFields, frozen=True, kw_only=True):
    """Input of flags.create. With a `userId` the flag is only for that user, and overrides the one for all users."""

    key: Key
    websiteId: Id | None = None
    organizationId: Id | None = None
    userId: Id | None = None
    note: Note = ""


class UpdateFlag(FlagFields, frozen=True, kw_only=True):
    """Input of flags.update. With a `version` only a flag that is still of this version changes; else 409.

    `note` is the reason, for the flag's history.
    """

    id: Id
    websiteId: Id | None = None
    organizationId: Id | None = None
    version: Version | None = None
    note: Note = ""


class ChangeFlagStatus(FlagId, frozen=True, kw_only=True):
    """Input of flags.activate, flags.deactivate, flags.archive and flags.delete; `version` as of flags.update."""

    version: Version | None = None
    note: Note = ""


class UndeleteFlag(FlagId, frozen=True, kw_only=True):
    """Input of flags.undelete, which must name the former owner."""

    note: Note = ""


class CopyFlag(FlagId, frozen=True, kw_only=True):
    """Input of flags.copy: to another environment of the same website or organization; null is none.

    With `replace` a flag of that key which is there gets all but the status; else that is a conflict.
    """

    environment: Environment | None
    replace: bool = False
    note: Note = ""


class ListFlags(OwnedInput, frozen=True, kw_only=True):
    """Input of flags.list. An `environment` of null means flags of none, an empty `folder` those in none."""

    status: Status | None = None
    folder: Folder | UnsetType | None = UNSET
    environment: Environment | UnsetType | None = UNSET


class ByKey(OwnedInput, frozen=True, kw_only=True):
    """Input of flags.getByKey."""

    key: Key
    environment: Environment | None = None
    userId: Id | None = None


class RenamedFolder(OwnedInput, frozen=True, kw_only=True):
    """Input of flags.renameFolder. Folders below it go along; where `to` exists, both become one."""

    folder: Annotated[Folder, Meta(min_length=1)]
    to: Annotated[Folder, Meta(min_length=1)]


class DeleteFlagFolder(OwnedInput, frozen=True, kw_only=True):
    """Input of flags.deleteFolder."""

    folder: Annotated[Folder, Meta(min_length=1)]
