"""The conditions of Gatus, such as `[STATUS] == 200`, as assertions. Pure."""

import math
import re
from typing import Any, Final

from analytics_box.products.monitors.monitor import Kind
from analytics_box.products.monitors.moving.kuma import pointer_of
from analytics_box.products.monitors.moving.wanted import MonitorImportNotes

_OPERATOR = re.compile(r"==|!=|<=|>=|<|>")
_HAS = re.compile(r"has\(\[BODY\](?P<path>.*)\)\Z")
_ANY = re.compile(r"any\((?P<values>.*)\)\Z")
_PATTERN = re.compile(r"pat\((?P<glob>.*)\)\Z", re.DOTALL)
_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|us|µs|ns|s|m|h|d)")
_DURATION = re.compile(rf"(?:{_PART.pattern})+")
_LONGEST: Final = 1_000  # characters of a condition
_LONGEST_DURATION: Final = 32
_SHOWN: Final = 100  # characters of a condition that nothing here can ask for
_UNITS: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}
_EQUALITY: Final = {"==": "equals", "!=": "not_equals"}
_SINGLE: Final = frozenset("*")

Assertion = dict[str, str]


def assertion(kind: Kind, condition: str, notes: MonitorImportNotes) -> Assertion | None:
    """The assertion for a condition; None if a check asserts it anyway, or if there is no counterpart,
    which is noted."""
    text = condition.strip() if len(condition) <= _LONGEST else ""
    found = _OPERATOR.search(text)
    left = text[: found.start()].rstrip() if found is not None else ""
    if found is None or not left:
        _lose(condition, notes)
        return None
    operator, right = found[0], text[found.end() :].lstrip()
    if (left, operator, right) in {("[CONNECTED]", "==", "true"), ("[DNS_RCODE]", "==", "NOERROR")}:
        return None  # or it would have failed
    made = _to_assertion(kind, left, operator, right)
    if made is None:
        _lose(condition, notes)
    return made


def seconds_of(text: Any) -> float | None:
    """A duration as Go writes it, such as 1h30m or 500ms; None for what is none."""
    given = text.strip() if isinstance(text, str) else ""
    if len(given) > _LONGEST_DURATION or not _DURATION.fullmatch(given):
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(given))


def _lose(condition: str, notes: MonitorImportNotes) -> None:
    shown = condition if len(condition) <= _SHOWN else f"{condition[:_SHOWN]}…"
    notes.lost(f"The condition {shown}", decides=True)


def _to_assertion(kind: Kind, left: str, operator: str, right: str) -> Assertion | None:
    if left == "[STATUS]" and kind == "http":
        return _status(operator, right)
    if left == "[RESPONSE_TIME]":
        return _number("response_time", operator, right)
    if left == "[CERTIFICATE_EXPIRATION]" and kind in {"http", "tls"}:
        seconds = seconds_of(right)
        days = None if seconds is None else f"{seconds / _UNITS['d']:g}"
        return _number("certificate_days", operator, days) if days is not None else None
    if (asked := _HAS.match(left)) is not None and kind == "http":
        pointer = pointer_of(asked["path"])
        exists = (operator == "==") == (right == "true")
        if pointer is None or operator not in _EQUALITY or right not in {"true", "false"}:
            return None
        return {"subject": "json", "comparison": "exists" if exists else "not_exists", "property": pointer}
    if left.startswith("[BODY]"):
        return _body(kind, left.removeprefix("[BODY]"), operator, right)
    return None


def _status(operator: str, right: str) -> Assertion | None:
    several = _ANY.match(right)
    if several is not None and operator == "==":
        values = ",".join(one.strip() for one in several["values"].split(","))
        return {"subject": "status", "comparison": "in", "value": values}
    if operator in _EQUALITY:
        return {"subject": "status", "comparison": _EQUALITY[operator], "value": right} if right.isdecimal() else None
    return _number("status", operator, right)


def _number(subject: str, operator: str, right: str | None) -> Assertion | None:
    """A comparison with a number; of whole ones at most 299 is less than 300."""
    try:
        value = float(right or "")
    except ValueError:
        return None
    if not math.isfinite(value):
        return None
    if operator in {"<=", ">="}:
        value = math.floor(value) + 1 if operator == "<=" else math.ceil(value) - 1
    elif operator not in {"<", ">"}:
        return None
    return {
        "subject": subject,
        "comparison": "less_than" if operator[0] == "<" else "greater_than",
        "value": f"{value:g}",
    }


def _body(kind: Kind, path: str, operator: str, right: str) -> Assertion | None:
    subject = {"http": "body", "dns": "record", "tcp": "banner"}.get(kind)
    if subject is None or (path and kind != "http"):
        return None
    made: Assertion = {"subject": subject}
    if path:
        pointer = pointer_of(path)
        if pointer is None:
            return None
        made = {"subject": "json", "property": pointer}
    if operator in {"<", ">"} and path:
        return made | {"comparison": "less_than" if operator == "<" else "greater_than", "value": right}
    if operator not in _EQUALITY:
        return None
    glob = _PATTERN.match(right)
    if glob is not None:
        return _like(made, operator, glob["glob"])
    if _ANY.match(right):
        return None
    return made | {"comparison": _EQUALITY[operator], "value": right.strip("'\"")}


def _like(made: Assertion, operator: str, glob: str) -> Assertion | None:
    """A glob with * as a substring, or as a pattern."""
    inner = glob.strip("*")
    if glob.startswith("*") and glob.endswith("*") and not {*inner} & _SINGLE and inner:
        return made | {"comparison": "contains" if operator == "==" else "not_contains", "value": inner}
    if operator != "==" or not inner:
        return None
    pattern = "".join(".*" if letter == "*" else re.escape(letter) for letter in glob)
    return made | {"comparison": "matches", "value": f"(?s)^{pattern}$"}
