"""Validation of assertions for a kind of monitor. Pure."""

import re
from typing import Final

from analytics_box.base.errors import BadRequest
from analytics_box.products.monitors.monitor import Assertion, Comparison, Kind, Subject
from analytics_box.query.patterns import NotAPattern, compile_pattern

SUBJECTS: Final[dict[Kind, tuple[Subject, ...]]] = {
    "http": ("status", "body", "json", "header", "certificate_days", "response_time"),
    "tcp": ("banner", "response_time"),
    "dns": ("record", "response_time"),
    "tls": ("certificate_days", "response_time"),
    "ping": ("response_time",),
    "push": (),
}
_NUMBERS: Final[tuple[Comparison, ...]] = ("equals", "not_equals", "less_than", "greater_than")
_TEXTS: Final[tuple[Comparison, ...]] = ("equals", "not_equals", "contains", "not_contains", "matches")
COMPARISONS: Final[dict[Subject, tuple[Comparison, ...]]] = {
    "status": (*_NUMBERS, "in"),
    "response_time": ("less_than", "greater_than"),
    "certificate_days": ("less_than", "greater_than"),
    "body": _TEXTS,
    "json": (*_TEXTS, "less_than", "greater_than", "exists", "not_exists"),
    "header": (*_TEXTS, "exists", "not_exists"),
    "record": (*_TEXTS, "exists", "not_exists"),
    "banner": _TEXTS,
}
_OF_NUMBERS: Final = frozenset(("status", "response_time", "certificate_days"))
_STATUSES = re.compile(r"\s*[1-9][0-9]{2}(\s*-\s*[1-9][0-9]{2})?(\s*,\s*[1-9][0-9]{2}(\s*-\s*[1-9][0-9]{2})?)*\s*\Z")


def check_assertion(kind: Kind, given: Assertion, where: str) -> None:
    """Raises BadRequest for one that no answer of this kind could be asked about."""
    if given.subject not in SUBJECTS[kind]:
        known = ", ".join(SUBJECTS[kind]) or "nothing"
        raise BadRequest.about(f"{where}.subject", f"A check of the kind {kind} can be asked about {known}")
    if given.comparison not in COMPARISONS[given.subject]:
        known = ", ".join(COMPARISONS[given.subject])
        raise BadRequest.about(f"{where}.comparison", f"This can be compared by {known}")
    _check_property(given, where)
    _check_value(given, where)


def _check_property(given: Assertion, where: str) -> None:
    if given.subject == "json":
        if given.property and not given.property.startswith("/"):
            raise BadRequest.about(f"{where}.property", "Write a JSON pointer, like /status or /checks/0/state")
    elif given.subject == "header":
        if not given.property:
            raise BadRequest.about(f"{where}.property", "Name the header")
    elif given.property:
        raise BadRequest.about(f"{where}.property", "Only assertions about json and header have a property")


def _check_value(given: Assertion, where: str) -> None:
    value = given.value.strip()
    if given.comparison in {"exists", "not_exists"}:
        return
    if given.comparison == "in":
        if not _STATUSES.match(value):
            raise BadRequest.about(f"{where}.value", "Write statuses like 200-299,404")
    elif given.comparison in {"less_than", "greater_than"} or given.subject in _OF_NUMBERS:
        if not _is_number(value):
            raise BadRequest.about(f"{where}.value", "Write a number")
    elif given.comparison == "matches":
        try:
            compile_pattern(given.value)
        except NotAPattern as wrong:
            raise BadRequest.about(f"{where}.value", f"This is no regular expression: {wrong}") from wrong
    elif not value and given.comparison in {"contains", "not_contains"}:
        raise BadRequest.about(f"{where}.value", "Write what it should contain")


def _is_number(text: str) -> bool:
    try:
        number = float(text)
    except ValueError:
        return False
    return abs(number) < 1e15  # which NaN is not
