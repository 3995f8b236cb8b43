"""What the panels of an overview can list, as data: query types, what is counted, and what a click filters by. Pure.

A panel is called like the first of its lists.
"""

from typing import Literal

from msgspec import Struct

Counted = Literal["visitors", "total_events", "total_clicks"]
Shown = Literal["name", "path", "href", "domain"]


class Listed(Struct, frozen=True):
    """A list: its query type, the field of a row that names it and the one that counts it.

    `field` is the filter (wire 2.2) that a click on a row sets; empty where no filter tells such rows apart.
    `places` lists name their country by its code, and a click filters by the country as well, because places of
    different countries share names.
    """

    type: str
    field: str = ""
    shown: Shown = "name"
    counted: Counted = "visitors"
    places: bool = False


LISTS: dict[str, Listed] = {
    "sources": Listed("traffic_sources", "referrer"),
    "channels": Listed("channels", "channel"),
    "utm_campaign": Listed("utm_campaigns", "utm_campaign"),
    "utm_source": Listed("utm_sources", "utm_source"),
    "utm_medium": Listed("utm_mediums", "utm_medium"),
    "utm_term": Listed("utm_terms", "utm_term"),
    "utm_content": Listed("utm_content", "utm_content"),
    "pages": Listed("top_pages", "path", shown="path"),
    "entry": Listed("entry_pages", "entry_page", shown="path"),
    "exit": Listed("exit_pages", shown="path"),
    "countries": Listed("country", "country", places=True),
    "regions": Listed("region", "region", places=True),
    "cities": Listed("city", "city", places=True),
    "browsers": Listed("browser_name", "browser_name"),
    "systems": Listed("os_name", "os_name"),
    "devices": Listed("device_types", "device_type"),
    "windows": Listed("screen_resolution"),
    "languages": Listed("language", "language"),
    "events": Listed("custom_events", counted="total_events"),
    "links": Listed("outbound_links", shown="href", counted="total_clicks"),
    "domains": Listed("outbound_domains", shown="domain", counted="total_clicks"),
}
CAMPAIGNS = ("utm_campaign", "utm_source", "utm_medium", "utm_term", "utm_content")
# The lists of each panel; those of campaigns share one tab.
PANELS: dict[str, tuple[str, ...]] = {
    "sources": ("sources", "channels", *CAMPAIGNS),
    "pages": ("pages", "entry", "exit"),
    "countries": ("countries", "regions", "cities"),
    "browsers": ("browsers", "systems", "devices", "windows", "languages"),
    "events": ("events",),
    "links": ("links", "domains"),
}
PANEL_OF = {name: panel for panel, names in PANELS.items() for name in names}

# What the page can be filtered by, in the order of its chips.
FIELDS = tuple(listed.field for listed in LISTS.values() if listed.field)
