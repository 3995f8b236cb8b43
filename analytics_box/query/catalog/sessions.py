"""Sessions (wire 1.10)."""

from collections.abc import Sequence

from analytics_box.base.facts.event import CUSTOM, PAGE_VIEW
from analytics_box.query.catalog.summary import BOUNCES, DATE, WITH_PEOPLE
from analytics_box.query.catalog.types import Follow, QueryType, Record, ScanRequest, column
from analytics_box.query.catalog.values import (
    SortableValue,
    device_name,
    field,
    hexadecimal,
    instant,
    instant_text,
    json_value,
    properties_of,
    quotient,
    seconds,
    session_id,
    text_or_unknown,
)
from analytics_box.query.plan import DerivedKey, PlanOrder
from analytics_box.query.ranges import TimeWindow

SESSION = (*WITH_PEOPLE, "session_id")
RANGES = ("0-30s", "30s-1m", "1m-5m", "5m-15m", "15m-1h", "1h+")
NEWEST = (PlanOrder("first"),)
OLDEST = (PlanOrder("time", descending=False), PlanOrder("id", descending=False))  # what happens at once, as it arrived

_SESSIONS = column("sessions", "number", "Sessions that start in the range")
_VISITORS = column("visitors", "number", "Distinct visitors of these sessions")
WHO = (
    column("country", "string", "English name of the country"),
    column("referrer", "string", "Source", field("source")),
    column("device_type", "string", "desktop, mobile or tablet", field("device")),
    column("browser_name", "string", "Name of the browser", field("browser")),
    column("os_name", "string", "Name of the operating system", field("system")),
)
WHO_COLUMNS = ("country", "source", "device", "browser", "system")
FIRST = column("first_visit", "datetime", "Start, UTC", instant("first"))
LAST = column("last_visit", "datetime", "Last event, UTC", instant("last"))
SESSION_ID = column("session_id", "string", "The session's id", session_id())

EVENTS_OF = Follow(
    ScanRequest(
        "events",
        columns=("id", "session", "time", "name", "path", "properties", "kind"),
        kinds=(PAGE_VIEW, CUSTOM),
        order=OLDEST,
    ),
    key="session",
)
# The limit of pages and of event names of a session, because anyone can send a session of any length.
MOST_LISTED = 100


def _first_of_each(dimension: str, kind: int) -> Follow:
    """The distinct values of a session's events, in the order of their first events."""
    order = (PlanOrder("first_place", descending=False),)
    group = ("session", dimension)
    return Follow(
        ScanRequest("events", ("first_place",), group, kinds=(kind,), order=order, per=(1, MOST_LISTED)), key="session"
    )


def _ranges(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    """All six ranges, also those without a session."""
    found = {row["duration_range"]: row for row in rows[0]}
    none = {"sessions": 0, "visitors": 0}
    return [{**found.get(number, none), "duration_range": name} for number, name in enumerate(RANGES)]


def tuples(event: Record) -> list[object]:
    """An event as wire 1.10 lists it in a session: id, time, name, path, properties."""
    return [
        str(event["id"]),
        instant_text(event["time"]),
        event["name"],
        event["path"],
        properties_of(event["properties"]),
    ]


def rows_by_session(rows: list[Record]) -> dict[int, list[Record]]:
    """Rows by the session that they belong to."""
    found: dict[int, list[Record]] = {}
    for row in rows:
        found.setdefault(row["session"], []).append(row)
    return found


def _with_events(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    events = rows_by_session(rows[1])
    return [row | {"tuples": [tuples(event) for event in events.get(row["session"], [])]} for row in rows[0]]


def _interesting(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    """Sessions with what makes them worth a look."""
    pages, events = rows_by_session(rows[1]), rows_by_session(rows[2])
    errors = {row["session"]: row["count"] for row in rows[3]}
    return [
        row
        | {
            "errors": errors.get(row["session"], 0),
            "paths": [page["path"] for page in pages.get(row["session"], [])],
            "names": [event["name"] for event in events.get(row["session"], [])],
        }
        for row in rows[0]
    ]


_STEP = SortableValue(lambda row: f"{row['path']} → {row['to_path']}", DerivedKey("step", ("path", "to_path")))


def _by(name: str, dimension: str, title: str) -> QueryType:
    return QueryType(
        name=name,
        family="Sessions",
        title=title,
        description=f"{title}, by count",
        columns=(
            column(
                "name",
                "string",
                "Value that the sessions have in common",
                device_name() if dimension == "device" else text_or_unknown(dimension),
            ),
            _SESSIONS,
            _VISITORS,
        ),
        asks=(ScanRequest("sessions", ("sessions", "visitors"), (dimension,), order=(PlanOrder("sessions"),)),),
        filters=SESSION,
        visualization="bar",
    )


TYPES = (
    QueryType(
        name="session_metrics",
        family="Sessions",
        title="Sessions",
        description="Duration and activity of the sessions of the range",
        columns=(
            column("total_sessions", "number", "Sessions that start in the range", field("sessions")),
            column(
                "avg_session_duration",
                "number",
                "Mean time from first to last signal",
                lambda row: quotient(row["duration_total"], 1000 * row["sessions"]) if row["sessions"] else 0.0,
                unit="seconds",
            ),
            BOUNCES,
            column(
                "total_events",
                "number",
                "Page views and custom events of these sessions",
                lambda row: row["total_events"] or 0,
            ),
        ),
        asks=(ScanRequest("sessions", ("sessions", "duration_total", "bounces", "total_events")),),
        filters=SESSION,
        visualization="metric",
    ),
    QueryType(
        name="session_duration_distribution",
        family="Sessions",
        title="Session durations",
        description="Sessions of the range by duration, from the first to the last signal",
        columns=(column("duration_range", "string", ", ".join(RANGES)), _SESSIONS, _VISITORS),
        asks=(ScanRequest("sessions", ("sessions", "visitors"), ("duration_range",)),),
        shape=_ranges,
        filters=SESSION,
        visualization="bar",
    ),
    _by("sessions_by_device", "device", "Sessions by device"),
    _by("sessions_by_browser", "browser", "Sessions by browser"),
    QueryType(
        name="sessions_time_series",
        family="Sessions",
        title="Sessions by day",
        description="Sessions for each day or hour of the range",
        columns=(DATE, _SESSIONS, _VISITORS),
        asks=(ScanRequest("sessions", ("sessions", "visitors")),),
        series=True,
        filters=SESSION,
        visualization="timeseries",
    ),
    QueryType(
        name="session_flow",
        family="Sessions",
        title="Page flow",
        description="Pairs of consecutive pages in the sessions of the range",
        columns=(
            column("from_path", "string", "Path of the page", field("path")),
            column("to_path", "string", "Path of the next page"),
            column("name", "string", "Both paths as text", _STEP),
            column("transitions", "number", "Number of transitions"),
            column("sessions", "number", "Sessions with this transition"),
        ),
        asks=(
            ScanRequest("steps", ("transitions", "sessions"), ("path", "to_path"), order=(PlanOrder("transitions"),)),
        ),
        filters=SESSION,
    ),
    QueryType(
        name="session_pages",
        family="Sessions",
        title="Pages by sessions",
        description="Pages of the range, by sessions",
        columns=(
            column("name", "string", "Path of the page", field("path")),
            column("sessions", "number", "Distinct sessions", field("unique_sessions")),
            column("visitors", "number", "Distinct visitors"),
        ),
        asks=(
            ScanRequest(
                "events",
                ("unique_sessions", "visitors"),
                ("path",),
                kinds=(PAGE_VIEW,),
                order=(PlanOrder("unique_sessions"),),
            ),
        ),
        filters=SESSION,
    ),
    QueryType(
        name="session_list",
        family="Sessions",
        title="Session list",
        description="The sessions that start in the range, newest first, with their events",
        columns=(
            SESSION_ID,
            FIRST,
            LAST,
            column("page_views", "number", "Page views", field("views")),
            column("visitor_id", "string", "The visitor's id", hexadecimal("person")),
            *WHO,
            column(
                "events",
                "json",
                "Page views and custom events of the session: id, time, name, path, properties",
                field("tuples"),
            ),
        ),
        asks=(
            ScanRequest(
                "sessions",
                columns=("session", "client_session", "first", "last", "views", "person", *WHO_COLUMNS),
                order=NEWEST,
            ),
        ),
        follows=(EVENTS_OF,),
        shape=_with_events,
        filters=SESSION,
        default_limit=25,
    ),
    QueryType(
        name="session_events",
        family="Sessions",
        title="Events of a session",
        description="The events of one session, oldest first",
        columns=(
            SESSION_ID,
            column(
                "event_id", "string", "The event's id", lambda row: str(row["id"]), sort=DerivedKey("digits", ("id",))
            ),
            column("time", "datetime", "Time, UTC", instant("time")),
            column("event_name", "string", "Name of the event; screen_view is a page view", field("name")),
            column("path", "string", "Path of the page"),
            column("properties", "json", "Its properties", json_value("properties")),
            column("device_type", "string", "desktop, mobile or tablet", field("device")),
            column("browser_name", "string", "Name of the browser", field("browser")),
            column("country", "string", "English name of the country"),
        ),
        asks=(
            ScanRequest(
                "events",
                columns=(
                    "session",
                    "client_session",
                    "id",
                    "time",
                    "name",
                    "path",
                    "properties",
                    "device",
                    "browser",
                    "country",
                ),
                present=("session",),
                order=OLDEST,
            ),
        ),
        filters=SESSION,
        needs=("session_id",),
        default_limit=500,
    ),
    QueryType(
        name="interesting_sessions",
        family="Sessions",
        title="Notable sessions",
        description="The most active sessions of the range: one point for each page view (up to 20) and minute (up to "
        "30), three for each custom event (up to 10)",
        columns=(
            SESSION_ID,
            column("visitor_id", "string", "The visitor's id", hexadecimal("person")),
            FIRST,
            LAST,
            column(
                "duration_seconds",
                "number",
                "Time from first to last signal",
                seconds("duration"),
                unit="seconds",
            ),
            column("page_views", "number", "Page views", field("views")),
            column("unique_pages", "number", "Distinct pages", field("pages")),
            column(
                "analytics_engagement_events",
                "number",
                "Interactions with the pages; null if they were not tracked",
                field("touched"),
            ),
            column("custom_events", "number", "Custom events", field("others")),
            column("errors", "number", "JavaScript errors"),
            column("paths", "json", f"First {MOST_LISTED} pages in order of the visit"),
            column("custom_event_names", "json", f"First {MOST_LISTED} names of the custom events", field("names")),
            *WHO,
            column("interesting_score", "number", "Points", field("score")),
        ),
        asks=(
            ScanRequest(
                "sessions",
                columns=(
                    *("session", "client_session", "person", "first", "last", "duration", "views", "pages", "touched"),
                    *("others", *WHO_COLUMNS, "score"),
                ),
                order=(PlanOrder("score"), PlanOrder("last")),
            ),
        ),
        follows=(
            _first_of_each("path", PAGE_VIEW),
            _first_of_each("name", CUSTOM),
            Follow(ScanRequest("errors", ("count",), ("session",)), key="session"),
        ),
        shape=_interesting,
        filters=SESSION,
        default_limit=10,
    ),
)
