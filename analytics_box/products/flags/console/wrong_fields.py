"""The form field of each API error: `rules[1].conditions.all[0].value` is `rules.1.if.0.values`. Pure."""

import re
from collections.abc import Mapping
from typing import Final

from analytics_box.base.translation import _
from analytics_box.products.flags.console.fields import FlagFormState

_LABELS = {
    "of": _("Website"),
    "key": _("Key"),
    "name": _("Name"),
    "description": _("Description"),
    "type": _("Type"),
    "off": _("Off value"),
    "offValue": _("Off value"),
    "rolloutPercentage": _("Percentage rollout"),
    "variants": _("Variants"),
    "rules": _("Targeting rules"),
    "groups": _("Target groups"),
    "needs": _("Required flags"),
    "folder": _("Folder"),
    "environment": _("Environment"),
    "userId": _("User ID"),
    "payload": _("Payload"),
    "salt": _("Salt"),
    "variantSalt": _("Variant salt"),
    "attribute": _("Bucket by property"),
    "note": _("Change note"),
    "color": _("Color"),
}


_PLACES: Final = re.compile(r"\[(\d+)\]")
_FIELDS: Final[Mapping[str, str]] = {
    "targetGroupIds": "groups",
    "websiteId": "of",
    "organizationId": "of",
    "bucketing": "salt",
    "bucketing.algorithm": "algorithm",
    "bucketing.salt": "salt",
    "bucketing.variantSalt": "variantSalt",
    "bucketing.attribute": "attribute",
}
_OF_CONDITION: Final = {"value": "values", "batchValues": "values", "field": "property"}
_OF_FORM: Final = frozenset(("if", "gives"))  # Names that only forms use.
_OF_RULE: Final = frozenset(("name", "percentage"))
_DRAW: Final = frozenset(("percentageFrom", "bucketing"))  # Parts of a rule that are shown at its percentage.
_TREE: Final = frozenset(("all", "any", "none"))


def form_field(wire: str, state: FlagFormState) -> str:
    """The field of the form for one that a refusal names; a field of the form is itself."""
    start, *parts = _PLACES.sub(r".\1", wire).split(".")
    match start:
        case "needs" | "groups":
            return wire
        case "offValue" if state.fields.get("type") != "multivariant":
            return "off"
        case "rules" if len(parts) > 1 and parts[1] in _OF_FORM:
            return wire
        case "rules" if parts:
            return _of_rule(parts, state)
        case "variants" if len(parts) == 2:
            return f"variants.{parts[0]}.{parts[1]}"
        case "dependencies" | "prerequisites":
            return _need(start, parts, state)
        case "targetGroupIds" if parts:
            return f"groups.{parts[0]}.id"
        case "rules" | "variants":
            return start
    return _FIELDS.get(".".join((start, *parts)), start)


def labels(state: FlagFormState) -> dict[str, str]:
    """The names of all fields of the form, in its order, for the list of errors."""
    found = dict(_LABELS)
    for number in range(len(state.variants)):
        name = _("Variant {number}").format(number=number + 1)
        found |= {f"variants.{number}.{field}": name for field in ("key", "type", "value", "weight", "description")}
    for number in range(len(state.needs)):
        name = _("Required flag {number}").format(number=number + 1)
        found |= {f"needs.{number}.{field}": name for field in ("key", "must", "variants")}
    for number in range(len(state.groups)):
        found[f"groups.{number}.id"] = _("Target group {number}").format(number=number + 1)
    return found


def rule_labels(errors: Mapping[str, str]) -> dict[str, str]:
    """The names of the fields of rules that are wrong."""
    places = [name.split(".")[1] for name in errors if name.startswith("rules.")]
    return {
        name: _("Rule {number}").format(number=int(place) + 1)
        for name, place in zip([one for one in errors if one.startswith("rules.")], places, strict=True)
    }


def group_labels(errors: Mapping[str, str]) -> dict[str, str]:
    """The names of the fields of a target group, for the list of errors."""
    own = {"name": _("Name"), "description": _("Description"), "color": _("Color"), "rules": _("Targeting rules")}
    return own | rule_labels(errors)


def _of_rule(parts: list[str], state: FlagFormState) -> str:
    """A field of a rule: the fields of its condition are in its tree, including when a rule has only one."""
    number, *rest = parts
    name = f"rules.{number}"
    if not (number.isdecimal() and int(number) < len(state.rules)):
        return "rules"
    if rest and rest[0] in _DRAW:
        return f"{name}.percentage"
    if rest and rest[0] in _OF_RULE:
        return f"{name}.{rest[0]}"
    if rest and rest[0] in {"variant", "enabled"}:
        return f"{name}.gives"
    tree, path = state.rules[int(number)].tree, f"{name}.if"
    if rest and rest[0] == "conditions":
        rest = rest[1:]
    if len(tree.inner) == 1 and tree.kind != "none" and not (rest and rest[0] in _TREE and tree.inner[0].kind == "one"):
        return _last(f"{path}.0", rest) if tree.inner[0].kind == "one" else _down(path, rest)
    return _down(path, rest)


def _down(path: str, rest: list[str]) -> str:
    """Along all.0.any.1.value into the tree."""
    while len(rest) >= 2 and rest[0] in _TREE:
        path, rest = f"{path}.{rest[1]}", rest[2:]
    return _last(path, rest)


def _last(path: str, rest: list[str]) -> str:
    return f"{path}.{_OF_CONDITION.get(rest[0], rest[0])}" if rest and rest[0] not in _TREE else path


def _need(start: str, parts: list[str], state: FlagFormState) -> str:
    """The row of a dependency or a prerequisite: rows of both are in one list."""
    rows = [
        number
        for number, one in enumerate(state.needs)
        if one.key.strip() and (one.must == "active") == (start == "dependencies")
    ]
    if not (parts and parts[0].isdecimal() and int(parts[0]) < len(rows)):
        return "needs"
    field = "variants" if len(parts) > 1 and parts[1] == "gives" else "key"
    return f"needs.{rows[int(parts[0])]}.{field}"
