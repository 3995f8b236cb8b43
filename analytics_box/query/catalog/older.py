"""Older names of types (wire 1.23): the same answers under the names that earlier clients know."""

from msgspec.structs import replace

from analytics_box.query.catalog import devices, sessions, summary
from analytics_box.query.catalog.summary import DATE
from analytics_box.query.catalog.types import QueryType, ScanRequest, column
from analytics_box.query.catalog.values import field, measurement, text_or_unknown
from analytics_box.query.filters import COMMON
from analytics_box.query.plan import PlanOrder

_BY_NAME = {query_type.name: query_type for query_type in (*devices.TYPES, *sessions.TYPES, *summary.TYPES)}
_NAMES = {
    "profile_metrics": "session_metrics",
    "profile_duration_distribution": "session_duration_distribution",
    "profiles_by_device": "sessions_by_device",
    "profiles_by_browser": "sessions_by_browser",
    "profiles_time_series": "sessions_time_series",
    "returning_visitors": "new_vs_returning",
}


def _older(name: str, today: str) -> QueryType:
    known = _BY_NAME[today]
    return replace(known, name=name, description=f"{known.description}. Former name of {today}")


def _loading(name: str, dimension: str, title: str) -> QueryType:
    """A query type with page load times, based on the page events that carry them."""
    return QueryType(
        name=name,
        family="Performance",
        title=title,
        description=f"{title}, the slowest first",
        columns=(
            column("name", "string", "Value of the group, such as a page or browser", text_or_unknown(dimension)),
            column("visitors", "number", "Distinct visitors", field("users")),
            *_LOADING,
        ),
        asks=(
            ScanRequest(
                "vitals",
                ("users", *_MEASURES),
                (dimension,),
                metrics=("load_time",),
                order=(PlanOrder("p50"),),
            ),
        ),
        filters=COMMON,
    )


_MEASURES = ("avg", "p50", "p95", "samples")
_LOADING = (
    column("avg_load_time", "number", "Mean", measurement("avg"), unit="ms"),
    column("p50_load_time", "number", "Median", measurement("p50"), unit="ms"),
    column("p95_load_time", "number", "Percentile 95", measurement("p95"), unit="ms"),
    column("samples", "number", "Page views with a measurement"),
)

TYPES = (
    *(_older(name, today) for name, today in _NAMES.items()),
    _loading("slow_pages", "path", "Load times by page"),
    _loading("performance_by_browser", "browser", "Load times by browser"),
    _loading("performance_by_country", "country", "Load times by country"),
    _loading("performance_by_os", "system", "Load times by operating system"),
    _loading("performance_by_region", "region", "Load times by region"),
    QueryType(
        name="performance_time_series",
        family="Performance",
        title="Load times over time",
        description="Load times for each day or hour of the range",
        columns=(DATE, *_LOADING),
        asks=(ScanRequest("vitals", _MEASURES, metrics=("load_time",)),),
        series=True,
        filters=COMMON,
        visualization="timeseries",
    ),
    QueryType(
        name="load_time_performance",
        family="Performance",
        title="Load time",
        description="Load times of the pages of the range",
        columns=_LOADING,
        asks=(ScanRequest("vitals", _MEASURES, metrics=("load_time",)),),
        filters=COMMON,
        visualization="metric",
    ),
)
