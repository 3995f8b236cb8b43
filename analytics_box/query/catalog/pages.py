"""Pages (wire 1.3)."""

from analytics_box.base.facts.event import PAGE_EXIT, PAGE_VIEW
from analytics_box.query.catalog.summary import WITH_PEOPLE
from analytics_box.query.catalog.tables import BY_VISITORS, SHARE, VIEWS, VISITORS, standard
from analytics_box.query.catalog.types import QueryType, ScanRequest, column
from analytics_box.query.catalog.values import field, number, share
from analytics_box.query.filters import COMMON
from analytics_box.query.plan import PlanOrder

_NAME = column("name", "string", "Path of the page", field("path"))
_PATH = column("path", "string", "Same as name")


def _ends(name: str, source: str, title: str, what: str) -> QueryType:
    return QueryType(
        name=name,
        family="Pages",
        title=title,
        description=f"Pages on which the sessions of the range {what}",
        columns=(
            _NAME,
            column("pageviews", "number", f"Sessions that {what} here", field("sessions")),
            column("visitors", "number", "Distinct visitors of these sessions"),
            SHARE,
            _PATH,
        ),
        asks=(
            ScanRequest(
                "entries" if source == "entries" else "exits",
                ("sessions", "visitors"),
                ("path",),
                share_of="visitors",
                order=BY_VISITORS,
            ),
        ),
        filters=COMMON,
        public=True,
        visualization="bar",
    )


TYPES = (
    standard(
        "top_pages",
        "path",
        family="Pages",
        title="Pages",
        what="page: its path",
        more=(_PATH,),
        kinds=(PAGE_VIEW,),
        filters=WITH_PEOPLE,
        public=True,
    ),
    _ends("entry_pages", "entries", "Entry pages", "began"),
    _ends("exit_pages", "exits", "Exit pages", "ended"),
    QueryType(
        name="page_performance",
        family="Pages",
        title="Page performance",
        description="Pages of the range, by views",
        columns=(_NAME, VIEWS, VISITORS),
        asks=(
            ScanRequest(
                "events", ("pageviews", "visitors"), ("path",), kinds=(PAGE_VIEW,), order=(PlanOrder("pageviews"),)
            ),
        ),
        filters=COMMON,
    ),
    QueryType(
        name="page_time_analysis",
        family="Pages",
        title="Time on page",
        description="Engaged time of the pages of the range, without visits of 1 second or less and of an hour or more",
        columns=(
            _NAME,
            column(
                "sessions_with_time",
                "number",
                "Sessions of these visits",
                field("unique_sessions"),
            ),
            column("visitors", "number", "Distinct visitors", field("visitors_of_exits")),
            column(
                "median_time_on_page",
                "number",
                "Median engaged time",
                number("median_engaged"),
                unit="seconds",
            ),
            column(
                "percentage",
                "number",
                "Sessions as a share of the sum over all pages",
                share("unique_sessions"),
                unit="percent",
            ),
        ),
        asks=(
            ScanRequest(
                "events",
                ("unique_sessions", "visitors_of_exits", "median_engaged"),
                ("path",),
                kinds=(PAGE_EXIT,),
                timed=(1, 3600),
                share_of="unique_sessions",
                order=(PlanOrder("unique_sessions"),),
            ),
        ),
        filters=COMMON,
        public=True,
        visualization="bar",
    ),
    QueryType(
        name="entry_exit_flow",
        family="Pages",
        title="From entry to exit",
        description="Entry and exit pages of the sessions of the range, in pairs",
        columns=(
            column("entry_page", "string", "Path of the first page view", field("path")),
            column("exit_page", "string", "Path of the last page view", field("to_path")),
            column("sessions", "number", "Sessions with this entry and exit page"),
            column("visitors", "number", "Distinct visitors of these sessions"),
            column(
                "percentage",
                "number",
                "Share of all sessions with a page view",
                share("sessions"),
                unit="percent",
            ),
        ),
        asks=(
            ScanRequest(
                "journeys",
                ("sessions", "visitors"),
                ("path", "to_path"),
                share_of="sessions",
                order=(PlanOrder("sessions"),),
            ),
        ),
        filters=COMMON,
    ),
)
