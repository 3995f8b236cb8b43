"""The owner of profiles, periods in which a visitor was a person, and the names of people (semantics 7). Pure."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec import Struct

from analytics_box.ingest.profile_rules import ProfileLink, Value
from analytics_box.tenants.websites.rules import Website

FIRST, LAST = -(2**62), 2**62  # before and after every time


class Stay(NamedTuple):
    """A period in which a visitor was one person: from `since` until before `until`. Times are UTC ms."""

    visitor: int
    since: int
    until: int


def display_name(traits: Mapping[str, Value]) -> str:
    """The name of a person: the trait username, else name; empty if neither is known."""
    for trait in ("username", "name"):
        found = traits.get(trait)
        if isinstance(found, str) and found.strip():
            return found.strip()
    return ""


def stays(links: Iterable[ProfileLink], profile: int) -> list[Stay]:
    """The visitors that were this person, with the periods, from all links of these visitors."""
    by_visitor: dict[int, list[ProfileLink]] = {}
    for link in sorted(links):
        by_visitor.setdefault(link.visitor, []).append(link)
    found = []
    for visitor, own in by_visitor.items():
        ends = [*(link.time for link in own[1:]), LAST]
        for place, (link, end) in enumerate(zip(own, ends, strict=True)):
            if link.profile == profile:
                found.append(Stay(visitor, FIRST if place == 0 else link.time, end))
    return found


class Holder(Struct, frozen=True):
    """The owner of profiles. `website_id` is empty for an organization's own events."""

    site: int
    organization_id: str
    website_id: str = ""


def holder_of(website: Website) -> Holder:
    """A website as a holder of profiles."""
    return Holder(website.site, website.organization_id, website.id)
