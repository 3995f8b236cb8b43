"""Plausible's stats API: POST /api/v2/query, and GET /api/v1/stats/…"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec
from litestar import Request, Response
from litestar.di import NamedDependency
from msgspec import UNSET, Struct, UnsetType

from analytics_box.base.errors import InvalidQuery
from analytics_box.base.translation import _
from analytics_box.query import ranges
from analytics_box.query.catalog.geo import country_code
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.compatible.breakdown import (
    METRICS,
    TIME,
    BreakdownAnswer,
    BreakdownRequest,
    Period,
    current_visitors,
    first_days,
    instant_of,
    read_breakdowns,
    read_scope,
)
from analytics_box.query.filters import Op
from analytics_box.query.ranges import DayRange, Granularity
from analytics_box.query.request import MAX_LIMIT, QueryFilterInput
from analytics_box.web import body
from analytics_box.web.answer import json_answer
from analytics_box.web.call import Call
from analytics_box.web.recognition import countries
from analytics_box.web.recognition.known_sources import DIRECT

_NOT_SET: Final = "(not set)"
_DIRECT: Final = "Direct / None"
_DEEPEST: Final = 6  # groups of filters in each other
_KNOWN_METRICS: Final = tuple(
    name
    for name in (
        *("visitors", "visits", "pageviews", "views_per_visit", "bounce_rate", "visit_duration"),
        *("events", "percentage"),
    )
    if name in METRICS
)

# Dimension → column of facts, and field of filters.
_DIMENSIONS: Final[Mapping[str, tuple[str, str]]] = {
    "event:page": ("path", "path"),
    "event:name": ("name", "event_name"),
    "visit:source": ("source", "referrer"),
    "visit:referrer": ("referrer", ""),
    "visit:channel": ("channel", "channel"),
    **{f"visit:{name}": (name, name) for name in ("utm_source", "utm_medium", "utm_campaign", "utm_term")},
    "visit:utm_content": ("utm_content", "utm_content"),
    "visit:country": ("country", "country"),
    "visit:country_name": ("country", "country"),
    "visit:region_name": ("region", "region"),
    "visit:city_name": ("city", "city"),
    "visit:device": ("device", "device_type"),
    "visit:browser": ("browser", "browser_name"),
    "visit:browser_version": ("browser_version", "browser_version"),
    "visit:os": ("system", "os_name"),
    "visit:os_version": ("system_version", "os_version"),
    "visit:entry_page": ("entry", "entry_page"),
    "visit:exit_page": ("exit", "exit_page"),
}
_OPERATORS: Final[Mapping[str, Op]] = {
    "is": "in",
    "is_not": "not_in",
    "contains": "contains",
    "contains_not": "not_contains",
    "matches": "regex",
}
_OPPOSITES: Final = {"is": "is_not", "contains": "contains_not", "and": "or"}
_OPPOSITES_OF: Final = _OPPOSITES | {opposite: name for name, opposite in _OPPOSITES.items()}
_WIDTHS: Final[Mapping[str, Granularity]] = {
    "time:hour": "hour",
    "time:day": "day",
    "time:week": "week",
    "time:month": "month",
}


class PlausiblePage(Struct, frozen=True, forbid_unknown_fields=True):
    """The rows that a query returns."""

    limit: int = MAX_LIMIT
    offset: int = 0


class PlausibleInclude(Struct, frozen=True, forbid_unknown_fields=True):
    """Additions to an answer. Imported totals are part of it whenever they can be."""

    imports: bool = False
    time_labels: bool = False
    total_rows: bool = False


class PlausibleQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /api/v2/query."""

    site_id: str
    metrics: list[str]
    date_range: str | list[str]
    dimensions: list[str] = []
    filters: list[Any] = []
    order_by: list[list[str]] = []
    include: PlausibleInclude = PlausibleInclude()
    pagination: PlausiblePage = PlausiblePage()


class PlausibleRow(Struct, frozen=True):
    """The values of a row, in the order of the query."""

    metrics: list[int | float]
    dimensions: list[str]


class PlausibleMeta(Struct, frozen=True):
    imports_included: bool | UnsetType = UNSET
    time_labels: list[str] | UnsetType = UNSET
    total_rows: int | UnsetType = UNSET


class ExecutedQuery(Struct, frozen=True):
    """The query as it was answered."""

    site_id: str
    metrics: list[str]
    date_range: list[str]
    dimensions: list[str]
    filters: list[Any]
    order_by: list[list[str]]
    include: PlausibleInclude
    pagination: PlausiblePage


class PlausibleAnswer(Struct, frozen=True):
    """The answer of POST /api/v2/query."""

    results: list[PlausibleRow]
    meta: PlausibleMeta
    query: ExecutedQuery


class PlausibleTotals(Struct, frozen=True):
    """The answer of GET /api/v1/stats/aggregate."""

    results: dict[str, dict[str, int | float | None]]


PlausibleValues = dict[str, int | float | str]


class PlausibleRows(Struct, frozen=True):
    """The answer of GET /api/v1/stats/timeseries and …/breakdown."""

    results: list[PlausibleValues]


_DECODER = msgspec.json.Decoder(PlausibleQuery)


async def query(request: Request[Any, Any, Any], call: NamedDependency[Call]) -> Response[bytes]:
    """Answer a query of version 2."""
    settings = call.parts.settings
    sent = await body.of_request(
        request, wanted=(b"application/json",), limit=settings.max_query_bytes, seconds=settings.body_seconds
    )
    given = body.decode(_DECODER.decode, sent)
    reads = await read_scope(request.scope, call, given.site_id)
    zone = ranges.zone(request.query_params.get("timezone"))
    period = _period(given.date_range, call.now, zone)
    order = _order(given)
    asked = _breakdown(given, period, order)
    (answer,) = await read_breakdowns(call, reads, asked)
    rows = _rows(given, asked, answer, order)
    page = given.pagination
    meta = PlausibleMeta(
        answer.imported if answer.imported is not None else (False if given.include.imports else UNSET),
        _labels(given, asked, rows) if given.include.time_labels else UNSET,
        len(rows) if given.include.total_rows else UNSET,
    )
    window = ranges.window(period.days, zone)
    ends = (period.since or window.start, (period.until or window.end) - 1)
    executed = ExecutedQuery(
        given.site_id,
        given.metrics,
        [datetime.fromtimestamp(end / 1000, zone).isoformat(timespec="seconds") for end in ends],
        given.dimensions,
        given.filters,
        [[*item] for item in order],
        given.include,
        page,
    )
    return json_answer(PlausibleAnswer(rows[page.offset : page.offset + page.limit], meta, executed))


def _period(given: str | list[str], now: int, zone: ZoneInfo) -> Period:
    """The range of a query. Ranges of several days or months end before today or this month, as Plausible's do."""
    today = ranges.today(now, zone)
    if isinstance(given, list):
        if len(given) != 2:
            raise InvalidQuery(_("date_range needs two dates"))
        if all(len(text) > 10 for text in given):
            since, until = map(instant_of, given)
            return Period.between(since, until + 1000, zone)
        return Period(ranges.of_dates(*given), zone)
    if given == "day":
        return Period(DayRange(today, today), zone)
    if given == "month":
        return Period(DayRange(today.replace(day=1), _months_before(today, -1) - timedelta(days=1)), zone)
    if given == "year":
        return Period(DayRange(today.replace(month=1, day=1), today.replace(month=12, day=31)), zone)
    if given == "all":
        return Period(DayRange(today - timedelta(days=ranges.MAX_DAYS - 1), today), zone)
    if (number := _number(given, "d")) and number < ranges.MAX_DAYS:
        return Period(DayRange(today - timedelta(days=number), today - timedelta(days=1)), zone)
    if (number := _number(given, "mo")) and number <= 100:
        return Period(DayRange(_months_before(today, number), today.replace(day=1) - timedelta(days=1)), zone)
    raise InvalidQuery(_("Invalid date_range: {given}").format(given=given[:40]))


def _number(text: str, unit: str) -> int:
    """The number in front of a unit; 0 for other texts."""
    number = text.removesuffix(unit)
    return int(number) if number != text and number.isascii() and number.isdigit() and len(number) < 5 else 0


def _months_before(day: date, number: int) -> date:
    """The first day of the month this number of months earlier, or later if it is negative."""
    month = day.year * 12 + day.month - 1 - number
    return date(month // 12, month % 12 + 1, 1)


def _order(given: PlausibleQuery) -> list[tuple[str, str]]:
    """The order of the rows. Raises InvalidQuery."""
    if not given.metrics:
        raise InvalidQuery(_("At least one metric is required"))
    for name in given.metrics:
        if name not in _KNOWN_METRICS:
            known = ", ".join(_KNOWN_METRICS)
            raise InvalidQuery(_("The metric {name} is not supported. Use {known}").format(name=name[:64], known=known))
    if "percentage" in given.metrics and not given.dimensions:
        raise InvalidQuery(_("The metric percentage requires dimensions"))
    order = []
    for item in given.order_by:
        if len(item) != 2 or item[0] not in {*given.metrics, *given.dimensions} or item[1] not in {"asc", "desc"}:
            raise InvalidQuery(_("order_by has pairs of a metric or dimension of the query, and asc or desc"))
        order.append((item[0], item[1]))
    times: list[tuple[str, str]] = [(name, "asc") for name in given.dimensions if name.startswith("time")]
    return order or [*times, (given.metrics[0], "desc")]


def _breakdown(given: PlausibleQuery, period: Period, order: Sequence[tuple[str, str]]) -> BreakdownRequest:
    """The query in our terms. Raises InvalidQuery for what cannot be answered."""
    if not (1 <= given.pagination.limit <= MAX_LIMIT and given.pagination.offset >= 0):
        raise InvalidQuery(_("pagination.limit is 1 to {most}, and offset at least 0").format(most=MAX_LIMIT))
    if len({*given.dimensions}) < len(given.dimensions):
        raise InvalidQuery(_("A dimension can be named once"))
    times = [name for name in given.dimensions if name == "time" or name.startswith("time:")]
    if len(times) > 1 or (times and given.dimensions[0] != times[0]):
        raise InvalidQuery(_("A query can have one time dimension, which comes first"))
    if given.include.time_labels and not times:
        raise InvalidQuery(_("include.time_labels requires a time dimension"))
    columns = tuple(_known_dimension(name)[0] for name in given.dimensions if name not in times)
    if len({*columns}) < len(columns):
        raise InvalidQuery(_("A query can have one dimension of a country"))
    width = _width(times[0], given.date_range, period.days) if times else None
    if width == "hour":
        ranges.check_granularity(period.days, "hour")
    first = order[0] if len(order) == 1 and not given.include.total_rows else ("", "desc")
    most = given.pagination.offset + given.pagination.limit
    return BreakdownRequest(
        tuple(given.metrics),
        period,
        columns,
        tuple(_filter(item) for item in given.filters),
        width,
        first_days(period.days, monthly=width == "month") if width in {"week", "month"} else (),
        (first[0], first[1] == "desc"),
        min(most, MAX_LIMIT),
    )


def _known_dimension(name: str) -> tuple[str, str]:
    """The column and the field of a dimension. Raises InvalidQuery."""
    if name in _DIMENSIONS:
        return _DIMENSIONS[name]
    near = {"visit:region": "visit:region_name", "visit:city": "visit:city_name", "event:goal": "event:name"}.get(name)
    hint = _(" Use {near} instead").format(near=near) if near else ""
    raise InvalidQuery(_("The dimension {name} is not supported.").format(name=name[:64]) + hint)


def _width(name: str, given: str | list[str], days: DayRange) -> Granularity:
    """The width of the buckets. Raises InvalidQuery."""
    if name != "time":
        if name not in _WIDTHS:
            raise InvalidQuery(_("The dimension {name} is not supported.").format(name=name[:64]))
        return _WIDTHS[name]
    if days.length == 1:
        return "hour"
    long = given in {"year", "all"} if isinstance(given, str) else days.length > 31
    return "month" if long or (isinstance(given, str) and given.endswith("mo")) else "day"


def _filter(item: Any, *, negated: bool = False, depth: int = 1) -> QueryFilterInput:
    """A filter of a query. Raises InvalidQuery."""
    wrong = InvalidQuery(_("A filter is [operator, dimension, values], or and, or, not with filters"))
    if depth > _DEEPEST or not isinstance(item, list) or len(item) < 2 or not isinstance(item[0], str):
        raise wrong
    operator = item[0]
    if operator == "not" and len(item) == 2:
        return _filter(item[1], negated=not negated, depth=depth + 1)
    if operator in {"and", "or"} and len(item) == 2 and isinstance(item[1], list) and item[1]:
        inner = [_filter(one, negated=negated, depth=depth + 1) for one in item[1]]
        every = (operator == "and") is not negated
        return QueryFilterInput(all=inner) if every else QueryFilterInput(any=inner)
    operator = _OPPOSITES_OF.get(operator, "") if negated else operator
    if operator not in _OPERATORS:
        raise InvalidQuery(_("The filter operator {name} is not supported").format(name=item[0][:32]))
    if len(item) == 4 and item[3] != {"case_sensitive": True}:
        raise InvalidQuery(_("Filters are case-sensitive"))
    if len(item) not in {3, 4} or not isinstance(item[1], str) or not isinstance(item[2], list) or not item[2]:
        raise wrong
    if not all(isinstance(value, str | int | float) for value in item[2]):
        raise wrong
    return _condition(item[1], _OPERATORS[operator], [str(value) for value in item[2]])


def _condition(dimension: str, op: Op, values: list[str]) -> QueryFilterInput:
    """A condition on a dimension, with its values as facts have them. Raises InvalidQuery."""
    _column, field = _known_dimension(dimension)
    exact = op in {"in", "not_in"}
    if not field or (not exact and dimension == "visit:country"):
        raise InvalidQuery(_("Cannot filter by {fields}").format(fields=dimension))
    if exact:
        values = [_fact_value(dimension, value) for value in values]
        if values == [""]:
            return QueryFilterInput(field, "is_not_set" if op == "in" else "is_set")
        if "" in values:
            raise InvalidQuery(_("Filter by {value} alone").format(value=_NOT_SET))
    return QueryFilterInput(field, op, list(values))


def _fact_value(dimension: str, value: str) -> str:
    if value == _NOT_SET:
        return ""
    if dimension == "visit:source" and value == _DIRECT:
        return DIRECT
    if dimension == "visit:country":
        return countries.names().get(value.upper(), value)
    return "screen_view" if dimension == "event:name" and value == "pageview" else value


_Show = Callable[[str], str]
_SHOWN: Final[Mapping[str, _Show]] = {
    "visit:source": lambda value: _DIRECT if value in {"", DIRECT} else value,
    "visit:referrer": lambda value: value.removeprefix("https://") or _DIRECT,
    "visit:country": lambda value: country_code().value({"country": value}) or value or _NOT_SET,
    "visit:device": lambda value: value.capitalize() or _NOT_SET,
    "event:name": lambda value: "pageview" if value in {"", "screen_view"} else value,
}


def _label(dimension: str, value: str, asked: BreakdownRequest) -> str:
    if dimension.startswith("time"):
        return value[:8] + "01" if asked.granularity == "month" else value
    show = _SHOWN.get(dimension)
    return show(value) if show is not None else value or _NOT_SET


def _rows(
    given: PlausibleQuery, asked: BreakdownRequest, answer: BreakdownAnswer, order: Sequence[tuple[str, str]]
) -> list[PlausibleRow]:
    """The rows in their order. Buckets without a value are left out."""
    rows = [
        PlausibleRow(
            [*values.values()], [_label(name, value, asked) for name, value in zip(given.dimensions, key, strict=True)]
        )
        for key, values in answer.rows.items()
        if any(values.values()) or not given.dimensions
    ]
    if answer.rows and {*answer.rows} == {()}:
        rows = [PlausibleRow([answer.rows[()][name] for name in given.metrics], [])]
    rows.sort(key=lambda row: row.dimensions)
    for name, direction in reversed(order):
        if name in given.dimensions:
            at = given.dimensions.index(name)
            rows.sort(key=lambda row, at=at: row.dimensions[at], reverse=direction == "desc")  # type: ignore[misc]
        else:
            at = given.metrics.index(name)
            rows.sort(key=lambda row, at=at: row.metrics[at], reverse=direction == "desc")  # type: ignore[misc]
    return rows


def _labels(given: PlausibleQuery, asked: BreakdownRequest, rows: Sequence[PlausibleRow]) -> list[str]:
    """The labels of all buckets; those of all time begin with the first row."""
    period = asked.period
    window = ranges.window(period.days, period.zone, asked.granularity)
    if asked.starts:
        window = ranges.beginning_on(window, asked.starts, period.zone)
    if period.since:
        window = ranges.begin_at(window, period.since)
    if period.until:
        window = ranges.cut(window, period.until)
    labels = [_label("time", bucket.label, asked) for bucket in window.buckets]
    if given.date_range == "all":
        first = min((row.dimensions[0] for row in rows), default=labels[-1])
        labels = [label for label in labels if label >= first]
    return labels


class StatsParameters(Struct, frozen=True):
    """The parameters of a request of version 1."""

    site_id: str
    metrics: tuple[str, ...]
    period: Period
    name: str
    filters: tuple[QueryFilterInput, ...]


_V1: Final = frozenset(("site_id", "period", "date", "metrics", "filters", "with_imported", "timezone"))


def _parameters(request: Request[Any, Any, Any], now: int, *more: str) -> StatsParameters:
    """The parameters that the routes of version 1 share. Raises InvalidQuery."""
    given = request.query_params
    if unknown := sorted({*given} - _V1 - {*more}):
        raise InvalidQuery(_("The parameter {name} is not supported").format(name=unknown[0][:64]))
    metrics = tuple(given.get("metrics", "visitors").replace(" ", "").split(","))
    if wrong := [name for name in metrics if name not in _KNOWN_METRICS or name == "percentage"]:
        known = ", ".join(_KNOWN_METRICS[:-1])
        raise InvalidQuery(_("The metric {name} is not supported. Use {known}").format(name=wrong[0][:64], known=known))
    zone = ranges.zone(given.get("timezone"))
    name = given.get("period", "30d")
    period = _period_of_v1(name, given.get("date"), ranges.today(now, zone), zone)
    filters = tuple(_old_filter(text) for text in given.get("filters", "").split(";") if text)
    return StatsParameters(given.get("site_id", ""), metrics, period, name, filters)


def _period_of_v1(name: str, given: str | None, today: date, zone: ZoneInfo) -> Period:
    """The range of a request of version 1, which includes the date."""
    if name == "custom":
        first, _comma, last = (given or "").partition(",")
        return Period(ranges.of_dates(first, last), zone)
    end = today if given is None else ranges.parse_date(given, "date")
    if name == "day":
        days = DayRange(end, end)
    elif name == "month":
        days = DayRange(end.replace(day=1), _months_before(end, -1) - timedelta(days=1))
    elif (number := _number(name, "d")) and number <= ranges.MAX_DAYS:
        days = DayRange(end - timedelta(days=number - 1), end)
    elif (number := _number(name, "mo")) and number <= 100:
        days = DayRange(_months_before(end, number - 1), _months_before(end, -1) - timedelta(days=1))
    else:
        raise InvalidQuery(_("Invalid period: {name}").format(name=name[:40]))
    return Period(days, zone)


def _old_filter(text: str) -> QueryFilterInput:
    """A filter such as visit:source==Google|Bing. Raises InvalidQuery."""
    for sign, op, others in (("==", "in", "starts_with"), ("!=", "not_in", "not_starts_with")):
        dimension, found, value = text.partition(sign)
        if not found:
            continue
        values = [part.replace("\0", "|") for part in value.replace("\\|", "\0").split("|")]
        known: Op = "in" if op == "in" else "not_in"
        if not any("*" in part for part in values):
            return _condition(dimension.strip(), known, values)
        before = [part.rstrip("*") for part in values]
        if any("*" in part for part in before) or not all(part.endswith("*") for part in values):
            raise InvalidQuery(_("Wildcards are supported at the end of a value"))
        return _condition(dimension.strip(), "starts_with" if others == "starts_with" else "not_starts_with", before)
    raise InvalidQuery(_("A filter is a property, == or !=, and a value"))


async def aggregate(request: Request[Any, Any, Any], call: NamedDependency[Call]) -> Response[bytes]:
    """Answer with the totals of a period, on request with their change since the period before, in percent."""
    given = _parameters(request, call.now, "compare")
    reads = await read_scope(request.scope, call, given.site_id)
    compare = request.query_params.get("compare")
    if compare not in {None, "previous_period"}:
        raise InvalidQuery(_("compare supports previous_period"))
    asked = [BreakdownRequest(given.metrics, given.period, filters=given.filters)]
    if compare:
        before = Period(given.period.days.previous(), given.period.zone)
        asked.append(BreakdownRequest(given.metrics, before, filters=given.filters))
    now, *earlier = [answer.rows[()] for answer in await read_breakdowns(call, reads, *asked)]
    results: dict[str, dict[str, int | float | None]] = {name: {"value": now[name]} for name in given.metrics}
    for totals in earlier:
        for name in given.metrics:
            results[name]["change"] = _change(name, totals[name], now[name])
    return json_answer(PlausibleTotals(results))


def _change(metric: str, before: float, now: float) -> int | None:
    """The change in percent, of a rate in points; None from nothing to something in a rate."""
    if metric == "bounce_rate":
        return round(now - before) if before else None
    if not before:
        return 100 if now else 0
    return round(100 * (now - before) / before)


async def timeseries(request: Request[Any, Any, Any], call: NamedDependency[Call]) -> Response[bytes]:
    """Answer with the metrics of each bucket, also those without a visit."""
    given = _parameters(request, call.now, "interval")
    reads = await read_scope(request.scope, call, given.site_id)
    usual = "month" if given.name.endswith("mo") else "hour" if given.name == "day" else "day"
    width = _WIDTHS.get(f"time:{request.query_params.get('interval', usual)}")
    if width is None:
        raise InvalidQuery(_("interval is hour, day, week or month"))
    ranges.check_granularity(given.period.days, width)
    starts = first_days(given.period.days, monthly=width == "month") if width in {"week", "month"} else ()
    asked = BreakdownRequest(given.metrics, given.period, (), given.filters, width, starts)
    (answer,) = await read_breakdowns(call, reads, asked)
    rows: list[PlausibleValues] = [{TIME: _label("time", key[0], asked), **row} for key, row in answer.rows.items()]
    return json_answer(PlausibleRows(rows))


async def breakdown(request: Request[Any, Any, Any], call: NamedDependency[Call]) -> Response[bytes]:
    """Answer with the metrics of each value of a property, largest first."""
    given = _parameters(request, call.now, "property", "limit", "page")
    reads = await read_scope(request.scope, call, given.site_id)
    dimension = request.query_params.get("property", "")
    limit, page = (
        _number(request.query_params.get(name, usual) + "n", "n") for name, usual in (("limit", "100"), ("page", "1"))
    )
    if not (1 <= limit <= 1000 and page >= 1 and limit * page <= MAX_LIMIT):
        raise InvalidQuery(_("limit is 1 to 1,000, and up to {most} rows can be read").format(most=MAX_LIMIT))
    first = given.metrics[0]
    asked = BreakdownRequest(
        given.metrics,
        given.period,
        (_known_dimension(dimension)[0],),
        given.filters,
        first=(first, True),
        most=limit * page,
    )
    (answer,) = await read_breakdowns(call, reads, asked)
    name = dimension.partition(":")[2]
    rows: list[PlausibleValues] = [{name: _label(dimension, key[0], asked), **row} for key, row in answer.rows.items()]
    rows.sort(key=lambda row: str(row[name]))
    rows.sort(key=lambda row: row[first], reverse=True)
    return json_answer(PlausibleRows(rows[limit * (page - 1) : limit * page]))


async def realtime(request: Request[Any, Any, Any], call: NamedDependency[Call]) -> Response[bytes]:
    """Answer with the number of current visitors."""
    reads = await read_scope(request.scope, call, request.query_params.get("site_id", ""))
    number = await current_visitors(call, reads, TYPES["active_stats"])
    headers = {"cache-control": "no-store"}
    return Response(str(number).encode(), media_type="application/json", headers=headers)
