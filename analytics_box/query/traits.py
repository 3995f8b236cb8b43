"""Filters on traits (wire 2.2): what the site knows of people. They become filters on the people who have them."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from msgspec.structs import replace

from analytics_box.base.errors import DeadlineExceeded, Unavailable
from analytics_box.query import filters, named_goals, named_links
from analytics_box.query.access import Scope
from analytics_box.query.catalog.types import QueryType
from analytics_box.query.filters import Filter, FilterGroup
from analytics_box.query.named_goals import Goals, NoGoals
from analytics_box.query.named_links import Links, NoLinks
from analytics_box.query.prepared import CannotAnswer
from analytics_box.query.request import Request

log = logging.getLogger(__name__)

PREFIX = "trait:"  # how filters name what is known of people
People = tuple[str, ...]  # profile ids


class Traits(Protocol):
    """Who has what among the people of a website."""

    async def having(self, site: int, trait: str, matches: Callable[[str], bool]) -> People:
        """The profile ids of those whose trait, as text, matches."""


class Finding:
    """Who has the traits that one HTTP request asks for, and which links it names, each looked for once however many
    parameters ask; and what goals mean.

    `stop` ends what is still being looked for.
    """

    def __init__(self, traits: Traits | None, links: Links | None = None, goals: Goals | None = None) -> None:
        self._traits = traits
        self._links = links or NoLinks()
        self._goals = goals or NoGoals()
        self._numbers: dict[Filter, tuple[int, ...]] = {}
        self._found: dict[tuple[int, Filter], asyncio.Task[People]] = {}

    async def resolved(self, query_type: QueryType, request: Request, reads: Scope) -> Request:
        """The request with people in place of traits, numbers in place of what links are called, and what goals mean.

        Raises CannotAnswer, InvalidQuery or Unavailable.
        """
        request = await named_goals.resolved(self._goals, request, reads)
        for item in dict.fromkeys(named_links.named(request.filters)):
            if item not in self._numbers:
                self._numbers[item] = await self._links.numbers(reads.sites, item.values)
        request = named_links.with_numbers(request, self._numbers)
        wanted = tuple(dict.fromkeys(named(request.filters)))
        if not wanted:
            return request
        check(query_type, reads)
        people = {item: await self._having(reads.sites[0], item) for item in wanted}
        return with_people(request, people)

    async def _having(self, site: int, wanted: Filter) -> People:
        if self._traits is None:
            raise CannotAnswer("Trait filters are only supported for website queries")
        trait = wanted.field.removeprefix(PREFIX)
        looking = self._found.get((site, wanted))
        if looking is None:
            looking = asyncio.ensure_future(self._traits.having(site, trait, filters.matcher(wanted)))
            self._found[site, wanted] = looking
        try:
            return await asyncio.shield(looking)  # one parameter that is stopped stops no other
        except Exception as broken:
            if isinstance(broken, Unavailable) and not isinstance(broken, DeadlineExceeded):
                raise
            log.warning("People could not be looked through for a trait: %s", broken)
            raise CannotAnswer("Trait filter failed") from broken

    def stop(self) -> None:
        """Nobody waits for the rest."""
        for looking in self._found.values():
            looking.cancel()


def named(items: Iterable[Filter | FilterGroup]) -> Iterator[Filter]:
    """The filters on traits, those in groups too."""
    for item in items:
        if isinstance(item, FilterGroup):
            yield from named(item.items)
        elif item.field.startswith(PREFIX):
            yield item


def check(query_type: QueryType, reads: Scope) -> None:
    """Raises CannotAnswer where this type, or what is read, has no people to filter by."""
    if len(reads.sites) != 1 or reads.subject != "website":
        raise CannotAnswer("Trait filters are only supported for website queries")
    if "profile_id" not in query_type.filters or not reads.people:
        raise CannotAnswer(f"Trait filters are not supported for {query_type.name}")


def with_people(request: Request, people: Mapping[Filter, People]) -> Request:
    """The request with these people in place of the traits that they have."""
    return replace(request, filters=tuple(_by_people(item, people) for item in request.filters))


def _by_people(item: Filter | FilterGroup, people: Mapping[Filter, People]) -> Filter | FilterGroup:
    if isinstance(item, FilterGroup):
        return replace(item, items=tuple(_by_people(part, people) for part in item.items))
    if item not in people:
        return item
    return Filter("profile_id", "not_in" if filters.is_negated(item.op) else "in", people[item])
