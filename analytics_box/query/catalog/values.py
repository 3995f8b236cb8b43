"""The fields of an answer, computed from measures. Rates come from the integers of the same row, and are rounded only
here (semantics 22).
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import Struct

from analytics_box.query.plan import PARTS_OF_ONE, DerivedKey, Key

Measured = Mapping[str, Any]
Value = Callable[[Measured], Any]

UNKNOWN = "Unknown"  # how answers call what is empty
WHOLE = "whole"  # the sum of a measure over all rows of an answer
_DEVICE = DerivedKey("device", ("device",))


class SortableValue(Struct, frozen=True):
    """A field's value function, and the key that engines sort by, so that rows are in the order of the shown values.

    Numbers are sorted before they are rounded, so equal shown numbers can be in a finer order.
    """

    value: Value
    key: Key


def text_or_unknown(name: str) -> SortableValue:
    """A text, or Unknown where it is empty."""
    return SortableValue(lambda row: row[name] or UNKNOWN, name)


def field(name: str) -> SortableValue:
    """A measure or dimension as it is."""
    return SortableValue(lambda row: row[name], name)


def quotient(part: float, whole: int = 1, digits: int = 2) -> float:
    """Part ÷ whole, rounded half up and only once: every number of an answer is rounded here (semantics 22)."""
    above, below = part.as_integer_ratio()
    below *= whole
    scale: int = 10**digits
    return (2 * above * scale + below) // (2 * below) / scale


def percent_of(part: int, whole: int) -> float:
    """The part in percent of the whole; 0 if the whole is 0."""
    return quotient(100 * part, whole) if whole else 0.0


def round_quotient(part: float | None, whole: int = 1, digits: int = 2) -> float | None:
    """The rounded quotient, or None if nothing was measured."""
    return None if part is None else quotient(part, whole, digits)


def number(name: str, of_one: int = 1) -> SortableValue:
    """A number, measured in this many parts of one, rounded; None if nothing was measured."""
    return SortableValue(lambda row: round_quotient(row[name], of_one), name)


def measurement(name: str, digits: int = 2) -> SortableValue:
    """A mean or percentile of measurements; None if nothing was measured."""
    return SortableValue(lambda row: round_quotient(row[name], PARTS_OF_ONE, digits), name)


def ratio(part: str, whole: str, scale: int = 100) -> SortableValue:
    """The part as a ratio of the whole: percent, or with scale 1 a mean; 0 if the whole is 0."""
    return SortableValue(
        lambda row: quotient(scale * row[part], row[whole]) if row[whole] else 0.0, DerivedKey("ratio", (part, whole))
    )


def device_of(row: Measured) -> str:
    """A kind of device; an unknown one is a desktop (wire 1.5)."""
    return row["device"] or "desktop"


def device() -> SortableValue:
    """A kind of device."""
    return SortableValue(device_of, _DEVICE)


def device_name() -> SortableValue:
    """A kind of device as people write it."""
    return SortableValue(lambda row: device_of(row).capitalize(), _DEVICE)


def versioned_name(name: str, version: str) -> str:
    """A browser or system with its version."""
    return f"{name or UNKNOWN} {version}".rstrip()


def name_with_version(name: str, version: str) -> SortableValue:
    """A browser or system with its version."""
    return SortableValue(lambda row: versioned_name(row[name], row[version]), DerivedKey("version", (name, version)))


def text_of_code(name: str, texts: Mapping[int, str]) -> SortableValue:
    """The text that a number stands for."""
    return SortableValue(lambda row: texts[row[name]], DerivedKey("coded", (name,), lambda: texts))


def mean(total: str, measured: str, scale: int = 1, below: int = 1) -> SortableValue:
    """The mean of `total` per `measured`, multiplied by scale ÷ below; None if nothing was measured."""
    return SortableValue(
        lambda row: quotient(scale * row[total], below * row[measured]) if row[measured] else None,
        DerivedKey("mean", (total, measured)),
    )


def difference(whole: str, part: str) -> Value:
    """The rest of a whole without a part."""
    return lambda row: row[whole] - row[part]


def share(of: str) -> SortableValue:
    """The percentage of a measure among all rows of the answer, which are in the order of the measure."""
    return SortableValue(ratio(of, WHOLE).value, of)


def seconds(name: str) -> SortableValue:
    """Milliseconds as seconds."""
    return SortableValue(lambda row: quotient(row[name] or 0, 1000), name)


def instant(name: str) -> SortableValue:
    """UTC ms as text, with milliseconds (wire 1.0)."""
    return SortableValue(lambda row: instant_text(row[name]), name)


def hexadecimal(name: str) -> SortableValue:
    """A visitor's or session's number as people see it; empty for none."""
    return SortableValue(lambda row: id_text(row[name]), DerivedKey("id", (name,)))


def session_id() -> SortableValue:
    """A session's id: as its client sent it, else its number."""
    return SortableValue(
        lambda row: row["client_session"] or id_text(row["session"]),
        DerivedKey("session", ("client_session", "session")),
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
    """Properties as they were sent; None if there were none."""
    return msgspec.json.decode(text) if text else None


def json_value(name: str) -> Value:
    """JSON text as what it says."""
    return lambda row: properties_of(row[name])


def cut(name: str, length: int) -> SortableValue:
    """The beginning of a text."""
    return SortableValue(lambda row: row[name][:length], name)
