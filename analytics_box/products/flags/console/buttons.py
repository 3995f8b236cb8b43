"""The form of a flag after one of its buttons: add-rule, up.1, remove-condition.0.2.1 … Pure."""

from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.products.flags.console.fields import (
    NEW_TREE,
    FlagConditionFields,
    FlagFormState,
    FlagRuleFields,
    FlagVariantFields,
    GroupFields,
    NeedFields,
)
from analytics_box.products.flags.flag import (
    DEEPEST,
    MOST_DEPENDENCIES,
    MOST_GROUPS_OF_FLAG,
    MOST_NODES,
    MOST_RULES,
    MOST_VARIANTS,
)

Row = TypeVar("Row", bound=Struct)
_NESTED = FlagConditionFields("any", inner=(FlagConditionFields(), FlagConditionFields()))


def after_button(state: FlagFormState, button: str) -> FlagFormState:
    """The form after a button. One that there is not changes nothing."""
    verb, *places = button.split(".")
    numbers = [int(place) for place in places if place.isascii() and place.isdecimal() and len(place) < 4]
    if len(numbers) != len(places):
        return state
    match verb, numbers:
        case "add-rule", []:
            rule = FlagRuleFields(open="on", tree=NEW_TREE)
            return _rules(state, _append_row(state.rules, rule, MOST_RULES), f"rules.{len(state.rules)}.if.0.attribute")
        case "remove-rule", [at]:
            return _rules(state, _without(state.rules, at), "add-rule")
        case "up", [at]:
            return _rules(state, _swap_rows(state.rules, at, at - 1), f"rules.{max(at - 1, 0)}.open")
        case "down", [at]:
            return _rules(state, _swap_rows(state.rules, at, at + 1), f"rules.{at + 1}.open")
        case (("add-condition" | "add-conditions" | "remove-condition"), [at, *path]) if at < len(state.rules):
            return _conditions(state, verb, at, path)
    return _rows(state, verb, numbers)


def _rows(state: FlagFormState, verb: str, numbers: list[int]) -> FlagFormState:
    match verb, numbers:
        case "add-variant", []:
            added = _append_row(state.variants, FlagVariantFields(key=_free_key(state)), MOST_VARIANTS)
            return replace(state, variants=added, focus=f"variants.{len(state.variants)}.value")
        case "remove-variant", [at]:
            return replace(state, variants=_without(state.variants, at), focus="add-variant")
        case "add-need", []:
            added_needs = _append_row(state.needs, NeedFields(), 2 * MOST_DEPENDENCIES)
            return replace(state, needs=added_needs, focus=f"needs.{len(state.needs)}.key")
        case "remove-need", [at]:
            return replace(state, needs=_without(state.needs, at), focus="add-need")
        case "add-group", []:
            added_groups = _append_row(state.groups, GroupFields(), MOST_GROUPS_OF_FLAG)
            return replace(state, groups=added_groups, focus=f"groups.{len(state.groups)}.id")
        case "remove-group", [at]:
            return replace(state, groups=_without(state.groups, at), focus="add-group")
    return state


def _conditions(state: FlagFormState, verb: str, at: int, path: list[int]) -> FlagFormState:
    """Add a condition to the tree of a rule, or remove one; `path` leads to the parent of the new one, or to the one to
    remove.
    """
    rule, name = state.rules[at], f"rules.{at}.if"
    parent = path[:-1] if verb == "remove-condition" else path
    here = _find_condition(rule.tree, parent)
    if here is None or here.kind == "one" or (verb == "remove-condition" and not path):
        return state
    if verb == "remove-condition":
        tree = _change_condition(rule.tree, parent, lambda one: replace(one, inner=_without(one.inner, path[-1])))
        focus = f"add-condition.{'.'.join(map(str, (at, *parent)))}"
    else:
        new = FlagConditionFields() if verb == "add-condition" else _NESTED
        depth = len(path) + (2 if verb == "add-condition" else 3)
        if depth > DEEPEST or sum(_size(one.tree) for one in state.rules) + _size(new) > MOST_NODES + MOST_RULES:
            return state
        tree = _change_condition(rule.tree, path, lambda one: replace(one, inner=(*one.inner, new)))
        inner = f"{'.'.join((name, *map(str, path)))}.{len(here.inner)}"
        focus = f"{inner}.{'attribute' if verb == 'add-condition' else 'kind'}"
    rules = (*state.rules[:at], replace(rule, tree=tree, open="on"), *state.rules[at + 1 :])
    return _rules(state, rules, focus)


def _rules(state: FlagFormState, rules: tuple[FlagRuleFields, ...], focus: str) -> FlagFormState:
    return replace(state, rules=rules, focus=focus)


def _find_condition(tree: FlagConditionFields, path: list[int]) -> FlagConditionFields | None:
    for place in path:
        if place >= len(tree.inner):
            return None
        tree = tree.inner[place]
    return tree


def _change_condition(
    tree: FlagConditionFields, path: list[int], change: Callable[[FlagConditionFields], FlagConditionFields]
) -> FlagConditionFields:
    if not path:
        return change(tree)
    at, *rest = path
    return replace(
        tree, inner=(*tree.inner[:at], _change_condition(tree.inner[at], rest, change), *tree.inner[at + 1 :])
    )


def _size(tree: FlagConditionFields) -> int:
    return 1 + sum(map(_size, tree.inner))


def _append_row(rows: tuple[Row, ...], row: Row, most: int) -> tuple[Row, ...]:
    return (*rows, row) if len(rows) < most else rows


def _without(rows: tuple[Row, ...], at: int) -> tuple[Row, ...]:
    return (*rows[:at], *rows[at + 1 :])


def _swap_rows(rows: tuple[Row, ...], one: int, other: int) -> tuple[Row, ...]:
    if not (0 <= one < len(rows) and 0 <= other < len(rows)):
        return rows
    new = list(rows)
    new[one], new[other] = new[other], new[one]
    return tuple(new)


def _free_key(state: FlagFormState) -> str:
    """A key that no variant has yet: control first, then treatment."""
    taken = {one.key for one in state.variants}
    usual = ("control", "treatment", *(f"treatment-{number}" for number in range(2, MOST_VARIANTS + 2)))
    return next(key for key in usual if key not in taken)
