"""The page of a website as data: its tiles, its lists, and what a click on a row filters by. Pure."""

from functools import partial
from operator import itemgetter
from typing import Any, Final

from msgspec.structs import replace

from analytics_box.base.facts.event import EXPOSURE
from analytics_box.base.texts import Compact, Definitions, Details, Metrics, Panels
from analytics_box.base.texts import Filters as FilterWords
from analytics_box.figures.board import About, Beside, Board, Column, Filters, Listed, Metric, Source, Words
from analytics_box.figures.converting import metrics
from analytics_box.figures.panels import domain_beside
from analytics_box.products.overview.compact import EXTRAS
from analytics_box.query.catalog.registry import TYPES, QueryType
from analytics_box.query.catalog.sessions_by import sessions_of, sessions_of_entries
from analytics_box.query.catalog.types import Record
from analytics_box.query.filters import COMMON, Condition
from analytics_box.web.recognition import typed
from analytics_box.web.recognition.called import called

TOTALS, _SERIES = "summary_totals", "summary_metrics"


def _size(name: str) -> str:
    return name.replace("x", " × ")


def _without_scheme(href: str) -> str:
    return href.removeprefix("https://")


def _flag(name: str) -> str:
    return name.partition("=")[0]


def _text(row: Record) -> str:
    return row["text"] or ""


def _properties(row: Record) -> tuple[str, ...]:
    """A property of an event, whatever its value and with it."""
    return row["property_key"], f"{row['property_key']}={row['property_value']}"


def _path(row: Record) -> tuple[str, ...]:
    return (row["path"] or "",)


METRICS: Final = (
    Metric("visitors", TOTALS, _SERIES),
    Metric("pageviews", TOTALS, _SERIES),
    Metric("sessions", TOTALS, _SERIES),
    Metric("bounce_rate", TOTALS, _SERIES, unit="percent", needs="sessions", fewer_is_better=True),
    Metric("median_session_duration", TOTALS, _SERIES, unit="seconds", needs="sessions"),
)
PLACES: Final = ("countries", "regions", "cities")
_VIEWS: Final = Column("pageviews")
_OF_SESSIONS: Final = (
    Column("sessions"),
    Column("bounce_rate", "percent", needs="sessions"),
    Column("median_session_duration", "seconds", needs="sessions"),
)


def _listed(type: str, field: str = "", *, within: tuple[str, ...] = (), **more: Any) -> Listed:
    """A list of what sessions begin with: its table has their sessions beside."""
    beside = Beside(sessions_of(TYPES[type]), _OF_SESSIONS, ("name", *within))
    return Listed(type, field, columns=(_VIEWS,), beside=(beside,), within=within, **more)


_ENTRIES: Final = Beside(sessions_of_entries(TYPES["top_pages"]), _OF_SESSIONS, ("path",))
LISTS: Final[dict[str, Listed]] = {
    "sources": _listed("traffic_sources", "referrer", detail=domain_beside),
    "channels": _listed("channels", "channel"),
    "utm_campaign": _listed("utm_campaigns", "utm_campaign"),
    "utm_source": _listed("utm_sources", "utm_source"),
    "utm_medium": _listed("utm_mediums", "utm_medium"),
    "utm_term": _listed("utm_terms", "utm_term"),
    "utm_content": _listed("utm_content", "utm_content"),
    "pages": Listed(
        "top_pages",
        "path",
        shown="path",
        columns=(_VIEWS,),
        beside=(
            Beside(TYPES["page_time_analysis"], (Column("median_time_on_page", "seconds"),)),
            Beside(TYPES["page_scroll_performance"], (Column("avg_scroll_depth", "percent"),)),
            _ENTRIES,
        ),
    ),
    "entry": Listed("entry_pages", "entry_page", shown="path", beside=(_ENTRIES,)),
    "exit": Listed("exit_pages", "exit_page", shown="path", columns=(Column("pageviews", called="sessions"),)),
    "countries": _listed("country", "country", places=True, icon="globe"),
    "regions": _listed("region", "region", places=True, within=("country",)),
    "cities": _listed("city", "city", places=True, within=("country",)),
    "map": Listed("country", "country", places=True, icon="globe", look="map", below=PLACES),
    "browsers": _listed("browser_name", "browser_name"),
    "systems": _listed("os_name", "os_name"),
    "devices": _listed("device_types", "device_type"),
    "windows": _listed("screen_resolution", label=_size, detail=itemgetter("device_type"), within=("device_type",)),
    "languages": _listed("language", "language", label=partial(called, "language")),
    "events": Listed(
        "custom_events",
        "event",
        counted="total_events",
        columns=(Column("unique_users"), Column("unique_sessions"), Column("last_occurrence", "moment")),
    ),
    "links": Listed(
        "outbound_links",
        "outgoing_link",
        shown="href",
        counted="total_clicks",
        label=_without_scheme,
        detail=_text,
        icon="globe",
        columns=(Column("unique_users"), Column("unique_sessions"), Column("last_clicked", "moment")),
        within=("text",),
    ),
    "domains": Listed(
        "outbound_domains",
        "outgoing_domain",
        shown="domain",
        counted="total_clicks",
        columns=(Column("unique_users"), Column("unique_links")),
    ),
    "flags": Listed(
        "flag_variants",
        "flag",
        label=_flag,
        detail=itemgetter("variant"),
        icon="flag",
        columns=(Column("exposures"), Column("first_seen", "moment"), Column("last_seen", "moment")),
    ),
}
CAMPAIGNS: Final = ("utm_campaign", "utm_source", "utm_medium", "utm_term", "utm_content")
# Fields that no list shows: what happened in a session beside what is listed (query/happened.py).
FURTHER: Final = ("event_property", "viewed_page", "scroll", "engaged", "link", "reached_goal")
# Where their values are suggested from.
SUGGESTED: Final[dict[str, Source]] = {
    "event_property": Source("custom_event_properties", _properties, "count"),
    "viewed_page": Source("top_pages", _path, "visitors"),
}
# The lists of each panel; those of campaigns share one tab.
PANELS: Final[dict[str, tuple[str, ...]]] = {
    "sources": ("sources", "channels", *CAMPAIGNS),
    "pages": ("pages", "entry", "exit"),
    "countries": (*PLACES, "map"),
    "browsers": ("browsers", "systems", "devices", "windows", "languages"),
    "events": ("events",),
    "links": ("links", "domains"),
    "flags": ("flags",),
}


# What flags gave, which pages say by themselves: nothing that a visitor did, and so in no list of what visitors did.
_SAID_BY_PAGES: Final = Condition("name", "is", (EXPOSURE,), negated=True)
_OF_WHAT_VISITORS_DID: Final = frozenset(("custom_events", "realtime_feed"))


def _asked(query_type: QueryType) -> QueryType:
    """The whole page is filtered alike: what sessions begin with is on every fact, whatever the API's types allow."""
    asks = query_type.asks
    if query_type.name in _OF_WHAT_VISITORS_DID:
        asks = tuple(replace(ask, where=(*ask.where, _SAID_BY_PAGES)) for ask in asks)
    return replace(query_type, filters=_FILTERS, asks=asks)


def _about(_: Filters) -> About:
    return About({**Metrics.names, **Panels.counted}, _asked)


WEBSITE: Final = Board(
    subject="website",
    metrics=METRICS,
    lists=LISTS,
    panels=PANELS,
    sharing=CAMPAIGNS,
    wholes={"visitors": (TOTALS, "visitors")},
    extras=EXTRAS,
    stored={"country": typed.country},
    further=FURTHER,
    suggested=SUGGESTED,
    segmented=True,
    converting=metrics(TOTALS, _SERIES),
    about=_about,
    words=Words(
        tabs={**Panels.tabs, **Compact.titles},
        choices=Panels.choices,
        empty=Panels.empty,
        codes={"{call}": Panels.event_call, "{outgoing}": Panels.outgoing_option},
        filters=FilterWords.names,
        anchors=Definitions.of,
        shares=Panels.shares,
        columns=Details.columns,
    ),
)
_FILTERS: Final = tuple(dict.fromkeys((*WEBSITE.fields, *COMMON)))
