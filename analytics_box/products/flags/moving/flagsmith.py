"""Flags of Flagsmith: from an environment document, as its SDKs get it for local evaluation. Pure.

A Flagsmith feature is on or off and has a value; segments override both, the one with the lowest priority number first.
An override becomes a rule.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from analytics_box.base.errors import BadRequest
from analytics_box.base.file_queue import keep_going
from analytics_box.base.translation import _
from analytics_box.products.flags.flag import FlagDefinition, Operator, TargetingCondition
from analytics_box.products.flags.moving.conditions import (
    all_of,
    any_of,
    exists,
    identity_of,
    leaf,
    none_of,
    of_type,
    pattern,
    rule,
    variants_of,
)
from analytics_box.products.flags.moving.wanted import (
    MOST,
    ImportNotes,
    SourceFile,
    SourceFlag,
    disagreements,
    entries,
    key_error,
    mapping,
    mappings,
    number,
    source_flag,
    text,
)

_DEEPEST: Final = 20
_IDENTIFIER: Final = frozenset(("$.identity.identifier", "$.identity.key"))
_NUMBERS: Final[dict[str, Operator]] = {
    "GREATER_THAN": "greater",
    "GREATER_THAN_INCLUSIVE": "greater_or_equal",
    "LESS_THAN": "less",
    "LESS_THAN_INCLUSIVE": "less_or_equal",
}
_TRUTHS: Final = {"true": True, "True": True, "false": False, "False": False}
_REBUCKETED: Final = "Flagsmith uses another hash, so users are assigned to variants again"
_VALUE_WHEN_OFF: Final = "A feature that is off has no value here"


class _UnsupportedSegment(Exception):
    """Raised for a segment that cannot be expressed here; its text names the part."""


def read_file(given: Mapping[str, Any], environment: str | None = None) -> SourceFile:
    """The flags of a document, which has one environment. Raises BadRequest."""
    states = entries(given.get("feature_states"), "feature_states")
    if len(states) > MOST:
        raise BadRequest(_("A file can have up to {most:,} flags; split it").format(most=MOST))
    overrides: dict[str, list[tuple[float, Mapping[str, Any], Mapping[str, Any]]]] = {}
    for segment in mappings(mapping(given.get("project")).get("segments")):
        for state in mappings(segment.get("feature_states")):
            priority = number(mapping(state.get("feature_segment")).get("priority"))
            name = text(mapping(state.get("feature")).get("name"))
            overrides.setdefault(name, []).append((float("inf") if priority is None else priority, segment, state))
    of_identities = {
        text(mapping(state.get("feature")).get("name"))
        for one in mappings(given.get("identity_overrides"))
        for state in mappings(one.get("identity_features"))
    }
    flags = []
    for position, state in enumerate(states, 1):
        notes = ImportNotes()
        name = text(mapping(state.get("feature")).get("name"))
        if name in of_identities:
            notes.lose(_("Overrides for single identities are not supported"))
        ordered = sorted(overrides.get(name, ()), key=lambda one: one[0])
        flags.append(_read_flag(position, name, state, [(segment, other) for _at, segment, other in ordered], notes))
    return SourceFile(flags=tuple(flags), notes=tuple(disagreements("Flagsmith", flags)))


def _read_flag(
    position: int,
    key: str,
    state: Mapping[str, Any],
    overrides: list[tuple[Mapping[str, Any], Mapping[str, Any]]],
    notes: ImportNotes,
) -> SourceFlag:
    if error := key_error(key):
        return SourceFlag(number=position, key=key, error=error, field="key")
    states = [state, *(other for _segment, other in overrides)]
    split = mappings(state.get("multivariate_feature_state_values"))
    options = [(mapping(one.get("multivariate_feature_option")).get("value"), one) for one in split]
    values = [one.get("feature_state_value") for one in states] + [value for value, _one in options]
    has_values = any(value not in (None, "") for value in values)
    variants = variants_of(values)
    keys = {identity_of(one.value): one.key for one in variants}
    rules = []
    for segment, other in overrides:
        if mappings(other.get("multivariate_feature_state_values")):
            notes.lose(_REBUCKETED)
        try:
            condition = _segment(segment)
        except _UnsupportedSegment as strange:
            name = text(segment.get("name"))
            notes.lose(_("Segment {name}: {strange} is not supported").format(name=name, strange=strange))
            continue
        is_on = other.get("enabled") is True
        variant = keys[identity_of(other.get("feature_state_value"))] if has_values and is_on else ""
        rules.append(rule(condition, enabled=is_on, name=text(segment.get("name")), variant=variant))
    is_on = state.get("enabled") is True
    if not has_values:
        return source_flag(
            position,
            key,
            FlagDefinition(type="boolean", status="active", defaultValue=is_on, rules=tuple(rules)),
            notes,
        )
    if not all(one.get("enabled") is True for one in states):
        notes.say(_VALUE_WHEN_OFF)
    if not is_on:
        rules.append(rule(all_of(()), enabled=False))
    weights = {keys[identity_of(value)]: 0.0 for value in values}
    for value, one in options:
        weights[keys[identity_of(value)]] += min(max(number(one.get("percentage_allocation")) or 0.0, 0.0), 100.0)
    if any(weights.values()):
        notes.lose(_REBUCKETED)
    weights[keys[identity_of(values[0])]] += max(100.0 - sum(weights.values()), 0.0)
    weighted = tuple(msgspec.structs.replace(one, weight=weights[one.key]) for one in variants)
    definition = FlagDefinition(type="multivariant", status="active", variants=weighted, rules=tuple(rules))
    return source_flag(position, key, definition, notes)


def _segment(given: Mapping[str, Any]) -> TargetingCondition:
    """The condition of a segment; one without rules has no users."""
    rules = mappings(given.get("rules"))
    return all_of([_rule(one, 0) for one in rules]) if rules else any_of(())


def _rule(given: Mapping[str, Any], depth: int) -> TargetingCondition:
    keep_going()
    if depth > _DEEPEST:
        raise _UnsupportedSegment("a rule as deep as that")
    found = [_condition(one) for one in mappings(given.get("conditions"))]
    kind = text(given.get("type"))
    if kind not in {"ALL", "ANY", "NONE"}:
        raise _UnsupportedSegment(f"the rule type {kind}")
    joined = all_of(())
    if found:
        joined = all_of(found) if kind == "ALL" else any_of(found) if kind == "ANY" else none_of(found)
    return all_of((joined, *(_rule(one, depth + 1) for one in mappings(given.get("rules")))))


def _condition(given: Mapping[str, Any]) -> TargetingCondition:
    operator = text(given.get("operator"))
    name = text(given.get("property_") or given.get("property"))
    attribute = "user_id" if name in _IDENTIFIER else name
    if not attribute or attribute.startswith("$.") or "." in attribute:
        raise _UnsupportedSegment(f"{operator} of {name}" if name else operator)
    if operator in {"IS_SET", "IS_NOT_SET"}:
        return exists(attribute) if operator == "IS_SET" else none_of([exists(attribute)])
    value = text(given.get("value"))
    is_text = of_type(attribute, "text")
    if operator == "IN":
        return any_of(_equal(attribute, one, is_in=True) for one in _list_values(given.get("value")))
    if value.endswith(":semver"):
        raise _UnsupportedSegment(f"comparing {name} with a version")
    if operator in {"EQUAL", "NOT_EQUAL"}:
        equal = _equal(attribute, value)
        return equal if operator == "EQUAL" else all_of((exists(attribute), none_of([equal])))
    if operator in {"CONTAINS", "NOT_CONTAINS"}:
        contained = leaf(attribute, "contains", value)
        return all_of((is_text, contained if operator == "CONTAINS" else none_of([contained])))
    wanted = number(value)
    if operator in _NUMBERS and wanted is not None:
        return all_of((of_type(attribute, "number"), leaf(attribute, _NUMBERS[operator], wanted)))
    if operator == "REGEX" and (matched := pattern(attribute, [f"^(?:{value})"])) is not None:
        return all_of((is_text, matched))
    raise _UnsupportedSegment(f"{operator} of {name}")


def _list_values(given: Any) -> Iterable[str]:
    """The values of IN: a list, a text that is JSON of one, or texts with commas between them."""
    if isinstance(given, str):
        try:
            found = msgspec.json.decode(given)
        except (msgspec.MsgspecError, RecursionError):
            found = None
        given = found if isinstance(found, list) else given.split(",")
    return [str(one) for one in given] if isinstance(given, list) else []


def _equal(attribute: str, value: str, *, is_in: bool = False) -> TargetingCondition:
    """The condition that an attribute is this text, or the number or truth that it means."""
    found = [all_of((of_type(attribute, "text"), leaf(attribute, "equals", value)))]
    wanted = number(value)
    if wanted is not None and attribute != "user_id":
        found.append(all_of((of_type(attribute, "number"), leaf(attribute, "equals", wanted))))
    if value in _TRUTHS and not is_in:
        found.append(all_of((of_type(attribute, "boolean"), leaf(attribute, "equals", _TRUTHS[value]))))
    return any_of(found)
