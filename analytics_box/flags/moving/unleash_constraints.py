"""The constraints of Unleash's strategies as conditions. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from analytics_box.flags.flag import Node, Operator, Scalar
from analytics_box.flags.moving.conditions import all_of, each_of, insensitive, leaf, none_of, one_of, pattern
from analytics_box.flags.moving.taking import number, text, texts
from analytics_box.flags.moving.wanted import Notes

ATTRIBUTES: Final = {"userId": "user_id"}  # the rest are properties of the same name
_HERE: Final = frozenset(("currentTime", "environment", "appName"))  # Unleash's clients say them of themselves

_TEXTS: Final[dict[str, tuple[Operator, str, str]]] = {  # with what stands around one in a regular expression
    "STR_CONTAINS": ("contains", "", ""),
    "STR_STARTS_WITH": ("starts_with", "^", ""),
    "STR_ENDS_WITH": ("ends_with", "", "$"),
}
_NUMBERS: Final[dict[str, tuple[Operator, ...]]] = {
    "NUM_EQ": ("greater_or_equal", "less_or_equal"),
    "NUM_GT": ("greater",),
    "NUM_GTE": ("greater_or_equal",),
    "NUM_LT": ("less",),
    "NUM_LTE": ("less_or_equal",),
}
_SINGLES: Final[dict[str, Operator]] = {
    "DATE_AFTER": "after",
    "DATE_BEFORE": "before",
    "SEMVER_EQ": "version_equals",
    "SEMVER_GT": "version_greater",
    "SEMVER_GTE": "version_greater_or_equal",
    "SEMVER_LT": "version_less",
    "SEMVER_LTE": "version_less_or_equal",
}


def condition(constraints: Iterable[Mapping[str, Any]], notes: Notes) -> Node | None:
    """What all of them ask for; None where one cannot be said here, which is noted."""
    found = [_one(given, notes) for given in constraints]
    known = [node for node in found if node is not None]
    return all_of(known) if len(known) == len(found) else None


def _one(given: Mapping[str, Any], notes: Notes) -> Node | None:
    name, operator = text(given.get("contextName")), text(given.get("operator"))
    node = None if not name or name in _HERE else _asked(ATTRIBUTES.get(name, name), operator, given)
    if node is None:
        notes.lose(f"The constraint {name} {operator} has no counterpart")
        return None
    return none_of([node]) if given.get("inverted") is True else node


def _asked(attribute: str, operator: str, given: Mapping[str, Any]) -> Node | None:
    values, value = texts(given.get("values")), given.get("value")
    if operator in {"IN", "NOT_IN"}:
        found = one_of(attribute, values if attribute == "user_id" else _with_twins(values))
        return found if operator == "IN" else none_of([found])
    if operator in _TEXTS:
        plain, before, after = _TEXTS[operator]
        if given.get("caseInsensitive") is True:
            return insensitive(attribute, values, before, after)
        return each_of(attribute, plain, values)
    if operator in _NUMBERS:
        wanted = number(value)
        return None if wanted is None else all_of(leaf(attribute, one, wanted) for one in _NUMBERS[operator])
    if operator in _SINGLES and text(value):
        return leaf(attribute, _SINGLES[operator], text(value))
    if operator == "REGEX" and text(value):
        flags = "(?i)" if given.get("caseInsensitive") is True else ""
        return pattern(attribute, f"{flags}{value}")
    return None


def _with_twins(values: Iterable[str]) -> list[Scalar]:
    """With numbers and truths as such, too: Unleash knows everything as text."""
    found: list[Scalar] = []
    for value in values:
        found.append(value)
        if value in {"true", "false"}:
            found.append(value == "true")
        elif (wanted := number(value)) is not None and f"{wanted:.15g}" == value:
            found.append(wanted)
    return found
