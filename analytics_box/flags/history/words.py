"""A change of a flag as a line of text. Pure."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from analytics_box.flags.flag import Prerequisite, Rule, Variant
from analytics_box.flags.history.difference import Change
from analytics_box.texts import FlagHistory, figures

LONGEST: Final = 200  # characters of a value
_SWITCHES: Final = frozenset(("defaultValue", "persistAcrossAuth"))
_PERCENT: Final = frozenset(("rolloutPercentage", "weight"))


def line(change: Change, groups: Mapping[str, str]) -> str:
    """What changed, as "Rollout: 10 % → 50 %". `groups` are names of target groups by id."""
    words = FlagHistory
    if change.kind == "moved" and not change.item:
        before, after = (_order(change.field, keys, groups) for keys in (change.before, change.after))
        return words.changed.format(name=words.orders[change.field], before=before, after=after)
    item = groups.get(change.item, change.item) if change.field == "targetGroupIds" else change.item
    name = words.fields[change.field].format(item=figures.visible(item))
    if change.kind == "moved":
        return words.moved.format(name=name, before=change.before)
    if isinstance(change.before, Variant) and isinstance(change.after, Variant):
        return _variant(name, change.before, change.after)
    before, after = (_value(change.field, value) for value in (change.before, change.after))
    says = {"added": bool(after), "removed": bool(before)}.get(change.kind, True)
    return _LINES[change.kind, says].format(name=name, before=before, after=after)


def of_version(number: int) -> str:
    """The note of a version that gives another one back, where nobody wrote any."""
    return FlagHistory.restored.format(version=number)


_LINES: Final = {
    ("changed", True): FlagHistory.changed,
    ("added", True): FlagHistory.added,
    ("added", False): FlagHistory.added_only,
    ("removed", True): FlagHistory.removed,
    ("removed", False): FlagHistory.removed_only,
}


def _variant(name: str, before: Variant, after: Variant) -> str:
    """What is different of a variant."""
    said = (
        FlagHistory.changed.format(name=text, before=_value(field, was), after=_value(field, became))
        for field, text in FlagHistory.variant_fields.items()
        for was, became in [(getattr(before, field), getattr(after, field))]
        if was != became
    )
    return f"{name}: {', '.join(said)}"


def _order(field: str, keys: list[str], groups: Mapping[str, str]) -> str:
    return ", ".join(figures.visible(groups.get(key, key) if field == "targetGroupIds" else key) for key in keys)


def _value(field: str, value: Any) -> str:
    """A value in a line; empty where its name says all, as of dependencies."""
    words = FlagHistory
    match value:
        case bool() if field in _SWITCHES:
            return words.on if value else words.off
        case int() | float() if field in _PERCENT:
            return f"{value:.10g}{figures.NBSP}%"
        case Variant():
            return _value("value", value.value)
        case Prerequisite():
            return words.gives.format(values=words.or_.join(figures.visible(one) for one in value.gives))
        case Rule():
            return _cut(msgspec.json.encode(value).decode())
        case None | "":
            return words.nothing
        case str():
            return "" if field in {"dependencies", "targetGroupIds"} else words.quoted.format(text=_cut(value))
    return _cut(msgspec.json.encode(value).decode())


def _cut(text: str) -> str:
    shown = figures.visible(text[: LONGEST + 1])
    return shown if len(text) <= LONGEST else f"{shown[:LONGEST]}…"
