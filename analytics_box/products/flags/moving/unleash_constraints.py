"""The constraints and variants of Unleash's strategies. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from ipaddress import IPv6Network
from typing import Any, Final

import msgspec

from analytics_box.base.translation import _
from analytics_box.products.flags.evaluation.matching import network_of
from analytics_box.products.flags.flag import Operator, Scalar, TargetingCondition, TargetingRule, Variant
from analytics_box.products.flags.moving.conditions import (
    STRICT_VERSION,
    all_of,
    each_of,
    has_huge_number,
    insensitive,
    is_version,
    leaf,
    none_of,
    one_of,
    pattern,
    rule,
    type_of,
    version,
)
from analytics_box.products.flags.moving.patterns import ASCII_SPACES
from analytics_box.products.flags.moving.wanted import ImportNotes, mapping, mappings, number, text, texts

ATTRIBUTES: Final = {"userId": "user_id"}  # the rest are properties of the same name
_HERE: Final = frozenset(("currentTime", "environment", "appName"))  # Unleash's clients say them of themselves

_TEXTS: Final[dict[str, Operator]] = {
    "STR_CONTAINS": "contains",
    "STR_STARTS_WITH": "starts_with",
    "STR_ENDS_WITH": "ends_with",
}
# IPv4 addresses that are written as IPv6.
_MAPPED: Final = IPv6Network("::ffff:0:0/96")
_NUMBERS: Final[dict[str, tuple[Operator, ...]]] = {
    "NUM_EQ": ("greater_or_equal", "less_or_equal"),
    "NUM_GT": ("greater",),
    "NUM_GTE": ("greater_or_equal",),
    "NUM_LT": ("less",),
    "NUM_LTE": ("less_or_equal",),
}
_VERSIONS: Final[dict[str, Operator]] = {
    "SEMVER_EQ": "version_equals",
    "SEMVER_GT": "version_greater",
    "SEMVER_GTE": "version_greater_or_equal",
    "SEMVER_LT": "version_less",
    "SEMVER_LTE": "version_less_or_equal",
}


def condition(constraints: Iterable[Mapping[str, Any]], notes: ImportNotes) -> TargetingCondition | None:
    """The condition that all constraints together mean; None if one cannot be expressed here, which is noted."""
    found = [_one(given, notes) for given in constraints]
    known = [node for node in found if node is not None]
    return all_of(known) if len(known) == len(found) else None


def _one(given: Mapping[str, Any], notes: ImportNotes) -> TargetingCondition | None:
    name, operator = text(given.get("contextName")), text(given.get("operator"))
    node = None if not name or name in _HERE else _comparison(ATTRIBUTES.get(name, name), operator, given)
    if node is None:
        notes.lose(_("The constraint {name} {operator} is not supported").format(name=name, operator=operator))
        return None
    return none_of([node]) if given.get("inverted") is True else node


def _comparison(attribute: str, operator: str, given: Mapping[str, Any]) -> TargetingCondition | None:
    values, value = texts(given.get("values")), given.get("value")
    if any(one != one.strip() or not one for one in values):  # Unleash's SDKs read such values differently.
        return None
    if operator in {"IN", "NOT_IN"}:
        found = one_of(attribute, values if attribute == "user_id" else _with_twins(values))
        return found if operator == "IN" else none_of([found])
    if operator in _TEXTS:
        if given.get("caseInsensitive") is True:
            return insensitive(attribute, values, _TEXTS[operator])
        return each_of(attribute, _TEXTS[operator], values)
    if operator in _NUMBERS:
        wanted = number(value)
        if wanted is None:
            return None
        unspaced = leaf(attribute, "matches", r"^\S+$")
        return all_of((unspaced, *(leaf(attribute, one, wanted) for one in _NUMBERS[operator])))
    if operator in _VERSIONS and is_version(text(value), STRICT_VERSION) and not has_huge_number(text(value)):
        return version(attribute, _VERSIONS[operator], str(value), STRICT_VERSION)
    if operator == "IN_CIDR":
        return within(attribute, values)
    if operator == "REGEX" and text(value):
        flags = "(?i)" if given.get("caseInsensitive") is True else ""
        return pattern(attribute, [text(value)], flags, ASCII_SPACES)
    return None


def within(attribute: str, networks: Iterable[str]) -> TargetingCondition | None:
    """Whether the attribute is an IP address in one of these networks; what is none is passed over. There an IPv4
    address that is written as IPv6 is in no IPv4 network. None for networks of IPv6 that have such addresses.
    """
    known = [(one, network) for one in networks if (network := network_of(one)) is not None]
    if any(isinstance(network, IPv6Network) and network.overlaps(_MAPPED) for _, network in known):
        return None
    plain = leaf(attribute, "matches", r"^[0-9A-Fa-f.:]+$")
    return all_of((each_of(attribute, "ip_in", [one for one, _ in known]), plain, none_of([_ipv4_as_ipv6(attribute)])))


def _ipv4_as_ipv6(attribute: str) -> TargetingCondition:
    zeros = "(?:(?:0{1,4}:){5}|::(?:0{1,4}:){0,4}|(?:0{1,4}:){1,4}:(?:0{1,4}:){0,3})"
    return leaf(attribute, "matches", f"(?i)^{zeros}ffff:[^:]+(?::[^:]+)?$")


def _with_twins(values: Iterable[str]) -> list[Scalar]:
    """The texts, with the numbers and booleans that they spell: in Unleash everything is text."""
    found: list[Scalar] = []
    for value in values:
        found.append(value)
        if value in {"true", "false"}:
            found.append(value == "true")
        elif (wanted := number(value)) is not None and f"{wanted:.15g}" == value:
            found.append(wanted)
    return found


_ALL = 1_000  # what their weights add up to


def variants_of(given: Sequence[Mapping[str, Any]], notes: ImportNotes) -> list[Variant]:
    """The variants with their weights in percent."""
    weights = [max(number(one.get("weight")) or 0, 0) for one in given]
    if sum(weights) != _ALL:
        notes.lose(
            _("The weights of its variants add up to {sum:g} instead of {all:,}").format(sum=sum(weights), all=_ALL)
        )
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
                notes.lose(_("An override of the variant {text} is not supported").format(text=text(one.get("name"))))
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
            notes.lose(_("The value of the variant {name} is not JSON and is imported as text").format(name=name))
    return Variant(key=name, value=value, type=type_of(value), weight=round(weight, 6))
