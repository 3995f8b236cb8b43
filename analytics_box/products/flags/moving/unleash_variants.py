"""The variants of Unleash's flags. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from analytics_box.products.flags.flag import TargetingRule, Variant
from analytics_box.products.flags.moving.conditions import one_of, rule, type_of
from analytics_box.products.flags.moving.taking import mapping, mappings, number, text, texts
from analytics_box.products.flags.moving.unleash_constraints import ATTRIBUTES
from analytics_box.products.flags.moving.wanted import ImportNotes

_ALL = 1_000  # what their weights add up to


def variants_of(given: Sequence[Mapping[str, Any]], notes: ImportNotes) -> list[Variant]:
    """The variants with their weights in percent."""
    weights = [max(number(one.get("weight")) or 0, 0) for one in given]
    if sum(weights) != _ALL:
        notes.lose(f"The weights of its variants add up to {sum(weights):g} instead of {_ALL:,}")
    whole = sum(weights) or 1
    return [
        _variant(one, weight * 100 / whole if sum(weights) else 100 / len(given), notes)
        for one, weight in zip(given, weights, strict=True)
    ]


def overrides(given: Iterable[Mapping[str, Any]], notes: ImportNotes) -> Iterable[TargetingRule]:
    """Rules for users who get a fixed variant, whatever their bucket."""
    for one in given:
        for override in mappings(one.get("overrides")):
            name, values = text(override.get("contextName")), texts(override.get("values"))
            if name in {"", "currentTime", "environment", "appName"}:
                notes.lose(f"An override of the variant {text(one.get('name'))} is not supported")
            elif values:
                yield rule(one_of(ATTRIBUTES.get(name, name), values), variant=text(one.get("name")))


def _variant(given: Mapping[str, Any], weight: float, notes: ImportNotes) -> Variant:
    name, payload = text(given.get("name")), mapping(given.get("payload"))
    value: Any = payload.get("value") if payload else name
    if payload.get("type") == "number":
        found = number(value)
        value = value if found is None else int(found) if found.is_integer() else found
    elif payload.get("type") == "json":
        try:
            value = msgspec.json.decode(str(value))
        except msgspec.MsgspecError:
            notes.lose(f"The value of the variant {name} is not JSON and is imported as text")
    return Variant(key=name, value=value, type=type_of(value), weight=round(weight, 6))
