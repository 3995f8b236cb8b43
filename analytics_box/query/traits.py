"""Filters on traits (wire 2.2): what the site knows of people. They become filters on the people who have them."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from msgspec.structs import replace

from analytics_box.base.errors import DeadlineExceeded, Unavailable
from analytics_box.base.translation import _
from analytics_box.query import filters
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog.types import QueryType
from analytics_box.query.compose import CannotAnswer
from analytics_box.query.filters import Filter, FilterGroup
from analytics_box.query.named import (
    LinkNumbers,
    NoFunnels,
    NoGoals,
    NoLinks,
    WebsiteFunnels,
    WebsiteGoals,
    link_filters,
    resolve_names,
    with_numbers,
)
from analytics_box.query.request import QueryRequest

log = logging.getLogger(__name__)

PREFIX = "trait:"  # how filters name what is known of people
People = tuple[str, ...]  # profile ids


class TraitLookup(Protocol):
    """Lookups of people of a website by their traits."""

    async def having(self, site: int, trait: str, matches: Callable[[str], bool]) -> People:
        """The profile ids of those whose trait, as text, matches."""


class Finding:
    """The lookups of one HTTP request: people by trait, links by name, and the filters of goals. Each lookup runs once,
    regardless of the number of parameters that need it.

    `stop` cancels lookups that are still running.
    """

    def __init__(
        self,
        traits: TraitLookup | None,
        links: LinkNumbers | None = None,
        goals: WebsiteGoals | None = None,
        funnels: WebsiteFunnels | None = None,
    ) -> None:
        self._traits = traits
        self._links = links or NoLinks()
        self._goals = goals or NoGoals()
        self._funnels = funnels or NoFunnels()
        self._numbers: dict[Filter, tuple[int, ...]] = {}
        self._found: dict[tuple[int, Filter], asyncio.Task[People]] = {}

    async def resolved(self, query_type: QueryType, request: QueryRequest, reads: ReadScope) -> QueryRequest:
        """The request with people in place of traits, numbers in place of what links are called, and what goals mean.

        Raises CannotAnswer, InvalidQuery or Unavailable.
        """
        request = await resolve_names(self._funnels, self._goals, request, reads)
        steps = () if request.funnel is None else request.funnel.steps
        for item in link_filters((*request.filters, *steps)):
            if item not in self._numbers:
                self._numbers[item] = await self._links.numbers(reads.sites, item.values)
        request = with_numbers(request, self._numbers)
        wanted = trait_filters(request.filters)
        if not wanted:
            return request
        check(query_type, reads)
        people = {item: await self._having(reads.sites[0], item) for item in wanted}
        return with_people(request, people)

    async def _having(self, site: int, wanted: Filter) -> People:
        if self._traits is None:
            raise CannotAnswer(_("Trait filters are only supported for website queries"))
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
            log.warning("Cannot search people by a trait: %s", broken)
            raise CannotAnswer(_("Trait filter failed")) from broken

    def stop(self) -> None:
        """Cancel the remaining lookups."""
        for looking in self._found.values():
            looking.cancel()


def trait_filters(items: Iterable[Filter | FilterGroup]) -> list[Filter]:
    """Return the filters on traits, each once."""
    named = [item for item in filters.flatten_filters(items) if item.field.startswith(PREFIX)]
    return list(dict.fromkeys(named))


def check(query_type: QueryType, reads: ReadScope) -> None:
    """Raises CannotAnswer where this type, or what is read, has no people to filter by."""
    if len(reads.sites) != 1 or reads.subject != "website":
        raise CannotAnswer(_("Trait filters are only supported for website queries"))
    if "profile_id" not in query_type.filters or not reads.people:
        raise CannotAnswer(_("Trait filters are not supported for {name}").format(name=query_type.name))


def with_people(request: QueryRequest, people: Mapping[Filter, People]) -> QueryRequest:
    """The request with these people in place of the traits that they have."""

    def by_people(item: Filter) -> Filter:
        if item not in people:
            return item
        return Filter("profile_id", "not_in" if filters.is_negated(item.op) else "in", people[item])

    return replace(request, filters=filters.change_filters(request.filters, by_people))
