"""The page of a website as data: its tiles, its lists, and what a click on a row filters by. Pure."""

from operator import itemgetter
from typing import Final

from msgspec.structs import replace

from analytics_box.dashboard.board import About, Board, Filters, Listed, Metric, Words
from analytics_box.dashboard.panels import domain_beside
from analytics_box.overview.compact import EXTRAS
from analytics_box.query.catalog.types import QueryType, Record
from analytics_box.texts import Compact, Definitions, Metrics, Panels
from analytics_box.texts import Filters as FilterWords

_TOTALS, _SERIES = "summary_totals", "summary_metrics"


def _size(name: str) -> str:
    return name.replace("x", " × ")


def _without_scheme(href: str) -> str:
    return href.removeprefix("https://")


def _flag(name: str) -> str:
    return name.partition("=")[0]


def _text(row: Record) -> str:
    return row["text"] or ""


METRICS: Final = (
    Metric("visitors", _TOTALS, _SERIES),
    Metric("pageviews", _TOTALS, _SERIES),
    Metric("sessions", _TOTALS, _SERIES),
    Metric("bounce_rate", _TOTALS, _SERIES, unit="percent", needs="sessions", fewer_is_better=True),
    Metric("median_session_duration", _TOTALS, _SERIES, unit="seconds", needs="sessions"),
)
LISTS: Final[dict[str, Listed]] = {
    "sources": Listed("traffic_sources", "referrer", detail=domain_beside),
    "channels": Listed("channels", "channel"),
    "utm_campaign": Listed("utm_campaigns", "utm_campaign"),
    "utm_source": Listed("utm_sources", "utm_source"),
    "utm_medium": Listed("utm_mediums", "utm_medium"),
    "utm_term": Listed("utm_terms", "utm_term"),
    "utm_content": Listed("utm_content", "utm_content"),
    "pages": Listed("top_pages", "path", shown="path"),
    "entry": Listed("entry_pages", "entry_page", shown="path"),
    "exit": Listed("exit_pages", shown="path"),
    "countries": Listed("country", "country", places=True, icon="globe"),
    "regions": Listed("region", "region", places=True),
    "cities": Listed("city", "city", places=True),
    "browsers": Listed("browser_name", "browser_name"),
    "systems": Listed("os_name", "os_name"),
    "devices": Listed("device_types", "device_type"),
    "windows": Listed("screen_resolution", label=_size, detail=itemgetter("device_type")),
    "languages": Listed("language", "language"),
    "events": Listed("custom_events", counted="total_events"),
    "links": Listed(
        "outbound_links", shown="href", counted="total_clicks", label=_without_scheme, detail=_text, icon="globe"
    ),
    "domains": Listed("outbound_domains", shown="domain", counted="total_clicks"),
    "flags": Listed("flag_variants", "flag", label=_flag, detail=itemgetter("variant"), icon="flag"),
}
CAMPAIGNS: Final = ("utm_campaign", "utm_source", "utm_medium", "utm_term", "utm_content")
# The lists of each panel; those of campaigns share one tab.
PANELS: Final[dict[str, tuple[str, ...]]] = {
    "sources": ("sources", "channels", *CAMPAIGNS),
    "pages": ("pages", "entry", "exit"),
    "countries": ("countries", "regions", "cities"),
    "browsers": ("browsers", "systems", "devices", "windows", "languages"),
    "events": ("events",),
    "links": ("links", "domains"),
    "flags": ("flags",),
}


def _narrowable(query_type: QueryType) -> QueryType:
    """The whole page is filtered alike: what sessions begin with is on every fact, whatever the API's types allow."""
    return replace(query_type, filters=WEBSITE.fields)


def _about(_: Filters) -> About:
    return About({**Metrics.names, **Panels.counted}, _narrowable)


WEBSITE: Final = Board(
    subject="website",
    metrics=METRICS,
    lists=LISTS,
    panels=PANELS,
    sharing=CAMPAIGNS,
    wholes={"visitors": (_TOTALS, "visitors")},
    extras=EXTRAS,
    about=_about,
    words=Words(
        tabs={**Panels.tabs, **Compact.titles},
        choices=Panels.choices,
        empty=Panels.empty,
        codes={"{call}": Panels.event_call, "{outgoing}": Panels.outgoing_option},
        filters=FilterWords.names,
        anchors=Definitions.of,
    ),
)
