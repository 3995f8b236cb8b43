"""Metrics by dimensions, as other products' read APIs ask for them: query types made for one request.

Each scan of a request is a query type with one ask; their rows are merged by dimensions.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import errors
from analytics_box.base.errors import InvalidQuery
from analytics_box.base.facts.event import CUSTOM, PAGE_VIEW
from analytics_box.base.translation import _
from analytics_box.query import ranges
from analytics_box.query.access import ReadScope, readable
from analytics_box.query.catalog.types import QueryType, Record, ScanRequest, column
from analytics_box.query.catalog.values import quotient
from analytics_box.query.filters import OF_WEBSITES, flatten_filters
from analytics_box.query.plan import PlanOrder, Source
from analytics_box.query.ranges import DayRange, Granularity
from analytics_box.query.request import MAX_LIMIT, QueryFilterInput, QueryParameter, QueryRequest, check_filters
from analytics_box.query.run import ParameterAnswer, QueryRunner
from analytics_box.query.subjects import Subjects
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.tracking import clean_alias
from analytics_box.web.call import Call

TIME: Final = "date"  # the key of a row's bucket
_FILTERS: Final = (*OF_WEBSITES, "browser_version", "os_version", "event_name")
_OF_EVENTS: Final = frozenset(("path", "query_string", "name"))  # dimensions of an event; others are of a session
_ENDS: Final[Mapping[str, Source]] = {"entry": "entries", "exit": "exits"}
_SEEN: Final = (PAGE_VIEW, CUSTOM)

# Metric → measures of events and of sessions. Visits of an event's dimensions are the sessions of these events.
_METRICS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "visitors": (("visitors",), ()),
    "pageviews": (("pageviews",), ()),
    "events": (("total_events",), ()),
    "visits": ((), ("sessions",)),
    "bounces": ((), ("bounces",)),
    "seconds": ((), ("duration_total",)),
    "bounce_rate": ((), ("bounces", "sessions")),
    "visit_duration": ((), ("duration_total", "sessions")),
    "views_per_visit": (("pageviews",), ("sessions",)),
    "percentage": (("visitors",), ()),
}
METRICS: Final = frozenset(_METRICS)
_COUNTED: Final = {"visitors": "visitors", "pageviews": "pageviews", "events": "total_events", "visits": "sessions"}


class Period(Struct, frozen=True):
    """Local days, of which facts before `since` and from `until` on (UTC ms, 0 for no limit) are left out."""

    days: DayRange
    zone: ZoneInfo
    since: int = 0
    until: int = 0

    @classmethod
    def between(cls, since: int, until: int, zone: ZoneInfo) -> "Period":
        """The period from one instant to another, without the latter (UTC ms). Raises InvalidQuery."""
        if not 0 <= since < until < 32_503_680_000_000:
            raise InvalidQuery(_("The end of the range must be after its start"))
        days = ranges.of_dates(*(ranges.today(instant, zone).isoformat() for instant in (since, until - 1)))
        window = ranges.window(days, zone)
        return cls(days, zone, since if since > window.start else 0, until if until < window.end else 0)


class BreakdownRequest(Struct, frozen=True):
    """Metrics of a period by dimensions, which are columns of facts. `first` sorts rows by one metric, and `most` is
    how many of these are needed; rows in another order need all."""

    metrics: tuple[str, ...]
    period: Period
    dimensions: tuple[str, ...] = ()
    filters: tuple[QueryFilterInput, ...] = ()
    granularity: Granularity | None = None
    starts: tuple[date, ...] = ()
    first: tuple[str, bool] = ("", True)
    most: int = MAX_LIMIT


class BreakdownAnswer(Struct, frozen=True):
    """Rows by the values of their dimensions, after the label of their bucket if there are buckets. `imported` is None
    if the range has no imported totals."""

    rows: dict[tuple[str, ...], Record]
    imported: bool | None


async def read_scope(scope: Any, call: Call, named: str) -> ReadScope:
    """The scope of a request about the website with this id, alias or domain. Raises BoxError."""
    identity, parts, settings = call.identity, call.parts, call.parts.settings
    allowance = parts.limits.take("query", identity.limit_name, settings.limit_query)
    scope["allowance"] = allowance  # for the front's headers
    owner = identity.key or identity.person
    if owner is None:
        raise errors.AuthRequired(_("Authentication required"))
    website = _website(readable(identity, owner.organization_id, parts[Directory]), named)
    reads = await parts[Subjects].one(identity, "website", website.id if website is not None else "", ())
    if reads.public:
        raise errors.Forbidden(_("Access denied to this website"))
    return reads


def _website(websites: Sequence[Website], named: str) -> Website | None:
    """The website with this id, alias or domain, in this order."""
    try:
        alias = clean_alias(named)
    except ValueError:
        alias = ""
    for matches in (
        lambda one: one.id == named,
        lambda one: alias in one.tracking.aliases,
        lambda one: named in {one.domain, one.domain.removeprefix("www.")},
    ):
        if (website := next(filter(matches, websites), None)) is not None:
            return website
    return None


async def read_breakdowns(call: Call, reads: ReadScope, *asked: BreakdownRequest) -> list[BreakdownAnswer]:
    """Answer these within one budget. Raises BoxError."""
    runner = call.parts[QueryRunner]
    scans = [_scans(one) for one in asked]
    requests = [_query_of(one, those) for one, those in zip(asked, scans, strict=True)]
    async with runner.budgets.of_request(public=False) as budget:
        answers = await runner.answers(requests, reads, budget)
        return [_merge(one, those, found) for one, those, found in zip(asked, scans, answers, strict=True)]


async def current_visitors(call: Call, reads: ReadScope, query_type: QueryType) -> int:
    """The visitors of the last 5 minutes."""
    question = QueryParameter("now", query_type, None, "day")
    request = QueryRequest("", (question,), ranges.zone(None), 1, 1, (), None, descending=True)
    (entry,) = await call.parts[QueryRunner].answer(request, reads)
    _check(entry)
    return int(entry.data[0]["active_users"])


def _query_of(asked: BreakdownRequest, scans: Sequence[ScanRequest]) -> QueryRequest:
    period = asked.period
    questions = tuple(
        QueryParameter(
            str(at),
            _query_type(scan, series=asked.granularity is not None and scan is not _WHOLE),
            period.days,
            asked.granularity or "day",
            until=period.until,
            starts=() if scan is _WHOLE else asked.starts,
            since=period.since,
        )
        for at, scan in enumerate(scans)
    )
    limit = asked.most if _exact(asked, scans) else MAX_LIMIT
    filters = check_filters(list(asked.filters), "")
    return QueryRequest("", questions, period.zone, limit, 1, filters, None, descending=True)


_WHOLE: Final = ScanRequest("events", ("visitors",), kinds=_SEEN)


def _scans(asked: BreakdownRequest) -> list[ScanRequest]:
    """The scans that these metrics need. Raises InvalidQuery for metrics that the dimensions do not have."""
    dimensions = frozenset(asked.dimensions)
    fields = {one.field for one in flatten_filters(check_filters(list(asked.filters), ""))}
    of_events = bool(dimensions & _OF_EVENTS or "event_name" in fields)
    ends = dimensions & _ENDS.keys()
    if (ends and (of_events or asked.granularity)) or ("exit" in dimensions and len(dimensions) > 1):
        raise InvalidQuery(_("Entry and exit pages cannot be combined with this dimension or filter"))
    found: dict[ScanRequest, dict[str, None]] = {}
    for metric in asked.metrics:
        events, sessions = _METRICS[metric]
        if of_events and metric == "visits":
            events, sessions = ("unique_sessions",), ()
        if (sessions and of_events) or (ends and metric not in _OF_ENDS["exit" in dimensions]):
            raise InvalidQuery(_("{metric} cannot be combined with this dimension or filter").format(metric=metric))
        if ends and metric in {"visitors", "visits"} and len(dimensions) == 1:
            (end,) = ends
            scan = ScanRequest(_ENDS[end], group=("path",))
            found.setdefault(scan, {}).update(dict.fromkeys((*events, *sessions)))
            continue
        for source, measures in (("events", events), ("sessions", sessions)):
            if measures:
                scan = _scan(source, asked.dimensions, only_views="path" in dimensions and metric != "events")
                found.setdefault(scan, {}).update(dict.fromkeys(measures))
    name, descending = asked.first
    scans = []
    for scan, measured in found.items():
        order = _COUNTED.get(name, "")
        order = order if order in measured else next(iter(measured))
        scans.append(replace(scan, measures=tuple(measured), order=(PlanOrder(order, descending),)))
    return [*scans, _WHOLE] if "percentage" in asked.metrics else scans


_OF_ENDS: Final = (
    frozenset(("visitors", "visits", "bounce_rate", "visit_duration")),
    frozenset(("visitors", "visits")),
)


def _scan(source: Any, dimensions: tuple[str, ...], *, only_views: bool) -> ScanRequest:
    if source == "sessions":
        return ScanRequest("sessions", group=dimensions, present=("views",) if "entry" in dimensions else ())
    kinds = (PAGE_VIEW,) if only_views else _SEEN if dimensions else ()
    return ScanRequest("events", group=dimensions, kinds=kinds)


def _query_type(scan: ScanRequest, *, series: bool) -> QueryType:
    columns = (
        *((column(TIME, "date", ""),) if series else ()),
        *(column(name, "string", "") for name in scan.group),
        *(column(name, "number", "") for name in scan.measures),
    )
    return QueryType(
        name="breakdown",
        family="",
        title="",
        description="",
        columns=columns,
        asks=(scan,),
        series=series,
        by=("minute", "hour", "day"),
        filters=_FILTERS,
    )


def _exact(asked: BreakdownRequest, scans: Sequence[ScanRequest]) -> bool:
    """Whether the engine's order is that of the answer, so that its first rows are enough."""
    one = asked.granularity is None and len([scan for scan in scans if scan is not _WHOLE]) == 1
    return one and _COUNTED.get(asked.first[0], "") in {*scans[0].measures}


def _merge(
    asked: BreakdownRequest, scans: Sequence[ScanRequest], answers: Sequence[ParameterAnswer]
) -> BreakdownAnswer:
    by_number = {}
    for entry in answers:
        _check(entry)
        by_number[int(entry.parameter)] = entry
    rows: dict[tuple[str, ...], Record] = {}
    for at, scan in enumerate(scans):
        if scan is _WHOLE:
            continue
        if len(by_number[at].data) >= MAX_LIMIT and not _exact(asked, scans):
            raise InvalidQuery(
                _("This breakdown has more than {most} rows. Add a filter or shorten the range").format(most=MAX_LIMIT)
            )
        names = (*((TIME,) if asked.granularity is not None else ()), *scan.group)
        for row in by_number[at].data:
            rows.setdefault(tuple(row[name] for name in names), {}).update(row)
    if "entry" in asked.dimensions:
        rows = {key: row for key, row in rows.items() if all(key)}
    whole = by_number[len(scans) - 1].data[0]["visitors"] if scans[-1] is _WHOLE else 0
    shown = {key: {metric: _value(metric, row, whole) for metric in asked.metrics} for key, row in rows.items()}
    notes = [entry.imported for entry in answers if entry.imported]
    return BreakdownAnswer(shown, all(note.included for note in notes) if notes else None)


def _check(entry: ParameterAnswer) -> None:
    """Raises BoxError for a failed entry, and for one that leaves filters aside."""
    if entry.code == errors.OverBudget.code:
        raise errors.OverBudget(str(entry.error))
    if entry.code == errors.Unavailable.code:
        raise errors.Unavailable(str(entry.error))
    if not entry.success:
        raise InvalidQuery(str(entry.error))
    if entry.ignoredFilters:
        raise InvalidQuery(_("Cannot filter by {fields}").format(fields=", ".join(entry.ignoredFilters)))


def _value(metric: str, row: Record, whole: int) -> int | float:
    visits = row.get("sessions") or row.get("unique_sessions") or 0
    if metric == "visits":
        return int(visits)
    if metric == "seconds":
        return int(quotient(row.get("duration_total") or 0, 1000, 0))
    if metric == "percentage":
        return quotient(100 * (row.get("visitors") or 0), whole) if whole else 0
    if metric == "bounce_rate":
        return int(quotient(100 * (row.get("bounces") or 0), visits, 0)) if visits else 0
    if metric == "visit_duration":
        return int(quotient(row.get("duration_total") or 0, 1000 * visits, 0)) if visits else 0
    if metric == "views_per_visit":
        return quotient(row.get("pageviews") or 0, visits) if visits else 0
    return int(row.get(_COUNTED.get(metric, metric)) or 0)


def first_days(days: DayRange, *, monthly: bool) -> tuple[date, ...]:
    """The first days of the weeks from Monday, or of the months, in a range; the first one is that of the range."""
    every = (days.first + timedelta(days=number) for number in range(days.length))
    return tuple(day for day in every if day == days.first or (day.day == 1 if monthly else day.weekday() == 0))


def instant_of(text: str) -> int:
    """An ISO 8601 date and time with its offset, in UTC ms. Raises InvalidQuery."""
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is not None:
            return round(found.timestamp() * 1000)
    except (ValueError, OverflowError):
        pass
    raise InvalidQuery(_("Invalid date: {text}").format(text=text[:40]))
