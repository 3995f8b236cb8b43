"""The input of POST /v1/query (spec 2.5 to 2.7), decoded and checked into one QueryParameter each."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import date
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta, Struct

from analytics_box.base.errors import ErrorDetail, InvalidQuery, WrongTypes
from analytics_box.base.translation import _
from analytics_box.base.wrong_values import WrongValue
from analytics_box.query import happened, ranges
from analytics_box.query.catalog import registry
from analytics_box.query.catalog.types import QueryType
from analytics_box.query.filters import Filter, FilterGroup, FunnelSteps, Op
from analytics_box.query.patterns import NotAPattern, compile_pattern
from analytics_box.query.ranges import DayRange, Granularity, Preset

DEFAULT_LIMIT, MAX_LIMIT = 100, 10_000
MAX_PARAMETERS, MAX_BATCH = 50, 20  # wire 0, size of a request
MAX_FILTERS, MAX_LIST, MAX_DEPTH = 50, 1_000, 5
MAX_CONDITIONS = 100  # of a query, those in groups too: an engine plans each as a look at the texts of its own
MAX_PATTERN = 500  # characters
MAX_PATTERNS = 20  # of all queries of a request: each may take some ms to compile
MAX_HAPPENED = 20  # filters on what happened in a session, those in groups too: each takes a look at the events
_MAX_PAGE = 1_000_000

Comparison = Literal["previous_period", "previous_year"]
GranularityName = Literal["hourly", "daily", "hour", "day", "minute"]  # minute only for types that know it (wire 1.16)
_GRANULARITY: dict[str, Granularity] = {
    "hourly": "hour",
    "hour": "hour",
    "daily": "day",
    "day": "day",
    "minute": "minute",
}
_ROWS_OF_A_DAY: dict[Granularity, int] = {"minute": 1_500, "hour": 25}


class GivenParameter(Struct, frozen=True):
    """Spec 2.6."""

    name: str
    start_date: str | None = None
    end_date: str | None = None
    id: str | None = None
    granularity: GranularityName | None = None


class QueryFilterInput(Struct, frozen=True):
    """Spec 2.7, wire 2.1; or filters of which `any` must hold, or `all`. Only is_set and is_not_set need no value."""

    field: str | None = None
    op: Op | None = None
    value: str | int | float | list[str | int | float] | None = None
    any: "list[QueryFilterInput] | None" = None
    all: "list[QueryFilterInput] | None" = None


class GivenQuery(Struct, frozen=True):
    """Spec 2.5. Fields that the wire knows and drops are not named here."""

    parameters: list[str | GivenParameter]
    startDate: str | None = None
    endDate: str | None = None
    preset: Preset | None = None
    id: str | None = None
    limit: int | float | None = None  # whole numbers; JSON does not tell 10 from 10.0
    page: int | float | None = None
    filters: list[QueryFilterInput] | None = None
    granularity: GranularityName | None = None
    sortBy: Annotated[str, Meta(max_length=64)] | None = None
    sortOrder: Literal["asc", "desc"] | None = None
    timeZone: str | None = None
    comparison: Comparison | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The types that it asks for, known or not."""
        return tuple(item if isinstance(item, str) else item.name for item in self.parameters)


DECODER = msgspec.json.Decoder(GivenQuery | list[GivenQuery])


class QueryParameter(Struct, frozen=True):
    """A parameter of a query, resolved. Without a `type` it fails alone, for the reason in `error`.

    Pages and compatible APIs set more options: facts before the instant `since` and from `until` on (UTC ms, 0 for no
    limit) are ignored; the buckets of a series begin on the days in `starts`.
    """

    label: str
    type: QueryType | None
    days: DayRange | None
    granularity: Granularity
    error: str = ""
    until: int = 0
    starts: tuple[date, ...] = ()
    since: int = 0


class QueryRequest(Struct, frozen=True):
    """A checked query. `funnel` is the one that a filter names."""

    id: str
    questions: tuple[QueryParameter, ...]
    zone: ZoneInfo
    limit: int
    page: int
    filters: tuple[Filter | FilterGroup, ...]
    sort_by: str | None
    descending: bool
    comparison: Comparison | None = None
    funnel: FunnelSteps | None = None


def most_rows(question: QueryParameter, request: QueryRequest) -> int:
    """The maximum number of rows in the answer to a parameter, which is lower for types with one row, or one per
    bucket.
    """
    query_type, most = question.type, request.limit
    if query_type is None or question.error:
        return 0
    ask = query_type.asks[0]
    if query_type.series and not ask.group and question.days is not None:
        most = min(most, question.days.length * _ROWS_OF_A_DAY.get(question.granularity, 1))
    elif not (query_type.series or ask.group or ask.columns):
        most = 1
    return most * (1 if request.comparison is None else 2)


def check(given: GivenQuery, *, zone_name: str | None, now: int, where: str = "") -> QueryRequest:
    """The query as it will run. Raises InvalidQuery with all that is wrong (wire 3.4), or WrongTypes.

    `where` prefixes fields of a batch.
    """
    _check_counts(given, where)
    tz = ranges.zone(zone_name or given.timeZone)
    limit = _whole(given.limit, DEFAULT_LIMIT, f"{where}limit")
    page = _whole(given.page, 1, f"{where}page")
    wrong = list(_wrong_size(limit, page, where))
    parameters = [item if isinstance(item, GivenParameter) else GivenParameter(item) for item in given.parameters]
    with _collect_errors(wrong):
        _check_names([parameter.name for parameter in parameters], where)
    questions: tuple[QueryParameter, ...] = ()
    with _collect_errors(wrong):
        days = _days(given, parameters, tz, now, where)
        questions = tuple(_question(parameter, days, given.granularity, where) for parameter in parameters)
    filters: tuple[Filter | FilterGroup, ...] = ()
    with _collect_errors(wrong):
        filters = check_filters(given.filters or [], where)
    if wrong:
        raise InvalidQuery(wrong[0].whole, details=tuple(wrong))
    return QueryRequest(
        id=given.id or "",
        questions=questions,
        zone=tz,
        limit=limit,
        page=page,
        filters=filters,
        sort_by=given.sortBy,
        descending=given.sortBy is None or given.sortOrder != "asc",
        comparison=given.comparison,
    )


@contextmanager
def _collect_errors(wrong: list[ErrorDetail]) -> Iterator[None]:
    """Collect the errors of this block, so that the rest of the request is also checked."""
    try:
        yield
    except InvalidQuery as found:
        wrong.extend(found.details)


def _check_counts(given: GivenQuery, where: str) -> None:
    if not given.parameters:
        raise InvalidQuery.about(f"{where}parameters", _("At least one parameter is required"))
    if len(given.parameters) > MAX_PARAMETERS:
        raise InvalidQuery.about(
            f"{where}parameters", _("A query can have up to {most} parameters").format(most=MAX_PARAMETERS)
        )
    if len(given.filters or ()) > MAX_FILTERS:
        raise InvalidQuery.about(f"{where}filters", _("A query can have up to {most} filters").format(most=MAX_FILTERS))


def _whole(given: int | float | None, usual: int, where: str) -> int:
    """A number without a fraction. Raises WrongTypes."""
    if isinstance(given, float) and not given.is_integer():
        raise _wrong_shape(where, _("must be a whole number"))
    return usual if given is None else int(given)


def _wrong_size(limit: int, page: int, where: str) -> Iterator[ErrorDetail]:
    """Yield errors of limit and page."""
    if not 1 <= limit <= MAX_LIMIT:
        yield ErrorDetail(
            f"{where}limit",
            _("Limit must be at least 1") if limit < 1 else _("Limit cannot exceed {most}").format(most=MAX_LIMIT),
        )
    if not 1 <= page <= _MAX_PAGE:
        yield ErrorDetail(f"{where}page", _("Page must be at least 1") if page < 1 else _("Page is too large"))


def _check_names(names: list[str], where: str) -> None:
    """Raise InvalidQuery if no name is known at all; otherwise unknown names fail alone (wire 0)."""
    if any(name in registry.TYPES for name in names):
        return
    details = tuple(_unknown(name, f"{where}parameters[{at}]") for at, name in enumerate(names))
    raise InvalidQuery(details[0].whole, details=details)


def _unknown(name: str, field: str) -> ErrorDetail:
    near = registry.nearest(name)
    return ErrorDetail(
        field,
        _("Unknown query type: {name}").format(name=name[:100]),
        _("Did you mean '{near}'?").format(near=near) if near else msgspec.UNSET,
    )


def _days(given: GivenQuery, parameters: list[GivenParameter], tz: ZoneInfo, now: int, where: str) -> DayRange | None:
    """The request's range: the preset wins over dates. None if every parameter brings its own dates."""
    if given.preset is not None:
        return ranges.of_preset(given.preset, now, tz)
    if given.startDate is not None and given.endDate is not None:
        try:
            return ranges.of_dates(given.startDate, given.endDate)
        except InvalidQuery as wrong:
            raise InvalidQuery.about(f"{where}{wrong.details[0].field}", wrong.message) from wrong
    if all(_brings_dates(parameter) for parameter in parameters):
        return None
    details = tuple(
        ErrorDetail(f"{where}{name}", _("Either {name} or preset is required").format(name=name))
        for name, date in (("startDate", given.startDate), ("endDate", given.endDate))
        if date is None
    )
    raise InvalidQuery(details[0].message, details=details)


def _brings_dates(parameter: GivenParameter) -> bool:
    """Whether a parameter needs no range of the request: it has its own, or its type looks at now."""
    query_type = registry.TYPES.get(parameter.name)
    looks_at_now = query_type is not None and (query_type.today or query_type.recent > 0)
    return looks_at_now or bool(parameter.start_date and parameter.end_date)


def _question(
    given: GivenParameter, days: DayRange | None, of_request: GranularityName | None, where: str
) -> QueryParameter:
    label = given.id or given.name
    query_type = registry.TYPES.get(given.name)
    if query_type is None:
        return QueryParameter(label, None, days, "day", f"Unknown query type: {given.name[:100]}")
    if given.start_date or given.end_date:
        own_start = given.start_date or (days.first.isoformat() if days else "")
        own_end = given.end_date or (days.last.isoformat() if days else "")
        try:
            days = ranges.of_dates(own_start, own_end)
        except InvalidQuery:
            return QueryParameter(label, None, days, "day", "Invalid parameter date range")
    granularity = _granularity(query_type, given.granularity or of_request, days, where)
    if days is not None and query_type.series:
        try:
            ranges.check_granularity(days, granularity)
        except InvalidQuery as wrong:
            raise InvalidQuery.about(f"{where}granularity", wrong.message) from wrong
    return QueryParameter(label, query_type, days, granularity)


def _granularity(
    query_type: QueryType, named: GranularityName | None, days: DayRange | None, where: str
) -> Granularity:
    """The width that is named, else the type's usual one where the range is short enough. Raises InvalidQuery."""
    if named is None:
        too_long = days is not None and days.length > ranges.MAX_HOURLY_DAYS
        return "day" if query_type.usual == "hour" and too_long else query_type.usual
    granularity = _GRANULARITY[named]
    if query_type.series and granularity not in query_type.by:
        known = " or ".join(query_type.by)
        raise InvalidQuery.about(
            f"{where}granularity", _("{name} has rows by {known}").format(name=query_type.name, known=known)
        )
    return granularity


def check_filters(given: list[QueryFilterInput], where: str) -> tuple[Filter | FilterGroup, ...]:
    """The filters of a query. Raises InvalidQuery or WrongTypes."""
    check_pattern_count([given], where)
    if _count(given, lambda item: 1 if item.any is None and item.all is None else 0) > MAX_CONDITIONS:
        raise InvalidQuery.about(
            f"{where}filters", _("A query can have up to {most} filters, including groups").format(most=MAX_CONDITIONS)
        )
    if _count(given, _event_lookups) > MAX_HAPPENED:
        raise InvalidQuery.about(
            f"{where}filters", _("A query can have up to {most} session filters").format(most=MAX_HAPPENED)
        )
    return tuple(_filter(item, f"{where}filters[{at}]") for at, item in enumerate(given))


def check_pattern_count(given: Iterable[Iterable[QueryFilterInput]], where: str = "") -> None:
    """Counted over all queries of a request, before one is compiled. Raises InvalidQuery."""
    if sum(_patterns_in(filters) for filters in given) > MAX_PATTERNS:
        raise InvalidQuery.about(
            f"{where}filters", _("A request can have up to {most} patterns").format(most=MAX_PATTERNS)
        )


def _patterns_in(given: Iterable[QueryFilterInput]) -> int:
    return _count(
        given, lambda item: 0 if item.op != "regex" else len(item.value) if isinstance(item.value, list) else 1
    )


def _event_lookups(given: QueryFilterInput) -> int:
    """The number of event lookups of a filter: one for each of its goals or funnels."""
    if given.field in happened.NAMED:
        return happened.LOOKUPS[given.field] * (len(given.value) if isinstance(given.value, list) else 1)
    return int(given.field in happened.FIELDS)


def _count(given: Iterable[QueryFilterInput], of_one: Callable[[QueryFilterInput], int], depth: int = 1) -> int:
    """The sum over all filters, those in groups too."""
    if depth > MAX_DEPTH + 1:
        return 0  # refused for its depth
    return sum(of_one(item) + _count((*(item.any or ()), *(item.all or ())), of_one, depth + 1) for item in given)


def _filter(given: QueryFilterInput, where: str, depth: int = 1) -> Filter | FilterGroup:
    if given.any is not None or given.all is not None:
        return _filter_group(given, where, depth)
    for name, missing in (
        ("field", given.field is None),
        ("op", given.op is None),
        ("value", given.value is None and given.op not in {"is_set", "is_not_set"}),
    ):
        if missing:
            raise _wrong_shape(f"{where}.{name}", _("is required"))
    values = given.value if isinstance(given.value, list) else [] if given.value is None else [given.value]
    if len(values) > MAX_LIST:
        raise InvalidQuery.about(where, _("A filter can have up to {most} values").format(most=MAX_LIST))
    texts = tuple(str(value) for value in values)
    if given.op == "regex":
        _check_patterns(texts, where)
    if wrong := happened.wrong_with(given.field or "", given.op or "eq", texts):
        raise InvalidQuery.about(where, wrong)
    return Filter(given.field or "", given.op or "eq", texts)


def _filter_group(given: QueryFilterInput, where: str, depth: int) -> FilterGroup:
    both = given.any is not None and given.all is not None
    if both or given.field is not None or given.op is not None:
        raise InvalidQuery.about(where, _("A filter is one condition, or a group with any, or one with all"))
    if depth > MAX_DEPTH:
        raise InvalidQuery.about(
            where, _("Groups of filters can be nested up to {most} levels deep").format(most=MAX_DEPTH)
        )
    name, items = ("any", given.any) if given.any is not None else ("all", given.all)
    if not items or len(items) > MAX_FILTERS:
        raise InvalidQuery.about(where, _("A group can have 1 to {most} filters").format(most=MAX_FILTERS))
    return FilterGroup(
        name == "any", tuple(_filter(item, f"{where}.{name}[{at}]", depth + 1) for at, item in enumerate(items))
    )


def _check_patterns(patterns: tuple[str, ...], where: str) -> None:
    """Patterns are RE2's: no look-around and no back references, so that matching takes linear time."""
    for pattern in patterns:
        if len(pattern) > MAX_PATTERN:
            raise InvalidQuery.about(
                f"{where}.value", _("A pattern can have up to {most} characters").format(most=MAX_PATTERN)
            )
        try:
            compile_pattern(pattern)
        except NotAPattern as wrong:
            raise InvalidQuery.about(f"{where}.value", _("Invalid pattern: {wrong}").format(wrong=wrong)) from wrong


def _wrong_shape(where: str, rule: str) -> WrongTypes:
    """The error of a wrong type, as a decoder would raise it, for checks that need the whole request (wire 3.4)."""
    field = f"body{where.removeprefix('batch')}" if where.startswith("batch[") else f"body.{where}"
    wrong = WrongValue(where, rule)
    return WrongTypes(wrong.sentence, details=(ErrorDetail(field, _("Invalid value"), wrong.message),))
