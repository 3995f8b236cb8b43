"""The AI traffic page of a website as data: its tiles, its lists, and what a click on a row filters by. Pure."""

from functools import partial
from operator import itemgetter
from typing import Final

from analytics_box.base.translation import _
from analytics_box.figures.board import Board, BoardSubject, FigureColumn, FigureList, Metric, Words
from analytics_box.web.recognition.ai_agents import agents

_SUMMARY, _SERIES = "ai_summary", "ai_requests_by_date"
METRIC_NAMES: Final = {
    "requests": _("Requests"),
    "training": _("Training"),
    "search_index": _("Search index"),
    "on_demand": _("On demand"),
    "errors": _("Errors"),
    "pages": _("Pages read"),
    "visitors": _("Visitors from AI"),
}
_TABS: Final = {
    "products": _("Products"),
    "outcomes": _("Outcomes of visitors"),
    "agents": _("Agents"),
    "formats": _("Formats"),
    "pages_read": _("Pages read"),
    "unvisited": _("Read by agents only"),
    "error_pages": _("Errors"),
}
_FILTERS: Final = {
    "path": _("Page"),
    "agent": _("Agent"),
    "product": _("Product"),
    "purpose": _("Purpose"),
    "format": _("Format"),
}
_PURPOSES: Final = {"training": _("Training"), "search_index": _("Search index"), "on_demand": _("On demand")}
_VERIFIED: Final = {"yes": _("verified"), "no": _("not verified"), "unknown": ""}
_COLUMNS: Final = {
    **METRIC_NAMES,
    "share": _("Share"),
    "products": _("Products"),
    "pageviews": _("Page views"),
    "pages_per_visit": _("Pages per visit"),
    "engaged_rate": _("Engaged"),
    "last_seen": _("Last"),
}
_EMPTY: Final = {
    "": _("No requests in this range."),
    "outcomes": _("No visitors in this range."),
    "unvisited": _("People viewed every page that agents read."),
    "error_pages": _("No errors in this range. Status codes are only known if your server reports them."),
}
_SHARES: Final = {
    "requests": _("Share of all requests in this range."),
    "": _("Share of the rows that are shown."),
}
_LAST: Final = FigureColumn("last_seen", "moment")
_listed: Final = partial(FigureList, counted="requests")
_pages: Final = partial(_listed, field="path", shown="page", icon="page")


METRICS: Final = (
    Metric("requests", _SUMMARY, _SERIES),
    Metric("training", _SUMMARY, _SERIES),
    Metric("search_index", _SUMMARY, _SERIES),
    Metric("on_demand", _SUMMARY, _SERIES),
    Metric("errors", _SUMMARY, _SERIES, fewer_is_better=True),
    Metric("pages", _SUMMARY),
    Metric("visitors", _SUMMARY),
)
LISTS: Final[dict[str, FigureList]] = {
    "products": _listed(
        "ai_products",
        "product",
        shown="product",
        columns=(
            FigureColumn("pages"),
            *(FigureColumn(purpose) for purpose in _PURPOSES),
            FigureColumn("visitors"),
            _LAST,
        ),
        icon="globe",
    ),
    "outcomes": FigureList(
        "ai_visitor_outcomes",
        shown="product",
        columns=(FigureColumn("pages_per_visit"), FigureColumn("engaged_rate", "percent")),
        apart=True,
        icon="user",
    ),
    "agents": _listed(
        "ai_crawlers",
        "agent",
        shown="agent_id",
        label=lambda agent_id: getattr(agents().get(agent_id), "token", agent_id),
        detail=lambda row: ", ".join(
            filter(None, (row["operator"], str(_PURPOSES[row["purpose"]]), str(_VERIFIED[row["verified"]])))
        ),
        columns=(FigureColumn("pages"), FigureColumn("errors"), _LAST),
        icon="pulse",
    ),
    "formats": _listed(
        "ai_content_formats",
        "format",
        shown="format",
        detail=lambda row: ", ".join(row["products"]),
        columns=(FigureColumn("pages"),),
    ),
    "pages_read": _pages(
        "ai_agent_pages",
        detail=itemgetter("format"),
        columns=(FigureColumn("products"), FigureColumn("visitors"), FigureColumn("pageviews")),
    ),
    "unvisited": _pages("ai_unvisited_pages", columns=(FigureColumn("products"), _LAST)),
    "error_pages": FigureList(
        "ai_error_pages",
        "path",
        shown="page",
        counted="errors",
        columns=(FigureColumn("requests"), FigureColumn("products"), _LAST),
        apart=True,
        icon="warning",
    ),
}
PANELS: Final[dict[str, tuple[str, ...]]] = {
    "products": ("products", "outcomes"),
    "agents": ("agents", "formats"),
    "pages_read": ("pages_read", "unvisited"),
    "error_pages": ("error_pages",),
}
AI: Final = Board(
    subject="website",
    metrics=METRICS,
    lists=LISTS,
    panels=PANELS,
    further=("purpose",),
    wholes={"requests": (_SUMMARY, "requests")},
    about=lambda _filters: BoardSubject(METRIC_NAMES, lambda query_type: query_type),
    words=Words(
        tabs=_TABS,
        empty=_EMPTY,
        filters=_FILTERS,
        anchors=dict.fromkeys((*METRIC_NAMES, *LISTS), "ai-request"),
        shares=_SHARES,
        columns=_COLUMNS,
    ),
)
