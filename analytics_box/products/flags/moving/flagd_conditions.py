"""Conditions in JsonLogic, as flagd has them. Pure."""

from collections.abc import Callable, Mapping, Sequence
from operator import ge, gt, le, lt
from typing import Any, Final

import msgspec

from analytics_box.base.file_queue import keep_going
from analytics_box.products.flags.evaluation.asking import text_of
from analytics_box.products.flags.evaluation.matching import number_of
from analytics_box.products.flags.flag import Operator, Scalar, TargetingCondition
from analytics_box.products.flags.moving.conditions import (
    EVERYBODY,
    LOOSE_VERSION,
    MOST_PARTS,
    NO_USER,
    all_of,
    any_of,
    exists,
    has_huge_number,
    is_version,
    leaf,
    none_of,
    of_type,
    one_of,
    without_text,
)
from analytics_box.products.flags.moving.wanted import is_scalar, scalars

_ATTRIBUTES: Final = {"targetingKey": "user_id"}
_DEEPEST: Final = 30

_NUMBERS: Final[dict[str, Operator]] = {
    "<": "less",
    "<=": "less_or_equal",
    ">": "greater",
    ">=": "greater_or_equal",
}
_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_HOLDS: Final[dict[str, Callable[[float, float], bool]]] = {"<": lt, "<=": le, ">": gt, ">=": ge}
_TEXTS: Final[dict[str, Operator]] = {"starts_with": "starts_with", "ends_with": "ends_with"}
_VERSIONS: Final[dict[str, Operator]] = {
    "=": "version_equals",
    "<": "version_less",
    "<=": "version_less_or_equal",
    ">": "version_greater",
    ">=": "version_greater_or_equal",
}


def excerpt(given: Any) -> str:
    """The beginning of a part of a file."""
    return msgspec.json.encode(given).decode()[:100]


class UnsupportedExpression(Exception):
    """Raised for an expression that cannot be expressed here; its text names it."""


class Evaluators:
    """The named expressions of a file, while one flag is read. A named expression is read at each use, so the total
    number of parts is bounded.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given
        self._parts = 0

    def find(self, name: Any) -> Any:
        """The expression of this name. Raises UnsupportedExpression."""
        if not isinstance(name, str) or name not in self._given:
            raise UnsupportedExpression(f"the evaluator {name} is not in the file")
        return self._given[name]

    def begin_part(self) -> None:
        """Count one more part of an expression. Raises UnsupportedExpression after too many."""
        keep_going()
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise UnsupportedExpression("it is too large")


def attribute_of(given: Any) -> str | None:
    """The attribute that is looked at; None for anything but a plain one."""
    if not isinstance(given, dict) or set(given) != {"var"}:
        return None
    name = given["var"]
    name = name[0] if isinstance(name, list) and len(name) == 1 else name
    if not isinstance(name, str) or not all(name.split(".")) or name.startswith("$flagd"):
        return None
    return _ATTRIBUTES.get(name, name)


def condition(given: Any, evaluators: Evaluators, depth: int = 0) -> TargetingCondition:
    """The condition that an expression means. Raises UnsupportedExpression."""
    evaluators.begin_part()
    if depth > _DEEPEST:
        raise UnsupportedExpression("it is nested too deeply")
    if isinstance(given, bool):
        return EVERYBODY if given else NO_USER
    if not isinstance(given, dict) or len(given) != 1:
        raise UnsupportedExpression(f"{excerpt(given)} is not a condition")
    if (of_one_type := _tested_type(given)) is not None:
        return of_one_type
    (operation, arguments), *_ = given.items()
    if operation == "$ref":
        return condition(evaluators.find(arguments), evaluators, depth + 1)
    listed = arguments if isinstance(arguments, list) else [arguments]
    if operation in _JOINED and listed:
        return _JOINED[operation]([condition(one, evaluators, depth + 1) for one in listed])
    if operation in {"!", "!!"} and len(listed) == 1:
        found = _truth(listed[0], evaluators, depth)
        return none_of([found]) if operation == "!" else found
    if operation == "var":
        return _truth(given, evaluators, depth)
    found_or_none = _comparison(operation, listed)
    if found_or_none is None:
        raise UnsupportedExpression(f"{excerpt(given)} is not supported")
    return found_or_none


def _truth(given: Any, evaluators: Evaluators, depth: int) -> TargetingCondition:
    """Whether a value is there and says something; of an operation, whether it is true."""
    attribute = attribute_of(given)
    if attribute is None:
        return condition(given, evaluators, depth + 1)
    return truthy(attribute)


def _comparison(operation: str, arguments: Sequence[Any]) -> TargetingCondition | None:
    if operation in _EQUAL and len(arguments) == 2:
        found = _equal(*arguments, strict=len(operation) == 3)
        return none_of([found]) if found is not None and operation.startswith("!") else found
    if operation in _NUMBERS:
        return _ordering(operation, arguments)
    if operation == "in" and len(arguments) == 2:
        return _in(*arguments)
    if not arguments or (attribute := attribute_of(arguments[0])) is None:
        return None
    if operation in _TEXTS and len(arguments) == 2 and isinstance(arguments[1], str):
        return all_of((of_type(attribute, "text"), leaf(attribute, _TEXTS[operation], arguments[1])))
    if operation == "sem_ver" and len(arguments) == 3 and isinstance(arguments[2], str):
        return _version(attribute, str(arguments[1]), arguments[2])
    return None


def _equal(one: Any, other: Any, *, strict: bool) -> TargetingCondition | None:
    attribute, value = (attribute_of(one), other) if attribute_of(one) is not None else (attribute_of(other), one)
    if attribute is None or not (value is None or is_scalar(value)):
        return None
    if value is None:  # engines differ in whether 0 and false equal it, loosely
        return none_of([exists(attribute)]) if strict else None
    if strict:
        return all_of((none_of([of_type(attribute, "list")]), leaf(attribute, "equals", value)))
    # JsonLogic compares loosely: the text "5" is the number 5. What a missing value equals differs by engine.
    if value in (False, 0, ""):
        return None
    wanted = number_of(value) if value is not True else 1
    if wanted is None:
        return all_of((comparable(attribute), leaf(attribute, "equals", value)))
    leaves = leaf(attribute, "greater_or_equal", wanted), leaf(attribute, "less_or_equal", wanted)
    truth = [leaf(attribute, "equals", wanted == 1)] if wanted in (0, 1) else []
    if isinstance(value, str):  # two texts are compared as such, and so is the element of a list
        alike = one_of(attribute, (value, wanted) if text_of(wanted) == value else (value,))
        numbers = all_of((of_type(attribute, "number"), *leaves))
        truths = (all_of((of_type(attribute, "boolean"), one)) for one in truth)
        return any_of((all_of((comparable(attribute), alike)), numbers, *truths))
    return any_of(all_of((comparable(attribute), *one)) for one in (leaves, *([one] for one in truth)))


def _ordering(operation: str, arguments: Sequence[Any]) -> TargetingCondition | None:
    """A comparison, or two around the same value."""
    if len(arguments) == 3:
        first, second = _ordering(operation, arguments[:2]), _ordering(operation, arguments[1:])
        return all_of((first, second)) if first is not None and second is not None else None
    if len(arguments) != 2:
        return None
    one, other = arguments
    attribute, value = attribute_of(one), other
    if attribute is None:
        attribute, value, operation = attribute_of(other), one, _TURNED[operation]
    if attribute is None or not isinstance(value, int | float) or isinstance(value, bool):
        return None
    found = all_of((comparable(attribute), leaf(attribute, _NUMBERS[operation], value)))
    # In JsonLogic a missing value, an empty list and false are 0 there, and true is 1.
    missing, loose = none_of([exists(attribute)]), comparable(attribute)
    off, on = (all_of((loose, leaf(attribute, "equals", truth))) for truth in (False, True))
    as_numbers = ((missing, 0), (of_type(attribute, "empty_list"), 0), (off, 0), (on, 1))
    return any_of((found, *(node for node, number in as_numbers if _HOLDS[operation](number, value))))


def type_test(var: Any, name: str) -> Any:
    """The expression that tests the type of a value: a conversion to text or number leaves it unchanged."""
    match name:
        case "text":
            return {"===": [{"cat": [var]}, var]}
        case "empty_text":  # Missing values and empty lists also have an empty text.
            return {"===": [{"cat": [var]}, ""]}
        case "number":
            return {"===": [{"+": [var]}, var]}
        case "empty_list":  # the one value that is false and none of the others that are
            return {"and": [{"!": [var]}, {"!==": [var, None]}, {"!": {"in": [var, [False, 0, ""]]}}]}
    return {"or": [{"===": [var, True]}, {"===": [var, False]}]}


def _tested_type(given: Mapping[str, Any]) -> TargetingCondition | None:
    """The type that an expression of an export tests."""
    var: Any = given
    while isinstance(var, dict) and "var" not in var and len(var) == 1:
        (var,) = var.values()
        var = var[0] if isinstance(var, list) and var else var
    attribute = attribute_of(var)
    if attribute is None:
        return None
    if given == type_test(var, "empty_text"):
        return any_of((none_of([exists(attribute)]), without_text(attribute)))
    names = ("text", "number", "boolean", "empty_list")
    return next((of_type(attribute, name) for name in names if given == type_test(var, name)), None)


def truthy(attribute: str) -> TargetingCondition:
    """Whether JsonLogic takes an attribute for true: any list with an element is."""
    false = all_of((none_of([of_type(attribute, "list")]), one_of(attribute, (False, 0, ""))))
    return all_of((exists(attribute), none_of([of_type(attribute, "empty_list"), false])))


def comparable(attribute: str) -> TargetingCondition:
    """Whether JsonLogic compares an attribute as a text or a number: a list only as its one element."""
    return of_type(attribute, "text", "number", "boolean", "one_element")


def inside(attribute: str, text: str) -> TargetingCondition:
    """Whether a text is inside an attribute, or one of its elements."""
    contained = all_of((of_type(attribute, "text"), leaf(attribute, "contains", text)))
    return any_of((contained, all_of((of_type(attribute, "list"), leaf(attribute, "equals", text)))))


def _in(one: Any, other: Any) -> TargetingCondition | None:
    """The condition that an attribute is one of a list, or that a text is inside an attribute, which may be a list."""
    attribute, within = attribute_of(one), attribute_of(other)
    if attribute is not None and isinstance(other, list) and len(scalars(other)) == len(other):
        return all_of((none_of([of_type(attribute, "list")]), one_of(attribute, scalars(other))))
    if within is not None and isinstance(one, str) and one:
        return inside(within, one)
    return None


def readable(attribute: str) -> TargetingCondition:
    """Whether flagd reads an attribute as a version: a text or a number with one to three numbers."""
    return all_of((of_type(attribute, "text", "number"), leaf(attribute, "matches", f"^[vV]?{LOOSE_VERSION}$")))


def _version(attribute: str, operation: str, wanted: str) -> TargetingCondition | None:
    if not is_version(wanted, f"[vV]?{LOOSE_VERSION}"):
        return NO_USER
    compared = _of_version(attribute, operation, wanted)
    if compared is None or has_huge_number(wanted):
        return None
    return any_of(all_of((readable(attribute), one)) for one in compared.any or (compared,))


def _of_version(attribute: str, operation: str, wanted: str) -> TargetingCondition | None:
    if operation in _VERSIONS:
        return leaf(attribute, _VERSIONS[operation], wanted)
    if operation == "!=":  # what is no version is not unequal to one either
        return any_of((leaf(attribute, "version_less", wanted), leaf(attribute, "version_greater", wanted)))
    numbers = wanted.lstrip("vV").split("-")[0].split("+")[0].split(".")
    if operation in {"^", "~"} and all(one.isdecimal() for one in numbers):
        kept = numbers[:1] if operation == "^" else (*numbers[:2], *["0"] * (2 - len(numbers)))[:2]
        after = (*kept[:-1], str(int(kept[-1]) + 1))
        return all_of(
            (
                leaf(attribute, "version_greater_or_equal", f"{_pad_version(kept)}-0"),
                leaf(attribute, "version_less", f"{_pad_version(after)}-0"),
            )
        )
    return None


def _pad_version(numbers: Sequence[Scalar]) -> str:
    return ".".join(map(str, (*numbers, *["0"] * (3 - len(numbers)))))


_JOINED: Final[dict[str, Callable[[list[TargetingCondition]], TargetingCondition]]] = {"and": all_of, "or": any_of}
_EQUAL: Final = frozenset(("==", "===", "!=", "!=="))
