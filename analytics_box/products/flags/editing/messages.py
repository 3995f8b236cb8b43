"""Input of the procedures that create and change flags (wire 6.2 and 6.4), and the definitions that it makes. Pure.

Consistency is checked by evaluation.checking.
"""

from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from analytics_box.base import names
from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.flags.flag import (
    INDEPENDENT,
    KEY_FAULT,
    LONGEST_DESCRIPTION,
    LONGEST_ENVIRONMENT,
    Algorithm,
    Bucketing,
    FlagDefinition,
    Folder,
    Id,
    Key,
    Status,
    is_key,
)
from analytics_box.resource.fields import input_of, values_of

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


_BLANK: Final = FlagDefinition()
_INDEPENDENT: Final = FlagDefinition(bucketing=Bucketing(INDEPENDENT))


def new_definition(given: FlagFields, *, by_sdk: bool = False) -> FlagDefinition:
    """The definition of a new flag. It buckets independently of other flags, unless an SDK route creates it: such a
    flag uses the wire's default bucketing, and only its variants are independent. Raises BadRequest.
    """
    made = apply_fields(_INDEPENDENT, given)
    return apply_fields(_BLANK, given) if by_sdk and made.type != "multivariant" else made


def update_definition(before: FlagDefinition, given: FlagFields) -> FlagDefinition:
    """The definition with the given fields. It buckets independently once it gets variants, unless its rules have
    bucketed users already. Raises BadRequest.
    """
    after = apply_fields(before, given)
    becomes_multivariant = before.type != "multivariant" and after.type == "multivariant"
    drew = before.targetGroupIds or any(rule.percentage is not None for rule in before.rules)
    if given.bucketing is UNSET and becomes_multivariant and not drew and before.bucketing.algorithm == "default":
        return replace(after, bucketing=replace(after.bucketing, algorithm=INDEPENDENT))
    return after


def apply_fields(before: FlagDefinition, given: FlagFields) -> FlagDefinition:
    """The definition with the given fields; omitted fields do not change, null clears a field. Raises BadRequest."""
    after = replace(before, **values_of(given, FlagDefinition))
    if given.bucketing is UNSET:
        return after
    drawn = given.bucketing or GivenBucketing()
    algorithm = before.bucketing.algorithm if drawn.algorithm is UNSET else drawn.algorithm
    return replace(after, bucketing=Bucketing(algorithm, drawn.salt, drawn.variantSalt, drawn.attribute))


def clean_key(key: str) -> str:
    """The key of a flag. Raises BadRequest."""
    if not is_key(key):
        raise BadRequest.about("key", KEY_FAULT)
    return key


def clean_environment(given: str | None) -> str | None:
    """The name of an environment; None for an empty one. Raises BadRequest."""
    name = (given or "").strip()
    if not names.is_visible(name) or len(name) > LONGEST_ENVIRONMENT:
        raise BadRequest.about(
            "environment",
            _("Enter an environment of up to {longest} visible characters").format(longest=LONGEST_ENVIRONMENT),
        )
    return name or None
