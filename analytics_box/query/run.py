"""From a checked request to its answer: plans, the engine, and the rows that people see."""

import asyncio
import logging
from datetime import UTC, datetime
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from analytics_box.errors import BoxError, DeadlineExceeded
from analytics_box.ingest import source
from analytics_box.query import filters, ranges
from analytics_box.query.catalog import QueryType
from analytics_box.query.engines import sqlite
from analytics_box.query.plan import Plan, runs_of
from analytics_box.query.ranges import Window
from analytics_box.query.request import Question, Request
from analytics_box.store.db import Db

log = logging.getLogger(__name__)

# Fields that callers may sort by (wire 2.4) → measure.
SORTABLE = {
    "visitors": "visitors",
    "pageviews": "pageviews",
    "count": "count",
    "total_events": "count",
    "unique_users": "unique_users",
    "name": "",
}

Record = dict[str, Any]
_AT_ONCE = 8  # parameters of one request that run at the same time (wire 3.3)


class Entry(Struct, frozen=True):
    """The answer to one parameter (spec 2.9)."""

    parameter: str
    success: bool
    data: list[Record]
    error: str | UnsetType = UNSET
    ignoredFilters: tuple[str, ...] | UnsetType = UNSET


class Queries:
    """Answers requests from events.db, each parameter under its own deadline."""

    def __init__(self, events: Db, *, seconds: float) -> None:
        self._events = events
        self._seconds = seconds

    async def answer(self, request: Request, sites: tuple[int, ...], *, owner: int = 0) -> list[Entry]:
        """One entry per parameter, failed ones last (wire 3.5).

        `owner` is the site number of an organization's own events; types that concern them read it too.
        """
        slots = asyncio.Semaphore(_AT_ONCE)

        async def one(question: Question) -> Entry:
            async with slots:
                own = (owner,) if owner and question.type is not None and question.type.organization else ()
                return await self._entry(question, request, (*sites, *own))

        entries = await asyncio.gather(*(one(question) for question in request.questions))
        return sorted(entries, key=lambda entry: not entry.success)

    async def _entry(self, question: Question, request: Request, sites: tuple[int, ...]) -> Entry:
        if question.type is None or question.days is None:
            return Entry(question.label, success=False, data=[], error=question.error or "Invalid parameter date range")
        if request.sort_by is not None and not _can_sort(question.type, request.sort_by):
            return Entry(question.label, success=False, data=[], error=f"Cannot sort by {request.sort_by}")
        wanted, ignored = filters.conditions(request.filters, question.type.filters)
        granularity = question.granularity if question.type.series else None
        window = ranges.window(question.days, request.zone, granularity)
        wanted_plans = plans(question.type, request, window, sites, wanted)
        try:
            rows = [await self._rows(question.type, plan) for plan in wanted_plans]
        except DeadlineExceeded as late:
            return Entry(question.label, success=False, data=[], error=late.message)
        except BoxError:
            raise
        except Exception:
            log.exception("The query type %s failed", question.type.name)
            return Entry(question.label, success=False, data=[], error="Query execution failed")
        data = _records(question.type, request, window, rows)
        return Entry(question.label, success=True, data=data, ignoredFilters=ignored or UNSET)

    async def _rows(self, query_type: QueryType, plan: Plan) -> list[sqlite.Row]:
        """What the engine finds. A series over a day that its zone has left out has no bucket to look into."""
        if query_type.series and not plan.runs:
            return []
        return await self._events.read(_reader(plan), seconds=self._seconds)


def _reader(plan: Plan) -> Any:
    return lambda db: sqlite.run(db, plan)


def _can_sort(query_type: QueryType, field: str) -> bool:
    if not query_type.dimension:
        return field == "date" and query_type.series
    return field in SORTABLE and (field == "name" or SORTABLE[field] in query_type.events)


def plans(
    query_type: QueryType,
    request: Request,
    window: Window,
    sites: tuple[int, ...],
    conditions: tuple[filters.Condition, ...],
) -> list[Plan]:
    """The scans that a type needs: one of events, and for summaries one of sessions."""
    by_name = request.sort_by == "name"
    order = query_type.dimension if by_name else SORTABLE.get(request.sort_by or "", "") or query_type.order
    plan = Plan(
        grain="events",
        sites=sites,
        start=window.start,
        end=window.end,
        measures=query_type.events,
        kinds=query_type.kinds,
        dimension=query_type.dimension,
        runs=runs_of(window),
        conditions=conditions,
        order=order,
        descending=request.descending,
        share_of=query_type.share_of,
        limit=request.limit if query_type.dimension else 0,
        offset=(request.page - 1) * request.limit if query_type.dimension else 0,
    )
    if not query_type.sessions:
        return [plan]
    sessions = Plan(
        grain="sessions",
        sites=sites,
        start=window.start,
        end=window.end,
        measures=query_type.sessions,
        runs=plan.runs,
        conditions=conditions,
    )
    return [plan, sessions]


def _records(query_type: QueryType, request: Request, window: Window, rows: list[list[sqlite.Row]]) -> list[Record]:
    if query_type.dimension:
        return [_value_row(query_type, row) for row in rows[0]]
    names = (*query_type.events, *query_type.sessions)
    if not query_type.series:
        totals = _summary(query_type, dict(zip(names, (*rows[0][0], *rows[1][0]), strict=True)))
        return [totals] if request.page == 1 else []
    by_event = {row[0]: row[1:] for row in rows[0]}
    by_session = {row[0]: row[1:] for row in rows[1]}
    no_event, no_session = (0,) * len(query_type.events), (0,) * len(query_type.sessions)
    records = [
        {"date": bucket.label}
        | _summary(
            query_type,
            dict(zip(names, (*by_event.get(number, no_event), *by_session.get(number, no_session)), strict=True)),
        )
        for number, bucket in enumerate(window.buckets)
    ]
    if request.sort_by == "date" and request.descending:
        records.reverse()
    first = (request.page - 1) * request.limit
    return records[first : first + request.limit]


def _summary(query_type: QueryType, measured: dict[str, Any]) -> Record:
    """Totals or one bucket; rates come from the integers of this row (semantics 22)."""
    views, sessions = measured["pageviews"], measured["sessions"]
    everything = {
        "pageviews": views,
        "visitors": measured["visitors"],
        "unique_visitors": measured["visitors"],
        "sessions": sessions,
        "bounce_rate": _ratio(100 * measured["bounces"], sessions),
        "median_session_duration": round((measured["median_duration"] or 0) / 1000, 2),
        "total_events": measured["total_events"],
        "pages_per_session": _ratio(views, sessions),
    }
    return {output.name: everything[output.name] for output in query_type.outputs if output.name in everything}


def _value_row(query_type: QueryType, row: sqlite.Row) -> Record:
    """One row of a dimension: its value, the measures, and the share that it has of all rows."""
    value, *numbers, total = row
    measured = dict(zip(query_type.events, numbers, strict=True))
    everything = {
        "name": value or filters.UNKNOWN,
        "path": value,
        **measured,
        "percentage": _ratio(100 * measured[query_type.share_of], total),
        "total_events": measured.get("count"),
        "events_with_properties": measured.get("with_properties"),
        "first_occurrence": _utc_text(measured.get("first")),
        "last_occurrence": _utc_text(measured.get("last")),
    }
    if query_type.dimension == "source":
        domain = source.domain_of(value)
        everything |= {
            "source": value,
            "domain": domain,
            "referrer": f"https://{domain}" if domain else "",
            "referrer_type": source.kind_of(value),
        }
    return {output.name: everything[output.name] for output in query_type.outputs}


def _ratio(part: int, whole: int | None) -> float:
    return round(part / whole, 2) if whole else 0.0


def _utc_text(instant: int | None) -> str | None:
    if instant is None:
        return None
    return datetime.fromtimestamp(instant / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S.") + f"{instant % 1000:03d}"
