"""The page of a monitor as data: its tiles, its lists. Pure."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from analytics_box.base.texts import DefinitionTexts, Details, MonitorStats, figures
from analytics_box.figures.board import Board, BoardSubject, Extra, FigureList, Filters, Metric, PanelPlace, Rows, Words
from analytics_box.figures.panels import BarRow
from analytics_box.products.monitors.monitor import Kind
from analytics_box.query.catalog.types import Record

_TOTALS, _SERIES = "uptime_overview", "uptime_time_series"


def _downtime(rows: Rows, _: Filters) -> float:
    return float(sum(row["downtime_seconds"] or 0 for row in rows))


def _code(code: str) -> str:
    """The label of a status code."""
    return MonitorStats.no_answer if code in {"", "0"} else str(code)


def _status(row: Record) -> str:
    return MonitorStats.statuses[row["status"]]


def _reason(reason: str) -> str:
    return MonitorStats.reasons.get(reason, reason)


METRICS: Final = (
    Metric("avg_response_time", _TOTALS, _SERIES, unit="ms", fewer_is_better=True),
    Metric("p95_response_time", _TOTALS, _SERIES, unit="ms", fewer_is_better=True),
    Metric("avg_ttfb", _TOTALS, _SERIES, unit="ms", fewer_is_better=True),
    Metric("uptime_percentage", _TOTALS, _SERIES, unit="uptime"),
    Metric("downtime_seconds", _SERIES, _SERIES, unit="seconds", value=_downtime, fewer_is_better=True),
)
LISTS: Final[dict[str, FigureList]] = {
    "codes": FigureList(
        "uptime_status_breakdown", shown="http_code", counted="count", label=_code, detail=_status, icon="pulse"
    ),
    "reasons": FigureList("uptime_reasons", shown="reason", counted="count", label=_reason, icon="check", apart=True),
}


def _phases(answers: Sequence[Rows], _: PanelPlace) -> tuple[BarRow, ...]:
    """The average duration of each phase in the range, and its share of the total."""
    (rows,) = answers
    means = {name: _mean(rows, f"avg_{name}") for name in MonitorStats.phases}
    whole = sum(mean for mean in means.values() if mean is not None)
    largest = max((mean for mean in means.values() if mean is not None), default=0)
    return tuple(
        BarRow(
            label=MonitorStats.phases[name],
            detail="",
            value=figures.milliseconds(mean),
            share=figures.percent(100 * mean / whole if whole else 0),
            width=figures.bar_width(mean, largest),
        )
        for name, mean in means.items()
        if mean is not None
    )


def _mean(rows: Rows, name: str) -> float | None:
    """The mean over the buckets, each weighed by its checks; None of nothing."""
    found = [(row[name], row["checks"]) for row in rows if row[name] is not None]
    checks = sum(count for _, count in found)
    return sum(mean * count for mean, count in found) / checks if checks else None


MONITOR: Final = Board(
    subject="monitor",
    metrics=METRICS,
    lists=LISTS,
    panels={"codes": ("codes",), "reasons": ("reasons",)},
    extras={
        "phases": Extra(("uptime_phases",), _phases, "bars", MonitorStats.phases_counted, MonitorStats.empty["phases"]),
    },
    about=lambda _: BoardSubject(
        {**MonitorStats.metrics, "count": MonitorStats.counted}, lambda query_type: query_type
    ),
    ghosts=4,
    words=Words(
        tabs=MonitorStats.tabs,
        empty=MonitorStats.empty,
        filters={},
        anchors=DefinitionTexts.of_monitors,
        shares=MonitorStats.shares,
        columns=Details.columns,
    ),
)
# What has no status of HTTP is up or not; and of one that waits to be told, nothing is timed.
_WITHOUT_STATUS: Final = replace(MONITOR, panels={"reasons": ("reasons",)})
_UNTIMED: Final = replace(
    _WITHOUT_STATUS,
    metrics=tuple(metric for metric in METRICS if metric.name in {"uptime_percentage", "downtime_seconds"}),
    extras={},
)


def board_of(kind: Kind) -> Board:
    """The board of monitors of this kind."""
    if kind == "http":
        return MONITOR
    return _UNTIMED if kind == "push" else _WITHOUT_STATUS
