"""Limits of traits, and which profile a visitor belongs to from when on (wire 4.5, semantics 7). Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from analytics_box.base.errors import BadRequest, ErrorDetail
from analytics_box.base.translation import _

LONGEST_ID = 128  # of a profile id, and of a client's id in identify
MOST_TRAITS, MOST_TRAIT_BYTES = 50, 2_048  # of one identify (wire 4.5)
MOST_KEPT, MOST_KEPT_BYTES = 100, 8_192  # of one person, over all identifies
LONGEST_NAME, LONGEST_TEXT = 64, 255  # of a trait

Value = str | int | float | bool
Traits = dict[str, Value]
Given = Mapping[str, Value | None]


class ProfileLink(NamedTuple):
    """From this time (UTC ms) on the visitor was this person, until the visitor's next link."""

    visitor: int
    time: int
    profile: int


def check(given: Given) -> None:
    """Raises BadRequest, which names the trait."""
    if len(given) > MOST_TRAITS:
        raise _wrong("traits", _("Send at most {most} traits in a request").format(most=MOST_TRAITS))
    for name, value in given.items():
        if not 1 <= len(name) <= LONGEST_NAME:
            raise _wrong("traits", _("The name of a trait has 1 to {longest} characters").format(longest=LONGEST_NAME))
        if isinstance(value, str) and len(value) > LONGEST_TEXT:
            raise _wrong(
                f"traits.{name}", _("The text of a trait has at most {longest} characters").format(longest=LONGEST_TEXT)
            )
    if len(msgspec.json.encode(given)) > MOST_TRAIT_BYTES:
        raise _wrong("traits", _("Traits may take 2 KB as JSON"))


def merge(known: Traits, given: Given) -> Traits:
    """The traits after an update: new values replace old ones, null deletes.

    Raises BadRequest when that would be too much for one person.
    """
    merged = {name: value for name, value in {**known, **given}.items() if value is not None}
    if len(merged) > MOST_KEPT or len(msgspec.json.encode(merged)) > MOST_KEPT_BYTES:
        raise _wrong(
            "traits",
            _("A person has at most {most} traits and 8 KB of them; delete some by sending null").format(
                most=MOST_KEPT
            ),
        )
    return merged


def email(traits: Mapping[str, Value]) -> str:
    """The person's e-mail address in lower case; empty if none is known."""
    found = traits.get("email")
    return found.strip().lower() if isinstance(found, str) else ""


def next_link(earlier: Sequence[ProfileLink], later: Sequence[ProfileLink], new: ProfileLink) -> ProfileLink | None:
    """The link to write down when a visitor is identified, None if that is known already.

    `earlier` are the visitor's links at or before its time, `later` those after it, each the nearest first.
    """
    valid = earlier[0] if earlier else later[0] if later else None  # what comes before the first link belongs to it
    return None if valid is not None and valid.profile == new.profile else new


def _wrong(field: str, message: str) -> BadRequest:
    return BadRequest(f"{field}: {message}", reason="INVALID_EVENT_SCHEMA", details=(ErrorDetail(field, message),))
