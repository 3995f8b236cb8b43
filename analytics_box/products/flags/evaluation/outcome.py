"""The context of an evaluation, and its outcomes."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from analytics_box.products.flags.flag import FlagDefinition, FlagType, Variant

# Those of the wire (6.1) that evaluation gives; the routes have more.
Reason = Literal[
    "DEPENDENCY_NOT_SATISFIED",
    "USER_RULE_MATCH",
    "TARGET_GROUP_MATCH",
    "MULTIVARIANT_EVALUATED",
    "ROLLOUT_ENABLED",
    "ROLLOUT_DISABLED",
    "BOOLEAN_DEFAULT",
    "DEFAULT_VALUE",  # The off value of an inactive flag.
]


class Outcome(Struct, eq=False):
    """The outcome of a flag (wire 6.1). A flag has few, created when it is compiled and shared by all users.

    `encoded` is the wire's result as JSON. `count` is the number of evaluations since the last reset: only the counting
    of evaluations (usage) changes it. Without `has_value` a multivariant flag gives no value, only whether it is
    enabled.
    """

    flag_id: str
    key: str
    flag_type: FlagType
    enabled: bool
    value: Any
    payload: Any
    reason: Reason
    variant: str = ""
    encoded: bytes = b""
    count: int = 0
    has_value: bool = True

    @property
    def gave(self) -> str:
        """The outcome in a word: the variant, or "true" or "false"."""
        return self.variant or ("true" if self.enabled else "false")


def is_on_while_off(definition: FlagDefinition) -> bool:
    """Return whether a flag without variants is enabled while it is off: its off value says so."""
    return definition.type != "multivariant" and definition.offValue is True


def off_variant(definition: FlagDefinition) -> Variant | None:
    """Return the outcome of a multivariant flag while it is off: the variant with the off value, or one without a key
    for a value that no variant has; None if there is no off value.
    """
    value = definition.offValue
    if definition.type != "multivariant" or value is None:
        return None
    alike = (one for one in definition.variants if type(one.value) is type(value) and one.value == value)
    return next(alike, Variant(key="", value=value))


def gives_while_off(definition: FlagDefinition) -> str:
    """Return the outcome of a flag while it is off, as `Outcome.gave` names it."""
    variant = off_variant(definition)
    return (variant.key if variant else "") or ("true" if is_on_while_off(definition) else "false")


class EvaluationContext(Struct, frozen=True):
    """The user that flags are evaluated for. An empty field counts as absent.

    `user_id` is also OFREP's targetingKey. `properties` is JSON as it was received: values of any type.
    """

    user_id: str = ""
    email: str = ""
    organization_id: str = ""
    team_id: str = ""
    properties: Mapping[str, Any] = {}
