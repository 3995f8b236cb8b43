"""Filters on what happened in a session: they select all of it, whatever is asked of it. Pure.

A session is selected by anything that it has, also outside the range of the question.
"""

from typing import Literal

from msgspec import Struct

# Field of a filter → what conditions call it, which is the name of no column of facts.
FIELDS = {
    "event": "session_event",
    "event_property": "session_property",
    "viewed_page": "session_page",
    "exit_page": "session_exit",
    "outgoing_link": "session_link_out",
    "outgoing_domain": "session_domain_out",
    "error": "session_error",
    "scroll": "session_scroll",
    "engaged": "session_engaged",
    "link": "session_link",
    "reached_goal": "session_goal",  # is made of the others before it is asked (named.py)
    "funnel_dropoff": "session_dropoff",
}
# Fields whose values are ids that other rooms resolve (named.py), with the looks at events that a value takes, of those
# that a query can have. SQLite cannot read a statement with two funnels of ten steps several times.
LOOKUPS: dict[str, int] = {"reached_goal": 1, "funnel_dropoff": 11}
NAMED = frozenset(LOOKUPS)
COLUMNS = frozenset(FIELDS.values())
# What these are about is not shown to the public, or only where the website publishes what events carried.
NOT_PUBLIC = NAMED | {"link"}
OF_VALUES = frozenset(("event_property", "outgoing_link", "error"))
OF_PAGES = frozenset(("viewed_page", "exit_page"))

Number = Literal["scroll", "engaged"]
MOST: dict[str, int] = {"scroll": 100, "engaged": 86_400}  # percent; seconds
_PLAIN = ("eq", "ne", "in", "not_in", "is_set", "is_not_set")


class FieldLimits(Struct, frozen=True):
    """The limits of a filter on a field: its `operators`, and for a number the maximum, `most`."""

    operators: tuple[str, ...]
    most: int = 0


# Fields that do not take every operator and value.
LIMITS: dict[str, FieldLimits] = {
    **{name: FieldLimits(_PLAIN, most) for name, most in MOST.items()},
    "link": FieldLimits(_PLAIN),
    **{name: FieldLimits(("eq", "ne", "in", "not_in")) for name in sorted(NAMED)},
}


def wrong_with(field: str, op: str, values: tuple[str, ...]) -> str:
    """Return why a filter is invalid; empty if it is valid."""
    limits = LIMITS.get(field)
    if limits is None:
        return ""
    if op not in limits.operators:
        return f"{field} can only be compared with {', '.join(limits.operators[:-1])} and {limits.operators[-1]}"
    if limits.most and not all(_is_number(value, limits.most) for value in values):
        return f"{field} is a whole number from 1 to {limits.most}, the minimum that a session must reach"
    return ""


def _is_number(value: str, most: int) -> bool:
    return value.isascii() and value.isdigit() and len(value) <= 6 and 1 <= int(value) <= most
