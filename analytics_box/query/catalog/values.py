"""How a field of an answer is made from what was measured. Rates come from the integers of the same row, and are
rounded here only (semantics 22)."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import Struct

from analytics_box.query.plan import PARTS_OF_ONE, Key, Made

Measured = Mapping[str, Any]
Value = Callable[[Measured], Any]

UNKNOWN = "Unknown"  # how answers call what is empty
WHOLE = "whole"  # the sum of a measure over all rows of an answer
_DEVICE = Made("device", ("device",))


class Shown(Struct, frozen=True):
    """How a field is made, and what engines sort by for the rows to stand in the order of what is shown.

    Numbers that are rounded are sorted before they are, so that equal ones may stand in a finer order.
    """

    value: Value
    key: Key


def named(name: str) -> Shown:
    """A text, or Unknown where it is empty."""
    return Shown(lambda row: row[name] or UNKNOWN, name)


def field(name: str) -> Shown:
    """A measure or dimension as it is."""
    return Shown(lambda row: row[name], name)


def quotient(part: float, whole: int = 1, digits: int = 2) -> float:
    """Part ÷ whole, rounded half up and only once: every number of an answer is rounded here (semantics 22)."""
    above, below = part.as_integer_ratio()
    below *= whole
    scale: int = 10**digits
    return (2 * above * scale + below) // (2 * below) / scale


def rounded(part: float | None, whole: int = 1, digits: int = 2) -> float | None:
    """The same, and None where nothing was measured."""
    return None if part is None else quotient(part, whole, digits)


def number(name: str) -> Shown:
    """A number rounded; None where nothing was measured."""
    return Shown(lambda row: rounded(row[name]), name)


def measured(name: str, digits: int = 2) -> Shown:
    """A mean or percentile of measurements; None where nothing was measured."""
    return Shown(lambda row: rounded(row[name], PARTS_OF_ONE, digits), name)


def ratio(part: str, whole: str, scale: int = 100) -> Shown:
    """How much of the whole a part is: percent, or with scale 1 a mean; 0 of nothing."""
    return Shown(
        lambda row: quotient(scale * row[part], row[whole]) if row[whole] else 0.0, Made("ratio", (part, whole))
    )


def device_of(row: Measured) -> str:
    """A kind of device; an unknown one is a desktop (wire 1.5)."""
    return row["device"] or "desktop"


def device() -> Shown:
    """A kind of device."""
    return Shown(device_of, _DEVICE)


def device_name() -> Shown:
    """A kind of device as people write it."""
    return Shown(lambda row: device_of(row).capitalize(), _DEVICE)


def versioned_name(name: str, version: str) -> str:
    """A browser or system with its version."""
    return f"{name or UNKNOWN} {version}".rstrip()


def versioned(name: str, version: str) -> Shown:
    """A browser or system with its version."""
    return Shown(lambda row: versioned_name(row[name], row[version]), Made("version", (name, version)))


def coded(name: str, texts: Mapping[int, str]) -> Shown:
    """The text that a number stands for."""
    return Shown(lambda row: texts[row[name]], Made("coded", (name,), lambda: texts))


def mean(total: str, measured: str, scale: int = 1, below: int = 1) -> Shown:
    """What is measured for each on the average, so many times (scale ÷ below); None where nothing was measured."""
    return Shown(
        lambda row: quotient(scale * row[total], below * row[measured]) if row[measured] else None,
        Made("mean", (total, measured)),
    )


def difference(whole: str, part: str) -> Value:
    """What is left of a whole without a part."""
    return lambda row: row[whole] - row[part]


def share(of: str) -> Shown:
    """The percentage of a measure among all rows of the answer, which are in the order of the measure."""
    return Shown(ratio(of, WHOLE).value, of)


def seconds(name: str) -> Shown:
    """Milliseconds as seconds."""
    return Shown(lambda row: quotient(row[name] or 0, 1000), name)


def instant(name: str) -> Shown:
    """UTC ms as text, with milliseconds (wire 1.0)."""
    return Shown(lambda row: instant_text(row[name]), name)


def hexadecimal(name: str) -> Shown:
    """A visitor's or session's number as people see it; empty for none."""
    return Shown(lambda row: id_text(row[name]), Made("id", (name,)))


def session_id() -> Shown:
    """A session's id: as its client sent it, else its number."""
    return Shown(
        lambda row: row["client_session"] or id_text(row["session"]), Made("session", ("client_session", "session"))
    )


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


def cut(name: str, length: int) -> Shown:
    """The beginning of a text."""
    return Shown(lambda row: row[name][:length], name)
