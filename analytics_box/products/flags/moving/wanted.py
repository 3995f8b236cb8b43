"""The flags and target groups that a file defines, for all formats. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.file_queue import keep_going
from analytics_box.base.translation import _
from analytics_box.products.flags.evaluation.matching import number_of
from analytics_box.products.flags.flag import (
    KEY_FAULT,
    LONGEST_DESCRIPTION,
    LONGEST_NAME,
    FlagDefinition,
    Scalar,
    TargetingRule,
    is_key,
)
from analytics_box.products.flags.moving.conditions import NO_USER

Source = Literal[
    "analytics-box", "unleash", "growthbook", "launchdarkly", "flagsmith", "flagd", "flagd-v3"
]  # whose file it is
Form = Literal["analytics-box", "flagd"]  # of an export

MOST: Final = 1_000  # flags of a file
MOST_BYTES: Final = 8_000_000  # of a file


class SourceFlag(Struct, frozen=True, kw_only=True):
    """A flag of a file. `definition` is None for an invalid flag: then `error` says why.

    `environment` and `user_id` are those of a file of this box. `notes` list what is not supported here, or differs a
    little; `decides` is true if a lost part decides outcomes, which makes the flag inactive. In a definition the target
    groups have the file's names.
    """

    number: int
    key: str
    definition: FlagDefinition | None = None
    environment: str | None = None
    user_id: str | None = None
    notes: tuple[str, ...] = ()
    decides: bool = False
    error: str = ""
    field: str = ""


class SourceGroup(Struct, frozen=True, kw_only=True):
    """A target group of a file, which calls it `ref`."""

    ref: str
    name: str
    description: str = ""
    color: str = ""
    rules: tuple[TargetingRule, ...] = ()
    notes: tuple[str, ...] = ()


class SourceFile(Struct, frozen=True, kw_only=True):
    """The flags and target groups that a file defines. `notes` concern the whole file. `chosen` is the environment of
    the file that was read; None if it has none.
    """

    flags: tuple[SourceFlag, ...]
    groups: tuple[SourceGroup, ...] = ()
    notes: tuple[str, ...] = ()
    chosen: str | None = None


class ImportNotes:
    """The notes about one flag, collected while it is read."""

    def __init__(self) -> None:
        self._said: dict[str, None] = {}
        self.decides = False

    @property
    def said(self) -> tuple[str, ...]:
        """All notes, each once."""
        return tuple(self._said)

    def say(self, text: str) -> None:
        """Note a small difference that changes no user's outcome."""
        self._said[text] = None

    def lose(self, text: str) -> None:
        """Note a lost part that decides outcomes: the flag becomes inactive."""
        self.say(text)
        self.decides = True


def source_flag(number: int, key: str, definition: FlagDefinition, notes: ImportNotes) -> SourceFlag:
    """A flag read from a file, without rules that match no user."""
    keep_going()
    rules = tuple(one for one in definition.rules if one.conditions != NO_USER)
    definition = msgspec.structs.replace(definition, rules=rules)
    return SourceFlag(number=number, key=key, definition=definition, notes=notes.said, decides=notes.decides)


def disagreements(product: str, flags: Iterable[SourceFlag]) -> Iterable[str]:
    """The note on a file with active flags that look at properties: a product's SDKs read odd values differently."""
    active = (one.definition for one in flags if one.definition is not None and not one.decides)
    if any(rule.type == "conditions" for one in active if one.status == "active" for rule in one.rules):
        yield (
            f"{product}'s SDKs disagree about properties of an unexpected type or form, such as text where a rule "
            "compares numbers; users with such values can get another result than before"
        )


def key_error(key: str) -> str:
    """The reason why a key is invalid here; empty if it is valid."""
    if not key:
        return "It has no key"
    return "" if is_key(key) else KEY_FAULT


def name_of(given: Any, key: str = "") -> str:
    """A name as long as one may be; none that only repeats the key."""
    text = given.strip() if isinstance(given, str) else ""
    return "" if text == key else text[:LONGEST_NAME]


def description_of(given: Any) -> str:
    """A description as long as one may be."""
    return given.strip()[:LONGEST_DESCRIPTION] if isinstance(given, str) else ""


def chosen_environment(names: Iterable[str], given: str | None) -> str | None:
    """The environment of a file to read: the requested one, or the only one; None if the file has none.

    Raises BadRequest, which names them, if the choice is not clear.
    """
    found = list(dict.fromkeys(names))
    if given is not None and found and given not in found:
        raise BadRequest.about(
            "sourceEnvironment",
            _("The file has no environment {given}. Select one: {join_names}").format(
                given=given, join_names=", ".join(found[:20])
            ),
        )
    if given is None and len(found) > 1:
        raise BadRequest.about(
            "sourceEnvironment",
            _("The file has several environments. Select one: {join_names}").format(join_names=", ".join(found[:20])),
        )
    return (given or found[0]) if found else None


def mapping(given: Any) -> Mapping[str, Any]:
    """A mapping; empty if the value is not a mapping."""
    return given if isinstance(given, dict) else {}


def mappings(given: Any) -> list[Mapping[str, Any]]:
    """The mappings of a list; none if the value is not a list."""
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


def list_or_empty(given: Any) -> list[Any]:
    """A list; empty if the value is not a list."""
    return given if isinstance(given, list) else []


def text(given: Any) -> str:
    """A value as text; empty if it has none."""
    if isinstance(given, bool) or given is None or isinstance(given, dict | list):
        return ""
    return str(given).strip()


def texts(given: Any) -> list[str]:
    """The values of a list as texts."""
    return [
        str(one) for one in list_or_empty(given) if isinstance(one, str | int | float) and not isinstance(one, bool)
    ]


def scalars(given: Any) -> list[Scalar]:
    """The texts, numbers and truths of a list."""
    return [one for one in list_or_empty(given) if is_scalar(one)]


def is_scalar(given: Any) -> bool:
    """Whether a condition can compare with this value."""
    return isinstance(given, str | int | float)


def number(given: Any) -> float | None:
    """A finite number, also if it is written as text; None otherwise."""
    found = number_of(given)
    return float(found) if found is not None and abs(found) < 1e15 else None


def entries(given: Any, name: str) -> list[Mapping[str, Any]]:
    """A list of mappings. Raises BadRequest for other values."""
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise BadRequest(_("{name} must be a list of objects").format(name=name))
    return given
