"""Validation of rules and conditions; each fault names its field. Pure."""

import math
from collections.abc import Callable, Collection, Iterator
from typing import Any

from analytics_box.base.errors import ErrorDetail
from analytics_box.base.translation import _
from analytics_box.products.flags.evaluation.conditions import is_percentage, node_values, nodes, rule_values
from analytics_box.products.flags.evaluation.matching import (
    NEGATIVE,
    instant_of,
    network_of,
    number_of,
    pattern_fault,
    pattern_size,
    type_named,
    version_of,
)
from analytics_box.products.flags.flag import (
    DEEPEST,
    LONGEST_KEY,
    MOST_RULES,
    MOST_VALUES,
    Bucketing,
    FlagDefinition,
    Operator,
    Scalar,
    TargetingCondition,
    TargetingRule,
)

LONGEST_VALUE = 1_000  # Characters of a compared text or pattern.
LONGEST_SALT = 255

Faults = Iterator[ErrorDetail]


def rules_faults(rules: tuple[TargetingRule, ...], variants: Collection[str], groups: Collection[str] | None) -> Faults:
    """The faults of the rules of a flag that has these variants and may name these target groups.

    For the rules of a target group, which have no variants and name no other groups, `groups` is None.
    """
    if len(rules) > MOST_RULES:
        yield ErrorDetail("rules", _("Use up to {most} rules").format(most=MOST_RULES))
        return
    for number, rule in enumerate(rules):
        yield from _of_rule(rule, f"rules[{number}]", variants, groups)


def bucketing_faults(bucketing: Bucketing, field: str) -> Faults:
    """The faults of a bucketing."""
    for name, salt in (("salt", bucketing.salt), ("variantSalt", bucketing.variantSalt)):
        if len(salt) > LONGEST_SALT:
            yield ErrorDetail(
                f"{field}.{name}", _("A salt can have up to {longest} characters").format(longest=LONGEST_SALT)
            )
    if len(bucketing.attribute) > LONGEST_KEY:
        yield ErrorDetail(
            f"{field}.attribute",
            _("The name of a property can have up to {longest} characters").format(longest=LONGEST_KEY),
        )


def is_share(value: float) -> bool:
    """Whether it is a percentage: 0 to 100."""
    return math.isfinite(value) and 0 <= value <= 100


def _of_rule(rule: TargetingRule, field: str, variants: Collection[str], groups: Collection[str] | None) -> Faults:
    if rule.type == "conditions":
        if rule.conditions is None:
            yield ErrorDetail(f"{field}.conditions", _("Add a condition"))
        else:
            yield from _of_node(rule.conditions, f"{field}.conditions", groups, 1)
    elif rule.conditions is not None:
        yield ErrorDetail(f"{field}.conditions", _("Only rules of type conditions can have conditions"))
    elif is_percentage(rule):
        if not is_share(float(rule.value or 0)):
            yield ErrorDetail(f"{field}.value", _("Enter a percentage from 0 to 100"))
    else:
        yield from _of_comparison(rule, field)
    yield from _of_outcome(rule, field, variants)


def _of_comparison(rule: TargetingRule, field: str) -> Faults:
    if rule.type == "property" and not rule.field:
        yield ErrorDetail(f"{field}.field", _("Enter a property"))
    if len(rule.field) > LONGEST_KEY:
        yield ErrorDetail(
            f"{field}.field",
            _("The name of a property can have up to {longest} characters").format(longest=LONGEST_KEY),
        )
    name = "batchValues" if rule.batch and rule.batchValues else _name(rule.operator, rule.values)
    values = rule_values(rule)
    yield from _of_values(rule.operator, values, f"{field}.{name}")
    of_text = rule.type in ("user_id", "email") and NEGATIVE.get(rule.operator, rule.operator) in ("equals", "in")
    if of_text and any(not isinstance(value, str) for value in values):
        yield ErrorDetail(f"{field}.{name}", _("User IDs and email addresses are text. Enter text instead of a number"))


def _of_outcome(rule: TargetingRule, field: str, variants: Collection[str]) -> Faults:
    if rule.variant and rule.variant not in variants:
        yield ErrorDetail(
            f"{field}.variant", _("There is no variant {variant}").format(variant=rule.variant[:LONGEST_KEY])
        )
    elif rule.variant and not rule.enabled:
        yield ErrorDetail(f"{field}.variant", _("A rule that turns the flag off cannot have a variant"))
    if rule.percentage is None:
        if rule.percentageFrom:
            yield ErrorDetail(f"{field}.percentageFrom", _("Enter percentage as well"))
    elif not is_share(rule.percentage):
        yield ErrorDetail(f"{field}.percentage", _("Enter a percentage from 0 to 100"))
    elif not is_share(rule.percentageFrom) or rule.percentageFrom > rule.percentage:
        yield ErrorDetail(f"{field}.percentageFrom", _("Enter a value from 0 to percentage"))
    if rule.bucketing is not None:
        yield from bucketing_faults(rule.bucketing, f"{field}.bucketing")


def _of_node(node: TargetingCondition, field: str, groups: Collection[str] | None, depth: int) -> Faults:
    if depth > DEEPEST:
        yield ErrorDetail(field, _("Conditions can be nested up to {deepest} levels deep").format(deepest=DEEPEST))
        return
    forms = [name for name in ("all", "any", "none") if getattr(node, name) is not None]
    forms += [name for name in ("attribute", "group") if getattr(node, name)]
    if len(forms) != 1:
        yield ErrorDetail(field, _("Enter exactly one of all, any, none, attribute and group"))
    elif forms == ["attribute"]:
        if len(node.attribute) > LONGEST_KEY:
            yield ErrorDetail(
                f"{field}.attribute",
                _("The name of a property can have up to {longest} characters").format(longest=LONGEST_KEY),
            )
        name = _name(node.operator, node.values)
        yield from _of_values(node.operator, node_values(node), f"{field}.{name}")
    elif forms == ["group"]:
        if groups is None:
            yield ErrorDetail(f"{field}.group", _("Rules of a target group cannot use target groups. Use conditions"))
        elif node.group not in groups:
            yield ErrorDetail(f"{field}.group", _("This target group does not exist"))
    else:
        inside: tuple[TargetingCondition, ...] = getattr(node, forms[0])
        for number, one in enumerate(inside):
            yield from _of_node(one, f"{field}.{forms[0]}[{number}]", groups, depth + 1)


def _name(operator: Operator, values: tuple[Scalar, ...]) -> str:
    return "values" if values or operator in ("in", "not_in") else "value"


def _of_values(operator: Operator, values: tuple[Scalar, ...], field: str) -> Faults:
    if operator in ("exists", "not_exists"):
        return
    if not values:
        yield ErrorDetail(field, _("Enter a value to compare with"))
    if len(values) > MOST_VALUES:
        yield ErrorDetail(field, _("Use up to {most:,} values").format(most=MOST_VALUES))
        return
    for value in values:
        fault = _of_value(operator, value)
        if fault:
            yield ErrorDetail(field, fault)
            return


def _of_value(operator: Operator, value: Scalar) -> str:
    if isinstance(value, str) and len(value) > LONGEST_VALUE:
        return f"A value can have up to {LONGEST_VALUE:,} characters"
    if isinstance(value, float) and not math.isfinite(value):
        return "A value is a finite number"
    if operator in ("matches", "not_matches"):
        return pattern_fault(str(value))
    if operator in ("contains", "not_contains", "starts_with", "ends_with") and value == "":
        return "Enter a text to look for"
    read, what = _READ.get(NEGATIVE.get(operator, operator), (_anything, ""))
    return "" if read(value) is not None else f"{_short_text(value)} is not {what}"


def _short_text(value: Scalar) -> str:
    return str(value) if len(str(value)) <= 60 else f"{str(value)[:60]}…"


def _anything(value: Scalar) -> Scalar:
    return value


def _count_of(value: Scalar) -> float | None:
    found = number_of(value)
    is_count = found is not None and found >= 0 and found.is_integer() and not isinstance(value, str)
    return found if is_count else None


_READ: dict[Operator, tuple[Callable[[Any], object], str]] = {
    **dict.fromkeys(("greater", "greater_or_equal", "less", "less_or_equal"), (number_of, "a number")),
    **dict.fromkeys(("before", "after"), (instant_of, "a date or a time, as 2026-01-31T12:00:00Z")),
    **dict.fromkeys(
        ("version_equals", "version_greater", "version_greater_or_equal", "version_less", "version_less_or_equal"),
        (version_of, "a version, as 1.2.3"),
    ),
    "ip_in": (network_of, "an IP address or a network, as 10.0.0.0/8"),
    "size": (_count_of, "a whole number of elements"),
    "has_type": (type_named, "a type: text, number, boolean, list, empty_list, one_element, texts or numbers"),
}


# What operators take for each of their values, in look-ups of a list of equal values: of a list of twenty
# elements each is looked at, a text may be as long as it can be, and a pattern one that RE2 has to follow step by step.
_EACH: dict[Operator, int] = {"contains": 3, "ip_in": 4}
_SEARCH, _INSTRUCTION = 4, 2  # The cost of a pattern, and of each of its instructions.
_DRAW = 10


def steps(rules: tuple[TargetingRule, ...]) -> int:
    """The steps that rules take for a user who matches none; a look-up in a list of equals is one."""
    found = sum(_steps(rule.operator, rule_values(rule)) for rule in rules if rule.type != "conditions")
    found += sum(_DRAW for rule in rules if rule.percentage is not None)
    return found + sum(_steps(node.operator, node_values(node)) for node in nodes(rules))


def _steps(operator: Operator, values: tuple[Scalar, ...]) -> int:
    positive = NEGATIVE.get(operator, operator)
    if positive in ("equals", "in"):
        return 1
    if positive == "matches":
        return max(1, sum(_SEARCH + _INSTRUCTION * pattern_size(str(value)) for value in values))
    return max(1, _EACH.get(positive, 1) * len(values))


def variant_keys(definition: FlagDefinition) -> frozenset[str]:
    """The keys that a rule of the flag can name as its variant."""
    return frozenset(variant.key for variant in definition.variants if definition.type == "multivariant")
