"""Attributes of users as apps send them, read leniently: one that is invalid does not affect the others. Pure."""

import json
import math
from typing import Any, Final

import msgspec

from analytics_box.products.flags.evaluation.asking import text_of

_LONGEST_INTEGER: Final = 300  # digits; a longer one is read as a float, which may be infinite


def read_json(content: str | bytes) -> Any:
    """Read JSON, including what browsers and Python write and msgspec refuses: halves of surrogate pairs, numbers
    without bounds, and NaN, which is read as null. Raises ValueError.
    """
    try:
        return msgspec.json.decode(content)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    try:
        return json.loads(content, parse_constant=_nothing, parse_int=_integer)
    except RecursionError as deep:
        raise ValueError("The JSON is nested too deeply") from deep


def id_text(value: Any) -> str:
    """An id or an email address as text: numbers as they are written, and empty for values of other kinds."""
    kind = type(value)
    if kind is str:
        return str(value)
    is_number = kind is int or (kind is float and math.isfinite(value))
    return text_of(value) if is_number else ""


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float(digits)


def _nothing(name: str) -> None:
    """Read NaN and infinities as null, because JSON has none."""
