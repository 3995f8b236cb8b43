"""A change of a flag as a line of text. Pure."""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.products.flags import sentences
from analytics_box.products.flags.flag import Prerequisite, Scalar, TargetingRule, Variant
from analytics_box.products.flags.history.difference import DefinitionChange

_ORDERS = {"variants": _("Order of variants"), "targetGroupIds": _("Order of target groups")}
_FIELDS = {
    "key": _("Key"),
    "environment": _("Environment"),
    "name": _("Name"),
    "description": _("Description"),
    "type": _("Type"),
    "status": _("Status"),
    "defaultValue": _("Default rule"),
    "offValue": _("Off value"),
    "payload": _("Payload"),
    "rules": _("Rule {item}"),
    "rolloutPercentage": _("Percentage rollout"),
    "rolloutBy": _("Percentage of"),
    "persistAcrossAuth": _("Kept after sign-in"),
    "dependencies": _("Required flag {item}"),
    "prerequisites": _("Required flag {item}"),
    "variants": _("Variant {item}"),
    "targetGroupIds": _("Target group {item}"),
    "folder": _("Folder"),
    "bucketing": _("Bucketing"),
}
_VARIANT_FIELDS = {"type": _("type"), "value": _("value"), "weight": _("weight"), "description": _("description")}


_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
LONGEST: Final = 200  # Characters of a value.
MOST_VALUES: Final = 10  # Added or removed values that a line names.
_NOBODY: Final[Mapping[str, str]] = {}
_SWITCHES: Final = frozenset(("defaultValue", "persistAcrossAuth"))
_PERCENT: Final = frozenset(("rolloutPercentage", "weight"))


def line(change: DefinitionChange, groups: Mapping[str, str]) -> str:
    """A change in words, such as "Rollout: 10 % → 50 %". `groups` are names of target groups by id."""
    if change.kind == "moved" and not change.item:
        before, after = (_order(change.field, keys, groups) for keys in (change.before, change.after))
        return f"{_ORDERS[change.field]}: {before} → {after}"
    item = groups.get(change.item, change.item) if change.field == "targetGroupIds" else change.item
    label = _FIELDS.get(change.field) or _HUMP.sub(" ", change.field).capitalize()
    name = label.format(item=figures.visible(item))
    if change.kind == "moved":
        return _("{name} was rule {before}").format(name=name, before=change.before)
    if isinstance(change.before, Variant) and isinstance(change.after, Variant):
        return _variant(name, change.before, change.after)
    if isinstance(change.before, TargetingRule) and isinstance(change.after, TargetingRule):
        return _rule(name, change.before, change.after, groups)
    before, after = (_value(change.field, value, groups) for value in (change.before, change.after))
    says = {"added": bool(after), "removed": bool(before)}.get(change.kind, True)
    return _LINES[change.kind, says].format(name=name, before=before, after=after)


def of_version(number: int) -> str:
    """The note of a version that restores another one, if the user entered none."""
    return _("Restored version {version}").format(version=number)


_LINES: Final = {
    ("changed", True): "{name}: {before} → {after}",
    ("added", True): _("{name} added: {after}"),
    ("added", False): _("{name} added"),
    ("removed", True): _("{name} removed: {before}"),
    ("removed", False): _("{name} removed"),
}


def _variant(name: str, before: Variant, after: Variant) -> str:
    """The differences of a variant, in words."""
    said = (
        f"{text}: {_value(field, was)} → {_value(field, became)}"
        for field, text in _VARIANT_FIELDS.items()
        for was, became in [(getattr(before, field), getattr(after, field))]
        if was != became
    )
    return f"{name}: {', '.join(said)}"


def _rule(name: str, before: TargetingRule, after: TargetingRule, groups: Mapping[str, str]) -> str:
    """The differences of a rule, in words: the values added and removed, if that is all."""
    was, became = _sentence(before, groups), _sentence(after, groups)
    if _with_values(before, ()) == _with_values(after, ()):
        old, new = (sentences.rule_values(rule) for rule in (before, after))
        came, gone = ([one for one in ones if one not in others] for ones, others in ((new, old), (old, new)))
        said = [_("added {values}").format(values=_list_values(came))] if came else []
        said += [_("removed {values}").format(values=_list_values(gone))] if gone else []
        if said:
            return "{name}: {rule}, {changes}".format(name=name, rule=became, changes=", ".join(said))
    if was == became:
        return _("{name}: {rule}, details changed").format(name=name, rule=became)
    return _("{name}: {after} (before: {before})").format(name=name, before=was, after=became)


def _with_values(rule: TargetingRule, values: tuple[Scalar, ...]) -> TargetingRule:
    return replace(rule, value=None, values=values, batchValues=values)


def _list_values(values: list[Scalar]) -> str:
    """The first values, and the number of the others."""
    said = [sentences.value_text(value) for value in values[:MOST_VALUES]]
    more = len(values) - len(said)
    return ", ".join(said) + (_(" and {count} more").format(count=figures.count(more)) if more else "")


def _sentence(rule: TargetingRule, groups: Mapping[str, str]) -> str:
    return _cut(sentences.plain(sentences.rule_sentence(rule, groups)))


def _order(field: str, keys: list[str], groups: Mapping[str, str]) -> str:
    return ", ".join(figures.visible(groups.get(key, key) if field == "targetGroupIds" else key) for key in keys)


def _value(field: str, value: Any, groups: Mapping[str, str] = _NOBODY) -> str:
    """A value in a line; empty if its name is enough, as for dependencies."""
    match value:
        case bool() if field in _SWITCHES:
            return _("on") if value else _("off")
        case int() | float() if field in _PERCENT:
            return f"{value:.10g}{figures.NBSP}%"
        case Variant():
            return _value("value", value.value)
        case Prerequisite():
            return _("must serve {values}").format(values=_(" or ").join(figures.visible(one) for one in value.gives))
        case TargetingRule():
            return _sentence(value, groups)
        case None | "":
            return _("nothing")
        case str():
            return "" if field in {"dependencies", "targetGroupIds"} else f"“{_cut(value)}”"
    return _cut(msgspec.json.encode(value).decode())


def _cut(text: str) -> str:
    shown = figures.visible(text[: LONGEST + 1])
    return shown if len(text) <= LONGEST else f"{shown[:LONGEST]}…"
