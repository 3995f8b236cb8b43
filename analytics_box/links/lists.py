"""What the panels of a link's own page can list, as data: query types and what a click filters by. Pure.

A panel is called like the first of its lists.
"""

from typing import Final

from msgspec import Struct

KIND: Final = "kind"  # people's clicks, or what is not counted: this one filter no query type has


class Listed(Struct, frozen=True):
    """A list: its query type, and the filter that a click on a row sets, empty where there is none.

    `places` lists name their country by its code, and a click filters by the country as well.
    """

    type: str
    field: str = ""
    places: bool = False


LISTS: Final[dict[str, Listed]] = {
    "sources": Listed("link_top_referrers", "referrer"),
    "countries": Listed("link_top_countries", "country", places=True),
    "regions": Listed("link_top_regions", "region", places=True),
    "cities": Listed("link_top_cities", "city", places=True),
    "devices": Listed("link_top_devices", "device_type"),
    "browsers": Listed("link_top_browsers", "browser_name"),
    "systems": Listed("link_top_systems", "os_name"),
    "languages": Listed("link_top_languages", "language"),
    "variants": Listed("link_variants", "variant"),
    "rules": Listed("link_rules", "rule"),
    "kinds": Listed("link_kinds", KIND),
    "bots": Listed("link_top_bots"),
}
PANELS: Final[dict[str, tuple[str, ...]]] = {
    "sources": ("sources",),
    "countries": ("countries", "regions", "cities"),
    "devices": ("devices", "browsers", "systems", "languages"),
    "variants": ("variants",),
    "rules": ("rules",),
    "kinds": ("kinds", "bots"),
}

# What the page can be filtered by, in the order of its chips.
FIELDS: Final = tuple(listed.field for listed in LISTS.values() if listed.field)
