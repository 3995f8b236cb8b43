"""Right now (wire 1.18): these types look at the last minutes, whatever the request's range, and are never cached."""

from collections.abc import Sequence

from analytics_box.base.clock import MINUTE
from analytics_box.base.facts.event import CUSTOM, PAGE_VIEW
from analytics_box.query.catalog.types import QueryType, Record, ScanRequest, column
from analytics_box.query.catalog.values import field, instant, instant_text, session_id, text_or_unknown
from analytics_box.query.filters import COMMON
from analytics_box.query.plan import PlanOrder
from analytics_box.query.ranges import TimeWindow

_NOW = 5 * MINUTE  # semantics 9
_PEOPLE = (PAGE_VIEW, CUSTOM)
_VISITORS = column("visitors", "number", "Distinct visitors of the last 5 minutes")
_BY_VISITORS = (PlanOrder("visitors"),)
_LATEST = ("latest_path", "latest_country", "latest_device")


def _sessions(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    latest = {row["session"]: row for row in rows[1]}
    return [row | latest[row["session"]] for row in rows[0] if row["session"] in latest]


def _velocity(rows: Sequence[list[Record]], window: TimeWindow) -> list[Record]:
    """The minute of now and the 59 before it, also those without an event."""
    found = {row["minute"]: row for row in rows[0]}
    none = {"pageviews": 0, "total_events": 0, "visitors": 0}
    now = (window.end - 1) // MINUTE
    minutes = range(now - 59, now + 1)
    return [none | found.get(minute, {}) | {"minute": instant_text(minute * MINUTE)} for minute in minutes]


TYPES = (
    QueryType(
        name="realtime_pages",
        family="Realtime",
        title="Pages now",
        description="Pages of the last 5 minutes, by visitors",
        columns=(column("path", "string", "Path of the page"), column("pageviews", "number", "Page views"), _VISITORS),
        asks=(ScanRequest("events", ("pageviews", "visitors"), ("path",), kinds=(PAGE_VIEW,), order=_BY_VISITORS),),
        recent=_NOW,
        filters=COMMON,
        default_limit=10,
    ),
    QueryType(
        name="realtime_referrers",
        family="Realtime",
        title="Sources now",
        description="Sources of the visitors of the last 5 minutes",
        columns=(column("referrer", "string", "Name of the source", field("source")), _VISITORS),
        asks=(ScanRequest("events", ("visitors",), ("source",), kinds=_PEOPLE, order=_BY_VISITORS),),
        recent=_NOW,
        filters=COMMON,
        default_limit=10,
    ),
    QueryType(
        name="realtime_countries",
        family="Realtime",
        title="Countries now",
        description="The countries of the visitors of the last 5 minutes",
        columns=(column("name", "string", "English name of the country", text_or_unknown("country")), _VISITORS),
        asks=(ScanRequest("events", ("visitors",), ("country",), kinds=_PEOPLE, order=_BY_VISITORS),),
        recent=_NOW,
        filters=COMMON,
        default_limit=50,
    ),
    QueryType(
        name="realtime_cities",
        family="Realtime",
        title="Cities now",
        description="The cities of the visitors of the last 5 minutes",
        columns=(
            column("city", "string", "Name of the city", text_or_unknown("city")),
            column("country", "string", "English name of the country"),
            _VISITORS,
        ),
        asks=(ScanRequest("events", ("visitors",), ("city", "country"), kinds=_PEOPLE, order=_BY_VISITORS),),
        recent=_NOW,
        filters=COMMON,
        default_limit=30,
    ),
    QueryType(
        name="realtime_feed",
        family="Realtime",
        title="Events now",
        description="The events of the last 2 minutes, newest first",
        columns=(
            column("event_name", "string", "Name of the event; screen_view is a page view", field("name")),
            column("path", "string", "Path of the page"),
            column("country", "string", "English name of the country"),
            column("browser_name", "string", "Name of the browser", field("browser")),
            column("timestamp", "datetime", "Time, UTC", instant("time")),
        ),
        asks=(
            ScanRequest(
                "events",
                columns=("name", "path", "country", "browser", "time"),
                kinds=_PEOPLE,
                order=(PlanOrder("time"),),
            ),
        ),
        recent=2 * MINUTE,
        filters=COMMON,
        default_limit=30,
    ),
    QueryType(
        name="realtime_sessions",
        family="Realtime",
        title="Sessions now",
        description="Sessions of the last 5 minutes, most recent first",
        columns=(
            column("session_id", "string", "The session's id", session_id()),
            column("current_page", "string", "Path of its latest event", field("latest_path")),
            column("country", "string", "English name of the country", field("latest_country")),
            column("device_type", "string", "desktop, mobile or tablet", field("latest_device")),
            column("pages_viewed", "number", "Page views of the last 5 minutes", field("pageviews")),
            column("last_seen", "datetime", "Last event, UTC", instant("last")),
        ),
        asks=(
            ScanRequest(
                "events",
                ("pageviews", "last"),
                ("session", "client_session"),
                present=("session",),
                order=(PlanOrder("last"),),
            ),
            ScanRequest("events", _LATEST, ("session",), present=("session",)),
        ),
        shape=_sessions,
        recent=_NOW,
        filters=COMMON,
        default_limit=20,
    ),
    QueryType(
        name="realtime_velocity",
        family="Realtime",
        title="Minute by minute",
        description="Each of the last 60 minutes, oldest first",
        columns=(
            column("minute", "datetime", "Start of the minute, UTC"),
            column("pageviews", "number", "Page views"),
            column("events", "number", "Page views and custom events", field("total_events")),
            column("visitors", "number", "Distinct visitors"),
        ),
        asks=(ScanRequest("events", ("pageviews", "total_events", "visitors"), ("minute",), kinds=_PEOPLE),),
        shape=_velocity,
        recent=60 * MINUTE,
        filters=COMMON,
        visualization="timeseries",
    ),
)
