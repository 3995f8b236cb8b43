"""Conditions and rules as imports make them. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from analytics_box.base.file_queue import keep_going
from analytics_box.products.flags.evaluation.matching import pattern_fault
from analytics_box.products.flags.flag import (
    MOST_NODES,
    MOST_VALUES,
    Bucketing,
    Only,
    Operator,
    RuleType,
    Scalar,
    TargetingCondition,
    TargetingRule,
    Variant,
    is_key,
)
from analytics_box.products.flags.moving.patterns import SPACES, in_re2, of_lower_case

EVERYBODY: Final = TargetingCondition(all=())
NO_USER: Final = TargetingCondition(any=())

_NUMERIC: Final = r"(0|[1-9]\d*)"
_NAMED: Final = r"(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)"
_SUFFIXES: Final = rf"(-{_NAMED}(\.{_NAMED})*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?"
STRICT_VERSION: Final = rf"{_NUMERIC}\.{_NUMERIC}\.{_NUMERIC}{_SUFFIXES}"  # three numbers, as semver.org has it
LOOSE_VERSION: Final = rf"{_NUMERIC}(\.{_NUMERIC}(\.{_NUMERIC})?)?{_SUFFIXES}"  # one to three
# Anchors of the regular expression for each operator.
_AROUND: Final[Mapping[Operator, tuple[str, str]]] = {
    "equals": ("^", "$"),
    "contains": ("", ""),
    "starts_with": ("^", ""),
    "ends_with": ("", "$"),
}
_INSTANT: Final = r"^\d{4}-\d\d-\d\d[Tt][^ ]*([Zz]|[+-]\d\d:?\d\d)$"

_TYPES: Final[dict[str, RuleType]] = {"user_id": "user_id", "email": "email"}
_PLAIN: Final = frozenset(("equals", "contains", "starts_with", "ends_with", "in"))
MOST_PARTS: Final = 10 * MOST_NODES  # that a condition is read of, before what is the same in it is joined
_LARGEST_INTEGER: Final = 2**53 - 1
_LONGEST_PATTERN: Final = 900  # characters
_LONGEST_VARIANT: Final = 64  # characters of a value that names its variant


def leaf(attribute: str, operator: Operator, value: Scalar) -> TargetingCondition:
    """A comparison of an attribute with one value."""
    return TargetingCondition(attribute=attribute, operator=operator, value=value)


def exists(attribute: str) -> TargetingCondition:
    """The condition that a user has the attribute."""
    return TargetingCondition(attribute=attribute, operator="exists")


def one_of(attribute: str, values: Sequence[Scalar]) -> TargetingCondition:
    """The condition that the attribute is one of any number of values."""
    if not values:
        return NO_USER
    parts = [values[first : first + MOST_VALUES] for first in range(0, len(values), MOST_VALUES)]
    return any_of(TargetingCondition(attribute=attribute, operator="in", values=tuple(part)) for part in parts)


def each_of(attribute: str, operator: Operator, values: Sequence[Scalar], *, only: Only = "") -> TargetingCondition:
    """Whether the attribute compares so with any of these, perhaps only if it is of a type."""
    if not values:
        return NO_USER
    single: dict[str, Any] = {"value": values[0]} if len(values) == 1 else {"values": tuple(values)}
    return TargetingCondition(attribute=attribute, operator=operator, only=only, **single)


def all_of(nodes: Iterable[TargetingCondition]) -> TargetingCondition:
    """The condition that all of these match; true for all users if there are none."""
    parts: list[TargetingCondition] = []
    for node in nodes:
        if node == NO_USER:
            return NO_USER
        parts += node.all if node.all is not None else (node,)
    return parts[0] if len(parts) == 1 else TargetingCondition(all=tuple(dict.fromkeys(parts)))


def any_of(nodes: Iterable[TargetingCondition]) -> TargetingCondition:
    """The condition that any of these matches; true for no user if there are none."""
    parts: list[TargetingCondition] = []
    for node in nodes:
        if node == EVERYBODY:
            return EVERYBODY
        parts += node.any if node.any is not None else (node,)
    return parts[0] if len(parts) == 1 else TargetingCondition(any=tuple(dict.fromkeys(parts)))


def none_of(nodes: Iterable[TargetingCondition]) -> TargetingCondition:
    """The condition that none of these matches; true for all users if there are none."""
    found = any_of(nodes)
    if found in {EVERYBODY, NO_USER}:
        return NO_USER if found == EVERYBODY else EVERYBODY
    if found.none is not None:
        return any_of(found.none)
    return TargetingCondition(none=found.any if found.any is not None else (found,))


def insensitive(attribute: str, values: Iterable[str], operator: Operator = "equals") -> TargetingCondition | None:
    """Whether the attribute is a text that is or has one of these in any case, or a list with such a text.

    None if that cannot be expressed in RE2 within the length limit.
    """
    before, after = _AROUND[operator]
    parts: list[str] = []
    for value in values:
        letters = of_lower_case(value, goes_on=not after)
        if letters is None or len(letters) > _LONGEST_PATTERN:
            return None
        if parts and len(parts[-1]) + len(letters) < _LONGEST_PATTERN:
            parts[-1] += f"|{letters}"
        else:
            parts.append(letters)
    return each_of(attribute, "matches", [f"{before}(?:{part}){after}" for part in parts], only="text")


def without_text(attribute: str) -> TargetingCondition:
    """The condition that an attribute exists but is empty as text: the text of a list is its elements with commas."""
    letters = none_of([leaf(attribute, "matches", "(?s).")])
    return any_of(
        (
            all_of((of_type(attribute, "text"), leaf(attribute, "equals", ""))),
            of_type(attribute, "empty_list"),
            all_of((of_type(attribute, "one_element"), letters)),
        )
    )


def of_type(attribute: str, *types: str) -> TargetingCondition:
    """Whether the attribute is of one of these types."""
    return each_of(attribute, "has_type", types)


def version(attribute: str, operator: Operator, wanted: str, shape: str) -> TargetingCondition:
    """Whether the attribute is a version of this shape that compares so. None is if the wanted text is no version."""
    if not is_version(wanted, shape):
        return NO_USER
    asked: tuple[tuple[Operator, str], ...] = (("matches", f"^{shape}$"), (operator, wanted))
    return all_of(each_of(attribute, one, (value,), only="text") for one, value in asked)


def is_instant(value: Scalar) -> bool:
    """Whether a value is a time of RFC 3339 with an offset, or a number of milliseconds."""
    return re.search(_INSTANT, value) is not None if isinstance(value, str) else not isinstance(value, bool)


def is_version(text: str, shape: str) -> bool:
    """Whether a text is a version of a shape."""
    return re.fullmatch(shape, text, re.ASCII) is not None


def has_huge_number(version: str) -> bool:
    """Return whether a version has a number that JavaScript cannot hold, so that engines compare it differently."""
    return any(int(one) > _LARGEST_INTEGER for one in re.findall(r"\d+", version, re.ASCII))


def instant(attribute: str, operator: Operator, wanted: Scalar) -> TargetingCondition:
    """Whether the attribute is a time of RFC 3339 with an offset that is before or after another."""
    asked: tuple[tuple[Operator, Scalar], ...] = (("matches", _INSTANT), (operator, wanted))
    return all_of(each_of(attribute, one, (value,), only="text") for one, value in asked)


def pattern(attribute: str, texts: Sequence[str], flags: str = "", spaces: str = SPACES) -> TargetingCondition | None:
    """Whether one of these regular expressions matches the attribute, which is a text, or a text in its list.

    `\\s` matches the `spaces`. None if SDKs or RE2 read one of them differently.
    """
    known = [in_re2(text, spaces) for text in texts]
    wanted = [f"{flags}{one}" for one in known if one is not None]
    if len(wanted) < len(texts) or any(map(pattern_fault, wanted)):
        return None
    return each_of(attribute, "matches", wanted, only="text")


def rule(
    condition: TargetingCondition,
    *,
    enabled: bool = True,
    variant: str = "",
    name: str = "",
    above: float = 0,
    percentage: float | None = None,
    bucketing: Bucketing | None = None,
) -> TargetingRule:
    """A rule with this outcome for users who match a condition; with a percentage, only for those in buckets from
    `above` up to it.
    """
    if percentage is None and above:
        percentage = 100
    drawn: dict[str, Any] = {"percentageFrom": above, "percentage": percentage, "bucketing": bucketing}
    common: dict[str, Any] = {"enabled": enabled, "variant": variant, "name": name[:100], **drawn}
    if condition == EVERYBODY:  # The wire's rule for a percentage of all users.
        return TargetingRule(type="property", value=100, **common)
    asked = (condition.value, *condition.values)
    if (
        condition.attribute in _TYPES
        and condition.operator in _PLAIN
        and all(isinstance(one, str | None) for one in asked)
    ):
        compared: dict[str, Any] = {"operator": condition.operator, "value": condition.value}
        return TargetingRule(type=_TYPES[condition.attribute], values=condition.values, **compared, **common)
    return TargetingRule(type="conditions", conditions=condition, **common)


def is_for_everybody(given: TargetingRule) -> bool:
    """Return whether a rule matches every user who reaches it."""
    return given == TargetingRule(
        type="property", value=100, enabled=given.enabled, variant=given.variant, name=given.name
    )


def let_in(rules: Iterable[TargetingRule]) -> TargetingCondition | None:
    """The users that the rules of a target group include, as one condition; None if the rules have percentages, or if
    it would be too large.
    """
    found: list[TargetingCondition] = []
    before: list[TargetingCondition] = []  # who was sent away already
    for one in rules:
        asked = _rule_condition(one)
        if asked is None:
            return None
        if one.enabled:
            found.append(all_of((asked, *([none_of(before)] if before else []))))
        else:
            before.append(asked)
        if sum(map(_size, (*found, *before))) > MOST_NODES:
            return None
    return any_of(found)


def _rule_condition(one: TargetingRule) -> TargetingCondition | None:
    """The condition of a rule that an import created; None if the rule has a percentage."""
    if one.percentage is not None:
        return None
    if is_for_everybody(one):
        return EVERYBODY
    if one.type == "conditions":
        return one.conditions
    return TargetingCondition(attribute=one.type, operator=one.operator, value=one.value, values=one.values)


def _size(node: TargetingCondition) -> int:
    """The number of conditions in a tree, counted to a little above the maximum."""
    found, left = 0, [node]
    while left and found <= MOST_NODES:
        one = left.pop()
        found += 1
        left += (*(one.all or ()), *(one.any or ()), *(one.none or ()))
    return found


def groups_in(rules: Iterable[TargetingRule]) -> set[str]:
    """The target groups that conditions of rules name."""
    found: set[str] = set()
    left = [one.conditions for one in rules if one.conditions is not None]
    while left:
        node = left.pop()
        left += (*(node.all or ()), *(node.any or ()), *(node.none or ()))
        found |= {node.group} if node.group else set()
    return found


def with_groups(rules: Iterable[TargetingRule], names: Mapping[str, str]) -> tuple[TargetingRule, ...]:
    """Rules with other names of their target groups; names without a new one stay."""
    return tuple(one if one.conditions is None else _replace_groups(one, names) for one in rules)


def _replace_groups(one: TargetingRule, names: Mapping[str, str]) -> TargetingRule:
    return one if one.conditions is None else replace(one, conditions=_replace_groups_in(one.conditions, names))


def _replace_groups_in(node: TargetingCondition, names: Mapping[str, str]) -> TargetingCondition:
    if node.group:
        return TargetingCondition(group=names.get(node.group, node.group))
    return replace(node, all=_inside(node.all, names), any=_inside(node.any, names), none=_inside(node.none, names))


def _inside(
    nodes: tuple[TargetingCondition, ...] | None, names: Mapping[str, str]
) -> tuple[TargetingCondition, ...] | None:
    return None if nodes is None else tuple(_replace_groups_in(one, names) for one in nodes)


def variants_of(values: Iterable[Any], names: Sequence[str] = ()) -> list[Variant]:
    """Variants of values, equal values once, under their names or keys derived from the values. None has a weight."""
    made: dict[bytes, Variant] = {}
    taken: set[str] = set()
    for index, value in enumerate(values):
        keep_going()
        identity = identity_of(value)
        if identity in made:
            continue
        key = names[index] if index < len(names) and _is_variant_key(names[index]) else _name(value)
        free = key if key and key not in taken else f"value-{len(made) + 1}"
        while free in taken:
            free += "-"
        taken.add(free)
        made[identity] = Variant(key=free, value=value, type=type_of(value))
    return list(made.values())


def identity_of(value: Any) -> bytes:
    """A key that only equal values of the same type have in common."""
    return type(value).__name__.encode() + msgspec.json.encode(value, order="sorted")


def type_of(value: Any) -> Any:
    """The type of a variant with this value."""
    if isinstance(value, str):
        return "string"
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else "json"


def _name(value: Any) -> str:
    if isinstance(value, bool):
        return ""
    text = value if isinstance(value, str) else f"{value:g}" if isinstance(value, int | float) else ""
    return text if _is_variant_key(text) else ""


def _is_variant_key(text: str) -> bool:
    return len(text) <= _LONGEST_VARIANT and is_key(text) and text not in {"true", "false"}
