"""Engagement: the use of pages (wire 1.13)."""

from collections.abc import Sequence

from analytics_box.base.facts.event import PAGE_EXIT, PAGE_VIEW
from analytics_box.query.catalog.types import QueryType, Record, ScanRequest, column
from analytics_box.query.catalog.values import SortableValue, field, mean, number, ratio
from analytics_box.query.filters import COMMON, SELECTING
from analytics_box.query.plan import PlanOrder
from analytics_box.query.ranges import TimeWindow

_NAME = column("name", "string", "Path of the page", field("path"))
_PAGE_VIEWS = column("page_views", "number", "Visits of the page", field("count"))
_USERS = column("visitors", "number", "Distinct visitors", field("users"))
_BY_COUNT = (PlanOrder("count"),)
DEPTHS = ("0-25%", "25-50%", "50-75%", "75-100%", "100%")
_FEWEST = 5  # visits that make a page's rates worth showing (wire 1.13)


def _best(rows: list[Record], name: str) -> dict[str, str]:
    return {row["path"]: row[name] for row in rows}


def _frustration(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    dead, rage = _best(rows[1], "dead_target"), _best(rows[2], "rage_target")
    return [row | {"dead": dead.get(row["path"], ""), "rage": rage.get(row["path"], "")} for row in rows[0]]


def _forms(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    last = _best(rows[1], "last_field")
    return [row | {"field": last.get(row["path"], "")} for row in rows[0] if row["form_starts"]]


def _depths(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    """All five ranges, including those that no visitor reached."""
    found = {row["depth_range"]: row for row in rows[0] if row["depth_range"] is not None}
    whole = sum(row["visitors_of_exits"] for row in found.values())
    return [
        {
            "depth_range": name,
            "visitors": (row := found.get(rank, {})).get("visitors_of_exits", 0),
            "sessions": row.get("unique_sessions", 0),
            "whole": whole,
        }
        for rank, name in enumerate(DEPTHS)
    ]


def _target(name: str, clicks: str) -> ScanRequest:
    return ScanRequest(
        "engagement",
        (clicks,),
        ("path", name),
        present=(name,),
        least=(clicks, 1),
        order=(PlanOrder(clicks),),
        per=(1, 1),
    )


_AVERAGED = ("time", "active", "scroll", "interactions")


def _seconds(name: str) -> SortableValue:
    """A mean of milliseconds as seconds; None if nothing was measured."""
    return mean(f"{name}_total", f"{name}_rows", below=1000)


TYPES = (
    QueryType(
        name="frustration_by_page",
        family="Engagement",
        title="Frustration",
        description=f"Pages with {_FEWEST} visits or more, with frustrated visits",
        columns=(
            _NAME,
            _PAGE_VIEWS,
            _USERS,
            column(
                "rage_click_rate",
                "number",
                "Share of visits with many clicks in one place",
                ratio("with_rage", "count"),
                unit="percent",
            ),
            column(
                "dead_click_rate",
                "number",
                "Share of visits with clicks that did nothing",
                ratio("with_dead", "count"),
                unit="percent",
            ),
            column(
                "error_rate",
                "number",
                "Share of visits with a JavaScript error",
                ratio("with_errors", "count"),
                unit="percent",
            ),
            column("top_dead_click_target", "string", "The element with most of these clicks", field("dead")),
            column("top_rage_click_target", "string", "The element with most of these clicks", field("rage")),
        ),
        asks=(
            ScanRequest(
                "engagement",
                ("count", "users", "with_rage", "with_dead", "with_errors"),
                ("path",),
                least=("count", _FEWEST),
                order=_BY_COUNT,
            ),
            _target("dead_target", "dead_clicks"),
            _target("rage_target", "rage_clicks"),
        ),
        shape=_frustration,
        filters=("path", *SELECTING),
    ),
    QueryType(
        name="form_abandonment_by_page",
        family="Engagement",
        title="Form abandonment",
        description="Pages with started forms, and the share that was not submitted",
        columns=(
            _NAME,
            column("form_starts", "number", "Visits with a started form"),
            column("form_submits", "number", "Visits with a submitted form"),
            column(
                "abandonment_rate",
                "number",
                "Share of visits with a started form and no submitted one",
                ratio("abandoned", "form_starts"),
                unit="percent",
            ),
            column("top_abandoned_field", "string", "The field at which most visitors left", field("field")),
        ),
        asks=(
            ScanRequest(
                "engagement", ("form_starts", "form_submits", "abandoned"), ("path",), order=(PlanOrder("form_starts"),)
            ),
            ScanRequest(
                "engagement",
                ("abandoned",),
                ("path", "last_field"),
                present=("last_field",),
                least=("abandoned", 1),
                order=(PlanOrder("abandoned"),),
                per=(1, 1),
            ),
        ),
        shape=_forms,
        filters=("path", *SELECTING),
    ),
    QueryType(
        name="engagement_quality_by_page",
        family="Engagement",
        title="Attention",
        description="Time and scroll depth on the pages of the range",
        columns=(
            _NAME,
            _PAGE_VIEWS,
            column(
                "avg_time_on_page",
                "number",
                "Mean time on the page",
                _seconds("time"),
                unit="seconds",
            ),
            column(
                "avg_active_time",
                "number",
                "Mean active time on the page",
                _seconds("active"),
                unit="seconds",
            ),
            column(
                "attention_ratio",
                "number",
                "Active time as a share of the time on the page",
                mean("attention_active", "attention_time", 100),
                unit="percent",
            ),
            column(
                "avg_scroll_depth",
                "number",
                "Mean scroll depth",
                mean("scroll_total", "scroll_rows"),
                unit="percent",
            ),
            column(
                "avg_interactions",
                "number",
                "Mean number of interactions",
                mean("interactions_total", "interactions_rows"),
            ),
            column(
                "median_time_to_first_interaction",
                "number",
                "Median over visits with an interaction",
                number("median_first_interaction"),
                unit="ms",
            ),
        ),
        asks=(
            ScanRequest(
                "engagement",
                (
                    "count",
                    *(f"{name}_{what}" for name in _AVERAGED for what in ("total", "rows")),
                    "attention_active",
                    "attention_time",
                    "median_first_interaction",
                ),
                ("path",),
                order=_BY_COUNT,
            ),
        ),
        filters=("path", *SELECTING),
    ),
    QueryType(
        name="scroll_depth_summary",
        family="Engagement",
        title="Scroll depth",
        description="Scroll depth of the pages of the range when visitors left them",
        columns=(
            column(
                "avg_scroll_depth",
                "number",
                "Mean over all page visits with a measured depth",
                mean("scroll_total", "scroll_rows"),
                unit="percent",
            ),
            column("total_sessions", "number", "Distinct sessions", field("unique_sessions")),
            column("visitors", "number", "Distinct visitors", field("visitors_of_exits")),
        ),
        asks=(
            ScanRequest(
                "events", ("scroll_total", "scroll_rows", "unique_sessions", "visitors_of_exits"), kinds=(PAGE_EXIT,)
            ),
        ),
        filters=COMMON,
        visualization="metric",
    ),
    QueryType(
        name="scroll_depth_distribution",
        family="Engagement",
        title="Scroll depths",
        description="Visitors by scroll depth. A visitor of several pages can be in several rows",
        columns=(
            column("depth_range", "string", ", ".join(DEPTHS)),
            column("visitors", "number", "Distinct visitors"),
            column("sessions", "number", "Distinct sessions"),
            column(
                "percentage",
                "number",
                "Visitors as a share of the sum over all rows",
                ratio("visitors", "whole"),
                unit="percent",
            ),
        ),
        asks=(ScanRequest("events", ("visitors_of_exits", "unique_sessions"), ("depth_range",), kinds=(PAGE_EXIT,)),),
        shape=_depths,
        filters=COMMON,
        visualization="bar",
    ),
    QueryType(
        name="page_scroll_performance",
        family="Engagement",
        title="Scroll depth by page",
        description="Scroll depth of each page of the range when visitors left it",
        columns=(
            _NAME,
            column(
                "avg_scroll_depth",
                "number",
                "Mean over page visits with a measured depth",
                mean("scroll_total", "scroll_rows"),
                unit="percent",
            ),
            column("visitors", "number", "Distinct visitors"),
            column("sessions", "number", "Distinct sessions", field("unique_sessions")),
            column("pageviews", "number", "Page views"),
        ),
        asks=(
            ScanRequest(
                "events",
                ("scroll_total", "scroll_rows", "visitors", "unique_sessions", "pageviews"),
                ("path",),
                kinds=(PAGE_VIEW, PAGE_EXIT),
                order=(PlanOrder("pageviews"),),
            ),
        ),
        filters=COMMON,
    ),
    QueryType(
        name="interaction_summary",
        family="Engagement",
        title="Interactions",
        description="Interactions in the sessions that start in the range",
        columns=(
            column(
                "avg_interactions",
                "number",
                "Mean per session with tracked interactions",
                mean("touches", "touch_rows"),
            ),
            column("interactive_sessions", "number", "Sessions with an interaction", field("interactive")),
            column(
                "interaction_rate",
                "number",
                "Share of the sessions with tracked interactions",
                mean("interactive", "touch_rows", 100),
                unit="percent",
            ),
            column("total_sessions", "number", "Sessions that start in the range", field("sessions")),
        ),
        asks=(ScanRequest("sessions", ("touches", "touch_rows", "interactive", "sessions")),),
        filters=COMMON,
        visualization="metric",
    ),
)
