"""Umami's list of websites, GET /api/websites, and statistics of one: GET /api/websites/{id}/stats, pageviews, metrics,
metrics/expanded and active."""

import re
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec
from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base.errors import AuthRequired, InvalidQuery
from analytics_box.base.translation import _
from analytics_box.query import ranges
from analytics_box.query.access import readable
from analytics_box.query.catalog.geo import country_code
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.compatible.breakdown import (
    BreakdownRequest,
    Period,
    current_visitors,
    first_days,
    read_breakdowns,
    read_scope,
)
from analytics_box.query.filters import Op
from analytics_box.query.ranges import Granularity
from analytics_box.query.request import MAX_LIMIT, QueryFilterInput
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.answer import json_answer
from analytics_box.web.call import Call
from analytics_box.web.recognition import countries, source
from analytics_box.web.recognition.known_sources import DIRECT

_TOTALS: Final = ("pageviews", "visitors", "visits", "bounces", "seconds")
_RANGE: Final = frozenset(("startAt", "endAt", "unit", "timezone", "compare"))
# Parameter of a filter → our field.
_FIELDS: Final = {
    **dict.fromkeys(("path", "url"), "path"),
    "query": "query_string",
    "referrer": "referrer",
    "event": "event_name",
    "os": "os_name",
    "browser": "browser_name",
    "device": "device_type",
    **{name: name for name in ("country", "region", "city", "language", "channel")},
    **{f"utm{name.capitalize()}": f"utm_{name}" for name in ("source", "medium", "campaign", "content", "term")},
}
# Type of a metric → column of facts.
_COLUMNS: Final = {
    **dict.fromkeys(("path", "url"), "path"),
    "entry": "entry",
    "exit": "exit",
    "query": "query_string",
    **dict.fromkeys(("referrer", "domain"), "source"),
    "event": "name",
    "os": "system",
    **{name: name for name in ("browser", "device", "country", "region", "city", "language", "channel", "screen")},
    **{f"utm{name.capitalize()}": f"utm_{name}" for name in ("source", "medium", "campaign", "content", "term")},
}
# Types whose values belong to whole visits.
_OF_VISITS: Final = tuple(name for name in _COLUMNS if name not in {"path", "url", "entry", "exit", "query", "event"})
_LARGEST_PAGE: Final = 1_000
_OPERATORS: Final[Mapping[str, Op]] = {
    "eq": "in",
    "neq": "not_in",
    "c": "contains",
    "dnc": "not_contains",
    "s": "starts_with",
    "ns": "not_starts_with",
    "re": "regex",
}
_OPERATOR: Final = re.compile(rf"({'|'.join(_OPERATORS)})\.(.*)", re.DOTALL)


class UmamiTotals(Struct, frozen=True):
    """The totals of a range; `totaltime` is in seconds."""

    pageviews: int
    visitors: int
    visits: int
    bounces: int
    totaltime: int


class UmamiStats(UmamiTotals, frozen=True):
    """The answer of …/stats, with the totals of the range before."""

    comparison: UmamiTotals


class UmamiPoint(Struct, frozen=True):
    """A value and its number."""

    x: str
    y: int


class UmamiPlace(UmamiPoint, frozen=True):
    """A region or city with the code of its country."""

    country: str


class UmamiSeries(Struct, frozen=True):
    """The answer of …/pageviews: page views and visitors of each bucket."""

    pageviews: list[UmamiPoint]
    sessions: list[UmamiPoint]


class UmamiActive(Struct, frozen=True):
    """The answer of …/active: visitors of the last 5 minutes."""

    visitors: int


class UmamiWebsite(Struct, frozen=True):
    """A website in Umami's words."""

    id: str
    name: str
    domain: str
    createdAt: datetime


class UmamiWebsites(Struct, frozen=True):
    """A page of the answer of GET /api/websites."""

    data: list[UmamiWebsite]
    count: int
    page: int
    pageSize: int
    orderBy: str = "name"


class UmamiDetails(Struct, frozen=True):
    """A value with the totals of its visits; `totaltime` is in seconds."""

    name: str
    pageviews: int
    visitors: int
    visits: int
    bounces: int
    totaltime: int


def _period(request: Request[Any, Any, Any]) -> Period:
    """The range of a request. Raises InvalidQuery."""
    given = [request.query_params.get(name, "") for name in ("startAt", "endAt")]
    if not all(text.isascii() and text.isdigit() and len(text) < 15 for text in given):
        raise InvalidQuery(_("startAt and endAt are required, in milliseconds"))
    zone = ranges.zone(request.query_params.get("timezone"))
    return Period.between(int(given[0]), int(given[1]) + 1, zone)


def _filters(request: Request[Any, Any, Any], *more: str) -> tuple[QueryFilterInput, ...]:
    """The filters of a request. Raises InvalidQuery for parameters that cannot be answered."""
    found = []
    for name, value in request.query_params.items():
        if name in _RANGE or name in more or not value:
            continue
        if name not in _FIELDS:
            raise InvalidQuery(_("The parameter {name} is not supported").format(name=name[:64]))
        match = _OPERATOR.fullmatch(value)
        op, text = (_OPERATORS[match[1]], match[2]) if match is not None else ("in", value)
        values = [text] if op == "regex" else text.split(",")
        if name == "country":
            values = [countries.names().get(one.upper(), one) for one in values]
        found.append(QueryFilterInput(_FIELDS[name], op, list(values)))
    return tuple(found)


async def websites(request: Request[Any, Any, Any], call: NamedDependency[Call]) -> Response[bytes]:
    """Answer with the websites that the caller can read, by name."""
    identity, search = call.identity, request.query_params.get("search", "").lower()
    owner = identity.key or identity.person
    if owner is None:
        raise AuthRequired(_("Authentication required"))
    page, size = (_count(request, name, usual) for name, usual in (("page", 1), ("pageSize", 20)))
    if page < 1 or not 1 <= size <= _LARGEST_PAGE:
        raise InvalidQuery(_("page starts at 1, and pageSize is up to {most}").format(most=_LARGEST_PAGE))
    found = readable(identity, owner.organization_id, call.parts[Directory])
    found = [one for one in found if search in one.name.lower() or search in one.domain]
    found.sort(key=lambda one: (one.name.lower(), one.id))
    shown = [
        UmamiWebsite(one.id, one.name, one.domain, datetime.fromtimestamp(one.created_at / 1000, UTC))
        for one in found[size * (page - 1) : size * page]
    ]
    return json_answer(UmamiWebsites(shown, len(found), page, size))


async def stats(
    request: Request[Any, Any, Any], call: NamedDependency[Call], website_id: FromPath[str]
) -> Response[bytes]:
    """Answer with the totals of a range and of the range of equal length before it, or of the year before."""
    reads = await read_scope(request.scope, call, website_id)
    period, filters = _period(request), _filters(request)
    before = _period_before(request, period)
    asked = [BreakdownRequest(_TOTALS, one, filters=filters) for one in (period, before)]
    answers = await read_breakdowns(call, reads, *asked)
    now, earlier = [UmamiTotals(*(answer.rows[()][name] for name in _TOTALS)) for answer in answers]
    return json_answer(UmamiStats(**msgspec.structs.asdict(now), comparison=earlier))


def _period_before(request: Request[Any, Any, Any], period: Period) -> Period:
    since, until = (int(request.query_params[name]) for name in ("startAt", "endAt"))
    compare = request.query_params.get("compare", "prev")
    if compare == "yoy" and not (period.since or period.until):
        return Period(period.days.year_before(), period.zone)
    if compare != "prev":
        raise InvalidQuery(_("compare supports prev, and for whole days yoy"))
    return Period.between(since - (until + 1 - since), since, period.zone)


async def pageviews(
    request: Request[Any, Any, Any], call: NamedDependency[Call], website_id: FromPath[str]
) -> Response[bytes]:
    """Answer with the page views and visitors of each bucket."""
    reads = await read_scope(request.scope, call, website_id)
    period, filters = _period(request), _filters(request)
    if "compare" in request.query_params:
        raise InvalidQuery(_("The parameter {name} is not supported").format(name="compare"))
    width = _width(request.query_params.get("unit", "day"), period)
    starts = first_days(period.days, monthly=True) if width == "month" else ()
    (answer,) = await read_breakdowns(
        call, reads, BreakdownRequest(("pageviews", "visitors"), period, (), filters, width, starts)
    )
    label = _label_of(period.zone, width)
    views, visitors = (
        [UmamiPoint(label(key[0]), int(row[name])) for key, row in answer.rows.items()]
        for name in ("pageviews", "visitors")
    )
    return json_answer(UmamiSeries(views, visitors))


def _width(unit: str, period: Period) -> Granularity:
    """The width of buckets; the next larger one if the range is too long for it. Raises InvalidQuery."""
    if unit == "minute" and period.days.length == 1:
        return "minute"
    if unit in {"minute", "hour"} and period.days.length <= ranges.MAX_HOURLY_DAYS:
        return "hour"
    if unit in {"minute", "hour", "day"}:
        return "day"
    if unit == "month":
        return "month"
    raise InvalidQuery(_("unit is minute, hour, day or month"))


def _label_of(zone: ZoneInfo, width: Granularity) -> Callable[[str], str]:
    """Labels as Umami has them: in UTC with a Z, in other zones without an offset."""

    def label(text: str) -> str:
        text = text[:8] + "01" if width == "month" else text
        text = f"{text} 00:00:00" if len(text) == 10 else text[:19]
        return text.replace(" ", "T") + "Z" if zone.key == "UTC" else text

    return label


def _rows_asked(request: Request[Any, Any, Any], known: Collection[str]) -> tuple[str, int, int]:
    """The type of a list, its limit and its offset. Raises InvalidQuery."""
    kind = request.query_params.get("type", "")
    if kind not in known:
        raise InvalidQuery(
            _("The type {name} is not supported. Use {known}").format(name=kind[:64], known=", ".join(known))
        )
    limit, offset = (_count(request, name, usual) for name, usual in (("limit", 500), ("offset", 0)))
    if not 1 <= limit <= MAX_LIMIT - offset:
        raise InvalidQuery(_("Up to {most} rows can be read").format(most=MAX_LIMIT))
    return kind, limit, offset


async def metrics(
    request: Request[Any, Any, Any], call: NamedDependency[Call], website_id: FromPath[str]
) -> Response[bytes]:
    """Answer with the visitors of each value of a type, most first; of events with their number."""
    reads = await read_scope(request.scope, call, website_id)
    kind, limit, offset = _rows_asked(request, _COLUMNS)
    period, filters = _period(request), _filters(request, "type", "limit", "offset")
    metric, column = "events" if kind == "event" else "visitors", _COLUMNS[kind]
    dimensions = (column, "country") if column in {"region", "city"} else (column,)
    left_out = {"source": DIRECT, "name": "screen_view"}.get(column, "")
    asked = BreakdownRequest(
        (metric,), period, dimensions, filters, first=(metric, True), most=min(offset + limit + 2, MAX_LIMIT)
    )
    (answer,) = await read_breakdowns(call, reads, asked)
    rows = [
        _point(kind, key, int(row[metric]))
        for key, row in answer.rows.items()
        if key[0] not in {"", left_out} and row[metric]
    ]
    rows.sort(key=lambda row: (-row.y, row.x))
    found = msgspec.json.encode(rows[offset : offset + limit])
    return Response(found, media_type="application/json", headers={"cache-control": "no-store"})


async def metric_details(
    request: Request[Any, Any, Any], call: NamedDependency[Call], website_id: FromPath[str]
) -> Response[bytes]:
    """Answer with the totals of each value of a type of visits, most visitors first."""
    reads = await read_scope(request.scope, call, website_id)
    kind, limit, offset = _rows_asked(request, _OF_VISITS)
    period, filters = _period(request), _filters(request, "type", "limit", "offset")
    asked = BreakdownRequest(_TOTALS, period, (_COLUMNS[kind],), filters, first=("visitors", True))
    (answer,) = await read_breakdowns(call, reads, asked)
    rows = [
        UmamiDetails(_point(kind, key, 0).x, *(int(row[name]) for name in _TOTALS))
        for key, row in answer.rows.items()
        if key[0]
    ]
    rows.sort(key=lambda row: (-row.visitors, row.name))
    found = msgspec.json.encode(rows[offset : offset + limit])
    return Response(found, media_type="application/json", headers={"cache-control": "no-store"})


def _point(kind: str, key: tuple[str, ...], number: int) -> UmamiPoint:
    if len(key) == 2:
        return UmamiPlace(key[0], number, str(country_code().value({"country": key[1]}) or key[1]))
    if kind == "country":
        return UmamiPoint(str(country_code().value({"country": key[0]}) or key[0]), number)
    return UmamiPoint(source.domain_of(key[0]) or key[0] if kind in {"referrer", "domain"} else key[0], number)


def _count(request: Request[Any, Any, Any], name: str, usual: int) -> int:
    text = request.query_params.get(name) or str(usual)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else MAX_LIMIT + 1


async def active(
    request: Request[Any, Any, Any], call: NamedDependency[Call], website_id: FromPath[str]
) -> Response[bytes]:
    """Answer with the number of current visitors."""
    reads = await read_scope(request.scope, call, website_id)
    return json_answer(UmamiActive(await current_visitors(call, reads, TYPES["active_stats"])))
