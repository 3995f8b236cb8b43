"""The MCP page of a website as data: its tiles, its lists, and what a click on a row filters by. Pure."""

from functools import partial
from operator import itemgetter
from typing import Final

from analytics_box.base.translation import _
from analytics_box.figures.board import Board, BoardSubject, FigureColumn, FigureList, Metric, Words

_SUMMARY, _SERIES = "mcp_summary", "mcp_calls_series"
METRIC_NAMES: Final = {
    "calls": _("Calls"),
    "errors": _("Failed calls"),
    "error_rate": _("Error rate"),
    "p50_ms": _("Median"),
    "p95_ms": _("p95"),
    "sessions": _("Sessions"),
    "occurrences": _("Failed calls"),
}
_TABS: Final = {
    "tools": _("Tools"),
    "failures": _("Errors"),
    "clients": _("Clients"),
    "client_versions": _("Client versions"),
    "servers": _("Servers"),
    "environments": _("Environments"),
}
_FILTERS: Final = {
    "tool": _("Tool"),
    "client": _("Client"),
    "client_version": _("Client version"),
    "server_name": _("Server"),
    "server_version": _("Server version"),
    "environment": _("Environment"),
}
_COLUMNS: Final = {
    **METRIC_NAMES,
    "share": _("Share"),
    "tools": _("Tools"),
    "avg_output_chars": _("Output"),
    "first_seen": _("First"),
    "last_seen": _("Last"),
    "last_called": _("Last"),
}
_EMPTY: Final = {"": _("No calls in this range."), "failures": _("No failed calls in this range.")}
_SHARES: Final = {
    "calls": _("Share of all calls in this range."),
    "": _("Share of all failed calls in this range."),
}
_NEW: Final = _("{tool} · New")
_ERROR_RATE: Final = FigureColumn("error_rate", "percent")
_P95: Final = FigureColumn("p95_ms", "ms")
_SESSIONS: Final = FigureColumn("sessions")
_FIRST, _LAST = FigureColumn("first_seen", "moment"), FigureColumn("last_seen", "moment")
_listed: Final = partial(FigureList, counted="calls")


METRICS: Final = (
    Metric("calls", _SUMMARY, _SERIES),
    Metric("error_rate", _SUMMARY, _SERIES, unit="percent", needs="calls", fewer_is_better=True),
    Metric("p50_ms", _SUMMARY, _SERIES, unit="ms", fewer_is_better=True),
    Metric("p95_ms", _SUMMARY, _SERIES, unit="ms", fewer_is_better=True),
    Metric("sessions", _SUMMARY, _SERIES),
)
LISTS: Final[dict[str, FigureList]] = {
    "tools": _listed(
        "mcp_tools",
        "tool",
        shown="tool",
        columns=(
            _ERROR_RATE,
            FigureColumn("p50_ms", "ms"),
            _P95,
            FigureColumn("avg_output_chars"),
            _SESSIONS,
            FigureColumn("last_called", "moment"),
        ),
        icon="tune",
    ),
    "failures": FigureList(
        "mcp_errors",
        shown="error",
        counted="occurrences",
        detail=lambda row: _NEW.format(tool=row["tool"]) if row["is_new"] else row["tool"],
        within=("tool",),
        columns=(_SESSIONS, _FIRST, _LAST),
        apart=True,
        icon="warning",
    ),
    "clients": _listed(
        "mcp_clients",
        "client",
        shown="client",
        detail=lambda row: ", ".join(row["versions"]),
        columns=(_ERROR_RATE, _P95, FigureColumn("tools"), _SESSIONS, _LAST),
        icon="browsers",
    ),
    "client_versions": _listed(
        "mcp_client_versions",
        "client_version",
        shown="version",
        detail=itemgetter("client"),
        within=("client",),
        columns=(FigureColumn("errors"), _ERROR_RATE, _P95, _SESSIONS, _FIRST, _LAST),
    ),
    "servers": _listed(
        "mcp_server_versions",
        "server_name",
        shown="server",
        detail=itemgetter("version"),
        within=("version",),
        columns=(FigureColumn("errors"), _ERROR_RATE, _P95, _SESSIONS, _FIRST, _LAST),
        icon="sites",
    ),
    "environments": _listed(
        "mcp_environments",
        "environment",
        shown="environment",
        columns=(FigureColumn("errors"), _ERROR_RATE, _P95, _SESSIONS, _FIRST, _LAST),
        icon="globe",
    ),
}
PANELS: Final[dict[str, tuple[str, ...]]] = {
    "tools": ("tools",),
    "failures": ("failures",),
    "clients": ("clients", "client_versions"),
    "servers": ("servers", "environments"),
}
MCP: Final = Board(
    subject="website",
    metrics=METRICS,
    lists=LISTS,
    panels=PANELS,
    further=("server_version",),
    wholes={"calls": (_SUMMARY, "calls")},
    about=lambda _filters: BoardSubject(METRIC_NAMES, lambda query_type: query_type),
    words=Words(
        tabs=_TABS,
        empty=_EMPTY,
        filters=_FILTERS,
        anchors=dict.fromkeys((*METRIC_NAMES, *LISTS), "mcp-tool-call"),
        shares=_SHARES,
        columns=_COLUMNS,
    ),
)
