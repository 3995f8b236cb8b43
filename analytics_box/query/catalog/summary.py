"""Totals and series of a website (wire 1.2)."""

from analytics_box.query.catalog.types import Output, QueryType
from analytics_box.query.filters import COMMON

_DATE = Output("date", "date", "The day, or with hourly granularity the hour, in the request's time zone")
_VIEWS = Output("pageviews", "number", "Page views")
_VISITORS = Output("visitors", "number", "Distinct visitors; without client ids a visitor is new each UTC day")
_UNIQUE = Output("unique_visitors", "number", "The same as visitors")
_SESSIONS = Output("sessions", "number", "Sessions that start in the range")
_BOUNCES = Output("bounce_rate", "number", "Share of sessions with one page view, under 10 s and no event", "percent")
_DURATION = Output("median_session_duration", "number", "Median time from first to last signal", "seconds")
_EVENTS = Output("total_events", "number", "Page views and custom events; leave beacons do not count")
_DEPTH = Output("pages_per_session", "number", "Page views per session")

_MEASURES = ("pageviews", "visitors", "total_events")
_SESSION_MEASURES = ("sessions", "bounces", "median_duration")

TYPES = (
    QueryType(
        name="summary_metrics",
        family="Summary",
        title="Summary by day",
        description="Page views, visitors and sessions for each day or hour of the range, oldest first, without gaps",
        outputs=(_DATE, _VIEWS, _VISITORS, _SESSIONS, _UNIQUE, _BOUNCES, _DURATION, _EVENTS),
        events=_MEASURES,
        sessions=_SESSION_MEASURES,
        series=True,
        filters=COMMON,
        customizable=True,
        public=True,
        visualization="timeseries",
    ),
    QueryType(
        name="summary_totals",
        family="Summary",
        title="Summary",
        description="Page views, visitors and sessions of the whole range, in one row",
        outputs=(_VIEWS, _VISITORS, _UNIQUE, _SESSIONS, _BOUNCES, _DURATION, _EVENTS),
        events=_MEASURES,
        sessions=_SESSION_MEASURES,
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
        outputs=(_DATE, _VIEWS, _VISITORS, _SESSIONS, _BOUNCES, _DURATION, _DEPTH),
        events=_MEASURES,
        sessions=_SESSION_MEASURES,
        series=True,
        filters=COMMON,
        customizable=True,
        public=True,
        visualization="timeseries",
    ),
)
