"""Rows that several types have: a value with page views, visitors and share (wire 1.0); hours of a week."""

from collections.abc import Sequence

from analytics_box.base.facts.event import CUSTOM, PAGE_VIEW
from analytics_box.query.catalog.types import OutputColumn, QueryType, Record, ScanRequest, Shape, Visualization, column
from analytics_box.query.catalog.values import share, text_or_unknown
from analytics_box.query.filters import COMMON
from analytics_box.query.plan import DAY_OF_WEEK, HOUR_OF_DAY, PlanOrder
from analytics_box.query.ranges import TimeWindow

VIEWS = column("pageviews", "number", "Page views")
VISITORS = column("visitors", "number", "Distinct visitors")
SHARE = column(
    "percentage",
    "number",
    "Visitors as a share of the sum over all rows",
    share("visitors"),
    unit="percent",
)
BY_VISITORS = (PlanOrder("visitors"),)


def standard(
    name: str,
    dimension: str,
    *,
    family: str,
    title: str,
    what: str,
    more: tuple[OutputColumn, ...] = (),
    group: tuple[str, ...] = (),
    kinds: tuple[int, ...] = (PAGE_VIEW, CUSTOM),
    dropped: bool = False,
    filters: tuple[str, ...] = COMMON,
    rows: int = 0,
    public: bool = False,
    visualization: Visualization = "bar",
    with_share: bool = True,
) -> QueryType:
    """A type with the standard row. `dropped` leaves out events without the value."""
    columns = (
        column("name", "string", f"Name of the {what}", text_or_unknown(dimension)),
        VIEWS,
        VISITORS,
        *((SHARE,) if with_share else ()),
        *more,
    )
    return QueryType(
        name=name,
        family=family,
        title=title,
        description=f"{title} of the range, by visitors",
        columns=columns,
        asks=(
            ScanRequest(
                "events",
                ("pageviews", "visitors"),
                (dimension, *group),
                kinds=kinds,
                present=(dimension,) if dropped else (),
                share_of="visitors",
                order=BY_VISITORS,
            ),
        ),
        filters=filters,
        customizable=True,
        public=public,
        default_limit=rows or 100,
        visualization=visualization,
    )


def every_hour_of_the_week(*measures: str) -> Shape:
    """All 168 of them, also those in which nothing happened (semantics 4)."""
    none = dict.fromkeys(measures, 0)

    def shape(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
        found = {(row[DAY_OF_WEEK], row[HOUR_OF_DAY]): row for row in rows[0]}
        return [
            {**found.get((day, hour), none), DAY_OF_WEEK: day, HOUR_OF_DAY: hour}
            for day in range(7)
            for hour in range(24)
        ]

    return shape
