"""The user of an evaluation: a context within bounds, each value read once. Pure."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, TypeVar

import msgspec

from analytics_box.products.flags.evaluation.bucketing import ANONYMOUS, Draw, rule_draw, scale_and_hash
from analytics_box.products.flags.evaluation.outcome import EvaluationContext, Outcome
from analytics_box.products.flags.flag import Bucketing, Flag, FlagDefinition, RolloutBy

# Longer texts count as missing, longer ids are in no rollout, and of a list only the first elements are compared, up to
# the length of a text together: a caller cannot make an evaluation slow.
LONGEST_TEXT = 1_024  # characters
LONGEST_DRAWN = 320  # bytes
MOST_ELEMENTS = 20

T = TypeVar("T")
Read = Callable[["EvaluationSubject"], "ContextValue"]  # Reads a part of the context.
Identify = Callable[["EvaluationSubject"], str]  # Returns the id to bucket by.


class ContextValue:
    """A value of a context, None if it is absent, with its cached conversions: many rules use the same value."""

    __slots__ = ("_elements", "_read", "_text", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self._text: str | None = None
        self._elements: tuple[ContextValue, ...] | None = None
        self._read: dict[Callable[[Any], Any], Any] | None = None

    @property
    def text(self) -> str:
        """The value as text; empty if it is absent."""
        if self._text is None:
            self._text = text_of(self.value)
        return self._text

    @property
    def elements(self) -> tuple["ContextValue", ...]:
        """The first elements of a list, without nested lists and elements that are too long."""
        if self._elements is None:
            self._elements = tuple(map(ContextValue, _elements(self.value)))
        return self._elements

    def read(self, how: Callable[[Any], T]) -> T:
        """The value as `how` reads it; each reader runs once."""
        if self._read is None:
            self._read = {}
        if how not in self._read:
            self._read[how] = how(self.value)
        found: T = self._read[how]
        return found


ABSENT = ContextValue(None)


def _elements(value: list[Any]) -> Iterator[Any]:
    left = LONGEST_TEXT
    for element in value[:MOST_ELEMENTS]:
        size = len(element) if type(element) is str else 0
        if size <= left and type(element) is not list:
            left -= size
            yield element


class EvaluationSubject:
    """An evaluation context within bounds, with its cached values."""

    __slots__ = (
        "_name",
        "_person",
        "context",
        "drawing",
        "email",
        "found",
        "groups",
        "organization_id",
        "outcomes",
        "parts",
        "team_id",
        "user_id",
    )

    def __init__(self, context: EvaluationContext) -> None:
        self.context = context
        self.user_id = limit_text(context.user_id)
        self.email = limit_text(context.email) or _email_among(context.properties)
        self.organization_id = limit_text(context.organization_id)
        self.team_id = limit_text(context.team_id)
        self.found: dict[str, ContextValue] = {}  # Properties that rules have compared.
        self.parts: dict[str, ContextValue] = {}  # Other attributes that rules have compared.
        self._name: str | None = None
        self._person: tuple[int, int] | None = None
        self.drawing: Drawing | None = None  # The bucketing of the flag that is evaluated.
        self.groups: dict[tuple[str, Drawing | None], int] = {}  # The first matching rule of each target group.
        self.outcomes: dict[str, Outcome | None] = {}  # Outcomes of required flags, by key.

    @property
    def person(self) -> str:
        """The id that bucketing by user uses (wire 6.3); an email among the properties does not count."""
        if self._name is None:
            self._name = drawn_by(self.user_id) or drawn_by(limit_text(self.context.email)) or ANONYMOUS
        return self._name

    def person_hash(self) -> tuple[int, int]:
        """`scale_and_hash` of the person, shared by all default bucketing by user."""
        if self._person is None:
            self._person = scale_and_hash(self.person)
        return self._person


def _email_among(properties: Mapping[str, Any]) -> str:
    """The email address that an app sent as a property, for rules."""
    email = properties.get("email")
    return limit_text(email) if type(email) is str else ""


def limit_text(text: str) -> str:
    """A text of a context; empty if it is too long to be used."""
    return text if len(text) <= LONGEST_TEXT else ""


def drawn_by(text: str) -> str:
    """A text to bucket by; empty if it is too long for that."""
    if text.isascii():
        return text if len(text) <= LONGEST_DRAWN else ""
    return text if len(text.encode("utf-8", "surrogatepass")) <= LONGEST_DRAWN else ""


def reader(attribute: str) -> Read:
    """The reader of an attribute: user_id, email, organization_id, team_id or a property."""
    known = _KNOWN.get(attribute)
    return known or property_reader(attribute)


def property_reader(name: str) -> Read:
    """The reader of a property, of any name. A name with dots is a path into objects if no property has this name."""
    steps = name.split(".") if "." in name else None

    def read(asker: EvaluationSubject) -> ContextValue:
        found = asker.found.get(name)
        if found is None:
            value = asker.context.properties.get(name)
            if value is None and steps is not None:
                value = _inner_value(asker.context.properties, steps)
            found = asker.found[name] = ContextValue(
                value if type(value) is not str or len(value) <= LONGEST_TEXT else None
            )
        return found

    return read


def _inner_value(properties: Mapping[str, Any], steps: list[str]) -> Any:
    """The value inside nested objects, and inside lists by place; None if there is none."""
    value = properties.get(steps[0])
    for step in steps[1:]:
        if type(value) is dict:
            value = value.get(step)
        elif type(value) is list and len(step) <= 2 and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def _part_reader(name: str) -> Read:
    def read(asker: EvaluationSubject) -> ContextValue:
        found = asker.parts.get(name)
        if found is None:
            found = asker.parts[name] = ContextValue(getattr(asker, name) or None)
        return found

    return read


read_user_id = _part_reader("user_id")
read_email = _part_reader("email")

_KNOWN: dict[str, Read] = {
    "user_id": read_user_id,
    "email": read_email,
    "organization_id": _part_reader("organization_id"),
    "team_id": _part_reader("team_id"),
}


def identity_of(flag: Flag) -> Identify:
    """The identity that a flag's rollout buckets by."""
    return identity_reader(flag.definition.rolloutBy, flag.definition.bucketing.attribute)


def variant_identity_of(flag: Flag) -> Identify:
    """The identity that a flag's variants are bucketed by."""
    return identity_reader(variants_by(flag.definition), flag.definition.bucketing.attribute)


def variants_by(definition: FlagDefinition) -> RolloutBy:
    """The unit of a flag's variants: users with the default algorithm, whatever the rollout uses, as in the existing
    service.
    """
    return "user" if definition.bucketing.algorithm == "default" else definition.rolloutBy


def identity_reader(rollout_by: RolloutBy, attribute: str) -> Identify:
    """The reader of the identity to bucket by: a custom attribute, else as `rolloutBy` says (wire 6.3)."""
    if attribute:
        read = reader(attribute)
        return lambda asker: drawn_by(read(asker).text) or ANONYMOUS
    if rollout_by == "organization":
        return lambda asker: drawn_by(asker.organization_id) or ANONYMOUS
    if rollout_by == "team":
        return lambda asker: drawn_by(asker.team_id) or ANONYMOUS
    return lambda asker: asker.person


class Drawing:
    """The bucketing of a flag for the percentages of its rules: its bucketing, and others that single rules have."""

    __slots__ = ("_made", "flag")

    def __init__(self, flag: Flag) -> None:
        self.flag = flag
        self._made: dict[Bucketing, tuple[Draw, Identify]] = {}

    def percent(self, asker: "EvaluationSubject", bucketing: Bucketing | None) -> float:
        """The bucket of a user, from 0 up to 100."""
        chosen = bucketing or self.flag.definition.bucketing
        if chosen not in self._made:
            identify = identity_reader(self.flag.definition.rolloutBy, chosen.attribute)
            self._made[chosen] = rule_draw(self.flag, chosen), identify
        draw, identify = self._made[chosen]
        return draw(identify(asker))


def text_of(value: Any) -> str:
    """A value as the existing service writes it as text: `true`, `5` for 5.0, lists joined by commas."""
    kind = type(value)
    if kind is str:
        return str(value)
    if value is None:
        return ""
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return str(value) if abs(value) < 10**21 else _number_text(as_float(value))
    if kind is float:
        return _number_text(value)
    return _join_elements(value) if kind is list else "[object Object]"


def _number_text(value: float) -> str:
    """A number as JavaScript writes it."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    digits, _, exponent = repr(value).partition("e")
    if not exponent or -7 < int(exponent) < 21:
        text = format(Decimal(repr(value or 0.0)), "f")
        return text.removesuffix(".0")
    return f"{digits.removesuffix('.0')}e{int(exponent):+}"


def _join_elements(elements: list[Any]) -> str:
    left = LONGEST_TEXT
    texts = []
    for element in elements[:MOST_ELEMENTS]:
        text = "" if type(element) in (list, dict) else text_of(element)[:left]
        left -= len(text) + 1
        texts.append(text)
        if left <= 0:
            break
    return ",".join(texts)[:LONGEST_TEXT]


def as_float(value: int) -> float:
    """A whole number as the nearest float; infinite if it is too large."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


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
