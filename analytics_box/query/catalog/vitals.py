"""Page speed (wire 1.8). Times are milliseconds; CLS is a score, FPS is frames per second."""

from functools import partial

from analytics_box.base.facts.event import METRICS
from analytics_box.query.catalog.summary import DATE
from analytics_box.query.catalog.types import OutputColumn, QueryType, ScanRequest, Visualization, column
from analytics_box.query.catalog.values import (
    Measured,
    SortableValue,
    device_name,
    field,
    measurement,
    round_quotient,
    text_of_code,
    text_or_unknown,
)
from analytics_box.query.filters import COMMON, SELECTING
from analytics_box.query.plan import PARTS_OF_ONE, DerivedKey, PlanOrder

_OF_PAGES = ("path", "country", "region", "city", "browser_name", "os_name", "device_type", *SELECTING)
_DIGITS = {"cls": 4}
_NAMES = {code: name for name, code in METRICS.items()}
_OFFICIAL = ("FCP", "LCP", "CLS", "INP", "TTFB", "FPS")


def _measure(rank: str, metric: str) -> OutputColumn:
    name = f"{rank}_{metric}"
    text = f"{'Mean' if rank == 'avg' else 'Percentile ' + rank[1:]} of {metric.upper()}"
    unit = "" if metric == "cls" else "ms"
    return column(name, "number", text, measurement(f"{metric}_{rank}", _DIGITS.get(metric, 2)), unit=unit)


_BY = (
    *(("avg", "fcp"), ("p50", "fcp"), ("avg", "lcp"), ("p50", "lcp"), ("p75", "lcp"), ("avg", "cls"), ("p50", "cls")),
    *(("avg", "inp"), ("p75", "inp"), ("avg", "ttfb")),
)
_OVER_TIME = tuple((rank, metric) for metric in ("fcp", "lcp", "cls", "inp", "ttfb") for rank in ("avg", "p50"))
_RANKS = ("p50", "p75", "p90", "p95", "p99")


def _name_of(dimension: str) -> SortableValue:
    return device_name() if dimension == "device" else text_or_unknown(dimension)


def _web_vitals_by(name: str, dimension: str, title: str) -> QueryType:
    return QueryType(
        name=f"web_vitals_by_{name}",
        family="Performance",
        title=title,
        description=f"Web vitals: {title.lower()}, the slowest first",
        columns=(
            column("name", "string", "Value of the group, such as a page or browser", _name_of(dimension)),
            column("visitors", "number", "Distinct visitors", field("users")),
            *(_measure(rank, metric) for rank, metric in _BY),
            column("measurements", "number", "Number of measurements", field("count")),
        ),
        asks=(
            ScanRequest(
                "vitals",
                ("users", "count", *(f"{metric}_{rank}" for rank, metric in _BY)),
                (dimension,),
                metrics=_OFFICIAL,
                order=(PlanOrder("lcp_p50"),),
            ),
        ),
        filters=_OF_PAGES,
        customizable=True,
    )


def _rank(rank: str) -> OutputColumn:
    return column(
        rank,
        "number",
        f"Percentile {rank[1:]}",
        _score(rank),
    )


def _score(name: str) -> SortableValue:
    """Scores need more digits than milliseconds."""
    return SortableValue(partial(_round_vital, name), name)


def _round_vital(name: str, row: Measured) -> float | None:
    return round_quotient(row[name], PARTS_OF_ONE, 4 if row.get("metric") == METRICS["CLS"] else 2)


_SAMPLES = column("samples", "number", "Number of measurements", field("samples"))
_METRIC = column("metric_name", "string", "FCP, LCP, CLS, INP, TTFB or FPS", text_of_code("metric", _NAMES))


def _vitals_by(name: str, *dimensions: str, title: str, visualization: Visualization = "table") -> QueryType:
    def place(row: Measured) -> str:
        return ", ".join(row[part] for part in dimensions if row[part]) or "Unknown"

    return QueryType(
        name=f"vitals_by_{name}",
        family="Vitals",
        title=title,
        description=f"Web vitals: {title.lower()}, the most measured first",
        columns=(
            column(
                "name",
                "string",
                "Value of the group, such as a page or browser",
                SortableValue(place, DerivedKey("place", dimensions)),
            ),
            column("visitors", "number", "Distinct visitors", field("users")),
            *(_measure("p50", metric) for metric in ("lcp", "fcp", "cls", "inp", "ttfb")),
            column("samples", "number", "Number of measurements", field("count")),
        ),
        asks=(
            ScanRequest(
                "vitals",
                ("users", "count", *(f"{metric}_p50" for metric in ("lcp", "fcp", "cls", "inp", "ttfb"))),
                dimensions,
                metrics=_OFFICIAL,
                order=(PlanOrder("count"),),
            ),
        ),
        filters=COMMON,
        public=True,
        visualization=visualization,
    )


PERFORMANCE = (
    _web_vitals_by("page", "path", "By page"),
    _web_vitals_by("browser", "browser", "By browser"),
    _web_vitals_by("country", "country", "By country"),
    _web_vitals_by("os", "system", "By operating system"),
    _web_vitals_by("device", "device", "By device"),
    _web_vitals_by("region", "region", "By region"),
    QueryType(
        name="web_vitals_time_series",
        family="Performance",
        title="Over time",
        description="Web vitals for each day or hour of the range",
        columns=(
            DATE,
            *(_measure(rank, metric) for rank, metric in _OVER_TIME),
            column("measurements", "number", "Number of measurements", lambda row: row["count"]),
        ),
        asks=(
            ScanRequest("vitals", ("count", *(f"{metric}_{rank}" for rank, metric in _OVER_TIME)), metrics=_OFFICIAL),
        ),
        series=True,
        filters=_OF_PAGES,
        customizable=True,
        visualization="timeseries",
    ),
)
TYPES = (
    QueryType(
        name="vitals_overview",
        family="Vitals",
        title="Web vitals",
        description="One row for each metric that was measured in the range",
        columns=(
            _METRIC,
            *(_rank(rank) for rank in _RANKS),
            column("avg_value", "number", "Mean", _score("avg")),
            _SAMPLES,
            column("good", "number", "Good measurements; 0 for FPS", field("good")),
            column("poor", "number", "Poor measurements; 0 for FPS", field("poor")),
        ),
        asks=(ScanRequest("vitals", (*_RANKS, "avg", "samples", "good", "poor"), ("metric",), metrics=_OFFICIAL),),
        filters=COMMON,
        public=True,
    ),
    QueryType(
        name="vitals_time_series",
        family="Vitals",
        title="Web vitals over time",
        description="One row for each metric and each day or hour of the range in which it was measured",
        columns=(DATE, _METRIC, *(_rank(rank) for rank in _RANKS), _SAMPLES),
        asks=(ScanRequest("vitals", (*_RANKS, "samples"), ("metric",), metrics=_OFFICIAL),),
        series=True,
        filters=COMMON,
        public=True,
        visualization="timeseries",
    ),
    QueryType(
        name="vitals_by_page",
        family="Vitals",
        title="Web vitals by page",
        description="One row for each page and metric, the most measured first",
        columns=(
            column("page", "string", "Path of the page", text_or_unknown("path")),
            _METRIC,
            *(_rank(rank) for rank in _RANKS),
            _SAMPLES,
        ),
        asks=(
            ScanRequest(
                "vitals", (*_RANKS, "samples"), ("path", "metric"), metrics=_OFFICIAL, order=(PlanOrder("samples"),)
            ),
        ),
        filters=_OF_PAGES,
        public=True,
        default_limit=50,
    ),
    _vitals_by("country", "country", title="By country"),
    _vitals_by("browser", "browser", title="By browser"),
    _vitals_by("region", "region", "country", title="By region"),
    _vitals_by("city", "city", "country", title="By city"),
)
