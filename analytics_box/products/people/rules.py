"""Which visitor was which person when, and what to call the person (semantics 7). Pure."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from analytics_box.ingest.profile_rules import Link, Value

FIRST, LAST = -(2**62), 2**62  # before and after every time


class Stay(NamedTuple):
    """What a visitor did from `since` until before `until` was one person. Times are UTC ms."""

    visitor: int
    since: int
    until: int


def display_name(traits: Mapping[str, Value]) -> str:
    """What to call the person: the trait username, else name; empty where neither is known."""
    for trait in ("username", "name"):
        found = traits.get(trait)
        if isinstance(found, str) and found.strip():
            return found.strip()
    return ""


def stays(links: Iterable[Link], profile: int) -> list[Stay]:
    """When which visitors were this person, from all links of these visitors."""
    by_visitor: dict[int, list[Link]] = {}
    for link in sorted(links):
        by_visitor.setdefault(link.visitor, []).append(link)
    found = []
    for visitor, own in by_visitor.items():
        ends = [*(link.time for link in own[1:]), LAST]
        for place, (link, end) in enumerate(zip(own, ends, strict=True)):
            if link.profile == profile:
                found.append(Stay(visitor, FIRST if place == 0 else link.time, end))
    return found
