"""What POST /v1/query takes (spec 2.5 to 2.7), decoded and checked into one question per parameter."""

from collections.abc import Iterable
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta, Struct

from analytics_box.errors import Detail, InvalidQuery, WrongTypes
from analytics_box.query import catalog, ranges
from analytics_box.query.catalog import QueryType
from analytics_box.query.filters import Filter, FilterGroup, Op
from analytics_box.query.patterns import NotAPattern, compiled
from analytics_box.query.ranges import Days, Granularity, Preset

DEFAULT_LIMIT, MAX_LIMIT = 100, 10_000
MAX_PARAMETERS, MAX_BATCH = 50, 20  # wire 0, size of a request
MAX_FILTERS, MAX_LIST, MAX_DEPTH = 50, 1_000, 5
MAX_PATTERN = 500  # characters
MAX_PATTERNS = 20  # of all queries of a request: each may take some ms to compile
_MAX_PAGE = 1_000_000

Comparison = Literal["previous_period", "previous_year"]
GranularityName = Literal["hourly", "daily", "hour", "day"]
_GRANULARITY: dict[str, Granularity] = {"hourly": "hour", "hour": "hour", "daily": "day", "day": "day"}


class GivenParameter(Struct, frozen=True):
    """Spec 2.6."""

    name: str
    start_date: str | None = None
    end_date: str | None = None
    id: str | None = None
    granularity: GranularityName | None = None


class GivenFilter(Struct, frozen=True):
    """Spec 2.7, wire 2.1; or filters of which `any` must hold, or `all`. Only is_set and is_not_set need no value."""

    field: str | None = None
    op: Op | None = None
    value: str | int | float | list[str | int | float] | None = None
    any: "list[GivenFilter] | None" = None
    all: "list[GivenFilter] | None" = None


class GivenQuery(Struct, frozen=True):
    """Spec 2.5. Fields that the wire knows and drops are not named here."""

    parameters: list[str | GivenParameter]
    startDate: str | None = None
    endDate: str | None = None
    preset: Preset | None = None
    id: str | None = None
    limit: int | None = None
    page: int | None = None
    filters: list[GivenFilter] | None = None
    granularity: GranularityName | None = None
    sortBy: Annotated[str, Meta(max_length=64)] | None = None
    sortOrder: Literal["asc", "desc"] | None = None
    timeZone: str | None = None
    comparison: Comparison | None = None


DECODER = msgspec.json.Decoder(GivenQuery | list[GivenQuery])


class Question(Struct, frozen=True):
    """One parameter of a query, resolved. Without a `type` it fails alone, for the reason in `error`."""

    label: str
    type: QueryType | None
    days: Days | None
    granularity: Granularity
    error: str = ""


class Request(Struct, frozen=True):
    """A checked query."""

    id: str
    questions: tuple[Question, ...]
    zone: ZoneInfo
    limit: int
    page: int
    filters: tuple[Filter | FilterGroup, ...]
    sort_by: str | None
    descending: bool
    comparison: Comparison | None = None


def check(given: GivenQuery, *, zone_name: str | None, now: int, where: str = "") -> Request:
    """The query as it will run. Raises InvalidQuery (wire 3.4); `where` prefixes fields of a batch."""
    tz = ranges.zone(zone_name or given.timeZone)
    _check_counts(given, where)
    limit = DEFAULT_LIMIT if given.limit is None else given.limit
    page = 1 if given.page is None else given.page
    if limit < 1:
        raise _invalid(f"{where}limit", "Limit must be at least 1")
    if limit > MAX_LIMIT:
        raise _invalid(f"{where}limit", f"Limit cannot exceed {MAX_LIMIT}")
    if page < 1 or page > _MAX_PAGE:
        raise _invalid(f"{where}page", "Page must be at least 1" if page < 1 else "Page is too large")
    parameters = [item if isinstance(item, GivenParameter) else GivenParameter(item) for item in given.parameters]
    _check_names([parameter.name for parameter in parameters], where)
    days = _days(given, parameters, tz, now, where)
    granularity = _GRANULARITY[given.granularity or "daily"]
    questions = tuple(_question(parameter, days, granularity, where) for parameter in parameters)
    return Request(
        id=given.id or "",
        questions=questions,
        zone=tz,
        limit=limit,
        page=page,
        filters=check_filters(given.filters or [], where),
        sort_by=given.sortBy,
        descending=given.sortBy is None or given.sortOrder != "asc",
        comparison=given.comparison,
    )


def _check_counts(given: GivenQuery, where: str) -> None:
    if not given.parameters:
        raise _invalid(f"{where}parameters", "At least one parameter is required")
    if len(given.parameters) > MAX_PARAMETERS:
        raise _invalid(f"{where}parameters", f"A query may have {MAX_PARAMETERS} parameters")
    if len(given.filters or ()) > MAX_FILTERS:
        raise _invalid(f"{where}filters", f"A query may have {MAX_FILTERS} filters")


def _check_names(names: list[str], where: str) -> None:
    """When no name is known at all, the request is invalid; otherwise unknown ones fail alone (wire 0)."""
    if any(name in catalog.TYPES for name in names):
        return
    near = catalog.nearest(names[0])
    suggestion = f"Did you mean '{near}'?" if near else msgspec.UNSET
    message = f"Unknown query type: {names[0][:100]}"
    raise InvalidQuery(
        f"{message}. {suggestion}" if near else message,
        details=(Detail(f"{where}parameters[0]", message, suggestion),),
    )


def _days(given: GivenQuery, parameters: list[GivenParameter], tz: ZoneInfo, now: int, where: str) -> Days | None:
    """The request's range: the preset wins over dates. None where every parameter brings its own dates."""
    if given.preset is not None:
        return ranges.of_preset(given.preset, now, tz)
    if given.startDate is not None and given.endDate is not None:
        try:
            return ranges.of_dates(given.startDate, given.endDate)
        except InvalidQuery as wrong:
            raise _invalid(f"{where}{wrong.details[0].field}", wrong.message) from wrong
    if all(_brings_dates(parameter) for parameter in parameters):
        return None
    missing = "startDate" if given.startDate is None else "endDate"
    raise _invalid(f"{where}{missing}", f"Either {missing} or preset is required")


def _brings_dates(parameter: GivenParameter) -> bool:
    """Whether a parameter needs no range of the request: it has its own, or its type looks at now."""
    query_type = catalog.TYPES.get(parameter.name)
    looks_at_now = query_type is not None and (query_type.today or query_type.recent > 0)
    return looks_at_now or bool(parameter.start_date and parameter.end_date)


def _question(given: GivenParameter, days: Days | None, granularity: Granularity, where: str) -> Question:
    label = given.id or given.name
    query_type = catalog.TYPES.get(given.name)
    if given.granularity is not None:
        granularity = _GRANULARITY[given.granularity]
    if query_type is None:
        return Question(label, None, days, granularity, f"Unknown query type: {given.name[:100]}")
    if given.start_date or given.end_date:
        own_start = given.start_date or (days.first.isoformat() if days else "")
        own_end = given.end_date or (days.last.isoformat() if days else "")
        try:
            days = ranges.of_dates(own_start, own_end)
        except InvalidQuery:
            return Question(label, None, days, granularity, "Invalid parameter date range")
    if days is not None and query_type.series:
        try:
            ranges.check_granularity(days, granularity)
        except InvalidQuery as wrong:
            raise _invalid(f"{where}granularity", wrong.message) from wrong
    return Question(label, query_type, days, granularity)


def check_filters(given: list[GivenFilter], where: str) -> tuple[Filter | FilterGroup, ...]:
    """The filters of a query. Raises InvalidQuery or WrongTypes."""
    check_pattern_count([given], where)
    return tuple(_filter(item, f"{where}filters[{at}]") for at, item in enumerate(given))


def check_pattern_count(given: Iterable[Iterable[GivenFilter]], where: str = "") -> None:
    """Counted over all queries of a request, before one is compiled. Raises InvalidQuery."""
    if sum(_patterns_in(filters) for filters in given) > MAX_PATTERNS:
        raise _invalid(f"{where}filters", f"A request may have {MAX_PATTERNS} patterns")


def _patterns_in(given: Iterable[GivenFilter], depth: int = 1) -> int:
    if depth > MAX_DEPTH + 1:
        return 0  # refused for its depth
    found = 0
    for item in given:
        if item.op == "regex":
            found += len(item.value) if isinstance(item.value, list) else 1
        found += _patterns_in((*(item.any or ()), *(item.all or ())), depth + 1)
    return found


def _filter(given: GivenFilter, where: str, depth: int = 1) -> Filter | FilterGroup:
    if given.any is not None or given.all is not None:
        return _filter_group(given, where, depth)
    for name, missing in (
        ("field", given.field is None),
        ("op", given.op is None),
        ("value", given.value is None and given.op not in {"is_set", "is_not_set"}),
    ):
        if missing:
            raise WrongTypes(
                "The request has a wrong shape", details=(Detail(f"body.{where}.{name}", "Invalid value"),)
            )
    values = given.value if isinstance(given.value, list) else [] if given.value is None else [given.value]
    if len(values) > MAX_LIST:
        raise _invalid(where, f"A filter may list {MAX_LIST} values")
    texts = tuple(str(value) for value in values)
    if given.op == "regex":
        _check_patterns(texts, where)
    return Filter(given.field or "", given.op or "eq", texts)


def _filter_group(given: GivenFilter, where: str, depth: int) -> FilterGroup:
    both = given.any is not None and given.all is not None
    if both or given.field is not None or given.op is not None:
        raise _invalid(where, "A filter is one condition, or a group with any, or one with all")
    if depth > MAX_DEPTH:
        raise _invalid(where, f"Groups of filters may be nested {MAX_DEPTH} levels deep")
    name, items = ("any", given.any) if given.any is not None else ("all", given.all)
    if not items or len(items) > MAX_FILTERS:
        raise _invalid(where, f"A group has 1 to {MAX_FILTERS} filters")
    return FilterGroup(
        name == "any", tuple(_filter(item, f"{where}.{name}[{at}]", depth + 1) for at, item in enumerate(items))
    )


def _check_patterns(patterns: tuple[str, ...], where: str) -> None:
    """Patterns are RE2's: no look-around and no back references, so that matching takes linear time."""
    for pattern in patterns:
        if len(pattern) > MAX_PATTERN:
            raise _invalid(f"{where}.value", f"A pattern may have {MAX_PATTERN} characters")
        try:
            compiled(pattern)
        except NotAPattern as wrong:
            raise _invalid(f"{where}.value", f"Not a pattern: {wrong}") from wrong


def _invalid(field: str, message: str) -> InvalidQuery:
    return InvalidQuery(message, details=(Detail(field, message),))
