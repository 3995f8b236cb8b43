"""The forms of a flag and of a target group, filled in from storage. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from analytics_box.products.flags.console.fields import (
    NEW_TREE,
    PLAIN,
    FlagConditionFields,
    FlagFormState,
    FlagRuleFields,
    FlagVariantFields,
    GroupFields,
    NeedFields,
    json_text,
    lines,
    value_text,
)
from analytics_box.products.flags.flag import (
    INDEPENDENT,
    Flag,
    FlagDefinition,
    Prerequisite,
    TargetGroup,
    TargetingCondition,
    TargetingRule,
    Variant,
)
from analytics_box.products.flags.sentences import is_share, rule_values
from analytics_box.resource import forms

TEXTS: Final = ("user_id", "email", "organization_id", "team_id")  # Attributes that are always texts.
_MUST: Final[dict[tuple[str, ...], str]] = {("true",): "on", ("false",): "off"}
_NEW: Final = {
    "type": "boolean",
    "status": "active",
    "rolloutPercentage": "0",
    "rolloutBy": "user",
    "algorithm": INDEPENDENT,
}


def new_state(given: Mapping[str, str]) -> FlagFormState:
    """The form of a new flag, filled in from the address."""
    return FlagFormState(_NEW | {name: value for name, value in given.items() if name in PLAIN and value})


def state_of(flag: Flag) -> FlagFormState:
    """The form filled in with a flag."""
    own = state_of_definition(flag.definition)
    fields = {
        "key": flag.key,
        "environment": flag.environment or "",
        "userId": flag.user_id or "",
    }
    return replace(own, fields={**own.fields, **fields})


def state_of_definition(given: FlagDefinition) -> FlagFormState:
    """The form filled in with a flag's definition."""
    drawn = given.bucketing
    fields = {
        **forms.fill(given, "UTC"),
        **_off_fields(given),
        "payload": json_text(given.payload),
        "algorithm": drawn.algorithm,
        "salt": drawn.salt,
        "variantSalt": drawn.variantSalt,
        "attribute": drawn.attribute,
    }
    return FlagFormState(
        fields,
        rules_fields(given.rules),
        tuple(variant_fields(one, place) for place, one in enumerate(given.variants)),
        (*(NeedFields(key, "active") for key in given.dependencies), *map(need_fields, given.prerequisites)),
        tuple(map(GroupFields, given.targetGroupIds)),
    )


def takes_texts(types: Iterable[str]) -> bool:
    """Whether the off value of a flag with variants of these types is typed as plain text."""
    found = set(types)
    return found == {"string"}


def _off_fields(given: FlagDefinition) -> dict[str, str]:
    """The off value: a choice for flags without variants, a value for those with them."""
    if given.type == "multivariant":
        text = value_text(given.offValue, texts=takes_texts(one.type for one in given.variants))
        return {"off": "", "offValue": text}
    return {"off": {True: "on", False: "off"}.get(given.offValue, ""), "offValue": ""}


def state_of_group(group: TargetGroup) -> FlagFormState:
    """The form filled in with a target group."""
    return FlagFormState(forms.fill(group, "UTC"), rules_fields(group.rules))


def rules_fields(rules: Sequence[TargetingRule]) -> tuple[FlagRuleFields, ...]:
    """Rules as forms have them."""
    return tuple(rule_fields(one, place) for place, one in enumerate(rules))


def rule_fields(rule: TargetingRule, place: int) -> FlagRuleFields:
    """A rule as form fields, with its place in the stored definition."""
    gives = "on" if rule.enabled else "off"
    return FlagRuleFields(
        was=str(place),
        name=rule.name,
        gives=f"variant:{rule.variant}" if rule.enabled and rule.variant else gives,
        percentage=number(rule.percentage) if rule.percentage is not None else "",
        batch="on" if rule.batch else "",
        tree=_root(rule),
    )


def variant_fields(one: Variant, place: int) -> FlagVariantFields:
    """A variant as form fields, with its place in the stored definition."""
    value = one.value if isinstance(one.value, str) and one.type == "string" else json_text(one.value)
    weight = number(one.weight) if one.weight is not None else ""
    return FlagVariantFields(str(place), one.key, one.type, value, weight, one.description)


def number(value: float) -> str:
    """A number as people write it: 25, 33.34."""
    return f"{value:.15g}"


def _root(rule: TargetingRule) -> FlagConditionFields:
    if rule.type == "conditions":
        tree = _fields(rule.conditions) if rule.conditions is not None else NEW_TREE
        return tree if tree.kind != "one" else FlagConditionFields("all", inner=(tree,))
    if is_share(rule):
        leaf = FlagConditionFields(attribute="percentage", operator="equals", values=str(rule.value))
    else:
        attribute = "property" if rule.type == "property" else rule.type
        leaf = FlagConditionFields(
            attribute=attribute,
            property=rule.field,
            operator=rule.operator,
            values=lines(rule_values(rule), texts=attribute in TEXTS),
        )
    return FlagConditionFields("all", inner=(leaf,))


def _fields(node: TargetingCondition) -> FlagConditionFields:
    for kind in ("all", "any", "none"):
        inner: tuple[TargetingCondition, ...] | None = getattr(node, kind)
        if inner is not None:
            return FlagConditionFields(kind, inner=tuple(map(_fields, inner)))
    if node.group:
        return FlagConditionFields(attribute="group", group=node.group)
    is_text = node.attribute in TEXTS
    given = node.values or (() if node.value is None else (node.value,))
    return FlagConditionFields(
        attribute=node.attribute if is_text else "property",
        property="" if is_text else node.attribute,
        operator=node.operator,
        values=lines(given, texts=is_text),
        only=node.only,
    )


def need_fields(one: Prerequisite) -> NeedFields:
    """A flag that another needs, as forms have it."""
    must = _MUST.get(one.gives)
    return NeedFields(one.key, must or "variant", "" if must else lines(one.gives, texts=True))
