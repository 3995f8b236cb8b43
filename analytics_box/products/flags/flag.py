"""A feature flag and a target group: the one list of their fields and of those of rules (wire 6.2). Pure.

Messages, answers, the form, the history and the audit log have the fields by these types (resource/fields.py). Names
of rules, conditions and variants are the wire's, because that is how they are stored and sent. A definition is stored
as JSON, and imports take what exceeds the limits of messages, so those limits are only in `wire`.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct

from analytics_box.base import names
from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.resource.fields import Field, Stamp, or_null

FlagType = Literal["boolean", "rollout", "multivariant"]
Status = Literal["active", "inactive", "archived"]
RolloutBy = Literal["user", "organization", "team"]
RuleType = Literal["user_id", "email", "property", "conditions"]
VariantType = Literal["string", "number", "json"]
Algorithm = Literal["default", "unleash", "growthbook_v1", "growthbook_v2", "flagd", "flagd_v3", "launchdarkly"]

# The first eight are the wire's. Rules of all types can use all operators.
Operator = Literal[
    "equals",
    "contains",
    "starts_with",
    "ends_with",
    "in",
    "not_in",
    "exists",
    "not_exists",
    "not_equals",
    "not_contains",
    "greater",
    "greater_or_equal",
    "less",
    "less_or_equal",
    "before",  # Instants are RFC 3339 texts or epoch milliseconds.
    "after",
    "version_equals",  # Semantic versions, by their precedence.
    "version_greater",
    "version_greater_or_equal",
    "version_less",
    "version_less_or_equal",
    "matches",  # A regular expression of RE2, anywhere in the text.
    "not_matches",
    "ip_in",  # IP addresses and networks
    "ip_not_in",
    "has_type",  # The type of the value itself, not of the elements of a list.
    "size",  # The number of elements of a list.
]
Scalar = str | int | float | bool
Only = Literal["", "text", "number"]

LONGEST_KEY, LONGEST_NAME, LONGEST_DESCRIPTION = 128, 100, 500  # characters (wire 6.2)
MOST_VARIANTS, MOST_RULES, MOST_VALUES, MOST_NODES, DEEPEST = 32, 100, 1_000, 200, 8
MOST_DEPENDENCIES, MOST_GROUPS_OF_FLAG = 20, 20
LONGEST_ENVIRONMENT, LONGEST_FOLDER = 64, 100  # characters
MOST_GROUPS: Final = 200  # The limit of a website or organization.
MOST_FLAGS: Final = 1_000  # The limit of a website or organization, in all environments.
LARGEST_PAYLOAD: Final = 32_768  # bytes of JSON: a payload, or the value of a variant
LARGEST_FLAG: Final = 262_144  # bytes of JSON: all of a flag
LARGEST_SCOPE: Final = 8_388_608  # bytes of JSON: all flags, or all target groups, of a website or an organization
SUBJECT: Final = "flag"  # The noun in the audit log.
INDEPENDENT: Final[Algorithm] = "flagd"  # New flags select users independently of other flags.


_KEY: Final = re.compile(r"(?:[^\W_]|[._:~|-])+")
_UNSEEN: Final = re.compile(  # Letters and marks that are invisible.
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
KEY_FAULT: Final = f"A key has 1 to {LONGEST_KEY} letters and digits of any script, and any of . _ : ~ | -"


def is_key(text: str) -> bool:
    """Return whether a flag can have this key: letters, their marks and digits of any script, and `._:~|-`.

    "." and ".." are none, because they mean something else in an address.
    """
    letters = "".join(one for one in text if unicodedata.category(one) not in ("Mn", "Mc"))
    is_long_enough = 1 <= len(text) <= LONGEST_KEY and text not in (".", "..")
    return is_long_enough and bool(_KEY.fullmatch(letters)) and not _UNSEEN.search(text)


class TargetingCondition(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A condition, or conditions of which all, any or none must hold. Exactly one of the forms is given: `all`, `any`,
    `none`, `attribute` with an operator, or `group`: a rule of that target group matches.

    An empty `all` or `none` matches all users, an empty `any` matches none.

    `attribute` is user_id, email, organization_id, team_id or the name of a property; `address.city` is a property of
    the object `address`. With `only`, values and list
    elements of other types never match.
    """

    all: tuple["TargetingCondition", ...] | None = None
    any: tuple["TargetingCondition", ...] | None = None
    none: tuple["TargetingCondition", ...] | None = None
    attribute: str = ""
    operator: Operator = "equals"
    value: Scalar | None = None
    values: tuple[Scalar, ...] = ()
    group: str = ""
    only: Only = ""


class Bucketing(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The bucketing of users. An empty salt is the flag's key; rollout and variants never share their buckets.

    `attribute` is the name of a property to bucket by instead of `rolloutBy`, as imports may need it.
    """

    algorithm: Algorithm = "default"
    salt: str = ""
    variantSalt: str = ""
    attribute: str = ""


class TargetingRule(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A targeting rule (wire 6.2): the first that matches decides, `enabled` is its outcome.

    Beyond the wire: a rule of the type conditions has a tree of them; `variant` is the variant that users who match get
    from a multivariant flag; `percentage` restricts the rule to users in buckets from `percentageFrom` up to it, by the
    rule's bucketing or else the flag's (with murmur3 if that is the default one).
    """

    type: RuleType
    operator: Operator = "equals"
    field: str = ""
    value: Scalar | None = None
    values: tuple[Scalar, ...] = ()
    enabled: bool = True
    batch: bool = False
    batchValues: tuple[Scalar, ...] = ()
    name: str = ""
    conditions: TargetingCondition | None = None
    variant: str = ""
    percentage: float | None = None
    percentageFrom: float = 0
    bucketing: Bucketing | None = None


class Variant(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A value that a multivariant flag can have. Weights are percent; they add up to 100 where any is given."""

    key: str
    value: Any
    type: VariantType = "string"
    description: str = ""
    weight: float | None = None


class Prerequisite(Struct, frozen=True, forbid_unknown_fields=True):
    """Another flag that must give one of these: variants by key, or "true" and "false" for whether it is enabled."""

    key: str
    gives: tuple[str, ...] = ("true",)


def clean_description(given: str) -> str:
    """A description, of several lines and without needless spaces. Raises BadRequest if nothing of it is visible."""
    text = "\n".join(" ".join(line.split()) for line in given.strip().splitlines())
    if not names.is_visible(text.replace("\n", "")):
        raise BadRequest(_("Enter a description with visible characters"))
    return text


def clean_name(given: str) -> str:
    """A name on one line. Raises BadRequest if nothing of it is visible."""
    name = names.one_line(given)
    if not names.is_visible(name):
        raise BadRequest(_("Enter a name with visible characters"))
    return name


def clean_group_name(given: str) -> str:
    """The name of a target group. Raises BadRequest."""
    name = clean_name(given)
    if not name:
        raise BadRequest(_("Enter a name"))
    return name


def clean_folder(given: str, field: str = "folder") -> str:
    """The path of a folder, as "checkout/payment"; empty for none. Raises BadRequest about `field`."""
    folder = "/".join(part for part in (names.one_line(each) for each in given.split("/")) if part)
    if not names.is_visible(folder):
        raise BadRequest.about(field, _("Enter a folder with visible characters"))
    return folder


def _each_once(given: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(given))


def _in_log(value: Any) -> object:
    is_short = value is None or (isinstance(value, bool | int | float | str) and len(str(value)) <= _SHORT)
    return value if is_short else "(value)"


_SHORT: Final = 100  # characters of a text that the audit log repeats
Id = Annotated[str, Meta(min_length=1, max_length=255)]
Key = Annotated[str, Meta(min_length=1, max_length=LONGEST_KEY)]
_GivenName = Annotated[str, Meta(max_length=LONGEST_NAME)]
_GivenText = Annotated[str, Meta(max_length=LONGEST_DESCRIPTION)]
_GivenKeys = Annotated[tuple[Key, ...], Meta(max_length=MOST_DEPENDENCIES)]
_GivenColor = Annotated[str, Meta(pattern="^(#[0-9A-Fa-f]{6})?$", max_length=7, examples=["#2563eb"])]
Folder = Annotated[str, Meta(max_length=LONGEST_FOLDER)]
Description = Annotated[str, Field(wire=_GivenText, clean=clean_description, null=True, empty="", shown=or_null)]
# Rules name users, and the log cannot be erased, so it only counts them.
Rules = Annotated[
    tuple[TargetingRule, ...],
    Field(wire=Annotated[tuple[TargetingRule, ...], Meta(max_length=MOST_RULES)], null=True, empty=(), audited=len),
]


class FlagDefinition(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The definition of a flag: everything that its history keeps and an export contains.

    `offValue` is the value of the flag while it is inactive or its requirements are not met, and of a multivariant flag
    also for users that a rule turns it off for. Without it an inactive flag is not given.
    """

    name: Annotated[str, Field(wire=_GivenName, clean=clean_name, null=True, empty="", shown=or_null)] = ""
    description: Description = ""
    type: Annotated[FlagType, Field()] = "boolean"
    status: Annotated[Status, Field()] = "active"
    defaultValue: Annotated[bool, Field()] = False
    offValue: Annotated[Any, Field(audited=_in_log)] = None
    payload: Annotated[Any, Field(audited=lambda value: None if value is None else "(value)")] = None
    rules: Rules = ()
    rolloutPercentage: Annotated[float, Field(wire=Annotated[float, Meta(ge=0, le=100)], null=True, empty=0)] = 0
    rolloutBy: Annotated[RolloutBy, Field(null=True, empty="user")] = "user"
    persistAcrossAuth: Annotated[bool, Field()] = False
    dependencies: Annotated[tuple[str, ...], Field(wire=_GivenKeys, clean=_each_once, null=True, empty=())] = ()
    prerequisites: Annotated[
        tuple[Prerequisite, ...],
        Field(wire=Annotated[tuple[Prerequisite, ...], Meta(max_length=MOST_DEPENDENCIES)], null=True, empty=()),
    ] = ()
    variants: Annotated[
        tuple[Variant, ...],
        Field(wire=Annotated[tuple[Variant, ...], Meta(max_length=MOST_VARIANTS)], null=True, empty=(), audited=len),
    ] = ()
    targetGroupIds: Annotated[
        tuple[str, ...],
        Field(
            wire=Annotated[tuple[Id, ...], Meta(max_length=MOST_GROUPS_OF_FLAG)],
            clean=_each_once,
            null=True,
            empty=(),
        ),
    ] = ()
    folder: Annotated[str, Field(wire=Folder, clean=clean_folder, null=True, empty="", shown=or_null)] = ""
    bucketing: Bucketing = Bucketing()


class Flag(Struct, frozen=True, kw_only=True, rename="camel"):
    """A flag of a website, or of an organization if `website_id` is None. Times are UTC ms.

    `environment` None is a separate environment: that of requests without one. A flag with a `user_id` is only for that
    user. `version` grows with each change. A flag with a `deleted_at` is hidden.
    """

    id: str
    organization_id: str
    website_id: str | None
    key: str
    definition: FlagDefinition
    environment: str | None = None
    user_id: str | None = None
    version: int = 1
    created_by: str = ""  # An actor of the audit log.
    created_at: Stamp = 0
    updated_at: Stamp = 0
    deleted_at: Stamp | None = None

    @property
    def scope(self) -> str:
        """The id of the flag's website, else of its organization (the `clientId` of public routes)."""
        return self.website_id or self.organization_id


class TargetGroup(Struct, frozen=True, kw_only=True, rename="camel"):
    """Rules under a name, for many flags of the same website or organization. Times are UTC ms.

    `color` is like #2563eb, empty for none.
    """

    id: str
    organization_id: str
    website_id: str | None
    name: Annotated[
        str, Field(wire=Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)], clean=clean_group_name)
    ]
    description: Description = ""
    color: Annotated[str, Field(wire=_GivenColor, clean=str.lower, null=True, empty="", shown=or_null)] = ""
    rules: Rules = ()
    created_by: str = ""
    created_at: Stamp = 0
    updated_at: Stamp = 0

    @property
    def scope(self) -> str:
        """The id of the target group's website, else of its organization."""
        return self.website_id or self.organization_id


class FlagScope(Struct, frozen=True):
    """The living flags and the target groups of a website, or of an organization where `website_id` is None.

    `id` is the `clientId` of public routes. `revision` grows with each change and is 0 before the first; `updated_at`
    is UTC ms. Flags are in the order of their keys.
    """

    id: str
    organization_id: str
    website_id: str | None
    revision: int = 0
    updated_at: int = 0
    flags: tuple[Flag, ...] = ()
    groups: tuple[TargetGroup, ...] = ()
