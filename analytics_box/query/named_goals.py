"""Filters on goals, which are named by their ids: they become what sessions did that reached them."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from msgspec.structs import replace

from analytics_box.base.errors import InvalidQuery
from analytics_box.base.translation import _
from analytics_box.query import filters
from analytics_box.query.access import ReadScope
from analytics_box.query.filters import COMMON, Filter, FilterGroup
from analytics_box.query.request import QueryRequest

FIELD = "reached_goal"
Meant = tuple[Filter | FilterGroup, ...]


class WebsiteGoals(Protocol):
    """The goals of websites."""

    async def meant(self, site: int, goal_ids: Iterable[str]) -> Mapping[str, Meant]:
        """The filters for sessions that reached these goals of a website, without goals that do not exist."""


class NoGoals:
    """A box without goals."""

    async def meant(self, site: int, goal_ids: Iterable[str]) -> Mapping[str, Meant]:
        """None."""
        return {}


async def resolve_goals(goals: WebsiteGoals, request: QueryRequest, reads: ReadScope) -> QueryRequest:
    """The request with what its goals mean; one that is not there is reached by nobody. The public may not ask.

    Raises InvalidQuery where no single website is asked about.
    """
    named = [item for item in filters.flatten_filters(request.filters) if item.field == FIELD]
    wanted = {value for item in named for value in item.values}
    if not wanted or reads.public:
        return request
    if len(reads.sites) != 1 or reads.subject != "website":
        raise InvalidQuery.about(
            "filters", _("{field} is only supported for queries about one website").format(field=FIELD)
        )
    meant = await goals.meant(reads.sites[0], wanted)
    return replace(request, filters=tuple(replace_goals(item, meant) for item in request.filters))


def replace_goals(item: Filter | FilterGroup, meant: Mapping[str, Meant]) -> Filter | FilterGroup:
    """The filter with the conditions of the goals that it names."""
    if isinstance(item, FilterGroup):
        return replace(item, items=tuple(replace_goals(part, meant) for part in item.items))
    if item.field != FIELD:
        return item
    found = tuple(FilterGroup(any=False, items=meant[value]) for value in item.values if value in meant)
    if not found:
        return replace(item, values=())
    return FilterGroup(any=True, items=found, negated=filters.is_negated(item.op), allowed=COMMON)
