"""Tool calls of MCP servers (wire 1.15). They have no visitors, so the public sees none of them."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from analytics_box.base.clock import DAY
from analytics_box.query.catalog.summary import DATE
from analytics_box.query.catalog.types import OutputColumn, QueryType, Record, ScanRequest, Visualization, column
from analytics_box.query.catalog.values import field, instant, mean, number, ratio
from analytics_box.query.plan import PlanOrder
from analytics_box.query.ranges import TimeWindow

FILTERS = ("client", "tool", "server_name", "environment", "website_id", "client_version", "server_version")
# Values in the lists of a summary, and in those of a row.
_MOST_SERVERS, _MOST_ENVIRONMENTS, _MOST_WEBSITES, _MOST_OF_ROW = 20, 10, 50, 3
# An error that did not happen in this time before the range is new.
_KNOWN_FOR: Final = 30 * DAY
_EVER: Final = 200 * 365 * DAY
_BY_COUNT = (PlanOrder("count"),)
_SPEED = ("duration_p50", "duration_p95")

_CALLS = column("calls", "number", "Tool calls", field("count"))
_ERRORS = column("errors", "number", "Failed calls", field("failures"))
_ERROR_RATE = column("error_rate", "number", "Share of calls that failed", ratio("failures", "count"), unit="percent")
_P50 = column("p50_ms", "number", "Median duration", number("duration_p50", 100), unit="ms")
_P95 = column("p95_ms", "number", "95th percentile of the duration", number("duration_p95", 100), unit="ms")
_SESSIONS = column("sessions", "number", "Distinct sessions of clients")
_TOOLS = column("tools", "number", "Distinct tools")
_TOOL = column("tool", "string", "Name of the tool")
_CLIENT = column("client", "string", "Name of the client, empty if it is unknown", field("client_name"))
_TOP_CLIENTS = column("clients", "json", "The clients with most calls, up to 3")


def _type(
    name: str,
    title: str,
    description: str,
    columns: tuple[OutputColumn, ...],
    *asks: ScanRequest,
    visualization: Visualization = "table",
    **more: Any,
) -> QueryType:
    described = f"{description}. For an organization, calls without a website are included"
    return QueryType(
        name=name,
        family="Mcp",
        title=title,
        description=described,
        columns=columns,
        asks=asks,
        filters=FILTERS,
        organization=True,
        visualization=visualization,
        **more,
    )


def _by(name: str, title: str, description: str, *named: OutputColumn, group: tuple[str, ...]) -> QueryType:
    """A type with the speed and the failures of each group."""
    columns = (
        *named,
        _CALLS,
        _ERRORS,
        _ERROR_RATE,
        _P95,
        _SESSIONS,
        column("first_seen", "datetime", "First call of the range, UTC", instant("first")),
        column("last_seen", "datetime", "Last call, UTC", instant("last")),
    )
    measures = ("count", "failures", "duration_p95", "sessions", "first", "last")
    return _type(name, title, description, columns, ScanRequest("mcp_calls", measures, group, order=_BY_COUNT))


def _top(group: str, name: str) -> ScanRequest:
    """The commonest values of `name` in each group."""
    order = (PlanOrder(group, descending=False), PlanOrder("count"))
    return ScanRequest("mcp_calls", ("count",), (group, name), present=(name,), per=(1, _MOST_OF_ROW), order=order)


def _with_top(group: str, name: str, into: str) -> Callable[[Sequence[list[Record]], TimeWindow], list[Record]]:
    """Rows of a group with the commonest values of `name` in it."""

    def shape(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
        best: dict[str, list[str]] = {}
        for row in rows[1]:
            best.setdefault(row[group], []).append(row[name])
        return [row | {into: best.get(row[group], [])} for row in rows[0]]

    return shape


def _errors(rows: Sequence[list[Record]], window: TimeWindow) -> list[Record]:
    """Without calls before the range, no error is new."""
    first = {row["error_group"]: row["first"] for row in rows[2]}
    begun = rows[3][0]["first"]
    is_known = begun is not None and begun < window.start
    return [
        row | {"is_new": is_known and first.get(row["error_group"], 0) >= window.start}
        for row in _with_top("error_group", "client_name", "clients")(rows, window)
    ]


def _summary(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    (totals,), servers, environments, websites, (ever,) = rows
    return [
        totals
        | {
            "servers": [row["server_name"] for row in servers[:_MOST_SERVERS]],
            "environments": [row["environment"] for row in environments[:_MOST_ENVIRONMENTS]],
            "websites": [row["site"] for row in websites if row["site"]][:_MOST_WEBSITES],
            "tracked": int(ever["first"] is not None),
        }
    ]


TYPES = (
    _type(
        "mcp_summary",
        "MCP summary",
        "Tool calls of the range, and the servers, environments and websites that they came from",
        (
            _CALLS,
            _ERRORS,
            _ERROR_RATE,
            _P50,
            _P95,
            _TOOLS,
            column("clients", "number", "Distinct clients"),
            _SESSIONS,
            column("servers", "json", "Names of servers, up to 20, most calls first"),
            column("environments", "json", "Environments, up to 10, most calls first"),
            column("websites", "json", "Ids of websites, up to 50, most calls first"),
            column("last_call", "datetime", "Last call of the range, UTC", instant("last")),
            column("tracked", "number", "1 if there has ever been a call, whatever the range and filters"),
        ),
        ScanRequest("mcp_calls", ("count", "failures", *_SPEED, "tools", "clients", "sessions", "last")),
        *(
            ScanRequest("mcp_calls", ("count",), (name,), present=(name,), order=_BY_COUNT)
            for name in ("server_name", "environment", "site")
        ),
        ScanRequest("mcp_calls", ("first",), back=_EVER),
        shape=_summary,
        visualization="metric",
    ),
    _type(
        "mcp_calls_series",
        "MCP calls by day",
        "Tool calls for each day or hour of the range",
        (DATE, _CALLS, _ERRORS, _ERROR_RATE, _P50, _P95, _SESSIONS),
        ScanRequest("mcp_calls", ("count", "failures", *_SPEED, "sessions")),
        series=True,
        visualization="timeseries",
    ),
    _type(
        "mcp_tools",
        "MCP tools",
        "Tools by number of calls",
        (
            _TOOL,
            _CALLS,
            _ERRORS,
            _ERROR_RATE,
            _P50,
            _P95,
            column(
                "avg_output_chars",
                "number",
                "Mean number of characters of the output, about 4 per token",
                mean("output_total", "output_rows"),
            ),
            _SESSIONS,
            _TOP_CLIENTS,
            column("last_called", "datetime", "Last call, UTC", instant("last")),
        ),
        ScanRequest(
            "mcp_calls",
            ("count", "failures", *_SPEED, "output_total", "output_rows", "sessions", "last"),
            ("tool",),
            order=_BY_COUNT,
        ),
        _top("tool", "client_name"),
        shape=_with_top("tool", "client_name", "clients"),
    ),
    _type(
        "mcp_clients",
        "MCP clients",
        "Clients by number of calls",
        (
            _CLIENT,
            _CALLS,
            _ERROR_RATE,
            _P95,
            _TOOLS,
            _SESSIONS,
            column("versions", "json", "The versions with most calls, up to 3"),
            column("user_agent", "string", "User agent of the last call", field("latest_user_agent")),
            column("last_seen", "datetime", "Last call, UTC", instant("latest_time")),
        ),
        ScanRequest(
            "mcp_calls",
            ("count", "failures", "duration_p95", "tools", "sessions", "latest_user_agent", "latest_time"),
            ("client_name",),
            order=_BY_COUNT,
        ),
        _top("client_name", "client_version"),
        shape=_with_top("client_name", "client_version", "versions"),
    ),
    _by(
        "mcp_client_versions",
        "MCP client versions",
        "Versions of clients by number of calls",
        _CLIENT,
        column("version", "string", "Version of the client, empty if it is unknown", field("client_version")),
        group=("client_name", "client_version"),
    ),
    _by(
        "mcp_server_versions",
        "MCP server versions",
        "Versions of servers by number of calls",
        column("server", "string", "Name of the server, empty if it is unknown", field("server_name")),
        column("version", "string", "Version of the server, empty if it is unknown", field("server_version")),
        group=("server_name", "server_version"),
    ),
    _by(
        "mcp_environments",
        "MCP environments",
        "Environments by number of calls",
        column("environment", "string", "Name of the environment, empty if it is unknown"),
        group=("environment",),
    ),
    _type(
        "mcp_errors",
        "MCP errors",
        "Failed calls by tool and error message (without numbers, ids, URLs and quoted values), by count",
        (
            column("tool", "string", "Name of the tool", field("latest_tool")),
            column("error", "string", "The latest message", field("latest_error")),
            column("occurrences", "number", "Failed calls", field("count")),
            _SESSIONS,
            _TOP_CLIENTS,
            column("last_seen", "datetime", "Last occurrence, UTC", instant("latest_time")),
            column("first_seen", "datetime", "First occurrence of the range, UTC", instant("first")),
            column("is_new", "boolean", "Whether it did not happen in the 30 days before the range"),
        ),
        ScanRequest(
            "mcp_calls",
            ("count", "sessions", "first", "latest_time", "latest_tool", "latest_error"),
            ("error_group",),
            present=("error_group",),
            order=_BY_COUNT,
        ),
        _top("error_group", "client_name"),
        ScanRequest("mcp_calls", ("first",), ("error_group",), present=("error_group",), back=_KNOWN_FOR),
        ScanRequest("mcp_calls", ("first",), back=_KNOWN_FOR),
        shape=_errors,
    ),
)
