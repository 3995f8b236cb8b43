"""Names in queries that other rooms resolve: goals, funnels and short links in filters, and the splits of flags."""

from collections.abc import Iterable, Mapping
from typing import Literal, Protocol

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.errors import InvalidQuery
from analytics_box.base.translation import _
from analytics_box.query import filters
from analytics_box.query.access import ReadScope
from analytics_box.query.filters import COMMON, Dropoff, Filter, FilterChange, FilterGroup, FunnelSteps
from analytics_box.query.request import QueryRequest

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


async def _resolve_goals(goals: WebsiteGoals, request: QueryRequest, reads: ReadScope) -> QueryRequest:
    """The request with the conditions of its goals; no session reaches an unknown goal."""
    wanted = _values_of(request, GOAL, reads)
    if not wanted:
        return request
    change = _with_meaning(GOAL, await goals.meant(reads.sites[0], wanted))
    return replace(request, filters=filters.change_filters(request.filters, change))


def _values_of(request: QueryRequest, field: str, reads: ReadScope) -> set[str]:
    """The values of the filters on this field. The public cannot ask. Raises InvalidQuery where no single website is
    asked about."""
    named = [item for item in filters.flatten_filters(request.filters) if item.field == field and not item.dropoff]
    wanted = {value for item in named for value in item.values}
    if reads.public:
        return set()
    if wanted and (len(reads.sites) != 1 or reads.subject != "website"):
        raise InvalidQuery.about(
            "filters", _("{field} is only supported for queries about one website").format(field=field)
        )
    return wanted


def _with_meaning(field: str, meant: Mapping[str, Meant]) -> FilterChange:
    """Change filters on this field to the conditions that their values mean; without any, nothing matches."""

    def meaning(item: Filter) -> Filter | FilterGroup:
        if item.field != field or item.dropoff:
            return item
        found = tuple(FilterGroup(any=False, items=meant[value]) for value in item.values if value in meant)
        if not found:
            return replace(item, values=())
        return FilterGroup(any=True, items=found, negated=filters.is_negated(item.op), allowed=COMMON)

    return meaning


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


DROPOFF = "funnel_dropoff"


async def resolve_names(
    funnels: WebsiteFunnels, goals: WebsiteGoals, request: QueryRequest, reads: ReadScope
) -> QueryRequest:
    """The request with what the goals and the funnels mean that its filters name. The public cannot ask about them.

    Raises InvalidQuery where no single website is asked about.
    """
    request = await _resolve_goals(goals, request, reads)
    request = await _resolve_dropoffs(funnels, goals, request, reads)
    return await _resolve_funnel(funnels, goals, request, reads)


async def _resolve_dropoffs(
    funnels: WebsiteFunnels, goals: WebsiteGoals, request: QueryRequest, reads: ReadScope
) -> QueryRequest:
    """The request with the funnels that its drop-offs are of, each named FUNNEL:STEP by the step that was not reached.

    Where a funnel counts visitors, their steps are looked for in the sessions that the request's other filters select.
    """
    wanted = _values_of(request, DROPOFF, reads)
    if not wanted:
        return request
    others = tuple(
        item
        for item in request.filters
        if not any(one.field in {DROPOFF, FUNNEL} for one in filters.flatten_filters([item]))
    )
    meant: dict[str, Meant] = {}
    for value in wanted:
        funnel_id, _colon, number = value.rpartition(":")
        found = await funnels.find(reads.sites[0], funnel_id)
        step = int(number) if number.isdecimal() and len(number) <= 2 else 0
        if found is not None and 2 <= step <= len(found.steps):
            funnel = await with_goals(goals, found, reads.sites[0])
            if funnel.people:
                funnel = replace(funnel, filters=(*funnel.filters, *others))
            meant[value] = (Filter(DROPOFF, "eq", (value,), Dropoff(funnel, step)),)
    change = _with_meaning(DROPOFF, meant)
    return replace(request, filters=filters.change_filters(request.filters, change))


async def _resolve_funnel(
    funnels: WebsiteFunnels, goals: WebsiteGoals, request: QueryRequest, reads: ReadScope
) -> QueryRequest:
    """The request with the steps of the funnel that its filter names."""
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
    return filters.change_funnel(funnel, _with_meaning(GOAL, meant))


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

    def by_number(item: Filter) -> Filter:
        if item not in numbers:
            return item
        return Filter(LINK, item.op, tuple(str(number) for number in numbers[item]) or ("0",))

    funnel = None if request.funnel is None else filters.change_funnel(request.funnel, by_number)
    return replace(request, filters=filters.change_filters(request.filters, by_number), funnel=funnel)


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
