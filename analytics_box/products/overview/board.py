"""The page of a website as data: its tiles, its lists, and what a click on a row filters by. Pure."""

from functools import partial
from operator import itemgetter
from typing import Any, Final

from msgspec.structs import replace

from analytics_box.base.facts.event import EXPOSURE
from analytics_box.base.translation import _
from analytics_box.figures.board import (
    Board,
    BoardSubject,
    Explanation,
    FigureColumn,
    FigureList,
    Filters,
    JoinedType,
    Metric,
    ValueSource,
    Words,
)
from analytics_box.figures.chips import FIELD_LABELS
from analytics_box.figures.converting import metrics
from analytics_box.figures.details import COLUMN_LABELS
from analytics_box.figures.panels import domain_beside
from analytics_box.products.overview.compact import EXTRAS
from analytics_box.query.catalog.registry import TYPES, QueryType
from analytics_box.query.catalog.summary import sessions_of, sessions_of_entries
from analytics_box.query.catalog.types import Record
from analytics_box.query.filters import COMMON, FilterCondition
from analytics_box.web.recognition.language import country, display_name

METRIC_LABELS = {
    "visitors": _("Visitors"),
    "pageviews": _("Page views"),
    "sessions": _("Sessions"),
    "bounce_rate": _("Bounce rate"),
    "median_session_duration": _("Median duration"),
    "conversions": _("Conversions"),
    "conversion_rate": _("Conversion rate"),
}
_COUNTED = {
    "visitors": _("Visitors"),
    "page_views": _("Page views"),
    "total_events": _("Events"),
    "total_clicks": _("Clicks"),
}
TAB_LABELS = {
    "sources": _("Sources"),
    "channels": _("Channels"),
    "utm_campaign": _("Campaigns"),
    "pages": _("Pages"),
    "entry": _("Entry"),
    "exit": _("Exit"),
    "countries": _("Countries"),
    "regions": _("Regions"),
    "cities": _("Cities"),
    "map": _("Map"),
    "browsers": _("Browsers"),
    "systems": _("Systems"),
    "devices": _("Devices"),
    "windows": _("Windows"),
    "languages": _("Languages"),
    "events": _("Custom events"),
    "links": _("Outgoing links"),
    "domains": _("Domains"),
    "flags": _("Flags"),
    "error_pages": _("Errors by page"),
    "error_kinds": _("Errors by type"),
    "performance": _("Performance by page"),
    "slow_browsers": _("Performance by browser"),
    "slow_devices": _("Performance by device"),
    "slow_countries": _("Performance by country"),
    "loading": _("Load times"),
    "page_properties": _("Page properties"),
    "attention": _("Attention"),
    "reach": _("Scroll reach"),
    "depths": _("Scroll depth"),
    "frustration": _("Frustration"),
    "rage": _("Rage clicks"),
    "dead": _("Dead clicks"),
    "forms": _("Forms"),
    "fields": _("Abandoned fields"),
    "searches": _("Site search"),
    "missing": _("404 pages"),
    "downloads": _("Downloads"),
}
_TITLES = {
    "page": _("This page"),
    "goals": _("Goals"),
    "week": _("Hours of the week"),
    "uptime": _("Uptime"),
    "errors": _("Errors"),
    "vitals": _("Web vitals"),
}
CHOICE_LABELS = {
    "utm_campaign": _("Campaign"),
    "utm_source": _("Source"),
    "utm_medium": _("Medium"),
    "utm_term": _("Term"),
    "utm_content": _("Content"),
}
EMPTY_TEXTS = {
    "sources": _("No sources in this range."),
    "channels": _("No channels in this range."),
    "utm_campaign": _("No visits with utm_campaign. Add it to the links of your campaigns."),
    "utm_source": _("No visits with utm_source. Add it to the links of your campaigns."),
    "utm_medium": _("No visits with utm_medium. Add it to the links of your campaigns."),
    "utm_term": _("No visits with utm_term. Add it to the links of your campaigns."),
    "utm_content": _("No visits with utm_content. Add it to the links of your campaigns."),
    "pages": _("No page views in this range."),
    "entry": _("No entry pages in this range."),
    "exit": _("No exit pages in this range."),
    "countries": _("No countries in this range."),
    "regions": _("No regions in this range."),
    "cities": _("No cities in this range."),
    "map": _("No countries in this range."),
    "browsers": _("No browsers in this range."),
    "systems": _("No operating systems in this range."),
    "devices": _("No devices in this range."),
    "windows": _("No window sizes in this range."),
    "languages": _("No languages in this range."),
    "events": _("No custom events in this range. Send one from your page with {call}."),
    "links": _("No clicks on outgoing links in this range. Add {outgoing} to the snippet to track them."),
    "domains": _("No clicks on outgoing links in this range. Add {outgoing} to the snippet to track them."),
    "page_properties": _("No page views with properties in this range. Send them with {properties}."),
    "flags": _("No feature flags in this range."),
}
DEFINITIONS = {
    "online": "current-visitors",
    "visitors": "visitor",
    "pageviews": "page-view",
    "sessions": "session",
    "bounce_rate": "bounce-rate",
    "median_session_duration": "session-duration",
    "before": "comparison",
    "days": "days-and-time-zones",
    "sources": "source",
    "channels": "channel",
    "utm_campaign": "campaign",
    "utm_source": "campaign",
    "utm_medium": "campaign",
    "utm_term": "campaign",
    "utm_content": "campaign",
    "pages": "page",
    "entry": "entry-page",
    "exit": "exit-page",
    "countries": "country-region-city",
    "regions": "country-region-city",
    "cities": "country-region-city",
    "map": "country-region-city",
    "browsers": "browser-system-device",
    "systems": "browser-system-device",
    "devices": "browser-system-device",
    "windows": "window-size",
    "languages": "language",
    "events": "custom-event",
    "links": "outgoing-link",
    "domains": "outgoing-link",
    "flags": "flag-and-variant",
    "page": "page",
    "week": "hours-of-the-week",
    "errors": "error",
    "vitals": "web-vitals",
    "uptime": "uptime",
    **dict.fromkeys(("error_pages", "error_kinds"), "error"),
    **dict.fromkeys(("performance", "slow_browsers", "slow_devices", "slow_countries", "loading"), "web-vitals"),
    "page_properties": "custom-event",
    **dict.fromkeys(
        ("attention", "reach", "depths", "frustration", "rage", "dead", "forms", "fields", "searches", "missing"),
        "engagement",
    ),
    "downloads": "engagement",
    "people": "identified-visitor",
    "goals": "goal-and-conversion",
    "conversions": "goal-and-conversion",
    "conversion_rate": "goal-and-conversion",
    "bots": "bots",
    "drops": "dropped-traffic",
}
_SHARES = {
    "visitors": _(
        "Share of the {whole} visitors in this range. One visitor can be in several "
        "rows, so shares can add up to more than 100 %."
    ),
    "total_events": _("Share of all custom events in this range."),
    "total_clicks": _("Share of all clicks on links to other websites in this range."),
    "": _("Share of all errors in this range."),
    "apart page_views": _("Share of page views of all pages in this list."),
    "apart samples": _("Share of all measurements in this range."),
    "apart form_starts": _("Share of all started forms in this range."),
    "apart visitors": _("Share of the visitors of all rows."),
    "apart clicks": _("Share of all clicks in these rows."),
    "apart abandoned": _("Share of all abandoned forms in these rows."),
    "apart searches": _("Share of all searches in this range."),
    "apart views": _("Share of the views of all missing pages."),
    "apart downloads": _("Share of all downloads in this range."),
    "page_views": _("Share of the visits whose scroll depth was measured."),
}


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


def _most_clicked(row: Record) -> str:
    """The element that rage clicks on a page meant, else that of its dead clicks."""
    target = row["top_rage_click_target"] or row["top_dead_click_target"]
    return _("most on {element}").format(element=target) if target else ""


def _last_field(row: Record) -> str:
    return _("left at “{field}”").format(field=row["top_abandoned_field"]) if row["top_abandoned_field"] else ""


METRICS: Final = (
    Metric("visitors", TOTALS, _SERIES),
    Metric("pageviews", TOTALS, _SERIES),
    Metric("sessions", TOTALS, _SERIES),
    Metric("bounce_rate", TOTALS, _SERIES, unit="percent", needs="sessions", fewer_is_better=True),
    Metric("median_session_duration", TOTALS, _SERIES, unit="seconds", needs="sessions"),
)
PLACES: Final = ("countries", "regions", "cities")
_VITALS: Final = (
    FigureColumn("p75_lcp", "ms"),
    FigureColumn("p75_inp", "ms"),
    FigureColumn("p50_cls", "score"),
    FigureColumn("p50_fcp", "ms"),
    FigureColumn("measurements"),
)
_VIEWS: Final = FigureColumn("pageviews")
_OF_SESSIONS: Final = (
    FigureColumn("sessions"),
    FigureColumn("bounce_rate", "percent", needs="sessions"),
    FigureColumn("median_session_duration", "seconds", needs="sessions"),
)


def _entry_list(type: str, field: str = "", *, within: tuple[str, ...] = (), **more: Any) -> FigureList:
    """A list of what sessions begin with: its table has their sessions beside."""
    beside = JoinedType(sessions_of(TYPES[type]), _OF_SESSIONS, ("name", *within))
    return FigureList(type, field, columns=(_VIEWS,), beside=(beside,), within=within, **more)


# Elements of pages, or fields of forms, with their pages.
_ELEMENTS: Final = partial(
    FigureList, detail=itemgetter("path"), apart=True, columns=(FigureColumn("visitors"),), within=("path",)
)
_ENTRIES: Final = JoinedType(sessions_of_entries(TYPES["top_pages"]), _OF_SESSIONS, ("path",))
LISTS: Final[dict[str, FigureList]] = {
    "sources": _entry_list("traffic_sources", "referrer", detail=domain_beside),
    "channels": _entry_list("channels", "channel"),
    "utm_campaign": _entry_list("utm_campaigns", "utm_campaign"),
    "utm_source": _entry_list("utm_sources", "utm_source"),
    "utm_medium": _entry_list("utm_mediums", "utm_medium"),
    "utm_term": _entry_list("utm_terms", "utm_term"),
    "utm_content": _entry_list("utm_content", "utm_content"),
    "pages": FigureList(
        "top_pages",
        "path",
        shown="path",
        columns=(_VIEWS,),
        beside=(
            JoinedType(TYPES["page_time_analysis"], (FigureColumn("median_time_on_page", "seconds"),)),
            JoinedType(TYPES["page_scroll_performance"], (FigureColumn("avg_scroll_depth", "percent"),)),
            _ENTRIES,
        ),
    ),
    "entry": FigureList("entry_pages", "entry_page", shown="path", beside=(_ENTRIES,)),
    "exit": FigureList(
        "exit_pages", "exit_page", shown="path", columns=(FigureColumn("pageviews", called="sessions"),)
    ),
    "countries": _entry_list("country", "country", places=True, icon="globe"),
    "regions": _entry_list("region", "region", places=True, within=("country",)),
    "cities": _entry_list("city", "city", places=True, within=("country",)),
    "map": FigureList("country", "country", places=True, icon="globe", look="map", below=PLACES),
    "browsers": _entry_list("browser_name", "browser_name"),
    "systems": _entry_list("os_name", "os_name"),
    "devices": _entry_list("device_types", "device_type"),
    "windows": _entry_list("screen_resolution", label=_size, detail=itemgetter("device_type"), within=("device_type",)),
    "languages": _entry_list("language", "language", label=partial(display_name, "language")),
    "events": FigureList(
        "custom_events",
        "event",
        counted="total_events",
        columns=(
            FigureColumn("unique_users"),
            FigureColumn("unique_sessions"),
            FigureColumn("last_occurrence", "moment"),
        ),
    ),
    "page_properties": FigureList(
        "page_properties",
        "event_property",
        counted="page_views",
        apart=True,
        columns=(FigureColumn("visitors"),),
    ),
    "links": FigureList(
        "outbound_links",
        "outgoing_link",
        shown="href",
        counted="total_clicks",
        label=_without_scheme,
        detail=_text,
        icon="globe",
        columns=(FigureColumn("unique_users"), FigureColumn("unique_sessions"), FigureColumn("last_clicked", "moment")),
        within=("text",),
    ),
    "domains": FigureList(
        "outbound_domains",
        "outgoing_domain",
        shown="domain",
        counted="total_clicks",
        columns=(FigureColumn("unique_users"), FigureColumn("unique_links")),
    ),
    "flags": FigureList(
        "flag_variants",
        "flag",
        label=_flag,
        detail=itemgetter("variant"),
        icon="flag",
        columns=(FigureColumn("exposures"), FigureColumn("first_seen", "moment"), FigureColumn("last_seen", "moment")),
    ),
    "errors": FigureList(
        "error_types",
        "error",
        counted="count",
        apart=True,
        columns=(FigureColumn("users"), FigureColumn("last_seen", "moment")),
    ),
    "error_pages": FigureList("errors_by_page", "path", counted="errors", apart=True, columns=(FigureColumn("users"),)),
    "error_kinds": FigureList(
        "errors_by_type", counted="count", apart=True, columns=(FigureColumn("users"), FigureColumn("sessions"))
    ),
    "performance": FigureList("web_vitals_by_page", "path", columns=_VITALS, order="p75_lcp"),
    "loading": FigureList(
        "slow_pages",
        "path",
        counted="samples",
        apart=True,
        columns=(FigureColumn("p50_load_time", "ms"), FigureColumn("p95_load_time", "ms"), FigureColumn("visitors")),
    ),
    "slow_browsers": FigureList("web_vitals_by_browser", "browser_name", columns=_VITALS, order="p75_lcp"),
    "slow_devices": FigureList("web_vitals_by_device", "device_type", columns=_VITALS, order="p75_lcp"),
    "slow_countries": FigureList("web_vitals_by_country", "country", columns=_VITALS, order="p75_lcp"),
    "attention": FigureList(
        "engagement_quality_by_page",
        "path",
        counted="page_views",
        apart=True,
        columns=(
            FigureColumn("avg_time_on_page", "seconds"),
            FigureColumn("avg_active_time", "seconds"),
            FigureColumn("avg_scroll_depth", "percent"),
            FigureColumn("avg_interactions", "score"),
            FigureColumn("median_time_to_first_interaction", "ms"),
        ),
    ),
    "reach": FigureList("scroll_reach", shown="depth", counted="page_views"),
    "depths": FigureList(
        "scroll_depth_distribution", shown="depth_range", apart=True, columns=(FigureColumn("sessions"),)
    ),
    "frustration": FigureList(
        "frustration_by_page",
        "path",
        counted="page_views",
        detail=_most_clicked,
        apart=True,
        columns=(
            FigureColumn("visitors"),
            FigureColumn("rage_click_rate", "percent"),
            FigureColumn("dead_click_rate", "percent"),
            FigureColumn("error_rate", "percent"),
        ),
    ),
    "rage": _ELEMENTS("rage_clicks", counted="clicks"),
    "dead": _ELEMENTS("dead_clicks", counted="clicks"),
    "forms": FigureList(
        "form_abandonment_by_page",
        "path",
        counted="form_starts",
        detail=_last_field,
        apart=True,
        columns=(FigureColumn("form_submits"), FigureColumn("abandonment_rate", "percent")),
    ),
    "fields": _ELEMENTS("abandoned_fields", counted="abandoned"),
    "searches": FigureList("site_searches", counted="searches", apart=True, columns=(FigureColumn("visitors"),)),
    "missing": FigureList(
        "missing_pages",
        "path",
        counted="views",
        detail=lambda row: _("from {page}").format(page=row["referrer"]) if row["referrer"] else "",
        apart=True,
        columns=(FigureColumn("visitors"),),
        within=("referrer",),
    ),
    "downloads": FigureList(
        "file_downloads",
        counted="downloads",
        label=_without_scheme,
        apart=True,
        columns=(FigureColumn("visitors"),),
    ),
}
# Lists with a table, but no panel.
TABLES_ALONE: Final = (
    ("errors", "error_pages", "error_kinds"),
    ("performance", "loading", "slow_browsers", "slow_devices", "slow_countries"),
    (
        *("attention", "reach", "depths", "frustration", "rage", "dead", "forms", "fields"),
        *("searches", "missing", "downloads"),
    ),
)
CAMPAIGNS: Final = ("utm_campaign", "utm_source", "utm_medium", "utm_term", "utm_content")
# Fields that no list shows: what happened in a session beside what is listed (query/happened.py).
FURTHER: Final = ("event_property", "viewed_page", "scroll", "engaged", "link", "reached_goal", "funnel_dropoff")
# Where their values are suggested from.
SUGGESTED: Final[dict[str, ValueSource]] = {
    "event_property": ValueSource("custom_event_properties", _properties, "count"),
    "viewed_page": ValueSource("top_pages", _path, "visitors"),
}
# The lists of each panel; those of campaigns share one tab.
PANELS: Final[dict[str, tuple[str, ...]]] = {
    "sources": ("sources", "channels", *CAMPAIGNS),
    "pages": ("pages", "entry", "exit"),
    "countries": (*PLACES, "map"),
    "browsers": ("browsers", "systems", "devices", "windows", "languages"),
    "events": ("events", "page_properties"),
    "links": ("links", "domains"),
    "flags": ("flags",),
}


# What flags gave, which pages say by themselves: nothing that a visitor did, and so in no list of what visitors did.
_SAID_BY_PAGES: Final = FilterCondition("name", "is", (EXPOSURE,), negated=True)
_OF_WHAT_VISITORS_DID: Final = frozenset(("custom_events", "custom_events_summary", "realtime_feed"))


def _page_query(query_type: QueryType) -> QueryType:
    """The whole page is filtered alike: what sessions begin with is on every fact, whatever the API's types allow."""
    asks = query_type.asks
    if query_type.name in _OF_WHAT_VISITORS_DID:
        asks = tuple(replace(ask, where=(*ask.where, _SAID_BY_PAGES)) for ask in asks)
    return replace(query_type, filters=_FILTERS, asks=asks)


def _about(_: Filters) -> BoardSubject:
    return BoardSubject({**METRIC_LABELS, **_COUNTED}, _page_query)


_EXPLANATIONS: Final = (
    Explanation("sources", "visitors", (TOTALS, "visitors"), _("From several sources")),
    Explanation("pages", "pageviews", (TOTALS, "pageviews")),
    Explanation("countries", "visitors", (TOTALS, "visitors"), _("In several countries")),
    Explanation("utm_campaign", "visitors", (TOTALS, "visitors"), _("No campaign, or several")),
    Explanation("devices", "visitors", (TOTALS, "visitors"), _("On several devices")),
    Explanation("events", "total_events", ("custom_events_summary", "total_events")),
)


WEBSITE: Final = Board(
    subject="website",
    metrics=METRICS,
    lists=LISTS,
    panels=PANELS,
    sharing=CAMPAIGNS,
    wholes={"visitors": (TOTALS, "visitors")},
    extras=EXTRAS,
    stored={"country": country},
    further=FURTHER,
    suggested=SUGGESTED,
    segmented=True,
    converting=metrics(TOTALS, _SERIES),
    tables_alone=TABLES_ALONE,
    explained_by=_EXPLANATIONS,
    folded=("events", "links", "flags", "week"),
    about=_about,
    words=Words(
        tabs={**TAB_LABELS, **_TITLES},
        choices=CHOICE_LABELS,
        empty=EMPTY_TEXTS,
        codes={
            "{properties}": 'analyticsBox.setGlobalProperties({plan: "pro"})',
            "{call}": 'analyticsBox.track("signup")',
            "{outgoing}": 'data-track-outgoing-links="true"',
        },
        filters=FIELD_LABELS,
        anchors=DEFINITIONS,
        shares=_SHARES,
        columns={
            **COLUMN_LABELS,
            "count": _("Errors"),
            "errors": _("Errors"),
            "users": _("Visitors"),
            "p75_lcp": _("LCP (75th percentile)"),
            "p75_inp": _("INP (75th percentile)"),
            "p50_cls": _("CLS (median)"),
            "p50_fcp": _("FCP (median)"),
            "measurements": _("Measurements"),
            "samples": _("Measurements"),
            "p50_load_time": _("Load time (median)"),
            "p95_load_time": _("Load time (95th percentile)"),
            "page_views": _("Page views"),
            "avg_time_on_page": _("Time on page"),
            "avg_active_time": _("Active time"),
            "avg_interactions": _("Interactions"),
            "median_time_to_first_interaction": _("First interaction"),
            "rage_click_rate": _("Rage clicks"),
            "dead_click_rate": _("Dead clicks"),
            "error_rate": _("With errors"),
            "form_starts": _("Started"),
            "form_submits": _("Submitted"),
            "abandonment_rate": _("Abandoned"),
            "abandoned": _("Abandoned"),
            "searches": _("Searches"),
            "views": _("Views"),
            "downloads": _("Downloads"),
        },
    ),
)
_FILTERS: Final = tuple(dict.fromkeys((*WEBSITE.fields, *COMMON, "fingerprint", "release")))
