"""The definition of a flag with the fields of an input, normalized. Pure.

Consistency is checked by evaluation.checking.
"""

from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from analytics_box.base import names
from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.flags.editing.messages import FlagFields, GivenBucketing
from analytics_box.products.flags.flag import (
    INDEPENDENT,
    KEY_FAULT,
    LONGEST_ENVIRONMENT,
    Bucketing,
    FlagDefinition,
    is_key,
)
from analytics_box.resource.fields import values_of

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
