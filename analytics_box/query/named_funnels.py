"""Filters on funnels, which are named by their ids: they become the steps of the funnel."""

from typing import Protocol

from msgspec.structs import replace

from analytics_box.query import filters, named_goals
from analytics_box.query.access import ReadScope
from analytics_box.query.filters import Filter, FilterGroup
from analytics_box.query.named_goals import WebsiteGoals
from analytics_box.query.request import FunnelSteps, QueryRequest

FIELD = "funnel"


class WebsiteFunnels(Protocol):
    """The funnels of websites."""

    async def find(self, site: int, funnel_id: str) -> FunnelSteps | None:
        """The funnel of a website with this id; None if the website has none."""


class NoFunnels:
    """A box without funnels."""

    async def find(self, site: int, funnel_id: str) -> FunnelSteps | None:
        """None."""
        return None


async def resolve_funnel(
    funnels: WebsiteFunnels, goals: WebsiteGoals, request: QueryRequest, reads: ReadScope
) -> QueryRequest:
    """The request with the steps of the funnel that its filter names. The public cannot ask about funnels."""
    item = next((one for one in request.filters if isinstance(one, Filter) and one.field == FIELD), None)
    if item is None or len(item.values) != 1 or reads.subject != "website" or reads.public:
        return request
    for site in reads.sites:
        found = await funnels.find(site, item.values[0])
        if found is not None:
            funnel = await with_goals(goals, found, site)
            own = (FilterGroup(any=False, items=funnel.filters, allowed=filters.COMMON),) if funnel.filters else ()
            return replace(request, funnel=funnel, filters=(*request.filters, *own))
    return request


async def with_goals(goals: WebsiteGoals, funnel: FunnelSteps, site: int) -> FunnelSteps:
    """The funnel with the conditions of the goals that its steps name."""
    named = [item for item in filters.flatten_filters(funnel.steps) if item.field == named_goals.FIELD]
    if not named:
        return funnel
    meant = await goals.meant(site, {value for item in named for value in item.values})
    steps = (named_goals.replace_goals(step, meant) for step in funnel.steps)
    return replace(funnel, steps=tuple(step for step in steps if isinstance(step, FilterGroup)))
