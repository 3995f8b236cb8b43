"""Conditions of GrowthBook, written as those of MongoDB. Pure."""

from collections.abc import Callable, Mapping, Sequence
from operator import ge, gt, le, lt
from typing import Any, Final

from analytics_box.base.file_queue import keep_going
from analytics_box.base.translation import _
from analytics_box.products.flags.flag import Operator, Scalar, TargetingCondition
from analytics_box.products.flags.moving.conditions import (
    EVERYBODY,
    MOST_PARTS,
    NO_USER,
    all_of,
    any_of,
    each_of,
    exists,
    insensitive,
    leaf,
    none_of,
    of_type,
    one_of,
    pattern,
)
from analytics_box.products.flags.moving.wanted import ImportNotes, is_scalar, list_or_empty, mapping, number, scalars
from analytics_box.query.patterns import found_in

_USER: Final = "user_id"
IDS: Final = frozenset(("id", "userId", "user_id"))  # attributes that are the user id here
_LOOSE: Final = "it compares versions, and versions without three numbers are ordered differently here"
_DEEPEST: Final = 20
_MOST_SIZE: Final = 100  # Elements of a list, in comparisons of their number.

_NUMBERS: Final[dict[str, Operator]] = {
    "$gt": "greater",
    "$gte": "greater_or_equal",
    "$lt": "less",
    "$lte": "less_or_equal",
}
_HOLDS: Final[dict[str, Callable[[float, float], bool]]] = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}
_VERSIONS: Final[dict[str, Operator]] = {
    "$veq": "version_equals",
    "$vgt": "version_greater",
    "$vgte": "version_greater_or_equal",
    "$vlt": "version_less",
    "$vlte": "version_less_or_equal",
}


class _UnsupportedCondition(Exception):
    """Raised for a condition that cannot be expressed here; its text names it."""


def attribute_of(name: str) -> str:
    """The name of an attribute in this box."""
    return _USER if name in IDS else name


def condition(
    given: Mapping[str, Any], groups: Mapping[str, Any], notes: ImportNotes, of: str
) -> TargetingCondition | None:
    """The condition of a rule; None if it cannot be expressed, which is noted."""
    try:
        reading = _ConditionReader(groups)
        found = reading.whole(given, 0)
        if reading.compares_versions:
            notes.lose(f"{of}: {_LOOSE}")
        return found
    except _UnsupportedCondition as strange:
        notes.lose(_("{of}: {strange} is not supported").format(of=of, strange=strange))
        return None


class _ConditionReader:
    def __init__(self, groups: Mapping[str, Any]) -> None:
        self._groups = groups
        self.compares_versions = False
        self._parts = 0  # that were read, those of a saved group each time that it is named

    def whole(self, given: Mapping[str, Any], depth: int) -> TargetingCondition:
        self._parts += 1
        if depth > _DEEPEST:
            raise _UnsupportedCondition("a condition as deep as that")
        if self._parts > MOST_PARTS:
            raise _UnsupportedCondition("a condition as large as that")
        keep_going()
        return all_of([self._entry(str(name), asked, depth + 1) for name, asked in given.items()])

    def _entry(self, name: str, asked: Any, depth: int) -> TargetingCondition:
        inside = [self.whole(mapping(one), depth) for one in list_or_empty(asked)] if name in _JOINED else []
        if name in _JOINED:
            return _EMPTY[name] if not inside else _JOINED[name](inside)
        if name == "$not":
            return none_of([self.whole(mapping(asked), depth)])
        if name == "$savedGroup":
            return self._saved(mapping(asked), depth)
        if name.startswith("$"):
            raise _UnsupportedCondition(name)
        if not all(name.split(".")):
            raise _UnsupportedCondition(f"the nested attribute {name}")
        return self._value(attribute_of(name), asked, depth)

    def _value(self, attribute: str, asked: Any, depth: int) -> TargetingCondition:
        if asked is None:
            return none_of([exists(attribute)])
        if isinstance(asked, dict) and asked and all(str(name).startswith("$") for name in asked):
            if asked.get("$exists") is not True:
                _check_missing(attribute, asked)
            return all_of([self._operator(attribute, str(name), one, depth) for name, one in asked.items()])
        if not is_scalar(asked):
            raise _UnsupportedCondition(f"comparing {attribute} with a list or an object")
        if asked == "null" or (asked == 0 and asked is not False):
            raise _UnsupportedCondition(f"comparing {attribute} with {asked}, as which some SDKs read a missing value,")
        return _equal(attribute, asked)

    def _operator(self, attribute: str, name: str, asked: Any, depth: int) -> TargetingCondition:
        if depth > _DEEPEST:
            raise _UnsupportedCondition("a condition as deep as that")
        self.compares_versions |= name in _VERSIONS or name == "$vne"
        if name == "$not":
            return none_of([self._value(attribute, asked, depth + 1)])
        if name in {"$inGroup", "$notInGroup"}:
            found = self._group(attribute, str(asked))
            return found if name == "$inGroup" else none_of([found])
        if name in {"$all", "$elemMatch", "$size"}:
            compared = self._of_list(attribute, name, asked)
        else:
            compared = _comparison(attribute, name, asked)
        if compared is None:
            raise _UnsupportedCondition(f"{name} of {attribute}")
        return compared

    def _of_list(self, attribute: str, name: str, asked: Any) -> TargetingCondition | None:
        """The condition for an operator of lists; None if it cannot be expressed.

        Several operators of `$elemMatch` are about one element; here each would be about any element.
        """
        is_list = of_type(attribute, "list")
        if name == "$size":
            return _sizes(attribute, asked)
        if name == "$all":
            wanted = list_or_empty(asked)
            if not isinstance(asked, list) or len(scalars(wanted)) != len(wanted):
                return None
            return all_of((is_list, *(leaf(attribute, "equals", one) for one in wanted)))
        if not isinstance(asked, dict) or len(asked) != 1:
            return None
        ((operator, one),) = asked.items()
        if operator == "$eq" and is_scalar(one):
            return all_of((is_list, leaf(attribute, "equals", one)))
        if operator == "$in" and len(scalars(one)) == len(list_or_empty(one)):
            return all_of((is_list, one_of(attribute, scalars(one))))
        if operator in _NUMBERS and number(one) == one:
            return all_of((is_list, each_of(attribute, _NUMBERS[operator], [one], only="number")))
        return None

    def _group(self, attribute: str, name: str) -> TargetingCondition:
        given = self._groups.get(name)
        values = given.get("values") if isinstance(given, dict) else given
        if not isinstance(values, list) or len(scalars(values)) != len(values):
            raise _UnsupportedCondition(f"the saved group {name}, whose values the file does not have,")
        return _one_of(attribute, scalars(values))

    def _saved(self, given: Mapping[str, Any], depth: int) -> TargetingCondition:
        name = str(given.get("id", ""))
        group = mapping(self._groups.get(name))
        attribute = given.get("attributeKey", group.get("attributeKey"))
        if group.get("type") == "list" and isinstance(attribute, str):
            return self._group(attribute_of(attribute), name)
        if group.get("type") == "condition" and isinstance(group.get("condition"), dict):
            return self.whole(group["condition"], depth)
        raise _UnsupportedCondition(f"the saved group {name}")


def _comparison(attribute: str, name: str, asked: Any) -> TargetingCondition | None:
    """The condition for one operator; None for an unknown one."""
    if name in _PLAIN and is_scalar(asked):
        return _PLAIN[name](attribute, asked)
    if name in {"$eq", "$ne"} and asked is None:
        return exists(attribute) if name == "$ne" else none_of([exists(attribute)])
    if name in {"$in", "$nin"} and len(scalars(asked)) == len(list_or_empty(asked)):
        found = _one_of(attribute, scalars(asked))
        return found if name == "$in" else none_of([found])
    if name in {"$ini", "$nini"} and all(isinstance(one, str) for one in list_or_empty(asked)):
        alike = insensitive(attribute, list_or_empty(asked))
        return none_of([alike]) if alike is not None and name == "$nini" else alike
    if name in _NUMBERS and number(asked) == asked:
        _check_id(attribute, (asked,))
        return all_of((of_type(attribute, "number"), leaf(attribute, _NUMBERS[name], asked)))
    if name in _PATTERNS and isinstance(asked, str):
        matched = pattern(attribute, [asked], _PATTERNS[name])
        if matched is None:
            raise _UnsupportedCondition(f"the regular expression {asked[:100]}")
        return all_of((of_type(attribute, "text"), matched))
    return _version(attribute, name, asked) if isinstance(asked, str) else None


def _sizes(attribute: str, asked: Any) -> TargetingCondition | None:
    """The condition that a list has this number of elements, or one that a comparison allows."""
    if isinstance(asked, int) and not isinstance(asked, bool) and asked >= 0:
        return leaf(attribute, "size", asked)
    if not isinstance(asked, dict) or len(asked) != 1:
        return None
    ((operator, limit),) = asked.items()
    if operator not in _HOLDS or number(limit) != limit or not 0 <= limit <= _MOST_SIZE:
        return None
    below = operator in {"$lt", "$lte"}
    sizes = [size for size in range(_MOST_SIZE + 2) if _HOLDS[operator](size, limit) == below]
    found = each_of(attribute, "size", sizes)
    return found if below else all_of((of_type(attribute, "list"), none_of([found])))


def _version(attribute: str, name: str, wanted: str) -> TargetingCondition | None:
    if name == "$vne":
        return none_of([leaf(attribute, "version_equals", wanted)])
    return leaf(attribute, _VERSIONS[name], wanted) if name in _VERSIONS else None


def _check_missing(attribute: str, asked: Mapping[str, Any]) -> None:
    """Raise _Strange if users without the attribute meet operators in JavaScript alone: as 0, or as the text null."""
    for name, one in asked.items():
        wanted = number(one) if name in _HOLDS else None
        is_met = wanted is not None and _HOLDS[name](0, wanted)
        if name in _PATTERNS and isinstance(one, str) and (flagged := pattern(attribute, [one], _PATTERNS[name])):
            is_met = found_in(str(flagged.value), "null")
        if is_met:
            raise _UnsupportedCondition(f"{name} of {attribute}, which users without it meet by some SDKs only,")


def _check_id(attribute: str, values: Sequence[Scalar]) -> None:
    """Raise _Strange if the user id, which is a text here, is compared with something else."""
    if attribute == _USER and any(not isinstance(one, str) for one in values):
        raise _UnsupportedCondition("comparing the user id with a number")


def _equal(attribute: str, value: Scalar) -> TargetingCondition:
    """Whether the attribute itself is this, and not an element of a list."""
    _check_id(attribute, (value,))
    return all_of((none_of([of_type(attribute, "list")]), leaf(attribute, "equals", value)))


def _one_of(attribute: str, values: Sequence[Scalar]) -> TargetingCondition:
    _check_id(attribute, values)
    return one_of(attribute, values)


_JOINED: Final[dict[str, Callable[[list[TargetingCondition]], TargetingCondition]]] = {
    "$and": all_of,
    "$or": any_of,
    "$nor": none_of,
}
# The results of lists without conditions.
_EMPTY: Final = {"$and": EVERYBODY, "$or": EVERYBODY, "$nor": NO_USER}
# GrowthBook's JavaScript SDK does not know $notRegex and $notRegexi, so their flags wait.
_PATTERNS: Final = {"$regex": "", "$regexi": "(?i)"}
_PLAIN: Final[dict[str, Callable[[str, Any], TargetingCondition]]] = {
    "$eq": _equal,
    "$ne": lambda attribute, asked: none_of([_equal(attribute, asked)]),
    "$exists": lambda attribute, asked: exists(attribute) if asked else none_of([exists(attribute)]),
}
