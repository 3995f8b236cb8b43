"""Untrusted values of a file, converted without errors. Pure."""

from collections.abc import Mapping
from typing import Any

from analytics_box.base.errors import BadRequest
from analytics_box.products.flags.evaluation.matching import number_of
from analytics_box.products.flags.flag import Scalar


def mapping(given: Any) -> Mapping[str, Any]:
    """A mapping; empty if the value is not a mapping."""
    return given if isinstance(given, dict) else {}


def mappings(given: Any) -> list[Mapping[str, Any]]:
    """The mappings of a list; none if the value is not a list."""
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


def list_or_empty(given: Any) -> list[Any]:
    """A list; empty if the value is not a list."""
    return given if isinstance(given, list) else []


def text(given: Any) -> str:
    """A value as text; empty if it has none."""
    if isinstance(given, bool) or given is None or isinstance(given, dict | list):
        return ""
    return str(given).strip()


def texts(given: Any) -> list[str]:
    """The values of a list as texts."""
    return [
        str(one) for one in list_or_empty(given) if isinstance(one, str | int | float) and not isinstance(one, bool)
    ]


def scalars(given: Any) -> list[Scalar]:
    """The texts, numbers and truths of a list."""
    return [one for one in list_or_empty(given) if is_scalar(one)]


def is_scalar(given: Any) -> bool:
    """Whether a condition can compare with this value."""
    return isinstance(given, str | int | float)


def number(given: Any) -> float | None:
    """A finite number, also if it is written as text; None otherwise."""
    found = number_of(given)
    return float(found) if found is not None and abs(found) < 1e15 else None


def entries(given: Any, name: str) -> list[Mapping[str, Any]]:
    """A list of mappings. Raises BadRequest for other values."""
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise BadRequest(f"{name} must be a list of objects")
    return given
