"""Operators of rules and conditions: comparisons of a context value with one or more values. Pure.

A negated operator (not_in, not_contains, …) matches if the other does not, including for users without a value; every
other operator but not_exists matches only users with a value.
"""

import math
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, TypeVar

from analytics_box.products.flags.evaluation.asking import LONGEST_TEXT, ContextValue, as_float, text_of
from analytics_box.products.flags.flag import Only, Operator, Scalar
from analytics_box.query.patterns import NotAPattern, compile_pattern

Comparable = TypeVar("Comparable")
Test = Callable[[ContextValue], bool]

_LONGEST_READ = 100  # Characters of a date, a version or an address.
_KEPT = 1_024  # Cached readings of each kind: many rules compare the same value.

# What each negates.
NEGATIVE: dict[Operator, Operator] = {
    "not_in": "in",
    "not_equals": "equals",
    "not_contains": "contains",
    "not_matches": "matches",
    "ip_not_in": "ip_in",
}


def never(found: ContextValue) -> bool:
    """A test that nothing passes."""
    return False


def matcher(operator: Operator, wanted: Iterable[Scalar], *, elements: bool = False, only: Only = "") -> Test:
    """Return whether a value matches one of the wanted ones. Values that cannot be compared do not match.

    With `elements` a list is as its elements are: one of them has to match. With `only` a value or element of another
    type does not match.
    """
    if operator == "exists":
        return _exists
    if operator == "not_exists":
        return _absent
    positive = _POSITIVE[NEGATIVE.get(operator, operator)](tuple(wanted))
    if only:
        positive = _of_type(_TYPES[only], positive)
    if elements and operator not in ("has_type", "size"):
        positive = _any_element(positive)
    return _negate(positive) if operator in NEGATIVE else positive


def _exists(found: ContextValue) -> bool:
    return found.value is not None


def _absent(found: ContextValue) -> bool:
    return found.value is None


def _negate(test: Test) -> Test:
    return lambda found: not test(found)


def _of_type(types: tuple[type, ...], test: Test) -> Test:
    return lambda found: type(found.value) in types and test(found)


def _any_element(test: Test) -> Test:
    return lambda found: any(map(test, found.elements)) if type(found.value) is list else test(found)


def _equals(wanted: tuple[Scalar, ...]) -> Test:
    """Return whether values and their types are equal: the text "5" is not the number 5, and 1 is not true."""
    texts = frozenset([value for value in wanted if type(value) is str])
    truths = frozenset([value for value in wanted if type(value) is bool])
    numbers = frozenset([value for value in wanted if type(value) in (int, float)])

    def equals(found: ContextValue) -> bool:
        value = found.value
        kind = type(value)
        if kind is str:
            return value in texts
        if kind is bool:
            return value in truths
        return (kind is int or kind is float) and value in numbers

    return equals


def _of_text(holds: Callable[[str, str], bool]) -> Callable[[tuple[Scalar, ...]], Test]:
    def make(wanted: tuple[Scalar, ...]) -> Test:
        texts = tuple(map(text_of, wanted))

        def test(found: ContextValue) -> bool:
            if found.value is None:
                return False
            text = found.text
            return any(holds(text, one) for one in texts)

        return test

    return make


def _comparison(
    read: Callable[[Any], Comparable | None], holds: Callable[[Comparable, Comparable], bool]
) -> Callable[[tuple[Scalar, ...]], Test]:
    """Values of which both sides are read in some way: as numbers, instants or versions."""

    def make(wanted: tuple[Scalar, ...]) -> Test:
        limits = tuple(limit for limit in map(read, wanted) if limit is not None)

        def test(found: ContextValue) -> bool:
            value = found.read(read)
            return value is not None and any(holds(value, limit) for limit in limits)

        return test

    return make


# These are what JavaScript takes for white space and for decimal numbers.
_SPACE = "\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
_NUMBER = re.compile(r"[+-]?((\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|Infinity)", re.ASCII)


def number_of(value: Any) -> float | None:
    """A number, or the number in a text that has nothing else, as JavaScript reads decimal numbers."""
    kind = type(value)
    if kind is str:
        value = value.strip(_SPACE) if len(value) <= LONGEST_TEXT else ""
        value = float(value) if _NUMBER.fullmatch(value) else None
    elif kind is int:
        value = as_float(value)
    elif kind is not float:
        return None
    return None if value is None or math.isnan(value) else value


def instant_of(value: Any) -> float | None:
    """Epoch milliseconds: a number is such already, a text is a date or a time of RFC 3339 (UTC without an offset)."""
    if type(value) is str:
        return _instant(value) if len(value) <= _LONGEST_READ else None
    return number_of(value)


@lru_cache(_KEPT)
def _instant(text: str) -> float | None:
    text = text.strip()
    try:
        moment = datetime.fromisoformat(text) if len(text) >= len("2026-01-31") else None
        if moment is None:
            return None
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000
    except (ValueError, OverflowError):
        return None


_VERSION = re.compile(
    r"[vV]?(\d{1,18})(?:\.(\d{1,18}))?(?:\.(\d{1,18}))?(?:-([0-9A-Za-z.-]{1,100}))?(?:\+[0-9A-Za-z.-]{1,100})?",
    re.ASCII,
)
Version = tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]


def version_of(value: Any) -> Version | None:
    """A semantic version in a form that compares by precedence; `v1.2` and the number 1.2 are 1.2.0, and build metadata
    after a + is left out.
    """
    if type(value) in (int, float):
        value = text_of(value)
    return _version(value) if type(value) is str and len(value) <= _LONGEST_READ else None


@lru_cache(_KEPT)
def _version(text: str) -> Version | None:
    found = _VERSION.fullmatch(text.strip())
    if found is None:
        return None
    major, minor, patch, prerelease = found.groups()
    named = () if prerelease is None else tuple(map(_identifier, prerelease.split(".")))
    return int(major), int(minor or 0), int(patch or 0), prerelease is None, named


def _identifier(text: str) -> tuple[bool, int, str]:
    """Numbers come before names, and compare as numbers."""
    return (False, int(text), "") if text.isdigit() and text.isascii() else (True, 0, text)


def pattern_fault(text: str) -> str:
    """The reason why a text is no regular expression; empty if it is one."""
    try:
        compile_pattern(text)
    except NotAPattern as fault:
        return f"Enter a valid regular expression: {fault}"
    return ""


def pattern_size(text: str) -> int:
    """The size of a compiled pattern, in instructions of RE2; 1 for an invalid pattern."""
    try:
        return compile_pattern(text).programsize
    except NotAPattern:
        return 1


def _matches(wanted: tuple[Scalar, ...]) -> Test:
    patterns = []
    for text in wanted:
        try:
            patterns.append(compile_pattern(text_of(text)))
        except NotAPattern:
            continue

    def matches(found: ContextValue) -> bool:
        if found.value is None:
            return False
        text = found.text
        if not text.isascii():
            text = text.encode("utf-8", "replace").decode("utf-8")  # RE2 takes no half of a surrogate pair
        return any(pattern.search(text) is not None for pattern in patterns)

    return matches


Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


def address_of(value: Any) -> Address | None:
    """An IP address; an IPv4 address that is written as IPv6 is the IPv4 address."""
    return _address(value) if type(value) is str and len(value) <= _LONGEST_READ else None


def forget() -> None:
    """Forget all IP addresses that were compared."""
    _address.cache_clear()


@lru_cache(_KEPT)
def _address(text: str) -> Address | None:
    try:
        address = ip_address(text.strip())
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def network_of(value: Any) -> Network | None:
    """An address or a network (`10.0.0.0/8`); bits behind the mask do not count."""
    if type(value) is not str or len(value) > _LONGEST_READ:
        return None
    try:
        return ip_network(value.strip(), strict=False)
    except ValueError:
        return None


def _ip_in(wanted: tuple[Scalar, ...]) -> Test:
    networks = tuple(network for network in map(network_of, wanted) if network is not None)

    def ip_in(found: ContextValue) -> bool:
        address = found.read(address_of)
        return address is not None and any(address in network for network in networks)

    return ip_in


_TYPES: dict[str, tuple[type, ...]] = {"text": (str,), "number": (int, float), "boolean": (bool,), "list": (list,)}


# Kinds of lists that other products distinguish.
_LISTS: dict[str, Test] = {
    "empty_list": lambda found: not found.value,
    "one_element": lambda found: len(found.value) == 1,
    "texts": lambda found: all(type(one.value) is str for one in found.elements),
    "numbers": lambda found: all(type(one.value) in (int, float) for one in found.elements),
}


def type_named(value: Any) -> tuple[type, ...] | Test | None:
    """The types of a name, or the test of a kind of lists; None for an unknown name."""
    return _TYPES.get(value) or _LISTS.get(value) if type(value) is str else None


def _has_type(wanted: tuple[Scalar, ...]) -> Test:
    named = [type_named(name) for name in wanted]
    types = frozenset(one for group in named if isinstance(group, tuple) for one in group)
    lists = [one for one in named if one is not None and not isinstance(one, tuple)]

    def has_type(found: ContextValue) -> bool:
        kind = type(found.value)
        return kind in types or (kind is list and any(test(found) for test in lists))

    return has_type


def _size(wanted: tuple[Scalar, ...]) -> Test:
    """Return whether a list has one of these numbers of elements."""
    sizes = frozenset(value for value in wanted if type(value) in (int, float))

    def has_size(found: ContextValue) -> bool:
        return type(found.value) is list and len(found.value) in sizes

    return has_size


_POSITIVE: dict[Operator, Callable[[tuple[Scalar, ...]], Test]] = {
    "equals": _equals,
    "in": _equals,
    "contains": _of_text(lambda text, one: one in text),
    "starts_with": _of_text(str.startswith),
    "ends_with": _of_text(str.endswith),
    "greater": _comparison(number_of, lambda one, limit: one > limit),
    "greater_or_equal": _comparison(number_of, lambda one, limit: one >= limit),
    "less": _comparison(number_of, lambda one, limit: one < limit),
    "less_or_equal": _comparison(number_of, lambda one, limit: one <= limit),
    "before": _comparison(instant_of, lambda one, limit: one < limit),
    "after": _comparison(instant_of, lambda one, limit: one > limit),
    "version_equals": _comparison(version_of, lambda one, limit: one == limit),
    "version_greater": _comparison(version_of, lambda one, limit: one > limit),
    "version_greater_or_equal": _comparison(version_of, lambda one, limit: one >= limit),
    "version_less": _comparison(version_of, lambda one, limit: one < limit),
    "version_less_or_equal": _comparison(version_of, lambda one, limit: one <= limit),
    "matches": _matches,
    "ip_in": _ip_in,
    "has_type": _has_type,
    "size": _size,
}
