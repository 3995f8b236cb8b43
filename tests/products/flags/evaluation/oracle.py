"""The wire's evaluation (6.3) told plainly: no preparation, one flag at a time, each sentence of the table once."""

import json
from typing import Any

from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from analytics_box.products.flags.flag import Flag, TargetGroup, TargetingRule

Result = dict[str, Any]


def evaluated(flags: list[Flag], groups: list[TargetGroup], key: str, who: EvaluationContext) -> Result | None:
    """The wire's result; None for a flag that is not there."""
    there: dict[str, Flag] = {}
    for one in flags:
        theirs = one.user_id in (None, who.user_id or 0) and (one.user_id is not None or one.key not in there)
        if theirs and one.definition.status == "active" and one.deleted_at is None:
            there[one.key] = one
    if key not in there:
        return None
    chosen = there[key]
    definition = chosen.definition

    def result(enabled: bool, reason: str, value: Any = None, variant: str = "") -> Result:
        said = {
            "enabled": enabled,
            "value": value if variant else enabled,
            "payload": definition.payload if enabled else None,
            "reason": reason,
            "flagId": chosen.id,
            "flagType": definition.type,
        }
        return said | ({"variant": variant} if variant else {})

    if any(needed not in there for needed in definition.dependencies):
        return result(False, "DEPENDENCY_NOT_SATISFIED")
    for rule in definition.rules:
        if matches(rule, who):
            return result(rule.enabled, "USER_RULE_MATCH")
    by_id = {group.id: group for group in groups}
    for group_id in definition.targetGroupIds:
        for rule in by_id[group_id].rules if group_id in by_id else ():
            if matches(rule, who):
                return result(rule.enabled, "TARGET_GROUP_MATCH")
    if definition.type == "multivariant" and definition.variants:
        variants = definition.variants
        drawn = hashed(f"{key}:variant:{who.user_id or who.email or 'anonymous'}")
        if all(variant.weight is None for variant in variants):
            variant = variants[drawn % len(variants)]
        else:
            variant = variants[-1]
            end = 0.0
            for one_variant in variants:
                end += one_variant.weight or 0
                if drawn % 100 < end:
                    variant = one_variant
                    break
        return result(True, "MULTIVARIANT_EVALUATED", variant.value, variant.key)
    if definition.type == "rollout":
        inside = hashed(f"{key}:{identity(chosen, who)}") % 100 < definition.rolloutPercentage
        return result(inside, "ROLLOUT_ENABLED" if inside else "ROLLOUT_DISABLED")
    return result(definition.defaultValue, "BOOLEAN_DEFAULT")


def hashed(text: str) -> int:
    """A 32-bit signed rolling hash, its absolute value at the end."""
    found = 0
    units = text.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        found = (found * 31 + high * 256 + low) % 2**32
    return abs(found - 2**32 if found >= 2**31 else found)


def identity(flag: Flag, who: EvaluationContext) -> str:
    """Who is drawn for a rollout."""
    if flag.definition.rolloutBy == "organization":
        return who.organization_id or "anonymous"
    if flag.definition.rolloutBy == "team":
        return who.team_id or "anonymous"
    return who.user_id or who.email or "anonymous"


def matches(rule: TargetingRule, who: EvaluationContext) -> bool:
    """Whether a rule of the wire matches."""
    found: Any = {"user_id": who.user_id, "email": who.email}.get(rule.type, who.properties.get(rule.field))
    if rule.batch and rule.batchValues:
        text = as_text(found) if found is not None else ""
        listed = text != "" and text in rule.batchValues
        if rule.operator in ("in", "not_in"):
            return listed if rule.operator == "in" else not listed
        return text != "" and any(of_text(rule.operator, text, value) for value in rule.batchValues)
    if rule.type != "property":
        if not found:
            return False
        if rule.operator in ("in", "not_in"):
            return (found in rule.values) == (rule.operator == "in")
        return of_text(rule.operator, found, rule.value)
    if not rule.field:
        return hashed(f"percentage:{who.user_id or who.email or 'anonymous'}") % 100 < rule.value  # type: ignore[operator]  # a number
    match rule.operator:
        case "exists":
            return found is not None
        case "not_exists":
            return found is None
        case "contains":
            return found is not None and as_text(rule.value) in as_text(found)
        case "equals":
            return same(found, rule.value)
        case "in":
            return any(same(found, value) for value in rule.values)
        case "not_in":
            return not any(same(found, value) for value in rule.values)
    raise AssertionError(rule.operator)


def of_text(operator: str, found: str, value: object) -> bool:
    """Whether a text is as an operator for texts says."""
    if operator == "equals":
        return found == value
    text = as_text(value)
    holds = {"contains": text in found, "starts_with": found.startswith(text), "ends_with": found.endswith(text)}
    return holds[operator]


def same(one: Any, other: Any) -> bool:
    """Equal in JavaScript's strict sense; lists and objects equal nothing."""
    kinds = [bool if isinstance(v, bool) else float if isinstance(v, int | float) else type(v) for v in (one, other)]
    return kinds[0] == kinds[1] and not isinstance(one, list | dict) and bool(one == other)


def as_text(value: Any) -> str:
    """As text."""
    if isinstance(value, list):
        return ",".join(map(as_text, value))
    if isinstance(value, dict):
        return "[object Object]"
    return value if isinstance(value, str) else json.dumps(value).removesuffix(".0")
