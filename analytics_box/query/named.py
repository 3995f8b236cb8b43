"""Names in queries that other rooms resolve: goals, funnels and short links in filters, and the splits of flags."""

from collections.abc import Iterable, Mapping
from typing import Literal, Protocol

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.errors import InvalidQuery
from analytics_box.base.translation import _
from analytics_box.query import filters
from analytics_box.query.access import ReadScope
from analytics_box.query.filters import COMMON, Filter, FilterGroup
from analytics_box.query.request import FunnelSteps, QueryRequest

GOAL = "reached_goal"
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
    """The request with the conditions of its goals; no session reaches an unknown goal. The public cannot ask.

    Raises InvalidQuery where no single website is asked about.
    """
    named = [item for item in filters.flatten_filters(request.filters) if item.field == GOAL]
    wanted = {value for item in named for value in item.values}
    if not wanted or reads.public:
        return request
    if len(reads.sites) != 1 or reads.subject != "website":
        raise InvalidQuery.about(
            "filters", _("{field} is only supported for queries about one website").format(field=GOAL)
        )
    meant = await goals.meant(reads.sites[0], wanted)
    return replace(request, filters=tuple(replace_goals(item, meant) for item in request.filters))


def replace_goals(item: Filter | FilterGroup, meant: Mapping[str, Meant]) -> Filter | FilterGroup:
    """The filter with the conditions of the goals that it names."""
    if isinstance(item, FilterGroup):
        return replace(item, items=tuple(replace_goals(part, meant) for part in item.items))
    if item.field != GOAL:
        return item
    found = tuple(FilterGroup(any=False, items=meant[value]) for value in item.values if value in meant)
    if not found:
        return replace(item, values=())
    return FilterGroup(any=True, items=found, negated=filters.is_negated(item.op), allowed=COMMON)


FUNNEL = "funnel"


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
    item = next((one for one in request.filters if isinstance(one, Filter) and one.field == FUNNEL), None)
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
    named = [item for item in filters.flatten_filters(funnel.steps) if item.field == GOAL]
    if not named:
        return funnel
    meant = await goals.meant(site, {value for item in named for value in item.values})
    steps = (replace_goals(step, meant) for step in funnel.steps)
    return replace(funnel, steps=tuple(step for step in steps if isinstance(step, FilterGroup)))


LINK = "link"
Numbers = tuple[int, ...]


class LinkNumbers(Protocol):
    """The short links of the organizations that websites belong to."""

    async def numbers(self, sites: tuple[int, ...], called: tuple[str, ...]) -> Numbers:
        """The numbers of those with these ids or slugs, which the websites with these numbers may know of."""


class NoLinks:
    """A box without links."""

    async def numbers(self, sites: tuple[int, ...], called: tuple[str, ...]) -> Numbers:
        """None."""
        return ()


def link_filters(items: Iterable[Filter | FilterGroup]) -> list[Filter]:
    """Return the filters that name links, each once."""
    named = [item for item in filters.flatten_filters(items) if item.field == LINK and item.values]
    return list(dict.fromkeys(named))


def with_numbers(request: QueryRequest, numbers: Mapping[Filter, Numbers]) -> QueryRequest:
    """The request with these numbers in place of names of links; unknown links match nothing."""
    if not numbers:
        return request
    return replace(request, filters=tuple(_by_number(item, numbers) for item in request.filters))


def _by_number(item: Filter | FilterGroup, numbers: Mapping[Filter, Numbers]) -> Filter | FilterGroup:
    if isinstance(item, FilterGroup):
        return replace(item, items=tuple(_by_number(part, numbers) for part in item.items))
    if item not in numbers:
        return item
    return Filter(LINK, item.op, tuple(str(number) for number in numbers[item]) or ("0",))


# Why the shares are unknown: the box does not know the flag, something else than a draw by visitor decides, several
# environments have a flag with this key, or it gave other shares within the range than it does now.
Untold = Literal["unknown_flag", "not_by_chance", "environments", "changed"]


class Split(Struct, frozen=True):
    """The variants of a flag in its own order, and in percent how many visitors each of them is meant to get; no
    `weights` where that is `untold`. Of one that is `closed` nothing else is a variant."""

    variants: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    closed: bool = False
    untold: Untold | None = None


UNKNOWN_SPLIT = Split(untold="unknown_flag")


class Splits(Protocol):
    """The flags of the box, for questions about exposures."""

    async def of(self, site: int, flag: str, start: int, end: int) -> Split | None:
        """Return the split of a website's visitors by this flag from `start` until `end` (UTC ms); None if the flag is
        unknown.
        """


class NoSplits:
    """A box that knows no flags."""

    async def of(self, site: int, flag: str, start: int, end: int) -> Split | None:
        """None of any."""
