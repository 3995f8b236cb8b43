"""Queries as what would run: statements with their parameters, for POST /v1/query/compile and the pages."""

import re
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from analytics_box.errors import CompilationFailed, Detail, InvalidQuery
from analytics_box.query import catalog, ranges
from analytics_box.query.access import Scope
from analytics_box.query.compose import compose, window_of
from analytics_box.query.filters import COLUMNS
from analytics_box.query.plan import BUCKET, Order, Plan, runs_of
from analytics_box.query.prepared import CannotAnswer, prepare
from analytics_box.query.ranges import Days, Granularity
from analytics_box.query.request import (
    GivenFilter,
    Question,
    Request,
    check_filters,
)
from analytics_box.query.run import ENGINE, can_group, statement

TimeUnit = Literal["minute", "hour", "day", "week", "month"]
# Fields by which POST /v1/query/compile groups (wire 2.4) → dimension.
GROUPS = {
    **{
        name: COLUMNS[name]
        for name in (
            *("country", "region", "city", "timezone", "language", "browser_name", "browser_version", "os_name"),
            *("os_version", "device_type", "path", "referrer", "utm_source", "utm_medium", "utm_campaign", "utm_term"),
            *("utm_content", "source"),
        )
    },
    "viewport_size": "viewport",
    "name": "name",
    "message": "message",
    "error_type": "type",
    "duration_range": "duration_range",
    "depth_range": "depth_range",
    "date": BUCKET,
}
_NAMES = re.compile(r":([a-z][a-z0-9_]*)")


class GivenCompile(Struct, frozen=True):
    """Wire 3.7."""

    projectId: str
    type: str
    from_: str = msgspec.field(name="from")
    to: str
    timeUnit: TimeUnit | None = None
    filters: list[GivenFilter] | None = None
    groupBy: Annotated[list[str], Meta(max_length=5)] | None = None
    orderBy: Annotated[str, Meta(max_length=80)] | None = None
    limit: Annotated[int, Meta(ge=1, le=1000)] | None = None
    offset: Annotated[int, Meta(ge=0)] | None = None


class Statement(Struct, frozen=True):
    """One statement and its named parameters."""

    sql: str
    params: dict[str, Any]


class Statements(Struct, frozen=True):
    """What one parameter would run. `sql` and `params` are all statements in one text, parameters numbered apart."""

    parameter: str
    success: bool
    engine: str
    sql: str = ""
    params: dict[str, Any] = {}
    statements: tuple[Statement, ...] = ()
    error: str | msgspec.UnsetType = msgspec.UNSET


def of_request(request: Request, reads: Scope, now: int) -> list[Statements]:
    """The statements of each parameter of a query; one that cannot be answered says why."""
    return [_of_question(question, request, reads, now) for question in request.questions]


def _of_question(question: Question, request: Request, reads: Scope, now: int) -> Statements:
    if question.type is None or question.error:
        return Statements(question.label, success=False, engine=ENGINE, error=question.error)
    try:
        prepared = prepare(question, question.type, request, reads)
        composed = prepared.composed(request, question.days, question, now)
    except CannotAnswer as why:
        return Statements(question.label, success=False, engine=ENGINE, error=str(why))
    return _written(question.label, composed.plans)


def of_compile(given: GivenCompile, reads: Scope, *, zone_name: str | None, now: int) -> Statements:
    """The statements of one type (wire 3.7). Raises CompilationFailed or InvalidQuery."""
    query_type = catalog.TYPES[given.type]
    days = _days(given)
    unit: Granularity = given.timeUnit or "day"
    ranges.check_granularity(days, unit)
    name, _, direction = (given.orderBy or "").strip().partition(" ")
    if direction.lower() not in {"", "asc", "desc"}:
        raise CompilationFailed("orderBy is a field, and asc or desc after a space")
    limit = given.limit or query_type.default_limit
    question = Question(given.type, query_type, days, unit)
    request = Request(
        id="",
        questions=(question,),
        zone=ranges.zone(zone_name),
        limit=limit,
        page=1,
        filters=check_filters(given.filters or [], ""),
        sort_by=name or None,
        descending=direction.lower() != "asc",
    )
    try:
        prepared = prepare(question, query_type, request, reads)
    except CannotAnswer as why:
        raise CompilationFailed(str(why)) from why
    if prepared.ignored:
        raise CompilationFailed(f"{given.type} cannot be filtered by {', '.join(prepared.ignored)}")
    window = window_of(query_type, days, request, unit, now)
    if given.groupBy and BUCKET in _groups(given):
        window = ranges.window(days, request.zone, unit)
    plans = compose(query_type, request, window, prepared.sites, prepared.where, prepared.having).plans
    if given.groupBy:
        plans = (_grouped(plans[0], given, window),)
    if given.offset:
        plans = tuple(replace(plan, offset=given.offset) if plan.limit else plan for plan in plans)
    return _written(given.type, plans)


def _days(given: GivenCompile) -> Days:
    try:
        return ranges.of_dates(given.from_, given.to)
    except InvalidQuery as wrong:
        field = {"startDate": "from", "endDate": "to"}.get(wrong.details[0].field, "from")
        raise InvalidQuery(wrong.message, details=(Detail(field, wrong.message),)) from wrong


def _groups(given: GivenCompile) -> tuple[str, ...]:
    unknown = [name for name in given.groupBy or () if name not in GROUPS]
    if unknown:
        raise CompilationFailed(f"Cannot group by {', '.join(unknown)[:200]}")
    return tuple(dict.fromkeys(GROUPS[name] for name in given.groupBy or ()))


def _grouped(plan: Plan, given: GivenCompile, window: ranges.Window) -> Plan:
    """The first scan of a type, with other dimensions than its own."""
    wanted = _groups(given)
    if plan.columns:
        raise CompilationFailed(f"{given.type} lists single rows, which have no groups")
    if not can_group(plan.source, wanted):
        raise CompilationFailed(f"{given.type} cannot be grouped by all of {', '.join(given.groupBy or ())}")
    group = ((BUCKET,) if BUCKET in wanted else ()) + tuple(name for name in wanted if name != BUCKET)
    order = tuple(item for item in plan.order if item.name in plan.measures) or (Order(plan.measures[0]),)
    return replace(
        plan,
        group=group,
        runs=runs_of(window) if BUCKET in group else (),
        order=order,
        per=(0, 0),
        limit=given.limit or 100,
    )


def _written(label: str, plans: tuple[Plan, ...]) -> Statements:
    statements = tuple(Statement(*statement(plan)) for plan in plans)
    if len(statements) == 1:
        sql, params = statements[0].sql, statements[0].params
    else:
        sql = ";\n\n".join(_NAMES.sub(rf":q{number}_\1", item.sql) for number, item in enumerate(statements, start=1))
        params = {
            f"q{number}_{name}": value
            for number, item in enumerate(statements, start=1)
            for name, value in item.params.items()
        }
    return Statements(label, success=True, engine=ENGINE, sql=sql, params=params, statements=statements)
