"""What evaluation answers."""

from typing import Any, Literal

from msgspec import Struct

from analytics_box.flags.flag import FlagType

# Those of the wire (6.1) that evaluation gives; the routes have more.
Reason = Literal[
    "DEPENDENCY_NOT_SATISFIED",
    "USER_RULE_MATCH",
    "TARGET_GROUP_MATCH",
    "MULTIVARIANT_EVALUATED",
    "ROLLOUT_ENABLED",
    "ROLLOUT_DISABLED",
    "BOOLEAN_DEFAULT",
]


class Outcome(Struct, eq=False):
    """What a flag gives (wire 6.1). There are few of a flag, made when it is compiled and shared by all who get them.

    `encoded` is the wire's result as JSON. `count` is how often it was given since somebody took it: only the counting
    of evaluations (usage) changes it.
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
