"""From a question to plans: everything that an engine needs to know, with names and zones resolved. Pure."""

from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.base.facts.event import METRICS, TIMINGS
from analytics_box.query import ranges
from analytics_box.query.catalog.types import Follow, QueryType, Record, ScanRequest
from analytics_box.query.catalog.values import id_text
from analytics_box.query.filters import OF_AI_REQUESTS, ConditionGroup, FilterCondition, FunnelPlan, Where, fitting
from analytics_box.query.plan import (
    AI_SOURCES,
    BUCKET,
    DAY_OF_WEEK,
    HOUR_OF_DAY,
    SESSION_AFTER,
    SESSION_BEFORE,
    Having,
    Offset,
    PlanOrder,
    QueryPlan,
    Source,
    runs_of,
)
from analytics_box.query.ranges import DayRange, Granularity, TimeWindow
from analytics_box.query.request import QueryRequest

_NUMBERS = METRICS | TIMINGS
MOST_FOLLOWED = 20_000  # rows that a second look may bring


class CannotAnswer(Exception):
    """Raised when one parameter cannot be answered. The others still are."""


class ComposedParameter(Struct, frozen=True):
    """A question as it will run: its window, a plan for each ask of its type, and notes for rows of a study."""

    window: TimeWindow
    plans: tuple[QueryPlan, ...]
    notes: Record | None = None


def window_of(
    query_type: QueryType, days: DayRange | None, request: QueryRequest, granularity: Granularity, now: int
) -> TimeWindow:
    """Return the time window of an answer. Raises ValueError if a type that needs a range has none."""
    if query_type.recent:
        return TimeWindow(now - query_type.recent + 1, now + 1, now=now)
    if query_type.today:
        today = ranges.today(now, request.zone)
        return ranges.window(DayRange(today, today), request.zone, None)._replace(now=now)
    if days is None:
        raise ValueError("This type needs a range")
    return ranges.window(days, request.zone, granularity if query_type.series else None)._replace(now=now)


def compose(
    query_type: QueryType,
    request: QueryRequest,
    window: TimeWindow,
    sites: tuple[int, ...],
    where: tuple[Where, ...],
    having: tuple[Having, ...] = (),
    funnel: FunnelPlan | None = None,
) -> ComposedParameter:
    """The scans that a question needs, one for each ask of its type."""
    plans = []
    for ask in query_type.asks:
        if ask.back:
            plan = _plan(ask, sites, max(window.start - ask.back, 0), window.end, (), request)
        else:
            plan = _plan(ask, sites, window.start, window.end, where, request)
        if ask.source == "funnels":
            plan = replace(plan, funnel=funnel)
        if query_type.recent:  # visitors of these minutes may have been given something on the page before
            plan = replace(plan, given_before=DAY)
        if query_type.series and not plan.columns:
            plan = replace(plan, runs=runs_of(window), group=(BUCKET, *plan.group))
        if query_type.paged_by_engine:
            plan = replace(
                plan,
                order=_order(query_type, ask, request),
                having=having,
                limit=request.limit,
                offset=(request.page - 1) * request.limit,
            )
        plans.append(plan)
    return ComposedParameter(window, tuple(plans))


def follow_plan(
    follow: Follow,
    found: list[Record],
    sites: tuple[int, ...],
    where: tuple[Where, ...],
    window: TimeWindow,
    request: QueryRequest,
) -> QueryPlan | None:
    """The second look at what was found; None if nothing was.

    At sessions it is a look at all of them, also outside the range; at people and pages only at what was counted.
    """
    if not found:
        return None
    if follow.key == "session":
        values = tuple(dict.fromkeys(id_text(row["session"]) for row in found))
        before = SESSION_BEFORE if follow.ask.source == "events" else SESSION_AFTER  # under a client's session id
        start, end, where = window.start - before, window.end + SESSION_AFTER, ()
    elif follow.key == "path":
        values = tuple(dict.fromkeys(str(row["path"]) for row in found))
        start, end = window.start, window.end
    else:
        values = tuple(dict.fromkeys(row["profile_of"] or id_text(row["visitor_of"]) for row in found))
        start, end = window.start, window.end
    plan = _plan(
        follow.ask, sites, start, end, (*where, FilterCondition(follow.key, "is", values, negated=False)), request
    )
    return replace(plan, limit=MOST_FOLLOWED)


def _plan(
    ask: ScanRequest, sites: tuple[int, ...], start: int, end: int, where: tuple[Where, ...], request: QueryRequest
) -> QueryPlan:
    local = {HOUR_OF_DAY, DAY_OF_WEEK} & set(ask.group)
    return QueryPlan(
        source=ask.source,
        sites=sites,
        start=start,
        end=end,
        measures=ask.measures,
        group=ask.group,
        columns=ask.columns,
        kinds=ask.kinds,
        bots=ask.bots,
        timed=ask.timed,
        metrics=tuple(_NUMBERS[name] for name in ask.metrics),
        least=ask.least,
        present=ask.present,
        where=(*ask.where, *_for_source(ask.source, fitting(where, partial(_is_known, ask.source)))),
        offsets=tuple(Offset(*item) for item in ranges.offsets(start, end, request.zone)) if local else (),
        order=ask.order,
        share_of=ask.share_of,
        share_within=ask.share_within,
        per=ask.per,
    )


# Columns that only one kind of facts has. A look at others next to it, for a whole to compare with, does without them.
_OWN: dict[str, tuple[Source, ...]] = {
    "key": ("properties",),
    "message": ("errors", "exposures", "met"),
    "type": ("errors", "exposures", "met"),
    "fingerprint": ("errors", "exposures", "met"),
    "release": ("errors", "exposures", "met", "vitals"),
    "href": ("outgoing_links",),
    "text": ("outgoing_links",),
    "http_code": ("checks",),
    "status": ("checks",),
    "reason": ("checks",),
    "conversion": ("experiments",),
    "tool": ("mcp_calls",),
    "client_name": ("mcp_calls",),
    "server_name": ("mcp_calls",),
    "environment": ("mcp_calls",),
    "client_version": ("mcp_calls",),
    "server_version": ("mcp_calls",),
    "funnel": (),
    **dict.fromkeys(OF_AI_REQUESTS - {"path"}, tuple(AI_SOURCES)),
}


def _for_source(source: Source, where: tuple[Where, ...]) -> tuple[Where, ...]:
    """The conditions with the source's columns: the page of a payment is the one on which its session began."""
    if source != "transactions":
        return where
    return tuple(
        replace(item, items=_for_source(source, item.items))
        if isinstance(item, ConditionGroup)
        else replace(item, column="entry")
        if item.column == "path"
        else item
        for item in where
    )


def _is_known(source: Source, condition: FilterCondition) -> bool:
    if source in AI_SOURCES and condition.column not in OF_AI_REQUESTS:
        return False
    return source in _OWN.get(condition.column, (source,))


def _order(query_type: QueryType, ask: ScanRequest, request: QueryRequest) -> tuple[PlanOrder, ...]:
    """The order of the request, followed by the default order of the type."""
    if request.sort_by is None:
        return ask.order
    wanted = next(column.sort for column in query_type.columns if column.output.name == request.sort_by)
    return (PlanOrder(wanted, request.descending), *(item for item in ask.order if item.key != wanted))
