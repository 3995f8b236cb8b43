"""Flags as definitions of flagd: rules as branches of one JsonLogic expression. Pure.

A flag that cannot be fully expressed is exported as disabled, and the missing parts are listed. flagd buckets users by
its own hash: only flags that use this hash already leave all users in their buckets.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from analytics_box.base.translation import _
from analytics_box.products.flags.evaluation.asking import variants_by
from analytics_box.products.flags.evaluation.conditions import is_percentage, nodes
from analytics_box.products.flags.evaluation.outcome import off_variant
from analytics_box.products.flags.evaluation.rule_checking import steps
from analytics_box.products.flags.flag import (
    LARGEST_FLAG,
    LARGEST_SCOPE,
    Bucketing,
    Flag,
    FlagDefinition,
    Operator,
    Scalar,
    TargetGroup,
    TargetingCondition,
    TargetingRule,
    Variant,
)
from analytics_box.products.flags.moving.conditions import EVERYBODY, is_for_everybody, none_of, of_type, without_text
from analytics_box.products.flags.moving.flagd_conditions import comparable, inside, readable, truthy, type_test
from analytics_box.products.flags.moving.wanted import ImportNotes

Logic = Any  # an expression of JsonLogic

_SCHEMA: Final = "https://flagd.dev/schema/v0/flags.json"
_FINE: Final = 1_000  # parts of a percent in weights, which are whole numbers
_NAMES: Final = {"user_id": "targetingKey"}
_ORDERED: Final[dict[Operator, str]] = {
    "greater": ">",
    "greater_or_equal": ">=",
    "less": "<",
    "less_or_equal": "<=",
}
_VERSIONS: Final[dict[Operator, str]] = {
    "version_equals": "=",
    "version_greater": ">",
    "version_greater_or_equal": ">=",
    "version_less": "<",
    "version_less_or_equal": "<=",
}
_NEGATIVE: Final[dict[Operator, Operator]] = {"not_in": "in", "not_equals": "equals", "not_contains": "contains"}
_TYPES: Final[frozenset[Scalar | None]] = frozenset(("text", "number", "boolean", "empty_list"))  # that can be said
_BY: Final = {"user": "user_id", "organization": "organization_id", "team": "team_id"}


_COMPARED: Final = 300  # Bytes of a written comparison in addition to its value.


class _UnsupportedByFlagd(Exception):
    """Raised for a part that flagd cannot express; its text names it."""


def build_file(
    flags: Iterable[Flag], groups: Iterable[TargetGroup]
) -> tuple[dict[str, Any], list[tuple[str, tuple[str, ...]]]]:
    """The flags as a file of flagd, and what it cannot express, by flag."""
    known = {one.id: one for one in groups}
    sizes = {one.id: len(msgspec.json.encode(one.rules)) + _COMPARED * steps(one.rules) for one in known.values()}
    left = LARGEST_SCOPE
    found: dict[str, Any] = {}
    said: list[tuple[str, tuple[str, ...]]] = []
    for flag in flags:
        notes = ImportNotes()
        if flag.user_id is not None:
            notes.say(_("A flag for the user {user_id} alone is left out").format(user_id=flag.user_id))
        elif flag.definition.status == "archived":
            notes.say(_("An archived flag is left out"))
        else:
            size = _size(flag.definition, sizes)
            small = size <= min(left, LARGEST_FLAG)
            left -= size if small else 0
            found[flag.key] = _FlagWriter(flag, known, notes).flag(small=small)
        if notes.said:
            said.append((flag.key, tuple(notes.said)))
    return {"$schema": _SCHEMA, "flags": found}, said


def _size(definition: FlagDefinition, groups: Mapping[str, int]) -> int:
    """The size in bytes of a flag with its target groups, of these sizes, written out at each place that uses them."""
    named = (*definition.targetGroupIds, *(node.group for node in nodes(definition.rules) if node.group))
    used = sum(groups.get(one, 0) for one in named)
    return used and used + len(msgspec.json.encode(definition.rules))


class _FlagWriter:
    """The writer of one flag."""

    def __init__(self, flag: Flag, groups: Mapping[str, TargetGroup], notes: ImportNotes) -> None:
        self._flag = flag
        self._groups = groups
        self._notes = notes

    def flag(self, *, small: bool) -> dict[str, Any]:
        """The flag in flagd's format, without its targeting if that is not `small`."""
        definition = self._flag.definition
        values, default = _values(definition, self._notes)
        targeting = self._targeting(definition, default) if small else None
        if not small:
            self._notes.lose(_("The target groups would be too large when written into the flag"))
        if definition.payload is not None:
            self._notes.say(_("The payload is left out"))
        if definition.status == "inactive" and definition.offValue is not None:
            self._notes.say(_("The off value is left out because flagd has none; the default in the code applies"))
        for name in ("dependencies", "prerequisites"):
            if getattr(definition, name):
                self._notes.lose(_("{name} are not supported").format(name=name))
        is_on = definition.status == "active" and not self._notes.decides
        metadata = {"description": definition.description} if definition.description else {}
        return {
            "state": "ENABLED" if is_on else "DISABLED",
            "variants": values,
            "defaultVariant": default,
            **({"targeting": targeting} if targeting is not None else {}),
            **({"metadata": metadata} if metadata else {}),
        }

    def _targeting(self, definition: FlagDefinition, default: str) -> Logic | None:
        """The targeting of a flag; None if all users get the default."""
        rules = [*definition.rules]
        for group_id in definition.targetGroupIds:
            rules += self._groups[group_id].rules if group_id in self._groups else ()
        branches: list[Logic] = []
        for position, one in enumerate(rules, 1):
            try:
                branches += [self._condition(one), self._gives(one)]
            except _UnsupportedByFlagd as strange:
                self._notes.lose(
                    _("Rule {position}: {strange} is not supported").format(position=position, strange=strange)
                )
        last = self._last(definition)
        if not branches:
            return last
        return {"if": [*branches, default if last is None else last]}

    def _gives(self, one: TargetingRule) -> str:
        if self._flag.definition.type != "multivariant":
            return "on" if one.enabled else "off"
        off = off_variant(self._flag.definition)
        given = one.variant if one.enabled else off.key if off is not None else ""
        if not given:
            raise _UnsupportedByFlagd("a rule that gives no variant")
        return given

    def _last(self, definition: FlagDefinition) -> Logic | None:
        """The default rule, if it is a rollout or has weights."""
        if definition.type == "rollout" and 0 < definition.rolloutPercentage < 100:
            share = _fine(definition.rolloutPercentage)
            return self._draw(self._bucketing(None), [["on", share], ["off", 100 * _FINE - share]])
        if definition.type == "multivariant" and len(definition.variants) > 1:
            shares = [[one.key, _fine(weight)] for one, weight in _weights(definition.variants)]
            if sum(bool(weight) for _, weight in shares) > 1:
                return self._draw(self._variant_bucketing(), shares)
        return None

    def _condition(self, one: TargetingRule) -> Logic:
        """The users that a rule matches, with its percentage."""
        asked = self._asked(one)
        if one.percentage is None:
            return asked
        low, high = _fine(one.percentageFrom), _fine(one.percentage)
        shares = [["before", low], ["in", high - low], ["after", 100 * _FINE - high]]
        drawn = {"===": [self._draw(self._bucketing(one.bucketing), shares), "in"]}
        return drawn if asked is True else {"and": [asked, drawn]}

    def _asked(self, one: TargetingRule) -> Logic:
        if is_for_everybody(replace(one, percentage=None, percentageFrom=0, bucketing=None)):
            return True
        if one.type == "conditions":
            return self._node(one.conditions or EVERYBODY)
        if is_percentage(one):
            raise _UnsupportedByFlagd("a percentage of all users, which all flags share,")
        if one.batch and one.batchValues:
            values: tuple[Scalar, ...] = one.batchValues
            return self._leaf(TargetingCondition(attribute=_attribute(one), operator=one.operator, values=values))
        return self._leaf(
            TargetingCondition(attribute=_attribute(one), operator=one.operator, value=one.value, values=one.values)
        )

    def _node(self, node: TargetingCondition) -> Logic:
        if node.all is not None:
            loose = {one.attribute for one in node.all if one == comparable(one.attribute)}
            left = [_loosely(one) if one.attribute in loose else one for one in _without_guards(node.all)]
            parts = [self._node(one) if isinstance(one, TargetingCondition) else one for one in _with_truths(left)]
            return {"and": parts} if len(parts) > 1 else parts[0] if parts else True
        if node.any is not None:
            if node.any and node == without_text(
                attribute := node.any[-1].all[0].attribute if node.any[-1].all else ""
            ):
                var = _var(attribute)
                return {"and": [{"!==": [var, None]}, type_test(var, "empty_text")]}
            if (found := _contains_condition(node.any)) is not None:
                return {"in": [found.value, _var(found.attribute)]}
            return {"or": [self._node(one) for one in node.any]} if node.any else False
        if node.none is not None:
            return {"!": {"or": [self._node(one) for one in node.none]}} if node.none else True
        return self._group(node.group) if node.group else self._leaf(node)

    def _group(self, group_id: str) -> Logic:
        """The users that a target group includes, as its first matching rule decides."""
        group = self._groups.get(group_id)
        branches: list[Logic] = []
        for one in group.rules if group is not None else ():
            branches += [self._condition(one), one.enabled]
        return {"if": [*branches, False]} if branches else False

    def _leaf(self, node: TargetingCondition) -> Logic:
        var, operator = _var(node.attribute), node.operator
        if "." in node.attribute:
            self._notes.say(_("flagd reads {name} as a path into objects").format(name=node.attribute))
        if operator == "size":
            raise _UnsupportedByFlagd("the number of elements of a list")
        if node.only:
            raise _UnsupportedByFlagd(f"{operator} of {node.only} values only")
        if operator in _NEGATIVE:
            return {"!": self._leaf(replace(node, operator=_NEGATIVE[operator]))}
        if operator in {"exists", "not_exists"}:
            return {"!==" if operator == "exists" else "===": [var, None]}
        if operator == "has_type" and _TYPES.issuperset(node.values or (node.value,)):
            return {"or": [type_test(var, str(one)) for one in (node.values or (node.value,))]}
        listed = (*((node.value,) if node.value is not None else ()), *node.values)
        if operator in {"equals", "in"}:
            return {"in": [var, list(listed)]} if len(listed) != 1 else {"===": [var, listed[0]]}
        found = [_comparison(var, operator, value) for value in listed]
        return found[0] if len(found) == 1 else {"or": found}

    def _bucketing(self, own: Bucketing | None) -> tuple[str, str]:
        """The salt and attribute of a `fractional` for a rollout."""
        bucketing = own or self._flag.definition.bucketing
        self._say_of(bucketing)
        return bucketing.salt or self._flag.key, bucketing.attribute or _BY[self._flag.definition.rolloutBy]

    def _variant_bucketing(self) -> tuple[str, str]:
        bucketing = self._flag.definition.bucketing
        salt, _ = self._bucketing(None)
        attribute = bucketing.attribute or _BY[variants_by(self._flag.definition)]
        return bucketing.variantSalt or f"{salt}:variant", attribute

    def _say_of(self, bucketing: Bucketing) -> None:
        if bucketing.algorithm != "flagd":
            self._notes.say(_("flagd uses another hash, so users are bucketed again"))

    def _draw(self, by: tuple[str, str], shares: Sequence[Sequence[Any]]) -> Logic:
        salt, attribute = by
        named = {"cat": [salt, {"var": _NAMES.get(attribute, attribute)}]}
        return {"fractional": [named, *[list(one) for one in shares if one[1]]]}


def _var(attribute: str) -> Logic:
    return {"var": _NAMES.get(attribute, attribute)}


def _without_guards(parts: Sequence[TargetingCondition]) -> list[TargetingCondition]:
    """Conditions that all have to hold, without those that flagd's own operators imply: `starts_with` and `ends_with`
    look at texts alone, a list is none of the values of an `in` and a number only by its one element, and `sem_ver`
    reads versions only.
    """
    texts = {one.attribute for one in parts if one.operator in {"starts_with", "ends_with"}}
    values = {one.attribute for one in parts if one.operator in {"in", "equals"}}
    numbers = {one.attribute for one in parts if one.operator in {*_ORDERED, "in", "equals"}}
    versions = {one.attribute for one in parts if one.operator in _VERSIONS}
    implied = [of_type(one, "text") for one in texts] + [none_of([of_type(one, "list")]) for one in values]
    implied += [comparable(one) for one in numbers]
    implied += [part for one in versions for part in readable(one).all or ()]
    return [one for one in parts if one not in implied]


def _with_truths(parts: Sequence[TargetingCondition | Logic]) -> list[TargetingCondition | Logic]:
    """Conditions that all have to hold, with those that an import makes of `!!` as such."""
    left = list(parts)
    for one in parts:
        truth = truthy(one.attribute).all if isinstance(one, TargetingCondition) and one.operator == "exists" else None
        if truth and all(part in left for part in truth):
            left = [part for part in left if part not in truth]
            left.append({"!!": [_var(truth[0].attribute)]})
    return left


def _loosely(node: TargetingCondition) -> TargetingCondition | Logic:
    """Texts that are compared as JsonLogic does it, also with the one element of a list."""
    if node.operator not in {"equals", "in"}:
        return node
    listed = [one for one in (node.value, *node.values) if isinstance(one, str)]
    return {"or": [{"==": [_var(node.attribute), one]} for one in listed]} if listed else node


def _contains_condition(parts: Sequence[TargetingCondition]) -> TargetingCondition | None:
    """The condition that a text is in an attribute or among its elements, if alternatives are those that an import
    makes of flagd's `in`; else None.
    """
    first = parts[0].all[-1] if parts and parts[0].all else None
    if first is None or not isinstance(first.value, str):
        return None
    return first if tuple(parts) == inside(first.attribute, first.value).any else None


def _attribute(one: TargetingRule) -> str:
    return one.field if one.type == "property" else one.type


def _comparison(var: Logic, operator: Operator, value: Scalar) -> Logic:
    if operator == "contains":
        return {"in": [str(value), var]}
    if operator in {"starts_with", "ends_with"}:
        return {operator: [var, str(value)]}
    if operator in _ORDERED and not isinstance(value, str):
        return {"and": [{"!==": [var, None]}, {_ORDERED[operator]: [var, value]}]}
    if operator in _VERSIONS:
        return {"sem_ver": [var, _VERSIONS[operator], str(value)]}
    raise _UnsupportedByFlagd(f"{operator} {str(value)[:100]}")


def _values(definition: FlagDefinition, notes: ImportNotes) -> tuple[dict[str, Any], str]:
    """The variants, and which of them is the default."""
    if definition.type != "multivariant" or not definition.variants:
        is_on = definition.rolloutPercentage >= 100 if definition.type == "rollout" else definition.defaultValue
        return {"on": True, "off": False}, "on" if is_on else "off"
    values = {one.key: one.value for one in definition.variants}
    if len({type(one) for one in values.values()}) > 1:
        notes.say(_("Its variants are of several types, and SDKs of OpenFeature ask for one"))
    return values, max(_weights(definition.variants), key=lambda one: one[1])[0].key


def _weights(variants: Sequence[Variant]) -> list[tuple[Variant, float]]:
    """The variants with their percent: equal if there are no weights."""
    if all(one.weight is None for one in variants):
        return [(one, 100 / len(variants)) for one in variants]
    return [(one, one.weight or 0) for one in variants]


def _fine(percent: float) -> int:
    return round(percent * _FINE)
