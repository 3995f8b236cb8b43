"""The sessions behind the rows of another type: how many there were, how many of them bounced, how long they took."""

from analytics_box.query.catalog.summary import BOUNCES
from analytics_box.query.catalog.types import OutputColumn, QueryType, ScanRequest, column
from analytics_box.query.catalog.values import field, quotient
from analytics_box.query.plan import PlanOrder

_SESSIONS = column("sessions", "number", "Sessions that start in the range")
_DURATION = column(
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
        columns=(*names, _SESSIONS, BOUNCES, _DURATION),
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
