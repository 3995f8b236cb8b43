"""Custom events and their properties (wire 1.9)."""

from collections.abc import Sequence
from typing import Any

from analytics_box.base.facts.event import CUSTOM, PAGE_VIEW
from analytics_box.query.catalog.summary import DATE
from analytics_box.query.catalog.types import OutputColumn, QueryType, Record, ScanRequest, Visualization, column
from analytics_box.query.catalog.values import (
    SortableValue,
    field,
    hexadecimal,
    instant,
    json_value,
    mean,
    number,
    quotient,
    ratio,
    session_id,
    share,
)
from analytics_box.query.filters import COMMON, SELECTING
from analytics_box.query.plan import DerivedKey, PlanOrder
from analytics_box.query.ranges import TimeWindow

FILTERS = (
    "profile_id",
    "path",
    "namespace",
    "website_id",
    "anonymous_id",
    "session_id",
    "event_name",
    "source",
    *SELECTING,
)
_OF_PROPERTIES = ("profile_id", "path", "event_name", "website_id", *SELECTING)
_BY_COUNT = (PlanOrder("count"),)

_TOTAL = column("total_events", "number", "Number of occurrences", field("count"))
_TYPES = column("unique_event_types", "number", "Distinct events", field("unique_names"))
_USERS = column("unique_users", "number", "Distinct visitors")
_SESSIONS = column("unique_sessions", "number", "Distinct sessions")
_PAGES = column("unique_pages", "number", "Distinct pages")
_EVENT = column("event_name", "string", "Name of the event", field("event"))
_KEY = column("property_key", "string", "Key of the property", field("key"))
_VALUE = column("property_value", "string", "Value as text", field("value"))
_COUNT = column("count", "number", "Number of events with this value")


def _type(
    name: str,
    title: str,
    description: str,
    columns: tuple[OutputColumn, ...],
    *asks: ScanRequest,
    filters: tuple[str, ...] = FILTERS,
    rows: int = 100,
    visualization: Visualization = "table",
    **more: Any,
) -> QueryType:
    return QueryType(
        name=name,
        family="CustomEvents",
        title=title,
        description=description,
        columns=columns,
        asks=asks,
        filters=filters,
        public=name not in {"custom_events_recent", "custom_events_property_numbers", "page_properties"},
        organization=True,
        default_limit=rows,
        visualization=visualization,
        **more,
    )


# How many distinct values make a property a list to choose from (wire 1.9).
FEW = 20


def _classification(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    """Classify each property by its values."""
    events = {row["name"]: row["count"] for row in rows[1]}
    samples: dict[tuple[str, str], list[str]] = {}
    for row in rows[2]:
        samples.setdefault((row["event"], row["key"]), []).append(row["value"])
    return [_classify(row, events.get(row["event"], 0), samples.get((row["event"], row["key"]), [])) for row in rows[0]]


def _classify(row: Record, events: int, samples: list[str]) -> Record:
    count, cardinality = row["count"], row["unique_values"]
    kind = _infer_type(row)
    return {
        "event_name": row["event"],
        "property_key": row["key"],
        "cardinality": cardinality,
        "total_count": count,
        "coverage_ratio": quotient(count, events, 4) if events else 0.0,
        "avg_length": quotient(row["length_total"], count),
        "max_length": row["longest"],
        "is_numeric": row["numbers"] == count,
        "is_boolean": row["booleans"] == count,
        "is_date_like": row["dates"] == count,
        "is_url_like": row["urls"] == count,
        "inferred_type": kind,
        "render_strategy": _strategy(kind, cardinality),
        "sample_values": samples,
    }


def _infer_type(row: Record) -> str:
    count = row["count"]
    for kind, measured in (("boolean", "booleans"), ("numeric", "numbers"), ("datetime", "dates"), ("url", "urls")):
        if row[measured] == count:
            return kind
    cardinality = row["unique_values"]
    if cardinality <= FEW:
        return "categorical"
    if row["length_total"] / count > 100:
        return "text"
    return "aggregatable" if cardinality <= count / 2 else "high_cardinality"


def _strategy(kind: str, cardinality: int) -> str:
    if kind == "boolean" or cardinality <= FEW // 2:
        return "distribution_bar"
    if kind in {"text", "high_cardinality"}:
        return "detail_only"
    return "top_n_chart" if cardinality <= FEW else "top_n_with_other"


_PER_PROPERTY = (PlanOrder("event", descending=False), PlanOrder("key", descending=False), PlanOrder("count"))


def _top_values(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    """The best values of each property with their rank and share of all values of the property."""
    totals = {(row["event"], row["key"]): row for row in rows[1]}
    ranked: list[Record] = []
    for row in rows[0]:
        before = ranked[-1] if ranked else None
        same = before is not None and (before["event"], before["key"]) == (row["event"], row["key"])
        whole = totals[row["event"], row["key"]]
        rank = before["rank"] + 1 if before is not None and same else 1
        ranked.append(row | {"rank": rank, "total": whole["count"], "cardinality": whole["unique_values"]})
    return ranked


def _distribution(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    return [row for row in _top_values(rows, _window) if row["cardinality"] <= FEW]


def _discovery(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    """Each event with each of its properties; events without one stand there too."""
    properties: dict[str, list[Record]] = {}
    for row in rows[1]:
        properties.setdefault(row["event"], []).append(row)
    best: dict[tuple[str, str], list[Record]] = {}
    for row in rows[2]:
        best.setdefault((row["event"], row["key"]), []).append({"value": row["value"], "count": row["count"]})
    found: list[Record] = []
    for event in rows[0]:
        name = event["name"]
        for item in properties.get(name, [{"key": "", "unique_values": 0}]):
            found.append(
                {
                    "event_name": name,
                    "total_events": event["count"],
                    "unique_users": event["unique_users"],
                    "property_key": item["key"],
                    "unique_values": item["unique_values"],
                    "top_values": best.get((name, item["key"]), []),
                }
            )
    return found


_TOP = (
    _EVENT,
    _KEY,
    _VALUE,
    _COUNT,
    column("total", "number", "Number of events with this property"),
    column("percentage", "number", "Share of the property's values", ratio("count", "total"), unit="percent"),
)

TYPES = (
    _type(
        "custom_events",
        "Custom events",
        "Custom events of the range, by count",
        (
            column("name", "string", "Name of the event"),
            _TOTAL,
            _USERS,
            _SESSIONS,
            column("last_occurrence", "datetime", "Last occurrence, UTC", instant("last")),
            column(
                "first_occurrence",
                "datetime",
                "First occurrence in the range, UTC",
                instant("first"),
            ),
            column(
                "events_with_properties",
                "number",
                "Events with properties",
                field("with_properties"),
            ),
            column(
                "percentage",
                "number",
                "Share of all custom events of the range",
                share("count"),
                unit="percent",
            ),
        ),
        ScanRequest(
            "events",
            ("count", "unique_users", "unique_sessions", "last", "first", "with_properties"),
            ("name",),
            kinds=(CUSTOM,),
            share_of="count",
            order=_BY_COUNT,
        ),
        rows=10_000,
        visualization="bar",
    ),
    _type(
        "custom_event_properties",
        "Property values",
        "Values of custom event properties, by count",
        (column("name", "string", "Name of the event", field("event")), _KEY, _VALUE, _COUNT),
        ScanRequest("properties", ("count",), ("event", "key", "value"), kinds=(CUSTOM,), order=_BY_COUNT),
        filters=(*FILTERS, "property_key"),
        rows=10_000,
        values=True,
    ),
    _type(
        "custom_events_by_path",
        "Pages of custom events",
        "Pages with custom events",
        (
            column("name", "string", "Path of the page, empty for events without a page", field("path")),
            _TOTAL,
            _TYPES,
            _USERS,
        ),
        ScanRequest("events", ("count", "unique_names", "unique_users"), ("path",), kinds=(CUSTOM,), order=_BY_COUNT),
        rows=50,
    ),
    _type(
        "custom_events_trends",
        "Custom events by day",
        "Custom events for each day or hour of the range",
        (DATE, _TOTAL, _TYPES, _USERS, _SESSIONS, _PAGES),
        ScanRequest(
            "events", ("count", "unique_names", "unique_users", "unique_sessions", "unique_pages"), kinds=(CUSTOM,)
        ),
        series=True,
        rows=1_000,
        visualization="timeseries",
    ),
    _type(
        "custom_events_trends_by_event",
        "Each custom event by day",
        "Each custom event for each day or hour of the range in which it happened",
        (DATE, column("event_name", "string", "Name of the event", field("name")), _TOTAL),
        ScanRequest("events", ("count",), ("name",), kinds=(CUSTOM,)),
        series=True,
        rows=10_000,
        visualization="timeseries",
    ),
    _type(
        "custom_events_summary",
        "Custom event summary",
        "All custom events of the range",
        (_TOTAL, _TYPES, _USERS, _SESSIONS, _PAGES),
        ScanRequest(
            "events", ("count", "unique_names", "unique_users", "unique_sessions", "unique_pages"), kinds=(CUSTOM,)
        ),
        visualization="metric",
    ),
    _type(
        "custom_events_property_cardinality",
        "Properties",
        "The properties of custom events and how many values they have",
        (
            _EVENT,
            _KEY,
            column("unique_values", "number", "Distinct values"),
            column("occurrences", "number", "Number of events with this property", field("count")),
        ),
        ScanRequest("properties", ("unique_values", "count"), ("event", "key"), kinds=(CUSTOM,), order=_BY_COUNT),
        filters=_OF_PROPERTIES,
    ),
    _type(
        "custom_events_property_numbers",
        "Numbers",
        "The numbers among the values of each property of each custom event, up to a billion",
        (
            _EVENT,
            _KEY,
            column("count", "number", "Values that are numbers", field("number_count")),
            column("sum", "number", "Their sum", number("number_total", 1_000)),
            column("average", "number", "Their mean", mean("number_total", "number_count", below=1_000)),
            column("median", "number", "Their median", number("number_p50", 100_000)),
            column("p90", "number", "Their 90th percentile", number("number_p90", 100_000)),
        ),
        ScanRequest(
            "properties",
            ("number_count", "number_total", "number_p50", "number_p90"),
            ("event", "key"),
            kinds=(CUSTOM,),
            order=(PlanOrder("number_count"),),
            least=("number_count", 1),
        ),
        filters=_OF_PROPERTIES,
    ),
    _type(
        "page_properties",
        "Properties of page views",
        "The properties that page views were sent with",
        (
            column(
                "name",
                "string",
                "Both, as the filter event_property takes them: key=value",
                SortableValue(lambda row: f"{row['key']}={row['value']}", DerivedKey("variant", ("key", "value"))),
            ),
            _KEY,
            _VALUE,
            column("page_views", "number", "Page views", field("count")),
            column("visitors", "number", "Distinct visitors", field("unique_users")),
        ),
        ScanRequest("properties", ("count", "unique_users"), ("key", "value"), kinds=(PAGE_VIEW,), order=_BY_COUNT),
        filters=(*COMMON, "property_key"),
    ),
    _type(
        "custom_events_recent",
        "Recent custom events",
        "The custom events of the range, newest first",
        (
            column("event_name", "string", "Name of the event", field("name")),
            column("namespace", "string", "Namespace"),
            column("path", "string", "Path of the page"),
            column("source", "string", "Sender of the event", field("origin")),
            column("properties", "json", "Its properties", json_value("properties")),
            column("anonymous_id", "string", "The visitor's id", hexadecimal("visitor")),
            column("session_id", "string", "The session's id", session_id()),
            column("timestamp", "datetime", "Time, UTC", instant("time")),
        ),
        ScanRequest(
            "events",
            columns=(
                "name",
                "namespace",
                "path",
                "origin",
                "properties",
                "visitor",
                "session",
                "client_session",
                "time",
            ),
            kinds=(CUSTOM,),
            order=(PlanOrder("time"),),
        ),
        rows=50,
    ),
    _type(
        "custom_events_property_classification",
        "Property types",
        "The type of each property of each custom event, and how to chart it",
        (
            column("event_name", "string", "Name of the event"),
            column("property_key", "string", "Key of the property"),
            column("cardinality", "number", "Distinct values"),
            column("total_count", "number", "Number of events with this property"),
            column("coverage_ratio", "number", "Share of the events that have it, 0 to 1"),
            column("avg_length", "number", "Mean length of its values"),
            column("max_length", "number", "Length of the longest value"),
            column("is_numeric", "boolean", "Whether all values are numbers"),
            column("is_boolean", "boolean", "Whether all values are true or false"),
            column("is_date_like", "boolean", "Whether all values look like dates"),
            column("is_url_like", "boolean", "Whether all values look like addresses"),
            column(
                "inferred_type",
                "string",
                "boolean, numeric, datetime, url, categorical, text, aggregatable or high_cardinality",
            ),
            column("render_strategy", "string", "distribution_bar, top_n_chart, detail_only or top_n_with_other"),
            column("sample_values", "json", "The five most common values"),
        ),
        ScanRequest(
            "properties",
            ("count", "unique_values", "length_total", "longest", "numbers", "booleans", "dates", "urls"),
            ("event", "key"),
            kinds=(CUSTOM,),
            order=_BY_COUNT,
        ),
        ScanRequest("events", ("count",), ("name",), kinds=(CUSTOM,)),
        ScanRequest("properties", ("count",), ("event", "key", "value"), kinds=(CUSTOM,), order=_BY_COUNT, per=(2, 5)),
        shape=_classification,
        filters=(*_OF_PROPERTIES, "property_key"),
        rows=500,
        values=True,
    ),
    _type(
        "custom_events_property_top_values",
        "Top values",
        "The ten most common values of each property of each custom event",
        (*_TOP, column("rank", "number", "1 is the most common")),
        ScanRequest(
            "properties", ("count",), ("event", "key", "value"), kinds=(CUSTOM,), order=_PER_PROPERTY, per=(2, 10)
        ),
        ScanRequest("properties", ("count", "unique_values"), ("event", "key"), kinds=(CUSTOM,)),
        shape=_top_values,
        filters=(*_OF_PROPERTIES, "property_key"),
        rows=10_000,
        values=True,
    ),
    _type(
        "custom_events_property_distribution",
        "Distribution of values",
        f"All values of the properties that have {FEW} or fewer",
        (*_TOP, column("cardinality", "number", "Distinct values of the property")),
        ScanRequest(
            "properties", ("count",), ("event", "key", "value"), kinds=(CUSTOM,), order=_PER_PROPERTY, per=(2, FEW)
        ),
        ScanRequest("properties", ("count", "unique_values"), ("event", "key"), kinds=(CUSTOM,)),
        shape=_distribution,
        filters=(*_OF_PROPERTIES, "property_key"),
        values=True,
    ),
    _type(
        "custom_events_discovery",
        "Events with their properties",
        "Each custom event with its properties and their most common values",
        (
            column("event_name", "string", "Name of the event"),
            column("total_events", "number", "Number of occurrences"),
            column("unique_users", "number", "Distinct visitors"),
            column("property_key", "string", "Key of the property, empty for events without properties"),
            column("unique_values", "number", "Distinct values of the property"),
            column("top_values", "json", "The five most common values with their counts"),
        ),
        ScanRequest("events", ("count", "unique_users"), ("name",), kinds=(CUSTOM,), order=_BY_COUNT),
        ScanRequest("properties", ("count", "unique_values"), ("event", "key"), kinds=(CUSTOM,), order=_PER_PROPERTY),
        ScanRequest("properties", ("count",), ("event", "key", "value"), kinds=(CUSTOM,), order=_BY_COUNT, per=(2, 5)),
        shape=_discovery,
        filters=(*_OF_PROPERTIES, "property_key"),
        rows=200,
        values=True,
    ),
)
