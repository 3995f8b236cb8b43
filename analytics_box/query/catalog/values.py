"""How a field of an answer is made from what was measured. Rates come from the integers of the same row, and are
rounded here only (semantics 22)."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from analytics_box.query.plan import PARTS_OF_ONE

Measured = Mapping[str, Any]
Value = Callable[[Measured], Any]

UNKNOWN = "Unknown"  # how answers call what is empty
WHOLE = "whole"  # the sum of a measure over all rows of an answer


def named(name: str, empty: str = UNKNOWN) -> Value:
    """A text, or another one where it is empty."""
    return lambda row: row[name] or empty


def field(name: str) -> Value:
    """A measure or dimension as it is."""
    return lambda row: row[name]


def quotient(part: float, whole: int = 1, digits: int = 2) -> float:
    """Part ÷ whole, rounded half up and only once: every number of an answer is rounded here (semantics 22)."""
    above, below = part.as_integer_ratio()
    below *= whole
    scale: int = 10**digits
    return (2 * above * scale + below) // (2 * below) / scale


def number(name: str) -> Value:
    """A number rounded; None where nothing was measured."""
    return lambda row: quotient(row[name]) if row[name] is not None else None


def measured(name: str, digits: int = 2) -> Value:
    """A mean or percentile of measurements; None where nothing was measured."""
    return lambda row: quotient(row[name], PARTS_OF_ONE, digits) if row[name] is not None else None


def ratio(part: str, whole: str, scale: int = 100) -> Value:
    """How much of the whole a part is: percent, or with scale 1 a mean; 0 of nothing."""
    return lambda row: quotient(scale * row[part], row[whole]) if row[whole] else 0.0


def mean(total: str, measured: str, scale: int = 1) -> Value:
    """What is measured for each on the average; None where nothing was measured."""
    return lambda row: quotient(scale * row[total], row[measured]) if row[measured] else None


def difference(whole: str, part: str) -> Value:
    """What is left of a whole without a part."""
    return lambda row: row[whole] - row[part]


def share(of: str) -> Value:
    """The percentage of a measure among all rows of the answer."""
    return ratio(of, WHOLE)


def seconds(name: str) -> Value:
    """Milliseconds as seconds."""
    return lambda row: quotient(row[name] or 0, 1000)


def instant(name: str) -> Value:
    """UTC ms as text, with milliseconds (wire 1.0)."""
    return lambda row: instant_text(row[name])


def hexadecimal(name: str) -> Value:
    """A visitor's or session's number as people see it; empty for none."""
    return lambda row: id_text(row[name])


def session_id(row: Measured) -> str:
    """A session's id: as its client sent it, else its number."""
    return row["client_session"] or id_text(row["session"])


def id_text(number_of: int | None) -> str:
    """A visitor's or session's number as 16 hexadecimal digits; empty for 0."""
    return f"{number_of:016x}" if number_of else ""


def id_number(text: str) -> int | None:
    """The number behind 16 hexadecimal digits; None for any other text."""
    if len(text) != 16:
        return None
    try:
        found = int(text, 16)
    except ValueError:
        return None
    return found if f"{found:016x}" == text and found < 2**63 else None


def instant_text(instant_of: int | None) -> str | None:
    """UTC ms as `YYYY-MM-DD HH:MM:SS.mmm`."""
    if instant_of is None:
        return None
    return datetime.fromtimestamp(instant_of // 1000, UTC).strftime("%Y-%m-%d %H:%M:%S.") + f"{instant_of % 1000:03d}"


def properties_of(text: str | None) -> Any:
    """Properties as they were sent; None where there were none."""
    return msgspec.json.decode(text) if text else None


def decoded(name: str) -> Value:
    """JSON text as what it says."""
    return lambda row: properties_of(row[name])


def cut(name: str, length: int) -> Value:
    """The beginning of a text."""
    return lambda row: row[name][:length]
