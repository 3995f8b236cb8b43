"""Elements, fields, terms, files and outgoing links (wire 1.11) that visitors use, and pages that they miss."""

from collections.abc import Sequence

from analytics_box.base.facts.event import CUSTOM, PAGE_EXIT
from analytics_box.query.catalog.types import OutputColumn, QueryType, Record, ScanRequest, column
from analytics_box.query.catalog.values import field, instant, ratio, share
from analytics_box.query.filters import COMMON, SELECTING, FilterCondition
from analytics_box.query.plan import PlanOrder
from analytics_box.query.ranges import TimeWindow

# Parts of a page in percent.
REACHES = tuple(range(10, 101, 10))
# The events of the tracker, and the property that each is listed by.
SITE_SEARCH, NOT_FOUND, FILE_DOWNLOAD = ("site_search", "term"), ("not_found", "referrer"), ("file_download", "href")


def _reach(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    (row,) = rows[0]
    whole = row["scroll_rows"]
    return [{"depth": f"{reach}%", "page_views": row[f"reach_{reach}"], "whole": whole} for reach in REACHES]


def _elements(name: str, title: str, description: str, target: str, count: OutputColumn, measure: str) -> QueryType:
    """Elements of pages by how often something happened to them."""
    ask = ScanRequest(
        "engagement",
        (measure, f"users_of_{measure}"),
        (target, "path"),
        present=(target,),
        least=(measure, 1),
        order=(PlanOrder(measure),),
    )
    return QueryType(
        name=name,
        family="Engagement",
        title=title,
        description=description,
        columns=(
            column("name", "string", "The element", field(target)),
            column("path", "string", "Path of the page"),
            count,
            column("visitors", "number", "Distinct visitors", field(f"users_of_{measure}")),
        ),
        asks=(ask,),
        filters=("path", *SELECTING),
    )


def _of_event(
    name: str,
    title: str,
    description: str,
    event: tuple[str, str],
    shown: str,
    count: OutputColumn,
    *,
    by_page: bool = False,
) -> QueryType:
    """The values of a property that events of the tracker have."""
    where = [FilterCondition(*one, negated=False) for one in (("name", "is", event[:1]), ("key", "is", event[1:]))]
    value = column("referrer" if by_page else "name", "string", shown, field("value"))
    path = column("name", "string", "Path of the missing page", field("path"))
    visitors = column("visitors", "number", "Distinct visitors", field("unique_users"))
    ask = ScanRequest(
        "properties",
        ("count", "unique_users"),
        ("path", "value") if by_page else ("value",),
        kinds=(CUSTOM,),
        where=tuple(where),
        order=(PlanOrder("count"),),
    )
    return QueryType(
        name=name,
        family="Engagement",
        title=title,
        description=description,
        columns=(path, value, count, visitors) if by_page else (value, count, visitors),
        asks=(ask,),
        filters=("path", *SELECTING),
    )


TYPES = (
    QueryType(
        name="scroll_reach",
        family="Engagement",
        title="Scroll reach",
        description="Visits of pages by the part of the page that was reached; a path filter selects one page",
        columns=(
            column("depth", "string", "Part of the page, 10% to 100%"),
            column("page_views", "number", "Visits of pages that reached it"),
            column(
                "percentage",
                "number",
                "Share of the visits whose depth was measured",
                ratio("page_views", "whole"),
                unit="percent",
            ),
        ),
        asks=(ScanRequest("events", ("scroll_rows", *(f"reach_{reach}" for reach in REACHES)), kinds=(PAGE_EXIT,)),),
        shape=_reach,
        filters=COMMON,
        visualization="bar",
    ),
    _elements(
        "rage_clicks",
        "Rage clicks",
        "Elements that visitors clicked many times in a row",
        "rage_target",
        column("clicks", "number", "Rage clicks of the visits in which most were on it", field("rage_clicks")),
        "rage_clicks",
    ),
    _elements(
        "dead_clicks",
        "Dead clicks",
        "Elements that did nothing when visitors clicked them",
        "dead_target",
        column("clicks", "number", "Dead clicks of the visits in which most were on it", field("dead_clicks")),
        "dead_clicks",
    ),
    _elements(
        "abandoned_fields",
        "Abandoned fields",
        "Form fields that visitors used last before they left without submitting",
        "last_field",
        column("abandoned", "number", "Visits of pages that ended at the field"),
        "abandoned",
    ),
    _of_event(
        "site_searches",
        "Site searches",
        "Terms that visitors searched for",
        SITE_SEARCH,
        "Term",
        column("searches", "number", "Searches", field("count")),
    ),
    _of_event(
        "missing_pages",
        "404 pages",
        "Missing pages with the pages that led to them",
        NOT_FOUND,
        "Page that led there; empty if unknown",
        column("views", "number", "Views of it", field("count")),
        by_page=True,
    ),
    _of_event(
        "file_downloads",
        "Downloads",
        "Files that visitors downloaded",
        FILE_DOWNLOAD,
        "Address of the file",
        column("downloads", "number", "Downloads", field("count")),
    ),
)


_FILTERS = (*COMMON, "client_id", "anonymous_id", "session_id", "href", "text")
_CLICKS = column("total_clicks", "number", "Clicks", field("count"))
_USERS = column("unique_users", "number", "Distinct visitors", field("users"))
_SHARE = column("percentage", "number", "Share of all clicks", share("count"), unit="percent")
_BY_COUNT = (PlanOrder("count"),)

OUTBOUND = (
    QueryType(
        name="outbound_links",
        family="Links",
        title="Outgoing links",
        description="Outgoing links clicked in the range",
        columns=(
            column("href", "string", "Address of the link"),
            column("text", "string", "Text of the link"),
            _CLICKS,
            _USERS,
            column("unique_sessions", "number", "Distinct sessions", field("sessions")),
            _SHARE,
            column("last_clicked", "datetime", "Last click, UTC", instant("last")),
        ),
        asks=(
            ScanRequest(
                "outgoing_links",
                ("count", "users", "sessions", "last"),
                ("href", "text"),
                share_of="count",
                order=_BY_COUNT,
            ),
        ),
        filters=_FILTERS,
        public=True,
        values=True,
    ),
    QueryType(
        name="outbound_domains",
        family="Links",
        title="Outgoing domains",
        description="Hosts of outgoing links clicked in the range",
        columns=(
            column("domain", "string", "Host of the links"),
            _CLICKS,
            _USERS,
            column("unique_links", "number", "Distinct links", field("hrefs")),
            _SHARE,
        ),
        asks=(
            ScanRequest("outgoing_links", ("count", "users", "hrefs"), ("domain",), share_of="count", order=_BY_COUNT),
        ),
        filters=_FILTERS,
        public=True,
    ),
)
