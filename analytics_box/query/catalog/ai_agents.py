"""AI agents: what they read (wire 1.14), and the visitors who come from AI assistants.

Requests are those of crawlers and assistants (the source ai_requests). Visitors are people whose session came from an
assistant: its source is the product. Filters on visitors do not select requests, and filters on requests no visitors.
"""

from collections.abc import Sequence

from analytics_box.base.facts.event import CUSTOM, PAGE_VIEW
from analytics_box.query.catalog.types import (
    Follow,
    OutputColumn,
    QueryType,
    Record,
    ScanRequest,
    Shape,
    Visualization,
    column,
)
from analytics_box.query.catalog.values import Measured, field, instant, instant_text, percent_of, quotient
from analytics_box.query.filters import COMMON, FilterCondition
from analytics_box.query.plan import BUCKET, PlanOrder
from analytics_box.query.ranges import TimeWindow
from analytics_box.web.recognition.ai_agents import PURPOSES, agents

ALL_VISITORS = "All visitors"
_REQUEST_FILTERS = ("path", "agent", "product", "purpose", "format")
_BOTH = (*COMMON, *(name for name in _REQUEST_FILTERS if name != "path"))
_FROM_ASSISTANTS = (FilterCondition("channel", "is", ("AI Assistant",), negated=False),)
_BY_REQUESTS = (PlanOrder("requests"),)
_SEEN = (PAGE_VIEW, CUSTOM)
_REFERRED = ScanRequest("events", ("visitors",), ("source",), kinds=_SEEN, where=_FROM_ASSISTANTS)

_REQUESTS = column("requests", "number", "Requests of AI agents", field("requests"))
_PAGES = column("pages", "number", "Distinct paths that they read", field("pages"))
_PURPOSES = (
    column("training", "number", "Requests to train models", field("training")),
    column("search_index", "number", "Requests for a search index", field("search_index")),
    column("on_demand", "number", "Requests on demand of a person", field("on_demand")),
)
_ERRORS = column("errors", "number", "Requests that were answered with a status of 400 or more", field("errors"))
_LAST = column("last_seen", "datetime", "Last request, UTC", instant("last"))
_DATE = column("date", "date", "The day, or the hour")


def _type(
    name: str,
    title: str,
    description: str,
    columns: tuple[OutputColumn, ...],
    *asks: ScanRequest,
    follows: tuple[Follow, ...] = (),
    shape: Shape | None = None,
    filters: tuple[str, ...] = _BOTH,
    limit: int = 100,
    series: bool = False,
    visualization: Visualization = "table",
) -> QueryType:
    return QueryType(
        name=name,
        family="AiAgents",
        title=title,
        description=description,
        columns=columns,
        asks=asks,
        follows=follows,
        shape=shape,
        filters=filters,
        default_limit=limit,
        series=series,
        visualization=visualization,
    )


def _products(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    """The products with requests, and those with visitors only."""
    none: Record = dict.fromkeys(("requests", "pages", *PURPOSES, "visitors"), 0) | {"last": None}
    found = {row["product"]: none | row for row in rows[0]}
    for row in rows[1]:
        found.setdefault(row["source"], none | {"product": row["source"]})["visitors"] = row["visitors"]
    return sorted(found.values(), key=lambda row: (-row["requests"], -row["visitors"], row["product"]))


def _formats(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    products: dict[str, list[str]] = {}
    for row in rows[1]:
        products.setdefault(row["format"], []).append(row["product"])
    return [row | {"products": products[row["format"]]} for row in rows[0]]


def _product_visitors(rows: Sequence[list[Record]], window: TimeWindow) -> list[Record]:
    """A row for each product in each bucket in which it brought visitors."""
    found = sorted(rows[0], key=lambda row: (row[BUCKET], -row["visitors"], row["source"]))
    return [
        {"date": window.buckets[row[BUCKET]].label, "product": row["source"], "visitors": row["visitors"]}
        for row in found
    ]


def _pages(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    """The pages of the first look, with their usual formats and with what people did on them."""
    formats: dict[str, str] = {}
    for row in rows[1]:
        formats.setdefault(row["path"], row["format"])
    views = {row["path"]: row["pageviews"] for row in rows[2]}
    visitors = {row["path"]: row["visitors"] for row in rows[3]}
    return [
        row
        | {
            "format": formats.get(row["path"], ""),
            "pageviews": views.get(row["path"], 0),
            "visitors": visitors.get(row["path"], 0),
        }
        for row in rows[0]
    ]


def _outcomes(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    """All visitors first, then those of each product."""
    everyone = _outcome(ALL_VISITORS, rows[0][0], rows[2][0])
    views = {row["source"]: row for row in rows[3]}
    none = {"pageviews": 0}
    each = [_outcome(row["source"], row, views.get(row["source"], none)) for row in rows[1]]
    return [everyone, *sorted(each, key=lambda row: (-row["visitors"], row["product"]))]


def _outcome(product: str, sessions: Measured, views: Measured) -> Record:
    many = sessions["sessions"]
    return {
        "product": product,
        "visitors": sessions["visitors"],
        "pages_per_visit": quotient(views["pageviews"], many) if many else 0.0,
        "engaged_rate": percent_of(many - sessions["bounces"], many),
    }


_PRODUCT = column("product", "string", "Product, such as ChatGPT or Claude", field("product"))
_PATH = column("page", "string", "Path of the page", field("path"))
_OF_AGENTS = (
    *("requests", "pages", "errors", "confirmed", "refuted", "last"),
    *("latest_product", "latest_purpose", "latest_user_agent"),
)
_SESSION_MEASURES = ("sessions", "visitors", "bounces")

TYPES = (
    _type(
        "ai_products",
        "AI products",
        "AI products whose agents read the website, and the visitors that they refer",
        (
            _PRODUCT,
            _REQUESTS,
            _PAGES,
            *_PURPOSES,
            column("visitors", "number", "Distinct visitors who came from the product"),
            column(
                "last_seen",
                "datetime",
                "Last request, UTC; null if there is none",
                lambda row: instant_text(row["last"]),
            ),
        ),
        ScanRequest("ai_requests", ("requests", "pages", *PURPOSES, "last"), ("product",), order=_BY_REQUESTS),
        _REFERRED,
        shape=_products,
        limit=50,
    ),
    _type(
        "ai_content_formats",
        "Formats",
        "Formats in which AI agents read pages: html, markdown, llms (llms.txt) or other",
        (
            column("format", "string", "html, markdown, llms or other"),
            _REQUESTS,
            _PAGES,
            column("products", "json", "Products that read this format, those with most requests first"),
        ),
        ScanRequest("ai_requests", ("requests", "pages"), ("format",), order=_BY_REQUESTS),
        ScanRequest("ai_requests", ("requests",), ("format", "product"), order=_BY_REQUESTS),
        shape=_formats,
        visualization="bar",
    ),
    _type(
        "ai_product_visitors",
        "Visitors from AI products",
        "Visitors that AI products referred, by product for each day or hour of the range with such visitors",
        (_DATE, _PRODUCT, column("visitors", "number", "Distinct visitors")),
        _REFERRED,
        shape=_product_visitors,
        filters=COMMON,
        series=True,
        visualization="timeseries",
    ),
    _type(
        "ai_agent_pages",
        "Pages that AI agents read",
        "Pages by requests of AI agents, with what people did on them in the range",
        (
            _PATH,
            column("visitors", "number", "Distinct visitors from AI products who viewed the page"),
            column("products", "number", "AI products that read it", field("products")),
            _REQUESTS,
            column("format", "string", "Format in which it was read most often"),
            column("pageviews", "number", "Page views by all people"),
        ),
        ScanRequest("ai_requests", ("requests", "products"), ("path",), order=_BY_REQUESTS),
        follows=(
            Follow(ScanRequest("ai_requests", ("requests",), ("path", "format"), order=_BY_REQUESTS), "path"),
            Follow(ScanRequest("events", ("pageviews",), ("path",), kinds=(PAGE_VIEW,)), "path"),
            Follow(
                ScanRequest("events", ("visitors",), ("path",), kinds=(PAGE_VIEW,), where=_FROM_ASSISTANTS),
                "path",
            ),
        ),
        shape=_pages,
    ),
    _type(
        "ai_visitor_outcomes",
        "What visitors from AI products do",
        "Visitors from each AI product compared with all visitors, who are the first row",
        (
            _PRODUCT,
            column("visitors", "number", "Distinct visitors"),
            column("pages_per_visit", "number", "Page views per session"),
            column("engaged_rate", "number", "Share of sessions that are no bounce", unit="percent"),
        ),
        ScanRequest("sessions", _SESSION_MEASURES),
        ScanRequest("sessions", _SESSION_MEASURES, ("source",), where=_FROM_ASSISTANTS),
        ScanRequest("events", ("pageviews",), kinds=_SEEN),
        ScanRequest("events", ("pageviews",), ("source",), kinds=_SEEN, where=_FROM_ASSISTANTS),
        shape=_outcomes,
        filters=COMMON,
        limit=20,
    ),
    _type(
        "ai_crawlers",
        "AI agents",
        "AI agents by requests, with their purpose and whether their addresses are the operator's",
        (
            column("agent_id", "string", "Id of the agent", field("ai_agent")),
            column(
                "name",
                "string",
                "Name of the agent in its User-Agent header",
                lambda row: getattr(agents().get(row["ai_agent"]), "token", row["ai_agent"]),
            ),
            column("product", "string", "Product that it works for", field("latest_product")),
            column("purpose", "string", "training, search_index or on_demand", field("latest_purpose")),
            _REQUESTS,
            _LAST,
            column("user_agent", "string", "User-Agent header of the last request", field("latest_user_agent")),
            column(
                "operator", "string", "Operator", lambda row: getattr(agents().get(row["ai_agent"]), "operator", "")
            ),
            _PAGES,
            _ERRORS,
            column(
                "verified",
                "string",
                "yes, no (of any request) or unknown (of all)",
                lambda row: "no" if row["refuted"] else "yes" if row["confirmed"] else "unknown",
            ),
            column(
                "about",
                "string",
                "Address of the operator's documentation",
                lambda row: getattr(agents().get(row["ai_agent"]), "about", ""),
            ),
        ),
        ScanRequest(
            "ai_requests",
            _OF_AGENTS,
            ("ai_agent",),
            order=_BY_REQUESTS,
        ),
        limit=50,
    ),
    # Beyond the wire
    _type(
        "ai_summary",
        "AI traffic",
        "Requests of AI agents in the range, and the visitors from AI products",
        (
            _REQUESTS,
            column("products", "number", "AI products that read the website"),
            column("agents", "number", "AI agents that read the website"),
            _PAGES,
            *_PURPOSES,
            _ERRORS,
            column("visitors", "number", "Distinct visitors from AI products"),
        ),
        ScanRequest("ai_requests", ("requests", "products", "agents", "pages", *PURPOSES, "errors")),
        ScanRequest("events", ("visitors",), kinds=_SEEN, where=_FROM_ASSISTANTS),
        shape=lambda rows, _window: [rows[0][0] | rows[1][0]],
        visualization="metric",
    ),
    _type(
        "ai_requests_by_date",
        "Requests by purpose",
        "Requests of AI agents for each day or hour of the range, by purpose",
        (_DATE, _REQUESTS, *_PURPOSES, _ERRORS),
        ScanRequest("ai_requests", ("requests", *PURPOSES, "errors")),
        filters=_REQUEST_FILTERS,
        series=True,
        visualization="timeseries",
    ),
    _type(
        "ai_unvisited_pages",
        "Pages that only AI agents read",
        "Pages that AI agents read and that no person viewed in the range",
        (_PATH, _REQUESTS, column("products", "number", "AI products that read it"), _LAST),
        ScanRequest("ai_unvisited", ("requests", "products", "last"), ("path",), order=_BY_REQUESTS),
        filters=_REQUEST_FILTERS,
    ),
    _type(
        "ai_error_pages",
        "Pages that answer AI agents with errors",
        "Pages that answered AI agents with a status of 400 or more, by the number of such answers",
        (_PATH, _ERRORS, _REQUESTS, column("products", "number", "AI products that read it"), _LAST),
        ScanRequest(
            "ai_requests",
            ("errors", "requests", "products", "last"),
            ("path",),
            least=("errors", 1),
            order=(PlanOrder("errors"),),
        ),
        filters=_REQUEST_FILTERS,
    ),
)
