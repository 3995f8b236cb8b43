"""Validation of flags and target groups; each fault names its field. Pure.

Shapes are checked before (msgspec). A valid flag is evaluated within bounds for every user.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable

import msgspec

from analytics_box.base.errors import ErrorDetail
from analytics_box.base.translation import _
from analytics_box.products.flags.evaluation.conditions import draws, nodes
from analytics_box.products.flags.evaluation.dependencies import DEEPEST_PREREQUISITES, circle, depths_of
from analytics_box.products.flags.evaluation.rule_checking import (
    Faults,
    bucketing_faults,
    is_share,
    rules_faults,
    steps,
    variant_keys,
)
from analytics_box.products.flags.flag import (
    LARGEST_FLAG,
    LARGEST_PAYLOAD,
    LONGEST_DESCRIPTION,
    LONGEST_KEY,
    LONGEST_NAME,
    MOST_DEPENDENCIES,
    MOST_GROUPS_OF_FLAG,
    MOST_NODES,
    MOST_VARIANTS,
    Flag,
    FlagDefinition,
    TargetGroup,
    Variant,
)

# An answer lists no more errors than this.
MOST_FAULTS = 20
MOST_STEPS = 10_000  # Comparisons of all flags of an environment, which take up to about 50 ms.
MOST_GROUP_STEPS = 5_000  # Comparisons of a target group.
TOO_MANY_STEPS = f"Rules of all flags of an environment can use {MOST_STEPS:,} comparisons. Use in for long lists"
_OFF_100 = 0.01 + 1e-9  # Weights of three times 33.33 add up to enough.


def faults(
    key: str, definition: FlagDefinition, others: Iterable[Flag], groups: Iterable[TargetGroup]
) -> list[ErrorDetail]:
    """The faults of a flag among the `others` of its scope and environment, and their target groups.

    Whether the flags that it needs exist is not checked here.
    """
    others, groups = list(others), list(groups)
    found = [
        *_of_texts(definition),
        *_of_variants(definition),
        *_of_values(definition),
        *rules_faults(definition.rules, variant_keys(definition), {group.id for group in groups}),
        *_of_groups(definition, groups),
        *_of_needs(key, definition, others),
        *bucketing_faults(definition.bucketing, "bucketing"),
    ]
    return (found or list(_of_size(definition, others, groups)))[:MOST_FAULTS]


def group_faults(group: TargetGroup) -> list[ErrorDetail]:
    """The faults of a target group's rules."""
    found = list(rules_faults(group.rules, (), None))
    if not found:
        if sum(1 for _node in nodes(group.rules)) > MOST_NODES:
            found.append(ErrorDetail("rules", _("Use up to {most} conditions").format(most=MOST_NODES)))
        elif len(msgspec.json.encode(group.rules)) > LARGEST_FLAG:
            found.append(
                ErrorDetail("rules", _("A target group can have up to {largest:,} bytes").format(largest=LARGEST_FLAG))
            )
        elif steps(group.rules) > MOST_GROUP_STEPS:
            limit = f"Rules of a target group may take {MOST_GROUP_STEPS:,} comparisons"
            found.append(ErrorDetail("rules", _("{limit}. Use in for long lists").format(limit=limit)))
    return found[:MOST_FAULTS]


def _of_texts(definition: FlagDefinition) -> Faults:
    if len(definition.name) > LONGEST_NAME:
        yield ErrorDetail("name", _("A name can have up to {longest} characters").format(longest=LONGEST_NAME))
    if len(definition.description) > LONGEST_DESCRIPTION:
        yield ErrorDetail(
            "description", _("A description can have up to {longest} characters").format(longest=LONGEST_DESCRIPTION)
        )


def _of_values(definition: FlagDefinition) -> Faults:
    if not is_share(definition.rolloutPercentage):
        yield ErrorDetail("rolloutPercentage", _("Enter a percentage from 0 to 100"))
    if definition.payload is not None and not isinstance(definition.payload, dict):
        yield ErrorDetail("payload", _("Enter a JSON object, or null"))
    yield from _of_json(definition.payload, "payload", "A payload")
    if definition.type != "multivariant" and not isinstance(definition.offValue, bool | None):
        yield ErrorDetail("offValue", _("The off value of a flag without variants must be true or false"))
    yield from _of_json(definition.offValue, "offValue", "An off value")


def _of_json(value: object, field: str, what: str) -> Faults:
    try:
        size = len(msgspec.json.encode(value))
    except (TypeError, ValueError, RecursionError):
        yield ErrorDetail(field, _("{what} is JSON").format(what=what))
        return
    if size > LARGEST_PAYLOAD:
        yield ErrorDetail(
            field, _("{what} can have up to {largest:,} bytes").format(what=what, largest=LARGEST_PAYLOAD)
        )


def _of_variants(definition: FlagDefinition) -> Faults:
    variants = definition.variants
    if len(variants) > MOST_VARIANTS:
        yield ErrorDetail("variants", _("A flag can have up to {most} variants").format(most=MOST_VARIANTS))
        return
    if definition.type == "multivariant" and not variants:
        yield ErrorDetail("variants", _("Add at least one variant"))
    seen: set[str] = set()
    for number, variant in enumerate(variants):
        yield from _of_variant(variant, f"variants[{number}]", seen)
        seen.add(variant.key)
    weights = [variant.weight for variant in variants if variant.weight is not None]
    if weights and all(map(is_share, weights)) and abs(math.fsum(weights) - 100) > _OFF_100:
        yield ErrorDetail(
            "variants", _("The weights add up to {total:.10g}, not to 100").format(total=math.fsum(weights))
        )


def _of_variant(variant: Variant, field: str, before: Collection[str]) -> Faults:
    if not variant.key or len(variant.key) > LONGEST_KEY or not variant.key.isprintable():
        yield ErrorDetail(
            f"{field}.key", _("Enter a variant key of 1 to {longest} visible characters").format(longest=LONGEST_KEY)
        )
    elif variant.key in before:
        yield ErrorDetail(f"{field}.key", _("Several variants have the key {key}").format(key=variant.key))
    elif variant.key in ("true", "false"):
        yield ErrorDetail(f"{field}.key", _("true and false are reserved. Enter another variant key"))
    if variant.weight is not None and not is_share(variant.weight):
        yield ErrorDetail(f"{field}.weight", _("Enter a weight from 0 to 100"))
    if len(variant.description) > LONGEST_DESCRIPTION:
        yield ErrorDetail(
            f"{field}.description",
            _("A description can have up to {longest} characters").format(longest=LONGEST_DESCRIPTION),
        )
    if variant.type == "string" and not isinstance(variant.value, str):
        yield ErrorDetail(f"{field}.value", _("The value is not text. Choose the type number or json"))
    if variant.type == "number" and not _is_number(variant.value):
        yield ErrorDetail(f"{field}.value", _("The value is not a number. Choose the type string or json"))
    yield from _of_json(variant.value, f"{field}.value", "A value")


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) or math.isfinite(value)


def _of_groups(definition: FlagDefinition, groups: Iterable[TargetGroup]) -> Faults:
    if len(definition.targetGroupIds) > MOST_GROUPS_OF_FLAG:
        yield ErrorDetail(
            "targetGroupIds", _("A flag can have up to {most} target groups").format(most=MOST_GROUPS_OF_FLAG)
        )
    if not {group.id for group in groups}.issuperset(definition.targetGroupIds):
        yield ErrorDetail("targetGroupIds", _("This target group does not exist"))


def _of_needs(key: str, definition: FlagDefinition, others: Iterable[Flag]) -> Faults:
    for field, number in (
        ("dependencies", len(definition.dependencies)),
        ("prerequisites", len(definition.prerequisites)),
    ):
        if number > MOST_DEPENDENCIES:
            yield ErrorDetail(field, _("Use up to {most}").format(most=MOST_DEPENDENCIES))
            return
    yield from _of_gives(definition, others)
    yield from _of_circles(key, definition, others)


def _of_gives(definition: FlagDefinition, others: Iterable[Flag]) -> Faults:
    offered: dict[str, set[str]] = {}
    for other in others:
        offered.setdefault(other.key, {"true", "false"}).update(variant_keys(other.definition))
    for number, prerequisite in enumerate(definition.prerequisites):
        field = f"prerequisites[{number}].gives"
        if not prerequisite.gives:
            yield ErrorDetail(field, _("Enter the value that the flag must return"))
        for given in prerequisite.gives:
            if given not in offered.get(prerequisite.key, {given}):
                yield ErrorDetail(
                    field,
                    _("The flag {key} has no variant {given}").format(key=prerequisite.key, given=given[:LONGEST_KEY]),
                )


def _of_circles(key: str, definition: FlagDefinition, others: Iterable[Flag]) -> Faults:
    needs: dict[str, set[str]] = {key: _needed_keys(definition)}
    strict: dict[str, set[str]] = {key: {one.key for one in definition.prerequisites}}
    for other in others:
        needs.setdefault(other.key, set()).update(_needed_keys(other.definition))
        strict.setdefault(other.key, set()).update(one.key for one in other.definition.prerequisites)
    around = circle(key, needs)
    if around:
        field = "dependencies" if around[1] in definition.dependencies else "prerequisites"
        yield ErrorDetail(field, _("Circular dependency: {around}").format(around=" → ".join(around)))
    elif strict[key] and max(depths_of(strict).values(), default=0) > DEEPEST_PREREQUISITES:
        yield ErrorDetail(
            "prerequisites",
            _("Chains of required flags can have up to {deepest_prerequisites} steps").format(
                deepest_prerequisites=DEEPEST_PREREQUISITES
            ),
        )


def _needed_keys(definition: FlagDefinition) -> set[str]:
    return {*definition.dependencies, *(one.key for one in definition.prerequisites)}


def _of_size(definition: FlagDefinition, others: Iterable[Flag], groups: Iterable[TargetGroup]) -> Faults:
    if len(msgspec.json.encode(definition)) > LARGEST_FLAG:
        yield ErrorDetail("rules", _("A flag can have up to {largest:,} bytes").format(largest=LARGEST_FLAG))
    if sum(1 for _node in nodes(definition.rules)) > MOST_NODES:
        yield ErrorDetail("rules", _("Use up to {most} conditions").format(most=MOST_NODES))
    if definition.rules or definition.targetGroupIds:
        together = steps_together((definition, *(other.definition for other in others)), groups)
        if together > MOST_STEPS:
            yield ErrorDetail("rules", TOO_MANY_STEPS)


def environment_faults(flags: Iterable[Flag], groups: Iterable[TargetGroup], before: Iterable[TargetGroup]) -> Faults:
    """The faults of target groups for the flags of a scope, in each environment, except those that existed `before`."""
    groups, before = list(groups), list(before)
    by_environment: dict[str | None, list[FlagDefinition]] = {}
    for flag in flags:
        by_environment.setdefault(flag.environment, []).append(flag.definition)
    for definitions in by_environment.values():
        together = steps_together(definitions, groups)
        if together > MOST_STEPS and together > steps_together(definitions, before):
            yield ErrorDetail("rules", TOO_MANY_STEPS)
            return


def steps_together(definitions: Iterable[FlagDefinition], groups: Iterable[TargetGroup]) -> int:
    """The number of steps that an evaluation of all these definitions takes."""
    load = Load(groups)
    for definition in definitions:
        load.add(definition)
    return load.steps


class Load:
    """The cost of evaluating flags, as `steps`, while flags are added and removed.

    A target group is evaluated once for all flags that use or name it, and once for each if its rules have percentages.
    """

    def __init__(self, groups: Iterable[TargetGroup]) -> None:
        self._groups = {group.id: (steps(group.rules), draws(group.rules)) for group in groups}
        self._asked = Counter[str]()
        self.steps = 0

    def add(self, definition: FlagDefinition, times: int = 1) -> None:
        """Another flag, or with -1 one that goes."""
        named = {node.group for node in nodes(definition.rules) if node.group}
        self.steps += times * (steps(definition.rules) + len(definition.targetGroupIds))
        for group_id in {*definition.targetGroupIds, *named} & self._groups.keys():
            taken, drawing = self._groups[group_id]
            there = self._asked[group_id]
            self._asked[group_id] += times
            if drawing or not there or not self._asked[group_id]:
                self.steps += times * taken
