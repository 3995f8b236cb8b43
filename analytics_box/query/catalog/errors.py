"""JavaScript errors (wire 1.7). Error tracking starts on the plan hobby (spec 2.4 and 4 rule 4)."""

from collections.abc import Sequence

from analytics_box.query.catalog.summary import DATE
from analytics_box.query.catalog.types import FieldType, OutputColumn, QueryType, Record, ScanRequest, column
from analytics_box.query.catalog.values import cut, field, hexadecimal, instant, ratio, session_id, text_or_unknown
from analytics_box.query.filters import COMMON
from analytics_box.query.plan import PlanOrder
from analytics_box.query.ranges import TimeWindow

OWN = (*COMMON, "message", "error_type", "fingerprint", "release")

_USERS = column("users", "number", "Distinct affected visitors")
_SESSIONS = column("sessions", "number", "Distinct affected sessions")
_COUNT = column("count", "number", "Number of occurrences")
_BY_COUNT = (PlanOrder("count"),)


def _series(name: str, title: str, description: str, *columns: OutputColumn) -> QueryType:
    return QueryType(
        name=name,
        family="Errors",
        title=title,
        description=description,
        columns=(DATE, *columns),
        asks=(ScanRequest("errors", ("count", "users")),),
        series=True,
        filters=OWN,
        public=True,
        gated=True,
        visualization="timeseries",
    )


def _table(name: str, dimension: str, title: str, *columns: OutputColumn, rows: int, values: bool = False) -> QueryType:
    return QueryType(
        name=name,
        family="Errors",
        title=title,
        description=f"{title}, by count",
        columns=columns,
        asks=(ScanRequest("errors", ("count", "users", "sessions", "last"), (dimension,), order=_BY_COUNT),),
        filters=OWN,
        public=True,
        gated=True,
        values=values,
        default_limit=rows,
    )


def _summary(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    """A session of which only an error was seen in the range, as after midnight, is one of all."""
    errors, sessions = rows[0][0], rows[1][0]
    return [errors | sessions]


def _text(name: str, description: str, of: str, kind: FieldType = "string") -> OutputColumn:
    return column(name, kind, description, field(of))


_RECENT = (
    column("message", "string", "Error message"),
    column("stack", "string", "Stack trace, up to 1,500 characters", cut("stack", 1_500)),
    column("path", "string", "Path of the page"),
    column("anonymous_id", "string", "The visitor's id", hexadecimal("visitor")),
    column("session_id", "string", "The session's id", session_id()),
    column("timestamp", "datetime", "Time, UTC", instant("time")),
    column("filename", "string", "URL of the script"),
    _text("lineno", "Line in the script", "line", "number"),
    _text("colno", "Column in the line", "position", "number"),
    _text("error_type", "Kind of the error", "type"),
    _text("browser_name", "Name of the browser", "browser"),
    column("browser_version", "string", "Browser version"),
    _text("os_name", "Name of the operating system", "system"),
    _text("os_version", "Browser version", "system_version"),
    _text("device_type", "desktop, mobile or tablet", "device"),
    column("country", "string", "English name of the country"),
    column("region", "string", "Name of the region"),
)

TYPES = (
    QueryType(
        name="recent_errors",
        family="Errors",
        title="Recent errors",
        description="The errors of the range, newest first",
        columns=_RECENT,
        asks=(
            ScanRequest(
                "errors",
                columns=(
                    *("message", "stack", "path", "visitor", "session", "client_session", "time", "filename", "line"),
                    *("position", "type", "browser", "browser_version", "system", "system_version", "device"),
                    *("country", "region"),
                ),
                order=(PlanOrder("time"),),
            ),
        ),
        filters=OWN,
        gated=True,
        default_limit=50,
    ),
    _table(
        "error_types",
        "message",
        "Error messages",
        column("name", "string", "The message", text_or_unknown("message")),
        _COUNT,
        _USERS,
        column("last_seen", "datetime", "Last occurrence, UTC", instant("last")),
        rows=50,
        values=True,
    ),
    _series(
        "error_trends",
        "Errors by day",
        "Errors and affected visitors for each day or hour of the range",
        column("errors", "number", "Errors", field("count")),
        _USERS,
    ),
    _table(
        "errors_by_page",
        "path",
        "Pages with errors",
        column("name", "string", "Path of the page", text_or_unknown("path")),
        column("errors", "number", "Errors on the page", field("count")),
        _USERS,
        rows=20,
    ),
    _series("error_frequency", "Error frequency", "Errors for each day or hour of the range", _COUNT),
    QueryType(
        name="error_summary",
        family="Errors",
        title="Error summary",
        description="Errors of the range, and the number of affected sessions",
        columns=(
            column("totalErrors", "number", "Errors", field("count")),
            column("uniqueErrorTypes", "number", "Distinct kinds of errors", field("types")),
            column("affectedUsers", "number", "Distinct visitors", field("users")),
            column("affectedSessions", "number", "Distinct sessions", field("sessions")),
            column(
                "errorRate",
                "number",
                "Affected sessions as a share of all sessions in the range",
                ratio("sessions", "all_sessions"),
                unit="percent",
            ),
        ),
        asks=(
            ScanRequest("errors", ("count", "types", "users", "sessions")),
            ScanRequest("met", ("all_sessions",)),
        ),
        shape=_summary,
        filters=OWN,
        public=True,
        gated=True,
        visualization="metric",
    ),
    _series(
        "error_chart_data",
        "Errors and visitors",
        "Errors and affected visitors for each day or hour of the range",
        column("totalErrors", "number", "Errors", field("count")),
        column("affectedUsers", "number", "Distinct visitors", field("users")),
    ),
    _table(
        "errors_by_type",
        "type",
        "Kinds of errors",
        column("name", "string", "The kind, such as TypeError", text_or_unknown("type")),
        _COUNT,
        _USERS,
        _SESSIONS,
        rows=20,
    ),
    QueryType(
        name="error_fingerprints",
        family="Errors",
        title="Errors by place",
        description="Errors of one type, message (without numbers, ids, URLs and quoted values) and top stack frames",
        columns=(
            column("name", "string", "The latest message", field("latest_message")),
            _COUNT,
            _USERS,
            _SESSIONS,
            column("path", "string", "Path of the page of the last occurrence", field("latest_path")),
            column("error_type", "string", "Kind of the error", field("latest_type")),
            column("filename", "string", "URL of the script", field("latest_filename")),
            column("line", "number", "Line in the script", field("latest_line")),
            column("stack", "string", "Latest stack trace, up to 1,000 characters", cut("latest_stack", 1_000)),
            column("last_seen", "datetime", "Last occurrence, UTC", instant("latest_time")),
            column("first_seen", "datetime", "First occurrence in the range, UTC", instant("first")),
            column("release", "string", "Latest affected release", field("latest_release")),
            column("fingerprint", "string", "Value for the filter fingerprint", field("fingerprint")),
        ),
        asks=(
            ScanRequest(
                "errors",
                (
                    *("count", "users", "sessions", "first", "latest_time", "latest_path", "latest_stack"),
                    *("latest_message", "latest_type", "latest_filename", "latest_line", "latest_release"),
                ),
                ("fingerprint",),
                order=_BY_COUNT,
            ),
        ),
        filters=OWN,
        default_limit=20,
    ),
)
