"""The row that most types have: a value, its page views, its visitors and their share (wire 1.0)."""

from analytics_box.base.facts.event import CUSTOM, PAGE_VIEW
from analytics_box.query.catalog.types import OutputColumn, QueryType, ScanRequest, Visualization, column
from analytics_box.query.catalog.values import share, text_or_unknown
from analytics_box.query.filters import COMMON
from analytics_box.query.plan import PlanOrder

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
