"""Somebody whom flags are evaluated for, as evaluation reads them: within bounds, each part found once. Pure."""

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from analytics_box.flags.evaluation.bucketing import ANONYMOUS, Draw, rule_draw, scale_and_hash
from analytics_box.flags.evaluation.context import Context
from analytics_box.flags.evaluation.outcome import Outcome
from analytics_box.flags.flag import Bucketing, Definition, Flag, RolloutBy

# Longer texts of a context are as if they were not given, and of a list only so many elements are looked at, as text
# only so much of them: whoever asks cannot make an evaluation long.
LONGEST_TEXT = 4_096  # characters
MOST_ELEMENTS = 100

Read = Callable[["Asker"], Any]  # a part of the context; None where it is absent
Identify = Callable[["Asker"], str]  # by what somebody is drawn


class Asker:
    """A context within bounds, with what was found out of it so far."""

    __slots__ = (
        "_person",
        "context",
        "drawing",
        "email",
        "groups",
        "organization_id",
        "outcomes",
        "team_id",
        "user_id",
    )

    def __init__(self, context: Context) -> None:
        self.context = context
        self.user_id = bounded(context.user_id)
        self.email = bounded(context.email)
        self.organization_id = bounded(context.organization_id)
        self.team_id = bounded(context.team_id)
        self._person: tuple[int, int] | None = None
        self.drawing: Drawing | None = None  # of the flag whose rules are looked at
        self.groups: dict[tuple[str, Drawing | None], int] = {}  # which rule of a target group matches first
        self.outcomes: dict[str, Outcome | None] = {}  # of flags that others need, by key

    @property
    def person(self) -> str:
        """Whom draws by user are about (wire 6.3)."""
        return self.user_id or self.email or ANONYMOUS

    def person_hash(self) -> tuple[int, int]:
        """`scale_and_hash` of the person, which all default draws by user share."""
        if self._person is None:
            self._person = scale_and_hash(self.person)
        return self._person


def bounded(text: str) -> str:
    """A text of a context; empty where it is too long to be looked at."""
    return text if len(text) <= LONGEST_TEXT else ""


def reader(attribute: str) -> Read:
    """How an attribute is read: user_id, email, organization_id, team_id or a property."""
    known = _KNOWN.get(attribute)
    return known or property_reader(attribute)


def property_reader(name: str) -> Read:
    """How a property is read, whatever its name."""

    def read(asker: Asker) -> Any:
        value = asker.context.properties.get(name)
        return value if type(value) is not str or len(value) <= LONGEST_TEXT else None

    return read


def read_user_id(asker: Asker) -> str | None:
    return asker.user_id or None


def read_email(asker: Asker) -> str | None:
    return asker.email or None


_KNOWN: dict[str, Read] = {
    "user_id": read_user_id,
    "email": read_email,
    "organization_id": lambda asker: asker.organization_id or None,
    "team_id": lambda asker: asker.team_id or None,
}


def identity_of(flag: Flag) -> Identify:
    """By what a flag draws for its rollout."""
    return identity_reader(flag.definition.rolloutBy, flag.definition.bucketing.attribute)


def variant_identity_of(flag: Flag) -> Identify:
    """By what a flag draws for its variants."""
    return identity_reader(variants_by(flag.definition), flag.definition.bucketing.attribute)


def variants_by(definition: Definition) -> RolloutBy:
    """Whose variants a flag draws: by the default algorithm those of users, as the existing service does, whatever it
    would roll out by."""
    return "user" if definition.bucketing.algorithm == "default" else definition.rolloutBy


def identity_reader(rollout_by: RolloutBy, attribute: str) -> Identify:
    """By what is drawn: an attribute of its own, else as `rolloutBy` says (wire 6.3)."""
    if attribute:
        read = reader(attribute)
        return lambda asker: text_of(read(asker)) or ANONYMOUS
    if rollout_by == "organization":
        return lambda asker: asker.organization_id or ANONYMOUS
    if rollout_by == "team":
        return lambda asker: asker.team_id or ANONYMOUS
    return lambda asker: asker.person


class Drawing:
    """How a flag draws for the percentages of its rules: by its own bucketing, and by others that they have."""

    __slots__ = ("_made", "flag")

    def __init__(self, flag: Flag) -> None:
        self.flag = flag
        self._made: dict[Bucketing, tuple[Draw, Identify]] = {}

    def percent(self, asker: "Asker", bucketing: Bucketing | None) -> float:
        """Where somebody is drawn, from 0 up to 100."""
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
        return str(value) if abs(value) < 10**21 else _number_text(_as_float(value))
    if kind is float:
        return _number_text(value)
    return _joined(value) if kind is list else "[object Object]"


def _number_text(value: float) -> str:
    """A number as JavaScript writes it."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    digits, _, exponent = repr(value).partition("e")
    if not exponent or -7 < int(exponent) < 21:
        text = format(Decimal(repr(value or 0.0)), "f")
        return text.removesuffix(".0")
    return f"{digits.removesuffix('.0')}e{int(exponent):+}"


def _joined(elements: list[Any]) -> str:
    left = LONGEST_TEXT
    texts = []
    for element in elements[:MOST_ELEMENTS]:
        text = "" if type(element) in (list, dict) else text_of(element)[:left]
        left -= len(text) + 1
        texts.append(text)
        if left <= 0:
            break
    return ",".join(texts)[:LONGEST_TEXT]


def _as_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
