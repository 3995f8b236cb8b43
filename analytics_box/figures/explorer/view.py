"""The state of a query page in its address. Pure.

        type=top_pages   range=last_7d | custom&from=2026-10-22&to=2026-11-20   granularity=hourly   zone=Europe/Berlin
        match=any   field1=country   op1=eq   value1=Germany   sort=visitors   order=asc   limit=25   page=2
        comparison=previous_period   draw=pageviews (of a series)   rows=3 (of the form, for filters)

Everything stays as it was typed, so that the query's own checks can say what is wrong with it; defaults and empty
fields are left out of addresses.
"""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.query.catalog.types import Record
from analytics_box.query.request import DEFAULT_LIMIT

CUSTOM = "custom"  # a range of own dates
USUAL_RANGE = "last_7d"
MOST_FILTERS = 10
WITHOUT_VALUE = frozenset(("is_set", "is_not_set"))
LISTS = frozenset(("in", "not_in"))  # operators whose value is a list, typed with commas
LONGEST = 500  # characters of a field
_WHOLE = re.compile(r"-?[0-9]{1,9}")


class TypedFilter(Struct, frozen=True):
    """A filter as typed."""

    field: str = ""
    op: str = "eq"
    value: str = ""


class TypedQuery(Struct, frozen=True):
    """A query as typed. `path` is the page's own path; without a `type` nothing is asked yet."""

    path: str
    type: str = ""
    range: str = USUAL_RANGE
    first: str = ""
    last: str = ""
    granularity: str = "daily"
    zone: str = ""
    match: str = "all"
    filters: tuple[TypedFilter, ...] = ()
    sort: str = ""
    order: str = "desc"
    limit: str = ""
    page: str = ""
    comparison: str = ""
    draw: str = ""
    rows: int = 0

    def link(self, **changes: Any) -> str:
        """The address of this query with some of it changed; with anything but the page changed, its first page."""
        return address(replace(self, **{"page": "", **changes}))

    def sorted_by(self, field: str) -> str:
        """The address that sorts by this field, the other way round where it is sorted by it already."""
        order = "asc" if self.sort == field and self.order == "desc" else "desc"
        return self.link(sort=field, order=order)

    def kept(self) -> "TypedQuery":
        """The saved part of it: all but the page of its rows and the length of the form."""
        return replace(self, page="", rows=0)

    @property
    def sheet(self) -> str:
        """The address of the same rows as CSV."""
        return address(replace(self, path=f"{self.path}/csv"))


def path_of(website_id: str) -> str:
    """The path of a website's API explorer."""
    return f"/sites/{website_id}/queries"


def read_query(path: str, query: Mapping[str, str]) -> TypedQuery:
    """The query that an address holds. Never raises."""

    def typed(name: str, usual: str = "") -> str:
        return query.get(name, "").strip()[:LONGEST] or usual

    chosen = typed("range", USUAL_RANGE)
    numbers = range(1, MOST_FILTERS + 1)
    filters = tuple(
        TypedFilter(typed(f"field{at}"), typed(f"op{at}", "eq"), typed(f"value{at}"))
        for at in numbers
        if typed(f"field{at}") or typed(f"value{at}")
    )
    return TypedQuery(
        path=path,
        type=typed("type"),
        range=chosen,
        first=typed("from") if chosen == CUSTOM else "",
        last=typed("to") if chosen == CUSTOM else "",
        granularity=typed("granularity", "daily"),
        zone=typed("zone"),
        match="any" if len(filters) > 1 and typed("match") == "any" else "all",
        filters=filters,
        sort=typed("sort"),
        order=typed("order", "desc") if typed("sort") else "desc",
        limit="" if typed("limit") == str(DEFAULT_LIMIT) else typed("limit"),
        page="" if typed("page") == "1" else typed("page"),
        comparison=typed("comparison"),
        draw=typed("draw"),
        rows=_rows(typed("rows"), len(filters)),
    )


def rows_shown(tried: TypedQuery) -> int:
    """The number of the form's rows for filters: those in use, and an empty one."""
    return min(max(len(tried.filters) + 1, tried.rows), MOST_FILTERS)


def without(tried: TypedQuery, number: int) -> str:
    """The address without one of its filters, by its number from 1."""
    return tried.link(filters=tried.filters[: number - 1] + tried.filters[number:], rows=0)


def _rows(text: str, used: int) -> int:
    """The rows of the form that an address wants, where they are more than there would be; else 0."""
    wanted = min(int(text), MOST_FILTERS) if _WHOLE.fullmatch(text) else 0
    return wanted if wanted > used + 1 else 0


def address(tried: TypedQuery) -> str:
    """The canonical address of a query."""
    given = parameters(tried)
    return f"{tried.path}?{urlencode(given, safe='/')}" if given else tried.path


def parameters(tried: TypedQuery) -> dict[str, str]:
    """The parameters of its address, without defaults."""
    given = {
        "type": tried.type,
        "range": tried.range if tried.range != USUAL_RANGE else "",
        "from": tried.first,
        "to": tried.last,
        "granularity": tried.granularity if tried.granularity != "daily" else "",
        "zone": tried.zone,
        "match": tried.match if tried.match != "all" else "",
    }
    for at, item in enumerate(tried.filters, start=1):
        given |= {f"field{at}": item.field, f"op{at}": item.op if item.op != "eq" else "", f"value{at}": item.value}
    given |= {
        "sort": tried.sort,
        "order": tried.order if tried.order != "desc" else "",
        "limit": tried.limit,
        "page": tried.page,
        "comparison": tried.comparison,
        "draw": tried.draw,
        "rows": str(tried.rows) if tried.rows else "",
    }
    return {name: value for name, value in given.items() if value}


def body(tried: TypedQuery, zone: str) -> Record:
    """The body of POST /v1/query that asks the same; `zone`, if there is one, where the address names none."""
    made: Record = {"parameters": [tried.type]}
    if tried.range == CUSTOM:
        made |= {"startDate": tried.first, "endDate": tried.last}
    else:
        made["preset"] = tried.range
    if tried.granularity != "daily":
        made["granularity"] = tried.granularity
    if tried.zone or zone:
        made["timeZone"] = tried.zone or zone
    if tried.filters:
        items = [_filter(item) for item in tried.filters]
        made["filters"] = [{"any": items}] if tried.match == "any" else items
    if tried.sort:
        made |= {"sortBy": tried.sort, "sortOrder": tried.order}
    if tried.limit:
        made["limit"] = _number(tried.limit)
    if tried.page:
        made["page"] = _number(tried.page)
    if tried.comparison:
        made["comparison"] = tried.comparison
    return made


def _filter(typed: TypedFilter) -> Record:
    made: Record = {"field": typed.field, "op": typed.op}
    if typed.op in LISTS:
        made["value"] = [part.strip() for part in typed.value.split(",") if part.strip()]
    elif typed.op not in WITHOUT_VALUE:
        made["value"] = typed.value
    return made


def _number(text: str) -> int | str:
    """A whole number; anything else stays text, which the query's check refuses."""
    return int(text) if _WHOLE.fullmatch(text) else text
