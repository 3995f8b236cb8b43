"""Evaluation of assertions on an answer, and the verdict of the check. Pure.

A pattern is searched for by RE2, which takes time in proportion to the text whatever the pattern is, and only in the
first characters of a long text.
"""

import math
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Final

from msgspec import Struct

from analytics_box.base.outgoing.masking import masked_text
from analytics_box.products.monitors.monitor import Assertion, Level, Subject
from analytics_box.products.monitors.probing import json_values
from analytics_box.products.monitors.probing.seen import CheckObservations, DnsRecord
from analytics_box.products.monitors.result import AssertionResult, Outcome
from analytics_box.query.patterns import NotAPattern, found_in

SEARCHED: Final = 100_000  # characters in which a pattern is looked for, and that a value of a JSON answer has
MEMBERS: Final = 1_000  # of a list in a JSON answer that are looked at
_LONGEST_MEMBER: Final = 600  # characters
_SHOWN: Final = 200  # characters of what an assertion saw
_LONGEST_LINK: Final = 500  # More characters are looked at, so that URLs are whole.
_LEVELS: Final[tuple[tuple[Level, Outcome], ...]] = (("fail", "fail"), ("warn", "warn"))
_DAY: Final = 86_400_000
_OF_BODY: Final = frozenset({"body", "json"})
_NEGATIVE: Final = frozenset({"not_equals", "not_contains", "not_exists"})  # they hold where there is nothing


class Verdict(Struct, frozen=True):
    """The verdict of a check. `error` describes the first failure, for people."""

    outcome: Outcome
    error: str
    held: tuple[AssertionResult, ...]


class _SubjectValue(Struct, frozen=True):
    """The subject of an assertion: texts, any of which may do; none if it is not there, and `why` then.

    `shown` is what people get to see, unless that is the texts.
    """

    texts: tuple[str, ...]
    why: str = "nothing"
    members: tuple[str, ...] | None = None
    records: tuple[DnsRecord, ...] = ()
    shown: str = ""


def evaluate_assertions(assertions: tuple[Assertion, ...], seen: CheckObservations, now: int) -> Verdict:
    """Every assertion held against what was seen; without one about it a status below 500 passes (wire 8.4)."""
    read = _ParsedBody(seen)
    held = tuple(_evaluate(number, each, seen, read, now) for number, each in enumerate(assertions))
    if by_itself := _wrong_by_itself(assertions, seen):
        return Verdict("fail", by_itself, held)
    for level, outcome in _LEVELS:
        wrong = next((each for each in held if not each.held and assertions[each.number].level == level), None)
        if wrong is not None:
            asked = assertions[wrong.number]
            unreadable = seen.unreadable if asked.subject in _OF_BODY else ""
            return Verdict(outcome, unreadable or _failure_text(asked, wrong), held)
    return Verdict("pass", "", held)


def needs(assertions: tuple[Assertion, ...], *subjects: str) -> bool:
    """Whether an assertion is about one of these."""
    return any(each.subject in subjects for each in assertions)


def _decides(assertions: tuple[Assertion, ...], subject: Subject) -> bool:
    """Whether people said themselves when this fails the check."""
    return any(each.subject == subject and each.level == "fail" for each in assertions)


def _wrong_by_itself(assertions: tuple[Assertion, ...], seen: CheckObservations) -> str:
    if seen.tls_wrong:
        return seen.tls_wrong
    if seen.status is not None and seen.status >= 500 and not _decides(assertions, "status"):
        return f"The server answers {seen.status_name}"
    if seen.records == () and not _decides(assertions, "record"):
        return "The name has no record of this type"
    return ""


def _evaluate(number: int, asked: Assertion, seen: CheckObservations, read: "_ParsedBody", now: int) -> AssertionResult:
    if seen.unreadable and asked.subject in _OF_BODY:
        return AssertionResult(
            number, held=False, seen=seen.unreadable
        )  # including negative ones, because its content is unknown
    found = _SUBJECTS[asked.subject](asked, seen, read, now)
    shown = _short(found.shown or ", ".join(found.texts)) if found.texts else found.why
    try:
        return AssertionResult(number, _holds(asked, found), shown)
    except NotAPattern:
        return AssertionResult(number, held=False, seen="the pattern is not valid")


class _ParsedBody:
    """The body as text and as JSON, each read once and only if an assertion needs it, as is what a path leads to."""

    def __init__(self, seen: CheckObservations) -> None:
        self._seen = seen
        self._document: Any = json_values.MISSING
        self._why = ""
        self._at: dict[str, _SubjectValue] = {}

    @cached_property
    def text(self) -> str | None:
        return self._seen.text()

    def at(self, path: str) -> _SubjectValue:
        """The value at a pointer."""
        found = self._at.get(path)
        if found is None:
            found = self._at[path] = self._found(path)
        return found

    def _found(self, path: str) -> _SubjectValue:
        if self._document is json_values.MISSING and not self._why:
            try:
                self._document = json_values.parse_json(self._seen.body or b"", complete=self._seen.complete)
            except json_values.NotJson as wrong:
                self._why = str(wrong)
        if self._why:
            return _SubjectValue((), self._why)
        value = json_values.at(self._document, path)
        if value is json_values.MISSING:
            return _SubjectValue(())
        members = tuple(map(_member, value[:MEMBERS])) if isinstance(value, list) else None
        return _SubjectValue((json_values.as_text(value)[:SEARCHED],), members=members)


def _member(value: Any) -> str:
    """A member of a list as text, as long as it matters: an assertion is about one of at most 500 characters."""
    return json_values.as_text(value)[:_LONGEST_MEMBER]


def _status(_: Assertion, seen: CheckObservations, __: _ParsedBody, ___: int) -> _SubjectValue:
    return _SubjectValue((str(seen.status),) if seen.status else ())


def _response_time(_: Assertion, seen: CheckObservations, __: _ParsedBody, ___: int) -> _SubjectValue:
    return _SubjectValue((f"{seen.total:.0f}",) if seen.total is not None else ())


def _body(_: Assertion, __: CheckObservations, read: _ParsedBody, ___: int) -> _SubjectValue:
    return _SubjectValue((read.text,) if read.text else ())


def _json(asked: Assertion, _: CheckObservations, read: _ParsedBody, __: int) -> _SubjectValue:
    return read.at(asked.property)


def _header(asked: Assertion, seen: CheckObservations, _: _ParsedBody, __: int) -> _SubjectValue:
    found = seen.header(asked.property)
    return _SubjectValue((found,) if found is not None else ())


def _certificate_days(_: Assertion, seen: CheckObservations, __: _ParsedBody, now: int) -> _SubjectValue:
    if seen.certificate_ends is None:
        return _SubjectValue((), "no certificate")
    days = (seen.certificate_ends - now) / _DAY
    return _SubjectValue((repr(days),), shown=f"{math.floor(days * 100) / 100:g}")


def _record(_: Assertion, seen: CheckObservations, __: _ParsedBody, ___: int) -> _SubjectValue:
    records = seen.records or ()
    return _SubjectValue(tuple(record.meaning for record in records), records=records)


def _banner(_: Assertion, seen: CheckObservations, __: _ParsedBody, ___: int) -> _SubjectValue:
    return _SubjectValue((seen.banner.decode("utf-8", "replace"),) if seen.banner else ())


_SUBJECTS: Final[dict[str, Callable[[Assertion, CheckObservations, _ParsedBody, int], _SubjectValue]]] = {
    "status": _status,
    "response_time": _response_time,
    "body": _body,
    "json": _json,
    "header": _header,
    "certificate_days": _certificate_days,
    "record": _record,
    "banner": _banner,
}


def _holds(asked: Assertion, found: _SubjectValue) -> bool:
    if asked.comparison == "exists":
        return bool(found.texts)
    if not found.texts:
        return asked.comparison in _NEGATIVE
    if asked.comparison == "contains" and found.members is not None:
        return asked.value in found.members
    if asked.comparison == "not_contains" and found.members is not None:
        return asked.value not in found.members
    each = _compared_records(asked, found.records) if found.records else _compared_texts(asked, found.texts)
    return all(each) if asked.comparison in _NEGATIVE else any(each)


def _compared_texts(asked: Assertion, texts: tuple[str, ...]) -> Iterator[bool]:
    return (_COMPARISONS[asked.comparison](text, asked.value) for text in texts)


def _compared_records(asked: Assertion, records: tuple[DnsRecord, ...]) -> Iterator[bool]:
    """Compare records by their meaning; a pattern may be written for a zone file."""
    match asked.comparison:
        case "equals" | "not_equals":
            return (record.equals(asked.value) == (asked.comparison == "equals") for record in records)
        case "contains" | "not_contains":
            return (record.contains(asked.value) == (asked.comparison == "contains") for record in records)
    return _compared_texts(asked, tuple(text for each in records for text in (each.meaning, each.written)))


def _equals(text: str, value: str) -> bool:
    """Whether they are the same but for line breaks at the end, which no form has, and the spelling of a number."""
    if text == value or text.rstrip("\r\n") == value.rstrip("\r\n"):
        return True
    one, other = _number(text), _number(value)
    return one is not None and one == other


def _less(text: str, value: str) -> bool:
    one, other = _number(text), _number(value)
    return one is not None and other is not None and one < other


def _in(text: str, value: str) -> bool:
    """Whether a list such as 200-299,404 has it."""
    return any(_in_part(text, part.strip()) for part in value.split(","))


def _in_part(text: str, part: str) -> bool:
    least, dash, most = part.partition("-")
    if dash and least.strip().isdecimal() and most.strip().isdecimal():
        number = _number(text)
        return number is not None and int(least) <= number <= int(most)
    return _equals(text, part)


_COMPARISONS: Final[dict[str, Callable[[str, str], bool]]] = {
    "equals": _equals,
    "not_equals": lambda text, value: not _equals(text, value),
    "contains": lambda text, value: value in text,
    "not_contains": lambda text, value: value not in text,
    "matches": lambda text, value: found_in(value, text[:SEARCHED]),
    "less_than": _less,
    "greater_than": lambda text, value: _less(value, text),
    "in": _in,
    "not_exists": lambda _, __: False,
}


def _number(text: str) -> float | None:
    try:
        return float(text) if len(text) < 40 else None
    except ValueError:
        return None


_NAMES: Final = {
    "status": "Status",
    "response_time": "Response time",
    "body": "Body",
    "certificate_days": "Certificate validity",
    "record": "Record",
    "banner": "Server greeting",
}
_UNITS: Final = {"response_time": " ms", "certificate_days": " days"}
# Short values are shown next to the expected ones.
_EXPECTED: Final = {
    "equals": "“{}”",
    "not_equals": "anything but “{}”",
    "contains": "a value that contains “{}”",
    "not_contains": "a value without “{}”",
    "matches": "a match of “{}”",
    "less_than": "less than {}",
    "greater_than": "more than {}",
    "in": "{}",
}
_FAILURES: Final = {
    "equals": "is not “{}”",
    "not_equals": "is “{}”",
    "contains": "does not contain “{}”",
    "not_contains": "contains “{}”",
    "matches": "does not match “{}”",
    "less_than": "is not less than {}",
    "greater_than": "is not more than {}",
    "in": "is not one of {}",
    "exists": "is missing",
    "not_exists": "is present",
}
_BRIEF: Final = frozenset({"status", "response_time", "certificate_days", "record", "json", "header"})


def _failure_text(asked: Assertion, held: AssertionResult) -> str:
    """The failure of an assertion in one line, such as "Status is 404, expected 200-299"."""
    name = _NAMES.get(asked.subject) or f"{'Header' if asked.subject == 'header' else 'Value'} {asked.property}"
    value, seen = _short(asked.value, 80), _short(held.seen, 80)
    expected = _EXPECTED.get(asked.comparison)
    if expected is None or asked.subject not in _BRIEF or not seen:
        return f"{name} {_FAILURES[asked.comparison].format(value)}"
    unit = _UNITS.get(asked.subject, "") if _number(seen) is not None else ""
    return f"{name} is {seen}{unit}, expected {expected.format(value)}{unit}"


def _short(text: str, most: int = _SHOWN) -> str:
    """The beginning of a text in one line, with URLs masked: they can be those of links that sign in."""
    beginning = masked_text(text[: most + _LONGEST_LINK])
    line = "".join(each if each.isprintable() else " " for each in beginning[: most + 1])
    return line if len(line) <= most else f"{line[:most]}…"
