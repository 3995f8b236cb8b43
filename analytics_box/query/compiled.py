"""The wire's own body of POST /v1/query/compile (wire 3.7): one type, with other groups if wanted."""

import asyncio
from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from analytics_box.base.errors import CompilationFailed, InvalidQuery
from analytics_box.base.translation import _
from analytics_box.query import ranges
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog import registry
from analytics_box.query.compose import CannotAnswer, ComposedParameter, compose, window_of
from analytics_box.query.engines import groups
from analytics_box.query.filters import COLUMNS
from analytics_box.query.plan import BUCKET, PlanOrder, QueryPlan, runs_of
from analytics_box.query.prepared import PreparedParameter
from analytics_box.query.ranges import DayRange, Granularity
from analytics_box.query.request import (
    QueryFilterInput,
    QueryParameter,
    QueryRequest,
    check_filters,
)
from analytics_box.query.run import QueryRunner
from analytics_box.query.statements import CompiledEntry, PlanStep, of_range, prepared_twice, write_statements

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


class GivenCompile(Struct, frozen=True):
    """Wire 3.7."""

    projectId: str
    type: str
    from_: str = msgspec.field(name="from")
    to: str
    timeUnit: TimeUnit | None = None
    filters: list[QueryFilterInput] | None = None
    groupBy: Annotated[list[str], Meta(max_length=5)] | None = None
    orderBy: Annotated[str, Meta(max_length=80)] | None = None
    limit: Annotated[int, Meta(ge=1, le=1000)] | None = None
    offset: Annotated[int, Meta(ge=0)] | None = None


async def of_compile(
    given: GivenCompile, reads: ReadScope, *, zone_name: str | None, now: int, queries: QueryRunner
) -> CompiledEntry:
    """The statements of one type (wire 3.7). Raises CompilationFailed or InvalidQuery."""
    query_type = registry.TYPES[given.type]
    days = _days(given)
    unit: Granularity = given.timeUnit or "day"
    ranges.check_granularity(days, unit)
    name, _space, direction = (given.orderBy or "").strip().partition(" ")
    if direction.lower() not in {"", "asc", "desc"}:
        raise CompilationFailed(_("orderBy is a field, and asc or desc after a space"))
    limit = given.limit or query_type.default_limit
    question = QueryParameter(given.type, query_type, days, unit)
    asked = QueryRequest(
        id="",
        questions=(question,),
        zone=ranges.zone(zone_name),
        limit=limit,
        page=1,
        filters=check_filters(given.filters or [], ""),
        sort_by=name or None,
        descending=direction.lower() != "asc",
    )
    request = await queries.with_goals(asked, reads)
    try:
        prepared, others = prepared_twice(question, query_type, request, reads)
    except CannotAnswer as why:
        raise CompilationFailed(str(why)) from why
    if prepared.ignored:
        raise CompilationFailed(
            _("{type} cannot be filtered by {ignored}").format(type=given.type, ignored=", ".join(prepared.ignored))
        )
    window = window_of(query_type, days, request, unit, now)
    if given.groupBy and BUCKET in _groups(given):
        window = ranges.window(days, request.zone, unit)
    if given.groupBy:
        steps, again = (_grouped_steps(one, request, given, window) for one in (prepared, others))
    else:
        steps, again = (
            _with_offset(of_range(_compose_parameter(one, request, window), one, request, finding), given.offset)
            for one, finding in ((prepared, 1), (others, 2))
        )
    return await asyncio.to_thread(write_statements, given.type, steps, again, queries.engines)


def _compose_parameter(
    prepared: PreparedParameter, request: QueryRequest, window: ranges.TimeWindow
) -> ComposedParameter:
    if prepared.study is not None or prepared.funnel is not None:
        (question,) = request.questions
        return prepared.composed(request, question.days, question, window.now)
    return compose(prepared.type, request, window, prepared.sites, prepared.where, prepared.having)


def _with_offset(steps: Iterator[PlanStep], offset: int | None) -> tuple[PlanStep, ...]:
    """Beginning with another row than the first; second looks are at whatever these are."""
    return tuple(
        replace(step, plan=replace(step.plan, offset=offset or 0)) if step.plan.limit and not step.follows else step
        for step in steps
    )


def _grouped_steps(
    prepared: PreparedParameter, request: QueryRequest, given: GivenCompile, window: ranges.TimeWindow
) -> tuple[PlanStep, ...]:
    plan = _regroup(_compose_parameter(prepared, request, window).plans[0], given, window)
    return (PlanStep(replace(plan, offset=given.offset or 0)),)


def _days(given: GivenCompile) -> DayRange:
    try:
        return ranges.of_dates(given.from_, given.to)
    except InvalidQuery as wrong:
        field = {"startDate": "from", "endDate": "to"}.get(wrong.details[0].field, "from")
        raise InvalidQuery.about(field, wrong.message) from wrong


def _groups(given: GivenCompile) -> tuple[str, ...]:
    unknown = [name for name in given.groupBy or () if name not in GROUPS]
    if unknown:
        raise CompilationFailed(_("Cannot group by {unknown}").format(unknown=", ".join(unknown)[:200]))
    return tuple(dict.fromkeys(GROUPS[name] for name in given.groupBy or ()))


def _regroup(plan: QueryPlan, given: GivenCompile, window: ranges.TimeWindow) -> QueryPlan:
    """The first scan of a type, with other dimensions than its own."""
    wanted = _groups(given)
    if plan.columns:
        raise CompilationFailed(_("{type} lists single rows, which have no groups").format(type=given.type))
    if not groups(plan.source, wanted):
        raise CompilationFailed(
            _("{type} cannot be grouped by all of {groupby}").format(
                type=given.type, groupby=", ".join(given.groupBy or ())
            )
        )
    group = ((BUCKET,) if BUCKET in wanted else ()) + tuple(name for name in wanted if name != BUCKET)
    order = tuple(item for item in plan.order if set(item.names) <= set(plan.measures)) or (
        PlanOrder(plan.measures[0]),
    )
    return replace(
        plan,
        group=group,
        runs=runs_of(window) if BUCKET in group else (),
        order=order,
        per=(0, 0),
        limit=given.limit or 100,
    )
