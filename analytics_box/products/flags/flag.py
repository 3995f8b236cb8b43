"""A feature flag: the one list of its fields and of those of its rules (wire 6.2). Pure.

Names of rules, conditions and variants are the wire's, because that is how they are stored and sent.
"""

import re
import unicodedata
from typing import Any, Final, Literal

from msgspec import Struct

FlagType = Literal["boolean", "rollout", "multivariant"]
Status = Literal["active", "inactive", "archived"]
RolloutBy = Literal["user", "organization", "team"]
RuleType = Literal["user_id", "email", "property", "conditions"]
VariantType = Literal["string", "number", "json"]
Algorithm = Literal["default", "unleash", "growthbook_v1", "growthbook_v2", "flagd", "flagd_v3", "launchdarkly"]

# The first eight are the wire's; a rule of a type user_id, email or property may use all of them, too.
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
    "before",  # instants: RFC 3339 texts or epoch milliseconds
    "after",
    "version_equals",  # semantic versions, by their precedence
    "version_greater",
    "version_greater_or_equal",
    "version_less",
    "version_less_or_equal",
    "matches",  # a regular expression of RE2, anywhere in the text
    "not_matches",
    "ip_in",  # IP addresses and networks
    "ip_not_in",
    "has_type",  # text, number, boolean, list or a kind of list: of the value itself, and not of the elements of a list
]
Scalar = str | int | float | bool
Only = Literal["", "text", "number"]

LONGEST_KEY, LONGEST_NAME, LONGEST_DESCRIPTION = 128, 100, 500  # characters (wire 6.2)
MOST_VARIANTS, MOST_RULES, MOST_VALUES, MOST_NODES, DEEPEST = 32, 100, 1_000, 200, 8
MOST_DEPENDENCIES, MOST_GROUPS_OF_FLAG = 20, 20
LONGEST_ENVIRONMENT, LONGEST_FOLDER = 64, 100  # characters
MOST_GROUPS: Final = 200  # of a website or an organization
MOST_FLAGS: Final = 1_000  # of a website or an organization, all environments together
LARGEST_PAYLOAD: Final = 32_768  # bytes of JSON: a payload, or the value of a variant
LARGEST_FLAG: Final = 262_144  # bytes of JSON: all of a flag
LARGEST_SCOPE: Final = 8_388_608  # bytes of JSON: all flags, or all target groups, of a website or an organization
SUBJECT: Final = "flag"  # in the audit log
INDEPENDENT: Final[Algorithm] = "flagd"  # what new flags draw by: a draw of one flag tells nothing of another's


_KEY: Final = re.compile(r"(?:[^\W_]|[._:~|-])+")
_UNSEEN: Final = re.compile(  # letters and marks that show nothing
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
    `none`, `attribute` with an operator, or `group`: the rules of that target group let somebody in.

    An empty `all` or `none` holds for everybody, an empty `any` for nobody.

    `attribute` is user_id, email, organization_id, team_id or the name of a property. With `only`, values and list
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


class FlagDefinition(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The definition of a flag: everything that its history keeps and an export contains.

    `offValue` is the value of the flag while it is inactive or its requirements are not met, and of a multivariant flag
    also for users that a rule turns it off for. Without it an inactive flag is not given.
    """

    name: str = ""
    description: str = ""
    type: FlagType = "boolean"
    status: Status = "active"
    defaultValue: bool = False
    offValue: Any = None
    payload: Any = None
    rules: tuple[TargetingRule, ...] = ()
    rolloutPercentage: float = 0
    rolloutBy: RolloutBy = "user"
    persistAcrossAuth: bool = False
    dependencies: tuple[str, ...] = ()
    prerequisites: tuple[Prerequisite, ...] = ()
    variants: tuple[Variant, ...] = ()
    targetGroupIds: tuple[str, ...] = ()
    folder: str = ""
    bucketing: Bucketing = Bucketing()


class Flag(Struct, frozen=True, kw_only=True):
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
    created_by: str = ""  # an actor, as the audit log names them
    created_at: int = 0
    updated_at: int = 0
    deleted_at: int | None = None

    @property
    def scope(self) -> str:
        """The id of the flag's website, else of its organization (the `clientId` of public routes)."""
        return self.website_id or self.organization_id


class TargetGroup(Struct, frozen=True, kw_only=True):
    """Rules under a name, for many flags of the same website or organization. Times are UTC ms."""

    id: str
    organization_id: str
    website_id: str | None
    name: str
    description: str = ""
    color: str = ""
    rules: tuple[TargetingRule, ...] = ()
    created_by: str = ""
    created_at: int = 0
    updated_at: int = 0

    @property
    def scope(self) -> str:
        """The id of the target group's website, else of its organization."""
        return self.website_id or self.organization_id
