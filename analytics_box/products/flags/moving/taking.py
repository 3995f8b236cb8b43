"""Values of a file that somebody else wrote, whatever they are. Pure."""

from collections.abc import Mapping
from typing import Any

from analytics_box.base.errors import BadRequest
from analytics_box.products.flags.evaluation.matching import number_of
from analytics_box.products.flags.flag import Scalar


def mapping(given: Any) -> Mapping[str, Any]:
    """A mapping; an empty one for what is none."""
    return given if isinstance(given, dict) else {}


def mappings(given: Any) -> list[Mapping[str, Any]]:
    """The mappings of a list; none for what is no list."""
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


def listed(given: Any) -> list[Any]:
    """A list; an empty one for what is none."""
    return given if isinstance(given, list) else []


def text(given: Any) -> str:
    """A value as text; empty for what is none."""
    if isinstance(given, bool) or given is None or isinstance(given, dict | list):
        return ""
    return str(given).strip()


def texts(given: Any) -> list[str]:
    """The values of a list as texts."""
    return [str(one) for one in listed(given) if isinstance(one, str | int | float) and not isinstance(one, bool)]


def scalars(given: Any) -> list[Scalar]:
    """The texts, numbers and truths of a list."""
    return [one for one in listed(given) if is_scalar(one)]


def is_scalar(given: Any) -> bool:
    """Whether a condition can compare with this value."""
    return isinstance(given, str | int | float)


def number(given: Any) -> float | None:
    """A finite number, also one that is written as text; None for what is none."""
    found = number_of(given)
    return float(found) if found is not None and abs(found) < 1e15 else None


def entries(given: Any, name: str) -> list[Mapping[str, Any]]:
    """A list of mappings. Raises BadRequest for what is none."""
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise BadRequest(f"{name} has to be a list of mappings")
    return given
