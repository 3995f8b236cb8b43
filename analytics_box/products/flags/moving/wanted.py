"""What a file wants to be there: flags and target groups, whatever program wrote it. Pure."""

from collections.abc import Iterable
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.file_queue import keep_going
from analytics_box.products.flags.flag import KEY_FAULT, LONGEST_DESCRIPTION, LONGEST_NAME, Definition, Rule, is_key
from analytics_box.products.flags.moving.conditions import is_for_nobody

Source = Literal["analytics-box", "unleash", "growthbook", "launchdarkly", "flagd", "flagd-v3"]  # whose file it is
Form = Literal["analytics-box", "flagd"]  # of an export

MOST: Final = 1_000  # flags of a file
MOST_BYTES: Final = 8_000_000  # of a file


class Wanted(Struct, frozen=True, kw_only=True):
    """A flag of a file. `definition` is None for one that cannot be: then `error` says why.

    `environment` and `user_id` are those of a file of this box. `notes` say what has no counterpart here, or is a
    little different; what `decides` about who gets what among it makes a flag that is inactive. Of a definition the
    target groups are what the file calls them.
    """

    number: int
    key: str
    definition: Definition | None = None
    environment: str | None = None
    user_id: str | None = None
    notes: tuple[str, ...] = ()
    decides: bool = False
    error: str = ""
    field: str = ""


class WantedGroup(Struct, frozen=True, kw_only=True):
    """A target group of a file, which calls it `ref`."""

    ref: str
    name: str
    description: str = ""
    color: str = ""
    rules: tuple[Rule, ...] = ()
    notes: tuple[str, ...] = ()


class File(Struct, frozen=True, kw_only=True):
    """What a file wants. `notes` are about the whole of it. `chosen` is the environment of the file that was read;
    None where it has none."""

    flags: tuple[Wanted, ...]
    groups: tuple[WantedGroup, ...] = ()
    notes: tuple[str, ...] = ()
    chosen: str | None = None


class Notes:
    """What is said of one flag while it is read."""

    def __init__(self) -> None:
        self._said: dict[str, None] = {}
        self.decides = False

    @property
    def said(self) -> tuple[str, ...]:
        """Everything that was said, each once."""
        return tuple(self._said)

    def say(self, text: str) -> None:
        """Something is a little different here, and nobody gets anything else by that."""
        self._said[text] = None

    def lose(self, text: str) -> None:
        """Something that decides who gets what cannot be said here: the flag becomes inactive."""
        self.say(text)
        self.decides = True


def wanted(number: int, key: str, definition: Definition, notes: Notes) -> Wanted:
    """A flag that was read, without rules that match nobody."""
    keep_going()
    rules = tuple(one for one in definition.rules if not is_for_nobody(one))
    definition = msgspec.structs.replace(definition, rules=rules)
    return Wanted(number=number, key=key, definition=definition, notes=notes.said, decides=notes.decides)


def disagreements(product: str, flags: Iterable[Wanted]) -> Iterable[str]:
    """The note on a file with active flags that look at properties: a product's SDKs read odd values differently."""
    active = (one.definition for one in flags if one.definition is not None and not one.decides)
    if any(rule.type == "conditions" for one in active if one.status == "active" for rule in one.rules):
        yield (
            f"{product}'s SDKs disagree about properties of an unexpected type or form, such as text where a rule "
            "compares numbers; users with such values can get another result than before"
        )


def key_error(key: str) -> str:
    """Why nothing here can have this key; empty where it can."""
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
    """Which environment of a file is read: the one that was asked for, or the only one; None where it has none.

    Raises BadRequest, which names them, where that is not clear.
    """
    found = list(dict.fromkeys(names))
    if given is not None and found and given not in found:
        raise BadRequest.about("sourceEnvironment", f"The file has no environment {given}; it has {_listed(found)}")
    if given is None and len(found) > 1:
        raise BadRequest.about(
            "sourceEnvironment", f"The file has several environments; say which is to be read: {_listed(found)}"
        )
    return (given or found[0]) if found else None


def _listed(names: list[str]) -> str:
    return ", ".join(names[:20])
