"""Totals and series of a website (wire 1.2), and the sessions behind the rows of other types."""

from collections.abc import Sequence

from analytics_box.base.clock import MINUTE
from analytics_box.base.facts.event import CUSTOM, PAGE_VIEW
from analytics_box.query.catalog.tables import every_hour_of_the_week
from analytics_box.query.catalog.types import OutputColumn, QueryType, Record, ScanRequest, Shape, column
from analytics_box.query.catalog.values import Measured, SortableValue, field, quotient, ratio
from analytics_box.query.filters import COMMON
from analytics_box.query.plan import PlanOrder
from analytics_box.query.ranges import TimeWindow

WITH_PEOPLE = (*COMMON, "profile_id", "anonymous_id")

DATE = column("date", "date", "The day, or with hourly granularity the hour, in the request's time zone")
VIEWS = column("pageviews", "number", "Page views")
VISITORS = column("visitors", "number", "Distinct visitors; without client ids a visitor is new each UTC day")
SESSIONS = column("sessions", "number", "Sessions that start in the range")
_UNIQUE = column("unique_visitors", "number", "Same as visitors", field("visitors"))
BOUNCES = column(
    "bounce_rate",
    "number",
    "Share of sessions with one page view, under 10 s and no event",
    ratio("bounces", "sessions"),
    unit="percent",
)


def _median_seconds(row: Measured) -> float | None:
    """The median duration; None if there are only imported totals, which have none."""
    if row["median_duration"] is None and row["sessions"]:
        return None
    return quotient(row["median_duration"] or 0, 1000)


_DURATION = column(
    "median_session_duration",
    "number",
    "Median time from first to last signal of measured visits. null if all sessions are imported totals",
    SortableValue(_median_seconds, "median_duration"),
    unit="seconds",
)
_EVENTS = column("total_events", "number", "Page views and custom events; leave beacons do not count")
_DEPTH = column("pages_per_session", "number", "Page views per session", ratio("pageviews", "sessions", 1))

# What overviews ask together is the same plan, so that it runs once.
_OF_EVENTS = ScanRequest("events", ("pageviews", "visitors", "total_events"))
_OF_SESSIONS = ScanRequest("sessions", ("sessions", "bounces", "median_duration"))
_SUMMARY: tuple[OutputColumn, ...] = (DATE, VIEWS, VISITORS, SESSIONS, _UNIQUE, BOUNCES, _DURATION, _EVENTS)

# In the order of the dimension's numbers.
_RETURNING = ("new", "returning", "unknown")


def _name_of_returning(row: Measured) -> str:
    return _RETURNING[row["returning"]]


def _every(dimension: str, number: int) -> Shape:
    """A row for each number, also for those without an event (semantics 4)."""

    def shape(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
        found = {row[dimension]: row for row in rows[0]}
        none = {"pageviews": 0, "visitors": 0}
        return [{**found.get(place, none), dimension: place} for place in range(number)]

    return shape


TYPES = (
    QueryType(
        name="summary_metrics",
        family="Summary",
        title="Summary by day",
        description="Page views, visitors and sessions for each day or hour of the range, oldest first, without gaps",
        columns=_SUMMARY,
        asks=(_OF_EVENTS, _OF_SESSIONS),
        series=True,
        filters=WITH_PEOPLE,
        customizable=True,
        public=True,
        visualization="timeseries",
    ),
    QueryType(
        name="summary_totals",
        family="Summary",
        title="Summary",
        description="Page views, visitors and sessions of the whole range, in one row",
        columns=_SUMMARY[1:],
        asks=(_OF_EVENTS, _OF_SESSIONS),
        filters=WITH_PEOPLE,
        customizable=True,
        public=True,
        visualization="metric",
    ),
    QueryType(
        name="today_metrics",
        family="Summary",
        title="Today",
        description="Page views, visitors and sessions of today in the request's time zone, regardless of its range",
        columns=(VIEWS, VISITORS, SESSIONS),
        asks=(ScanRequest("events", ("pageviews", "visitors")), ScanRequest("sessions", ("sessions",))),
        today=True,
        filters=COMMON,
        customizable=True,
        public=True,
        visualization="metric",
    ),
    QueryType(
        name="events_by_date",
        family="Summary",
        title="Traffic by day",
        description="Traffic and its quality for each day or hour of the range, oldest first, without gaps",
        columns=(DATE, VIEWS, VISITORS, SESSIONS, BOUNCES, _DURATION, _DEPTH),
        asks=(_OF_EVENTS, _OF_SESSIONS),
        series=True,
        filters=COMMON,
        customizable=True,
        public=True,
        visualization="timeseries",
    ),
    QueryType(
        name="active_stats",
        family="Summary",
        title="Now",
        description="Visitors of the last 5 minutes, regardless of the request's range",
        columns=(
            column("active_users", "number", "Distinct visitors", field("unique_users")),
            column("active_sessions", "number", "Distinct sessions", field("unique_sessions")),
        ),
        asks=(ScanRequest("events", ("unique_users", "unique_sessions")),),
        recent=5 * MINUTE,
        filters=COMMON,
        public=True,
        visualization="metric",
    ),
    QueryType(
        name="hour_of_day",
        family="Summary",
        title="Hours of the day",
        description="Visitors by local hour, over all days of the range",
        columns=(
            column("hour", "number", "0 to 23, in the request's time zone", field("hour_of_day")),
            VIEWS,
            VISITORS,
        ),
        asks=(ScanRequest("events", ("pageviews", "visitors"), ("hour_of_day",), kinds=(PAGE_VIEW, CUSTOM)),),
        shape=_every("hour_of_day", 24),
        filters=COMMON,
        public=True,
        visualization="bar",
    ),
    QueryType(
        name="day_of_week",
        family="Summary",
        title="Days of the week",
        description="Visitors by day of the week, over the whole range",
        columns=(column("day", "number", "0 is Sunday, 6 Saturday", field("day_of_week")), VIEWS, VISITORS),
        asks=(ScanRequest("events", ("pageviews", "visitors"), ("day_of_week",), kinds=(PAGE_VIEW, CUSTOM)),),
        shape=_every("day_of_week", 7),
        filters=COMMON,
        public=True,
        visualization="bar",
    ),
    QueryType(
        name="hour_of_week",
        family="Summary",
        title="Hours of the week",
        description="Visitors by local hour and day of the week, over the whole range. Has 168 rows, so set the limit",
        columns=(
            column("day", "number", "0 is Sunday, 6 Saturday", field("day_of_week")),
            column("hour", "number", "0 to 23, in the request's time zone", field("hour_of_day")),
            VIEWS,
            VISITORS,
        ),
        asks=(
            ScanRequest("events", ("pageviews", "visitors"), ("day_of_week", "hour_of_day"), kinds=(PAGE_VIEW, CUSTOM)),
        ),
        shape=every_hour_of_the_week("pageviews", "visitors"),
        filters=COMMON,
        public=True,
        default_limit=168,
        visualization="table",
    ),
    QueryType(
        name="new_vs_returning",
        family="Summary",
        title="New and returning visitors",
        description="New visitors, and visitors who were seen in the 90 days before the range. Requires lasting ids "
        "(anonymizeVisitorIds false); others are unknown. The three rows add up to all visitors",
        columns=(column("name", "string", ", ".join(_RETURNING), _name_of_returning), VIEWS, VISITORS),
        asks=(
            ScanRequest(
                "events",
                ("pageviews", "visitors"),
                ("returning",),
                kinds=(PAGE_VIEW, CUSTOM),
                present=("visitor",),
            ),
        ),
        shape=_every("returning", len(_RETURNING)),
        filters=COMMON,
        visualization="bar",
    ),
)


_MEDIAN_DURATION = column(
    "median_session_duration",
    "number",
    "Median time from first to last signal",
    lambda row: None if row["median_duration"] is None else quotient(row["median_duration"], 1000),
    unit="seconds",
)


def sessions_of(query_type: QueryType) -> QueryType:
    """The sessions of each row of a type, by the texts that name the row. Its dimensions are those of a session."""
    (ask,) = query_type.asks
    names = tuple(one for one in query_type.columns if one.output.type == "string")
    return _sessions(query_type, names, ask.group, ask.present)


def sessions_of_entries(query_type: QueryType) -> QueryType:
    """The sessions that began on each page, as `path`. Those without a page view, as of custom events alone, began on
    none."""
    return _sessions(
        query_type, (column("path", "string", "Path of the page", field("entry")),), ("entry",), ("views",)
    )


def _sessions(
    query_type: QueryType, names: tuple[OutputColumn, ...], group: tuple[str, ...], present: tuple[str, ...]
) -> QueryType:
    return QueryType(
        name=query_type.name,
        family=query_type.family,
        title=query_type.title,
        description=f"{query_type.title}, by sessions",
        columns=(*names, SESSIONS, BOUNCES, _MEDIAN_DURATION),
        asks=(
            ScanRequest(
                "sessions",
                ("sessions", "bounces", "median_duration"),
                group,
                present=present,
                order=(PlanOrder("sessions"),),
            ),
        ),
        filters=query_type.filters,
    )
