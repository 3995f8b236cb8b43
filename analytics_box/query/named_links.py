"""Filters on short links, which people call by id or slug: they become filters on the numbers of the clicks."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from msgspec.structs import replace

from analytics_box.query import filters
from analytics_box.query.filters import Filter, FilterGroup
from analytics_box.query.request import QueryRequest

FIELD = "link"
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
    named = [item for item in filters.flatten_filters(items) if item.field == FIELD and item.values]
    return list(dict.fromkeys(named))


def with_numbers(request: QueryRequest, numbers: Mapping[Filter, Numbers]) -> QueryRequest:
    """The request with these numbers in place of what the links are called; one that is not there matches nothing."""
    if not numbers:
        return request
    return replace(request, filters=tuple(_by_number(item, numbers) for item in request.filters))


def _by_number(item: Filter | FilterGroup, numbers: Mapping[Filter, Numbers]) -> Filter | FilterGroup:
    if isinstance(item, FilterGroup):
        return replace(item, items=tuple(_by_number(part, numbers) for part in item.items))
    if item not in numbers:
        return item
    return Filter(FIELD, item.op, tuple(str(number) for number in numbers[item]) or ("0",))
